// Fits a cost model to measured times. A cost model is a formula with constants, which estimates
// how long a configuration of a kernel takes. The fit searches for the constants for which the
// estimated costs agree best with the times.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace atc::fit {

struct Constant {
  std::string name;
  double value = 0;     // the value of the model's constant in the code
  bool is_free = true;  // false if the constant is a property of the hardware, which is not fitted
};

// A configuration of a kernel, with its measured time in milliseconds.
struct Sample {
  std::string cell;  // the problem; configurations are compared only within one problem
  double ms = 0;
  std::function<double(const std::vector<double>& constants)> cost;
};

struct Model {
  std::string name;
  std::vector<Constant> constants;
  std::vector<Sample> samples;
};

// Returns the values that the constants of the model have in the code.
std::vector<double> values_of(const Model& model);

// Returns the spread of a model: the standard deviation of log(cost / time) over its samples, where
// the cost is the model's estimate for a sample. The result does not depend on the unit of the
// cost.
double spread(const Model& model, const std::vector<double>& constants);

// Returns how much slower problems run if the model chooses their configurations (0.05: 5 %). For
// each problem with several timed configurations, computes the ratio: time of the configuration
// with the least cost / time of the fastest configuration. Returns the geometric mean of these
// ratios, minus 1.
double regret(const Model& model, const std::vector<double>& constants);

// Searches for the constants for which spread() is least, beginning with the values in the code.
// The search changes one constant at a time. It multiplies or divides the constant by a factor, and
// the factor approaches 1 during the search.
std::vector<double> fit(const Model& model);

}  // namespace atc::fit
