#include "turns.hpp"

#include <algorithm>
#include <chrono>

namespace atc::bench {

namespace {

constexpr int kWarmUp = 10;

double at(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

std::vector<Spread> microseconds_in_turn(const std::vector<Way>& ways, int rounds, int calls,
                                         const std::function<void()>& settle) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> samples(ways.size());
  for (int round = 0; round < kWarmUp + rounds; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t turn = (i + static_cast<std::size_t>(round)) % ways.size();
      const Way& way = ways[turn];
      if (way.before) way.before();
      settle();
      const auto start = Clock::now();
      for (int call = 0; call < calls; ++call) way.call();
      const std::chrono::duration<double, std::micro> took = Clock::now() - start;
      if (round >= kWarmUp) samples[turn].push_back(took.count() / calls);
      if (way.after) way.after();
    }
  std::vector<Spread> result;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    std::vector<double>& of_way = samples[i];
    std::sort(of_way.begin(), of_way.end());
    result.push_back({ways[i].name, at(of_way, 0.05), at(of_way, 0.25), at(of_way, 0.5),
                      at(of_way, 0.75), at(of_way, 0.95)});
  }
  return result;
}

}  // namespace atc::bench
