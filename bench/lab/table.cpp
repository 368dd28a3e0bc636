#include "table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

namespace atc::lab {

namespace {

using Json = nlohmann::json;

class GeometricMean {
 public:
  void add(double value) {
    sum_ += std::log(value);
    ++count_;
  }
  std::string text() const {
    return count_ == 0 ? "-" : fmt::format("{:.2f}", std::exp(sum_ / count_));
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

struct Line {
  int cells = 0, compared = 0, won = 0;
  GeometricMean own, cudnn, gain, best;

  void add(const Json& row) {
    const double floor = row.at("floor_ms");
    const auto own_ms = time_of(row, "own"), cudnn_ms = time_of(row, "cudnn");
    ++cells;
    if (own_ms) own.add(*own_ms / floor);
    if (cudnn_ms) cudnn.add(*cudnn_ms / floor);
    if (own_ms || cudnn_ms)
      best.add(std::min(own_ms.value_or(HUGE_VAL), cudnn_ms.value_or(HUGE_VAL)) / floor);
    if (!own_ms || !cudnn_ms) return;
    ++compared;
    won += *own_ms < *cudnn_ms;
    gain.add(*cudnn_ms / *own_ms);
  }

  std::string text(const std::string& name) const {
    return fmt::format("{:<44} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9}\n", name, cells, own.text(),
                       cudnn.text(), best.text(), gain.text(), fmt::format("{}/{}", won, compared));
  }

 private:
  static std::optional<double> time_of(const Json& row, const char* side) {
    const auto found = row.find(side);
    if (found == row.end()) return {};
    return found->at("median_ms").get<double>();
  }
};

}  // namespace

std::string table(const std::vector<Json>& rows) {
  std::map<std::string, Line> sets, ops, families;
  Line all;
  for (const Json& row : rows) {
    const std::string family = row.at("class"), op = row.at("op");
    const std::string set = fmt::format("{}-{}", row.at("format").get<std::string>(),
                                        row.at("layout").get<std::string>());
    for (Line* line : {&sets[fmt::format("{} {} {}", family, op, set)],
                       &ops[fmt::format("{} {}", family, op)], &families[family], &all})
      line->add(row);
  }
  std::string text =
      fmt::format("{:<44} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "geometric means", "cells",
                  "own/floor", "cudnn/fl.", "best/fl.", "cudnn/own", "own wins");
  for (const auto* lines : {&sets, &ops, &families})
    for (const auto& [name, line] : *lines) text += line.text(name);
  return text + all.text("all");
}

}  // namespace atc::lab
