// Searches oneDNN's lists of implementations for configurations of a problem.
#pragma once

#include <dnnl.hpp>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/onednn/configuration.hpp"
#include "engines/onednn/sequence.hpp"

namespace atc::onednn {

// Returns all distinct offers (configurations) for the problem without a known fault
// (engines/faults). If there are none, returns the offers whose fault allows them as a last resort.
// The first offer is the heuristic choice.
//
// The heuristic choice, which is the first offer, depends on the layouts of x and y:
// * If x and y are channels last, they keep this layout, and oneDNN chooses the layout of the
//   weights. oneDNN's fastest kernels work on channels-last x and y, and no reorder is needed.
// * Otherwise oneDNN chooses all layouts ("any" for each operand, as oneDNN's guide advises). If
//   the layout stays channels first, oneDNN has hardly any method except one that copies all
//   windows to a matrix (GEMM over patches). For some layers this method takes ten times as long as
//   reordering the operands to a layout that oneDNN chooses.
//
// A form is a configuration without its implementation. The next offers are the first
// implementation of each other form, then the second implementation of each form, and so on. If
// there are implementations for AVX-512, the implementations for AVX2 are the last offers.
//
// Winograd is not searched. oneDNN 3 has no Winograd for x86-64, and on other processors its
// results are less exact than fp32 sums.
std::vector<Offer> search(const dnnl::engine& engine, const Problem& problem);

// Returns the sequence of primitives for the configuration `wanted`. Throws Error(unsupported) if
// oneDNN has no such implementation, or if a known fault forbids it.
Sequence rebuild(const dnnl::engine& engine, const Problem& problem, const Configuration& wanted);

}  // namespace atc::onednn
