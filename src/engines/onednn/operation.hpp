// A problem as one oneDNN operation: the primitive descriptor with its chain of implementations,
// and its arguments for the problem's operands.
#pragma once

#include <dnnl.hpp>
#include <string>

#include "core/problem.hpp"
#include "engines/onednn/configuration.hpp"

namespace atc::onednn {

struct Operation {
  struct Operand {
    int argument = 0;           // DNNL_ARG_*
    dnnl::memory::desc caller;  // the caller's memory in the operation's dimensions
    dnnl::memory::desc seen;    // the memory that the implementation reads or writes
  };

  dnnl::primitive_desc hint;        // forward hint: next_impl of `descriptor` still reads it
  dnnl::primitive_desc descriptor;  // at one implementation of its chain
  Operand x, w, y, bias;            // bias.argument is 0 without one
  bool sums = false;                // a post-op adds the old output where the problem accumulates
  // The implementation fails if a signal arrives: it runs on a thread without signals.
  bool without_signals = false;

  std::string implementation() const { return descriptor.impl_info_str(); }
  // Sets `seen` of the operands to the layouts that the current implementation wants.
  void read_layouts();
};

// Whether the algorithm can express the problem at all.
bool fits(const Problem& problem, Algorithm algorithm);

// Whether a row has so many outputs that oneDNN 3.2 takes long to list an implementation, because
// it makes tables of 120 bytes for each output. Such problems get one offer.
bool has_long_rows(const Problem& problem);

// Opens the chain of implementations for a configuration, whose own `implementation` is ignored.
// Throws dnnl::error where oneDNN has none. The operation is at the first of the chain.
Operation open(const dnnl::engine& engine, const Problem& problem,
               const Configuration& configuration);

}  // namespace atc::onednn
