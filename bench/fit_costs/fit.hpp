// A cost model with measured times, and the constants for which it is nearest to them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace atc::fit {

struct Constant {
  std::string name;
  double value = 0;     // in the code
  bool is_free = true;  // false: a property of the hardware, which is not fitted
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

// The values that the constants have in the code.
std::vector<double> values_of(const Model& model);

// The standard deviation of log(cost / time). It does not depend on the unit of the cost.
double spread(const Model& model, const std::vector<double>& constants);

// How much longer the configuration with the least cost takes than the fastest of its cell: the
// geometric mean over cells with several configurations, less 1.
double regret(const Model& model, const std::vector<double>& constants);

// The constants of the least spread that a search finds from those in the code. It multiplies one
// constant at a time, by steps that become smaller.
std::vector<double> fit(const Model& model);

}  // namespace atc::fit
