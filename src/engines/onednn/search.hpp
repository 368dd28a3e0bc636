// The search for oneDNN's configurations for a problem.
#pragma once

#include <dnnl.hpp>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/onednn/configuration.hpp"
#include "engines/onednn/sequence.hpp"

namespace atc::onednn {

// All distinct offers but those with a known fault (engines/faults); if there are no others, those
// whose fault lets them run as a last resort. The heuristic choice comes first:
//
// * Channels-last activations keep their layout, with the weights as oneDNN wants them: oneDNN's
//   fastest kernels work there, and no reorder is needed.
// * All others get the layouts that oneDNN itself wants ("any" for every operand, as its guide
//   advises). On the caller's channels-first layout oneDNN has little but GEMM over patches, and
//   some layers are ten times slower there than with reorders.
//
// Then comes the first implementation of every other form (a configuration but for its
// implementation), then the second of each, and so on; where there is code for AVX-512, code for
// AVX2 comes last.
//
// There is no Winograd: oneDNN 3 has none for x86-64, and elsewhere its results are of another
// error class than the fp32 sum that was asked for.
std::vector<Offer> search(const dnnl::engine& engine, const Problem& problem);

// The sequence for exactly this configuration. Throws Error(unsupported) where there is none.
Sequence rebuild(const dnnl::engine& engine, const Problem& problem, const Configuration& wanted);

}  // namespace atc::onednn
