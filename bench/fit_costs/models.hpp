// The cost models of atc's own kernels (src/engines/kernels/*/costs.hpp), in the form in which
// fit.hpp can fit their constants.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/capacity.hpp"
#include "fit.hpp"

namespace atc::fit {

// Returns all cost models of atc's own kernels. The models have no samples yet.
std::vector<Model> models();

// Adds a timed configuration as a sample to the model that estimates it. `ms` is its time in
// milliseconds. Returns false if there is no model for the engine, or if the configuration does not
// exist for the problem. Throws Error if the text is not a configuration.
bool add_sample(std::vector<Model>& models, const std::string& engine,
                const std::string& configuration, const Problem& problem, const Limits& limits,
                const kernels::Capacity& device, const std::string& cell, double ms);

}  // namespace atc::fit
