// An output buffer that detects stray writes and unwritten elements. At first everything holds a
// pattern (a NaN): the red zones before and after the tensor, the gaps between strided elements,
// and every element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/mapped_memory.hpp"
#include "core/problem.hpp"

namespace atc {

class GuardedBuffer {
 public:
  // Allocates room for `tensor` and the red zones around it, and fills everything with the pattern.
  explicit GuardedBuffer(const Tensor& tensor);
  GuardedBuffer(const GuardedBuffer&) = delete;  // a copy would lose the alignment
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  void* data() { return storage_.data() + first_; }  // element 0; aligned to 64 bytes
  const void* data() const { return storage_.data() + first_; }
  std::size_t bytes() const { return storage_.size(); }  // red zones included

  void fill_pattern();  // fills the whole buffer with the pattern, so that all elements count as
                        // unwritten again
  // Copies the elements from `old`, a tensor of the same layout; fills the rest with the pattern.
  void copy_from(const void* old);

  // Returns "" if red zones and gaps still hold the pattern; otherwise a sentence that names the
  // first place that was written.
  std::string violation() const;

  // Returns "" if each element of the tensor is a finite number. Otherwise returns a sentence that
  // names the first element that is not, and says whether it is NaN, is infinite or was never
  // written.
  std::string bad_element() const;

  // A NaN that no arithmetic produces, because of its payload: a quiet NaN as bf16, as f16 and,
  // written twice, as f32.
  static constexpr std::uint16_t kPattern = 0x7fe7;

 private:
  bool is_dense() const { return tensor_.span() == tensor_.elements(); }
  // Returns the offset in bytes of the first 16-bit word of [from, to) that is not the pattern, or
  // `to` if there is none.
  std::size_t first_touched(std::size_t from, std::size_t to) const;

  Tensor tensor_;
  MappedMemory storage_;
  std::size_t first_ = 0;  // offset of element 0
};

}  // namespace atc
