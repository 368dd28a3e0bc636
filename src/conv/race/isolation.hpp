// Checks where Inf and NaN go: if a single element of an input is Inf or NaN, it must reach the
// same elements of the output as in a direct convolution, which leaves out products with padding.
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
  // numbers. Computes the trusted output, and then restores the input.
  Isolation(const Problem& problem, Site& site, const Operands& operands, const Tensor& tensor,
            void* data, std::uint64_t seed);

  void spoil();    // writes Inf and NaN into elements of the input
  void restore();  // puts the old elements back
  // Checks an output that was computed between spoil and restore. Returns "", or a sentence about
  // the first wrong element: it is finite but must not be, or it is not finite but must be.
  std::string difference(WatchedOutput& output) const;

 private:
  struct Spoiled {
    char* address;
    bool is_nan;
    std::uint64_t kept;  // offset, in kept_, of the element's old value
  };

  Site& site_;
  Dtype dtype_;
  std::vector<Spoiled> spoiled_;
  Allocation kept_;
  // Positions of the samples of the output: in logical order, and as offsets in memory.
  std::vector<std::int64_t> logical_, offsets_;
  std::vector<bool> finite_;
};

}  // namespace atc::conv
