// Checks how Inf and NaN spread: if a single element of an input is Inf or NaN, it must reach the
// same elements of the output as in a direct convolution. (A direct convolution does not multiply
// padding.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conv/race/site.hpp"
#include "core/allocator.hpp"
#include "core/problem.hpp"

namespace atc::conv {

class Isolation {
 public:
  // `data` is the memory of the input `tensor` in `operands`. All inputs must contain small finite
  // numbers. The constructor computes which samples of the output must be finite, and leaves the
  // input unchanged.
  Isolation(const Problem& problem, Site& site, const Operands& operands, const Tensor& tensor,
            void* data, std::uint64_t seed);

  void spoil();    // writes Inf and NaN into some elements of the input
  void restore();  // undoes spoil(): writes the old values of the changed elements back
  // Checks the output of an execution that ran after spoil() and before restore(), that is, while
  // the input contained Inf and NaN. Returns "" if the output is right. Otherwise returns a
  // sentence about the first sampled element that is finite but must not be, or that is not finite
  // but must be.
  std::string difference(WatchedOutput& output) const;

 private:
  struct Spoiled {
    char* address;
    bool is_nan;
    std::uint64_t kept;  // offset in `kept_`, in bytes, of the element's old value
  };

  Site& site_;
  Dtype dtype_;
  std::vector<Spoiled> spoiled_;
  Allocation kept_;
  // The sampled elements of the output: their numbers in logical order, and their offsets in
  // memory, in elements.
  std::vector<std::int64_t> logical_, offsets_;
  std::vector<bool> finite_;
};

}  // namespace atc::conv
