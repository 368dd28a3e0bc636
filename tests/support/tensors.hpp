// Memory for the operands of a problem, filled with numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/guarded_buffer.hpp"
#include "core/problem.hpp"

namespace atc::test {

// A tensor's memory, aligned to 64 bytes. Gaps hold NaN, so that a read of a gap shows in the
// result.
class Buffer {
 public:
  explicit Buffer(const Tensor& tensor) : memory_(tensor), tensor_(tensor) {}
  void* data() { return memory_.data(); }
  const void* data() const { return memory_.data(); }
  const Tensor& tensor() const { return tensor_; }
  std::vector<double> values() const;  // in logical order

 private:
  GuardedBuffer memory_;
  Tensor tensor_;
};

enum class Fill { ternary, normal };

// The inputs, the bias and, if the problem accumulates, the old values of the output. The outputs
// of several engines begin with equal memory.
class Inputs {
 public:
  Inputs(const Problem& problem, Fill fill, std::uint64_t seed);

  // Returns the operands with `output` in place of the operand that is written.
  Operands with_output(void* output);
  // Makes the output fresh: NaN everywhere, or the old values if the problem accumulates.
  void reset(GuardedBuffer& output) const;
  // Returns the operands with the old values as output, for the sums of the reference.
  Operands with_old() { return with_output(old_.data()); }

 private:
  Problem problem_;
  Buffer x_, w_, y_, bias_;
  Buffer old_;
};

// A workspace between red zones, which show if an engine uses more than workspace_size(). The red
// zones are larger than the 120 KiB that oneDNN is known to write beyond its scratchpad.
class Workspace {
 public:
  explicit Workspace(std::uint64_t bytes);
  void* data();
  bool overrun() const { return !violation().empty(); }
  std::string violation() const;  // "", or what was written outside

 private:
  std::vector<unsigned char> memory_;
  std::uint64_t bytes_;
};

}  // namespace atc::test
