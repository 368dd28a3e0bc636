// Fits a cost model to measured times: searches for the constants for which the model's costs agree
// best with the times.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace atc::fit {

struct Constant {
  std::string name;
  double value = 0;     // the constant's value in the code
  bool is_free = true;  // false if the constant is a property of the hardware, which is not fitted
};

// A configuration that was timed.
struct Sample {
  std::string cell;  // the problem; the configurations of one cell are compared with each other
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

// Returns the standard deviation of log(cost / time). The result does not depend on the unit of the
// cost.
double spread(const Model& model, const std::vector<double>& constants);

// Returns the loss if the model chooses the configuration of each cell. For one cell, takes the
// time of the configuration with the least cost, divided by the time of the fastest configuration.
// Returns the geometric mean of these ratios over cells with several configurations, minus 1.
double regret(const Model& model, const std::vector<double>& constants);

// Searches for the constants with the least spread, beginning with those in the code. The search
// multiplies one constant at a time, by steps that become smaller.
std::vector<double> fit(const Model& model);

}  // namespace atc::fit
