// Which configurations oneDNN has for a problem.
#pragma once

#include <dnnl.hpp>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/onednn/configuration.hpp"
#include "engines/onednn/sequence.hpp"

namespace atc::onednn {

// All different ones, none of them oneDNN's reference loops, the heuristic choice first:
//
// * Activations that are channels-last stay so (weights as oneDNN wants them): its fastest kernels
// work
//   there, and no reorder is cheaper than none.
// * All others go where oneDNN itself wants them ("any" for every operand, the way its guide says
// to
//   let it choose). On the caller's channels-first layout it has little but GEMM over patches, and
//   layers that are ten times slower than with reorders.
//
// Then the first implementation of every other form, then the second of each, and so on; where
// there is code for AVX-512, that for AVX2 comes last.
//
// There is no Winograd: oneDNN 3 has none for x86-64, and where it has one the result is of another
// error class than the fp32 sum that was asked for.
std::vector<Offer> search(const dnnl::engine& engine, const Problem& problem);

// The sequence for exactly this configuration. Throws Error(unsupported) where there is none.
Sequence rebuild(const dnnl::engine& engine, const Problem& problem, const Configuration& wanted);

}  // namespace atc::onednn
