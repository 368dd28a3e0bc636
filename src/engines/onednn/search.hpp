// The search for oneDNN's configurations of a problem.
#pragma once

#include <dnnl.hpp>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/onednn/configuration.hpp"
#include "engines/onednn/sequence.hpp"

namespace atc::onednn {

// Returns all distinct offers without a known fault (engines/faults). If there are none, returns
// those whose fault lets them run as a last resort. The heuristic choice comes first:
//
// * Channels-last activations keep their layout, and oneDNN chooses the layout of the weights.
//   oneDNN's fastest kernels work on this layout, and no reorder is needed.
// * For any other layout oneDNN chooses all layouts ("any" for every operand, as its guide
//   advises). For the caller's channels-first layout oneDNN has little except GEMM over patches,
//   and some layers are ten times slower there than with reorders.
//
// Then comes the first implementation of every other form (a configuration without its
// implementation), then the second implementation of each form, and so on. If there are
// implementations for AVX-512, those for AVX2 come last.
//
// There is no Winograd: oneDNN 3 has none for x86-64, and elsewhere its results are less exact than
// the fp32 sum that was asked for.
std::vector<Offer> search(const dnnl::engine& engine, const Problem& problem);

// Returns the sequence for exactly this configuration. Throws Error(unsupported) if there is none.
Sequence rebuild(const dnnl::engine& engine, const Problem& problem, const Configuration& wanted);

}  // namespace atc::onednn
