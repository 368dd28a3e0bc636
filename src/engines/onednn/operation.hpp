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
    dnnl::memory::desc caller;  // describes the caller's memory, with the operation's dimensions
    dnnl::memory::desc seen;    // describes the memory that the implementation reads or writes
  };

  dnnl::primitive_desc hint;        // the hint of the forward pass; it is kept because next_impl of
                                    // `descriptor` reads it
  dnnl::primitive_desc descriptor;  // the descriptor, which stands at one of the implementations
                                    // that oneDNN lists
  Operand x, w, y, bias;            // bias.argument is 0 without one
  bool sums = false;                // true if the problem accumulates, and a post-op of oneDNN adds
                                    // the old output
  // The implementation fails if a signal arrives, so it runs on a thread that takes no signals.
  bool without_signals = false;

  std::string implementation() const { return descriptor.impl_info_str(); }
  // Sets `seen` of each operand to the layout that the current implementation requires.
  void read_layouts();
};

// Whether the algorithm can express the problem.
bool fits(const Problem& problem, Algorithm algorithm);

// Whether a row has so many outputs that oneDNN 3.2 takes long to list an implementation: it makes
// tables of 120 bytes for each output. Such problems get only one offer.
bool has_long_rows(const Problem& problem);

// Opens the list of implementations for a configuration; its own `implementation` is ignored. The
// operation is then at the first of the list. Throws dnnl::error if oneDNN has none.
Operation open(const dnnl::engine& engine, const Problem& problem,
               const Configuration& configuration);

}  // namespace atc::onednn
