// Converts a problem to one operation of oneDNN: a primitive descriptor, with which oneDNN's list
// of implementations is traversed, and the arguments for the operands of the problem.
#pragma once

#include <dnnl.hpp>
#include <string>

#include "core/problem.hpp"
#include "engines/onednn/configuration.hpp"

namespace atc::onednn {

struct Operation {
  struct Operand {
    int argument = 0;           // oneDNN's constant DNNL_ARG_* for the operand
    dnnl::memory::desc caller;  // describes the caller's memory in the dimensions of the operation
    dnnl::memory::desc seen;    // describes the memory that the implementation reads or writes
  };

  // The descriptor of the forward pass, which oneDNN needs as a hint for a backward pass. The hint
  // is kept because next_impl of `descriptor` reads the hint.
  dnnl::primitive_desc hint;
  // The descriptor of the operation. The descriptor represents one implementation; next_impl moves
  // the descriptor to the next implementation.
  dnnl::primitive_desc descriptor;
  // bias.argument is 0 if the problem has no bias, and residual.argument is 0 if it has no
  // residual.
  Operand x, w, y, bias, residual;
  // Matters only if the problem accumulates. True: a post-op of oneDNN adds the old output. False:
  // the old output is added after the operation.
  bool sums = false;
  // True if the implementation fails when a signal arrives. It then runs on a thread that receives
  // no signals.
  bool without_signals = false;

  std::string implementation() const { return descriptor.impl_info_str(); }
  // Sets `seen` of each operand to the layout that the current implementation requires.
  void read_layouts();
};

// Whether the algorithm can compute the problem.
bool fits(const Problem& problem, Algorithm algorithm);

// Whether a row of the output has so many elements that oneDNN 3.2 takes long to list an
// implementation. For each implementation oneDNN makes tables with 120 bytes for each element of
// the row. Problems with such rows get only one offer.
bool has_long_rows(const Problem& problem);

// Opens oneDNN's list of implementations for a configuration. `configuration.implementation` is
// ignored. The returned operation is at the first implementation of the list. Throws dnnl::error if
// the list is empty.
Operation open(const dnnl::engine& engine, const Problem& problem,
               const Configuration& configuration);

}  // namespace atc::onednn
