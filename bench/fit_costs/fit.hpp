// A cost model with measured times, and the search for the constants with which it fits them best.
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

// Returns the standard deviation of log(cost / time). It does not depend on the unit of the cost.
double spread(const Model& model, const std::vector<double>& constants);

// Returns how much longer the configuration with the least cost takes than the fastest of its cell:
// the geometric mean over cells with several configurations, minus 1.
double regret(const Model& model, const std::vector<double>& constants);

// Searches for the constants with the least spread, beginning with those in the code. The search
// multiplies one constant at a time, by steps that become smaller.
std::vector<double> fit(const Model& model);

}  // namespace atc::fit
