// An output buffer that detects stray writes and unwritten elements: red zones before and after the
// tensor, the gaps between strided elements, and every element hold a pattern (a NaN) at first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/mapped_memory.hpp"
#include "core/problem.hpp"

namespace atc {

class GuardedBuffer {
 public:
  // Room for `tensor` and the red zones around it, all filled with the pattern.
  explicit GuardedBuffer(const Tensor& tensor);
  GuardedBuffer(const GuardedBuffer&) = delete;  // a copy would lose the alignment
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  void* data() { return storage_.data() + first_; }  // element 0; aligned to 64 bytes
  const void* data() const { return storage_.data() + first_; }
  std::size_t bytes() const { return storage_.size(); }  // red zones included

  void fill_pattern();  // everywhere, so that all elements count as unwritten again
  // Copies the elements from `old`, a tensor of the same layout; fills the rest with the pattern.
  void copy_from(const void* old);

  // Empty when red zones and gaps are untouched, else a sentence that names the first place.
  std::string violation() const;

  // Empty when each element of the tensor is a finite number, else a sentence that names the first
  // other element and says whether that element is NaN, infinite or was never written.
  std::string bad_element() const;

  // A quiet NaN as bf16, as f16 and, repeated, as f32, with a payload that no arithmetic produces.
  static constexpr std::uint16_t kPattern = 0x7fe7;

 private:
  bool is_dense() const { return tensor_.span() == tensor_.elements(); }
  // Offset in bytes of the first 16-bit word of [from, to) that is not the pattern, `to` if none.
  std::size_t first_touched(std::size_t from, std::size_t to) const;

  Tensor tensor_;
  MappedMemory storage_;
  std::size_t first_ = 0;  // offset of element 0
};

}  // namespace atc
