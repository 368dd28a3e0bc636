// Is the tuned choice the best one? Tunes each layer, then measures every candidate of the race
// again, independently of the tuner: plans made by choice, interleaved rounds over rotated
// operands, medians.
//
//   bench_choice LAYERS BATCH first|last ROUNDS SECONDS_PER_PROBLEM > results.json
//
// For each layer: tuned / best and tuned / heuristic, the latter with a 95 % bootstrap interval
// over the paired rounds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "atc/atc.h"
#include "layers.hpp"

namespace {

using Json = nlohmann::json;
constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};

void check(atc_status status) {
  if (status == ATC_OK) return;
  fmt::print(stderr, "{}: {}\n", atc_status_name(status), atc_last_error());
  std::exit(1);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Tensor {
  std::int64_t shape[5], strides[5];
  std::vector<float> data;

  Tensor(const atc_conv_problem& problem, std::int32_t operand, std::mt19937& random) {
    check(atc_conv_operand_shape(shape, strides, &problem, operand));
    std::int64_t span = 1;
    for (int i = 0; i < problem.spatial_dims + 2; ++i) span += (shape[i] - 1) * strides[i];
    data.resize(static_cast<std::size_t>(span));
    std::normal_distribution<float> normal;
    for (float& value : data) value = normal(random);
  }
  atc_tensor_view view() {
    return {data.data(), kCpu, 4, {ATC_CODE_FLOAT, 32, 1}, shape, strides, 0};
  }
};

// Operands are used in turn. There are so many sets that a set has left the inner caches before it
// is used again.
constexpr std::size_t kSets = 4;

struct Operands {
  Tensor x, w, y;
  Operands(const atc_conv_problem& problem, std::mt19937& random)
      : x(problem, ATC_OPERAND_X, random),
        w(problem, ATC_OPERAND_W, random),
        y(problem, ATC_OPERAND_Y, random) {}
};

struct Entrant {
  std::string choice;
  atc_conv_plan* plan;
  std::vector<double> seconds;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// 95 % interval of the ratio of medians, rounds resampled in pairs.
std::pair<double, double> interval(const std::vector<double>& a, const std::vector<double>& b,
                                   std::mt19937& random) {
  std::vector<double> ratios;
  std::uniform_int_distribution<std::size_t> pick(0, a.size() - 1);
  for (int resample = 0; resample < 1000; ++resample) {
    std::vector<double> one, other;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t round = pick(random);
      one.push_back(a[round]);
      other.push_back(b[round]);
    }
    ratios.push_back(median(one) / median(other));
  }
  std::sort(ratios.begin(), ratios.end());
  return {ratios[25], ratios[974]};
}

// After three rounds, a candidate that takes 1.5 times the best one's time cannot be the best and
// is dropped. The tuned choice, which is first, and the heuristic's choice are not dropped.
void drop_hopeless(std::vector<Entrant>& entrants, const std::string& heuristic) {
  double best = median(entrants[0].seconds);
  for (const Entrant& entrant : entrants) best = std::min(best, median(entrant.seconds));
  const auto hopeless = [&](const Entrant& entrant) {
    if (entrant.choice == heuristic || median(entrant.seconds) <= 1.5 * best) return false;
    atc_conv_plan_destroy(entrant.plan);
    return true;
  };
  entrants.erase(std::remove_if(entrants.begin() + 1, entrants.end(), hopeless), entrants.end());
}

Json measure(const Layer& layer, int rounds, double budget, std::mt19937& random) {
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.problem_budget_seconds = budget;
  options.retune = ATC_ON;
  atc_tune_report* report = nullptr;
  check(atc_tune(&report, kCpu, &layer.problem, 1, &options, nullptr, nullptr));
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  check(atc_tune_report_problem(&tuned, report, 0));
  check(tuned.status);

  std::vector<Entrant> entrants;
  for (std::size_t i = 0; i < tuned.candidates; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    check(atc_tune_report_candidate(&candidate, report, 0, i));
    // The heuristic's choice is measured even if the race refused it.
    if (candidate.samples == 0 && static_cast<std::int64_t>(i) != tuned.default_candidate) continue;
    Entrant entrant;
    entrant.choice =
        fmt::format("{}@{}:{}", candidate.engine, candidate.version, candidate.configuration);
    check(atc_conv_plan_create_with_choice(&entrant.plan, kCpu, &layer.problem, nullptr,
                                           entrant.choice.c_str()));
    if (static_cast<std::int64_t>(i) == tuned.winner)
      entrants.insert(entrants.begin(), entrant);
    else
      entrants.push_back(entrant);
  }
  atc_candidate fallback{};
  fallback.struct_size = sizeof(fallback);
  check(atc_tune_report_candidate(&fallback, report, 0,
                                  static_cast<std::size_t>(tuned.default_candidate)));
  const std::string heuristic =
      fmt::format("{}@{}:{}", fallback.engine, fallback.version, fallback.configuration);

  std::vector<std::unique_ptr<Operands>> sets;
  for (std::size_t i = 0; i < kSets; ++i)
    sets.push_back(std::make_unique<Operands>(layer.problem, random));
  std::size_t set = 0;
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      Entrant& entrant = entrants[(i + static_cast<std::size_t>(round + 1)) % entrants.size()];
      const double start = now();
      for (std::size_t call = 0; call < kSets; ++call) {
        Operands& operands = *sets[set++ % kSets];
        const atc_tensor_view x = operands.x.view(), w = operands.w.view(), y = operands.y.view();
        check(atc_conv_plan_execute(entrant.plan, &x, &w, nullptr, &y, nullptr, 0, nullptr));
      }
      if (round >= 0) entrant.seconds.push_back((now() - start) / kSets);
    }
    if (round == 2) drop_hopeless(entrants, heuristic);
  }
  double best = median(entrants[0].seconds);
  std::string best_choice = entrants[0].choice;
  const std::vector<double>* heuristic_seconds = nullptr;
  for (const Entrant& entrant : entrants) {
    const double seconds = median(entrant.seconds);
    if (seconds < best) {
      best = seconds;
      best_choice = entrant.choice;
    }
    if (entrant.choice == heuristic) heuristic_seconds = &entrant.seconds;
  }
  const double chosen = median(entrants[0].seconds);
  const auto [low, high] = interval(entrants[0].seconds, *heuristic_seconds, random);
  Json cell = {{"problem", layer.name},
               {"candidates", entrants.size()},
               {"choice", entrants[0].choice},
               {"best_choice", best_choice},
               {"heuristic_choice", heuristic},
               {"tuned_ms", chosen * 1e3},
               {"best_ms", best * 1e3},
               {"heuristic_ms", median(*heuristic_seconds) * 1e3},
               {"tuned_over_best", chosen / best},
               {"tuned_over_heuristic", chosen / median(*heuristic_seconds)},
               {"ratio_low", low},
               {"ratio_high", high},
               {"level", 0.95},
               {"unstable", (tuned.flags & ATC_TUNED_UNSTABLE) != 0},
               {"tuning_seconds", tuned.seconds}};
  for (Entrant& entrant : entrants) atc_conv_plan_destroy(entrant.plan);
  atc_tune_report_destroy(report);
  return cell;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: {} LAYERS BATCH first|last ROUNDS SECONDS_PER_PROBLEM\n", argv[0]);
    return 2;
  }
  const atc_layout layout =
      std::strcmp(argv[3], "last") == 0 ? ATC_LAYOUT_CHANNELS_LAST : ATC_LAYOUT_CHANNELS_FIRST;
  const int rounds = std::atoi(argv[4]);
  std::mt19937 random(1);
  Json cells = Json::array();
  double log_best = 0, log_heuristic = 0;
  for (const Layer& layer : read_layers(argv[1], std::atoll(argv[2]), layout)) {
    cells.push_back(measure(layer, rounds, std::atof(argv[5]), random));
    const Json& cell = cells.back();
    log_best += std::log(cell["tuned_over_best"].get<double>());
    log_heuristic += std::log(cell["tuned_over_heuristic"].get<double>());
    fmt::print(
        stderr,
        "{:<28} {:2} candidates  tuned/best {:.3f}  tuned/heuristic {:.3f} [{:.3f}, {:.3f}]\n",
        layer.name, cell["candidates"].get<int>(), cell["tuned_over_best"].get<double>(),
        cell["tuned_over_heuristic"].get<double>(), cell["ratio_low"].get<double>(),
        cell["ratio_high"].get<double>());
  }
  const auto count = static_cast<double>(std::max<std::size_t>(cells.size(), 1));
  fmt::print("{}\n", Json{{"layout", argv[3]},
                          {"batch", std::atoll(argv[2])},
                          {"rounds", rounds},
                          {"geomean_tuned_over_best", std::exp(log_best / count)},
                          {"geomean_tuned_over_heuristic", std::exp(log_heuristic / count)},
                          {"cells", cells}}
                         .dump(1));
  return 0;
}
