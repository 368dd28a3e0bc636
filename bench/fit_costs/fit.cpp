#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace atc::fit {

std::vector<double> values_of(const Model& model) {
  std::vector<double> values;
  values.reserve(model.constants.size());
  for (const Constant& constant : model.constants) values.push_back(constant.value);
  return values;
}

double spread(const Model& model, const std::vector<double>& constants) {
  std::vector<double> errors;
  errors.reserve(model.samples.size());
  for (const Sample& sample : model.samples)
    errors.push_back(std::log(sample.cost(constants) / sample.ms));
  if (errors.empty()) return 0;
  const auto count = static_cast<double>(errors.size());
  const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
  double squares = 0;
  for (const double error : errors) squares += (error - mean) * (error - mean);
  return std::sqrt(squares / count);
}

double regret(const Model& model, const std::vector<double>& constants) {
  struct Cell {
    int configurations = 0;
    double best_ms = std::numeric_limits<double>::infinity();
    double least_cost = std::numeric_limits<double>::infinity(), ms_of_least = 0;
  };
  std::map<std::string, Cell> cells;
  for (const Sample& sample : model.samples) {
    Cell& cell = cells[sample.cell];
    ++cell.configurations;
    cell.best_ms = std::min(cell.best_ms, sample.ms);
    if (const double cost = sample.cost(constants); cost < cell.least_cost) {
      cell.least_cost = cost;
      cell.ms_of_least = sample.ms;
    }
  }
  double sum = 0;
  int count = 0;
  for (const auto& [name, cell] : cells) {
    if (cell.configurations < 2) continue;
    sum += std::log(cell.ms_of_least / cell.best_ms);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / count) - 1;
}

std::vector<double> fit(const Model& model) {
  std::vector<double> best = values_of(model);
  double least = spread(model, best);
  for (double step = 2; step > 1.005;) {
    bool better = false;
    for (std::size_t i = 0; i < best.size(); ++i)
      for (const double factor : {step, 1 / step}) {
        if (!model.constants[i].is_free) continue;
        std::vector<double> other = best;
        other[i] *= factor;
        if (const double value = spread(model, other); value < least) {
          least = value;
          best = other;
          better = true;
        }
      }
    if (!better) step = std::sqrt(step);
  }
  return best;
}

}  // namespace atc::fit
