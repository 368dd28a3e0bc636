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

  std::string implementation() const { return descriptor.impl_info_str(); }
  // Sets `seen` of the operands to the layouts that the current implementation wants.
  void read_layouts();
};

// Whether the algorithm can express the problem at all.
bool fits(const Problem& problem, Algorithm algorithm);

// Whether the outputs of a row are so many that to list one implementation takes oneDNN 3.2 long:
// it makes tables of 120 bytes for each. Such problems get one offer.
bool has_long_rows(const Problem& problem);
// Whether these tables would take gigabytes.
bool has_endless_rows(const Problem& problem);

// Opens the chain of implementations for a configuration, whose own `implementation` is ignored.
// Throws dnnl::error where oneDNN has none. The operation is at the first of the chain.
Operation open(const dnnl::engine& engine, const Problem& problem,
               const Configuration& configuration);

// Implementations that are never offered and never built:
// * oneDNN's fallback in plain loops ("ref"), measured a thousand times slower than the rest; also
//   where it hides inside another implementation ("conv:any+ref:any");
// * those for SSE4.1: jit_dw:sse41 reads unaligned memory with an aligned instruction and crashes
//   (channels last, channels no multiple of 4, sum), and every processor with AVX2 has a better
//   one;
// * jit_bf16 and all AMX kernels for backward-weight where the dilated kernel is larger than the
//   input: wrong sums, scratch memory used before it is written, heap corruption;
// * jit with AMX for backward-weight in three dimensions with a stride: wrong sums.
// All but the first were found in oneDNN 3.2 by the tests of this engine (ADR 10).
bool is_barred(const Problem& problem, const std::string& implementation);

}  // namespace atc::onednn
