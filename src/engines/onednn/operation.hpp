// Converts a problem to one operation of oneDNN. An operation has a primitive descriptor, with
// which oneDNN's list of implementations is traversed, and a description of each operand of the
// problem.
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

  // The descriptor of the forward pass, which oneDNN needs as a hint for a backward pass. It must
  // exist as long as `descriptor`, because next_impl() of `descriptor` reads it.
  dnnl::primitive_desc hint;
  // The descriptor of the operation with one of oneDNN's implementations. next_impl() changes it to
  // the next implementation of oneDNN's list.
  dnnl::primitive_desc descriptor;
  // If the problem has no bias, bias.argument is 0. If it has no residual, residual.argument is 0.
  Operand x, w, y, bias, residual;
  // Says who adds the old output if the problem accumulates. True: oneDNN adds it in the operation,
  // by a post-op. False: it is added after the operation.
  bool sums = false;
  // True if the implementation has the fault that a signal makes it fail. It then runs on a thread
  // that receives no signals.
  bool without_signals = false;

  std::string implementation() const { return descriptor.impl_info_str(); }
  // Sets Operand::seen of each operand to the layout that the selected implementation requires.
  void read_layouts();
};

// Returns whether the algorithm can compute the problem.
bool fits(const Problem& problem, Algorithm algorithm);

// Returns whether a row of x or y (the last spatial dimension) has so many elements that oneDNN 3.2
// takes long to list an implementation. For each implementation it makes tables with 120 bytes for
// each element of a row. For problems with such rows, the engine offers only one configuration.
bool has_long_rows(const Problem& problem);

// Asks oneDNN for the implementations of a configuration. `configuration.implementation` is
// ignored. The returned operation has the first implementation of oneDNN's list. Throws dnnl::error
// if the list is empty.
Operation open(const dnnl::engine& engine, const Problem& problem,
               const Configuration& configuration);

}  // namespace atc::onednn
