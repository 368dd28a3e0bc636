// The cost models of own kernels (src/engines/kernels/*/costs.hpp) as models to be fitted.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/capacity.hpp"
#include "fit.hpp"

namespace atc::fit {

// Returns all models, without samples.
std::vector<Model> models();

// Adds a sample to the model of the configuration. Returns false if no model has the engine, or if
// the problem does not have the configuration. Throws Error for a text that is no configuration.
bool add_sample(std::vector<Model>& models, const std::string& engine,
                const std::string& configuration, const Problem& problem, const Limits& limits,
                const kernels::Capacity& device, const std::string& cell, double ms);

}  // namespace atc::fit
