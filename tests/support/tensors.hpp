// Memory for the operands of a problem, and functions that fill the memory with numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/guarded_buffer.hpp"
#include "core/problem.hpp"

namespace atc::test {

// The memory of a tensor, aligned to 64 bytes. The gaps between elements contain NaN. If an engine
// reads a gap, its result is NaN.
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

// The inputs of a problem: the two operands that are read, the bias, the residual and, if the
// problem accumulates, the old values of the output. Several engines can run on the same inputs,
// each with an output of its own.
class Inputs {
 public:
  Inputs(const Problem& problem, Fill fill, std::uint64_t seed);

  // Returns the addresses of the operands, with `output` as the operand that the problem writes.
  Operands with_output(void* output);
  // Fills the output with NaN, or with the old values if the problem accumulates.
  void reset(GuardedBuffer& output) const;
  // Returns the addresses of the operands, with the old values as the operand that the problem
  // writes. The reference adds its sums to these old values, if the problem accumulates.
  Operands with_old() { return with_output(old_.data()); }

 private:
  Problem problem_;
  Buffer x_, w_, y_, bias_;
  Buffer old_, residual_;
};

// A workspace between two guard regions, which show whether an engine writes beyond
// workspace_size(). The guard regions are larger than 120 KiB, because oneDNN is known to write up
// to 120 KiB beyond its scratchpad.
class Workspace {
 public:
  explicit Workspace(std::uint64_t bytes);
  void* data();
  bool overrun() const { return !violation().empty(); }
  // a description of the bytes that were written outside of the workspace, or "" if there are none
  std::string violation() const;

 private:
  std::vector<unsigned char> memory_;
  std::uint64_t bytes_;
};

}  // namespace atc::test
