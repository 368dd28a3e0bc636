// Checks that single elements of an input that are Inf or NaN reach the same elements of the output
// as in a direct convolution, which leaves products with padding out.
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
  // `data`: the memory of the input `tensor` in `operands`. All inputs must hold small finite
  // numbers. Computes the trusted output, after which the input is as it was.
  Isolation(const Problem& problem, Site& site, const Operands& operands, const Tensor& tensor,
            void* data, std::uint64_t seed);

  void spoil();    // puts Inf and NaN into the input
  void restore();  // puts the old elements back
  // Checks an output that was computed between spoil and restore. Returns "", or a sentence about
  // the first element that is finite and should not be, or is not finite and should be.
  std::string difference(WatchedOutput& output) const;

 private:
  struct Spoiled {
    char* address;
    bool is_nan;
    std::uint64_t kept;  // offset of the old element in kept_
  };

  Site& site_;
  Dtype dtype_;
  std::vector<Spoiled> spoiled_;
  Allocation kept_;
  std::vector<std::int64_t> logical_, offsets_;  // of the samples of the output
  std::vector<bool> finite_;
};

}  // namespace atc::conv
