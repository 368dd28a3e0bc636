// An output buffer that detects stray writes and unwritten elements. At first all memory is filled
// with a pattern (a NaN): the elements, the red zones before and after the tensor, and the gaps
// between strided elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/mapped_memory.hpp"
#include "core/problem.hpp"

namespace atc {

class GuardedBuffer {
 public:
  // Allocates memory for `tensor` and the red zones around it, and fills all memory with the
  // pattern.
  explicit GuardedBuffer(const Tensor& tensor);
  // A copy is not allowed, because its elements might not be aligned.
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  // The address of element 0, aligned to 64 bytes.
  void* data() { return storage_.data() + first_; }
  const void* data() const { return storage_.data() + first_; }
  std::size_t bytes() const { return storage_.size(); }  // red zones included

  // Fills all memory with the pattern, so that all elements count as unwritten again.
  void fill_pattern();
  // Copies the elements from `old`, a tensor of the same layout. Fills all other memory with the
  // pattern.
  void copy_from(const void* old);

  // Returns "" if the red zones and the gaps still contain the pattern. Otherwise returns a
  // sentence about the first place that was overwritten.
  std::string violation() const;

  // Returns "" if each element of the tensor is a finite number. Otherwise returns a sentence about
  // the first other element: it is NaN, it is infinite, or it was never written.
  std::string bad_element() const;

  // The pattern. As bf16 and as f16 it is a quiet NaN, and written twice it is a quiet NaN as f32.
  // Its payload is one that no arithmetic produces.
  static constexpr std::uint16_t kPattern = 0x7fe7;

 private:
  bool is_dense() const { return tensor_.span() == tensor_.elements(); }
  // Returns the offset, in bytes, of the first 16-bit word in [from, to) that differs from the
  // pattern. Returns `to` if there is none.
  std::size_t first_touched(std::size_t from, std::size_t to) const;

  Tensor tensor_;
  MappedMemory storage_;
  std::size_t first_ = 0;  // the offset of element 0 of the tensor, in bytes
};

}  // namespace atc
