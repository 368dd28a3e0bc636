// What single elements of an input that are Inf or NaN reach: no more of the output, and no less,
// than in a direct convolution, which leaves out what falls on padding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conv/site.hpp"
#include "core/allocator.hpp"
#include "core/problem.hpp"

namespace atc::conv {

class Isolation {
 public:
  // `data` is the memory in `operands` of the input `tensor`, and all inputs hold small finite
  // numbers. Computes what is trusted; the input is then as it was.
  Isolation(const Problem& problem, Site& site, const Operands& operands, const Tensor& tensor,
            void* data, std::uint64_t seed);

  void spoil();    // puts Inf and NaN into the input
  void restore();  // what was there before
  // Of an output that was computed in between. Empty, or a sentence about the first element that
  // is finite and should not be, or the other way round.
  std::string difference(WatchedOutput& output) const;

 private:
  struct Spoiled {
    char* address;
    bool is_nan;
    std::uint64_t kept;  // offset of what was there
  };

  Site& site_;
  Dtype dtype_;
  std::vector<Spoiled> spoiled_;
  Allocation kept_;
  std::vector<std::int64_t> logical_, offsets_;  // of the samples of the output
  std::vector<bool> finite_;
};

}  // namespace atc::conv
