#include "tune/samples.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tune/statistics.hpp"

namespace atc::tune {

namespace {

// A batch does not count if its clock frequency differs too much from the contestant's usual clock
// frequency. The smaller of the two frequencies must be at least this fraction of the larger one.
constexpr double kSameClock = 0.9;
// The first round warms up caches and clocks. If more than this number of rounds would be used, the
// first round is not used.
constexpr std::size_t kEnoughRounds = 3;

std::optional<double> usual_clock(const ContestantState& entry) {
  std::vector<double> clocks;
  for (const Sample& one : entry.samples) {
    if (one.clock_hz) clocks.push_back(*one.clock_hz);
  }
  if (clocks.empty()) return {};
  return median(std::move(clocks));
}

// Returns whether a sample counts. `usual` is the clock frequency at which this contestant usually
// runs. (If a board is limited by its power, contestants run at different frequencies.)
bool sound(const Sample& sample, const std::optional<double>& usual) {
  if (sample.throttled || sample.shared) return false;
  if (!sample.clock_hz || !usual) return true;
  return *sample.clock_hz >= kSameClock * *usual && *sample.clock_hz * kSameClock <= *usual;
}

const Sample* in_round(const ContestantState& entry, std::size_t round) {
  const auto found = std::find_if(entry.samples.begin(), entry.samples.end(),
                                  [&](const Sample& one) { return one.round == round; });
  return found == entry.samples.end() ? nullptr : &*found;
}

}  // namespace

Table tabulate(const std::vector<ContestantState>& entries, const std::vector<std::size_t>& order) {
  Table table;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].racing) table.members.push_back(i);
  std::size_t last = 0;
  std::vector<std::optional<double>> clocks;
  for (const std::size_t member : table.members) {
    for (const Sample& one : entries[member].samples) last = std::max(last, one.round);
    clocks.push_back(usual_clock(entries[member]));
    table.burdens.push_back(entries[member].contestant->burden());
  }
  std::vector<std::size_t> complete, kept;
  for (std::size_t round = 1; round <= last; ++round) {
    bool all = true, good = true, shared = false;
    for (std::size_t i = 0; i < table.members.size(); ++i) {
      const Sample* sample = in_round(entries[table.members[i]], round);
      all = all && sample != nullptr;
      good = good && sample != nullptr && sound(*sample, clocks[i]);
      shared = shared || (sample != nullptr && sample->shared);
    }
    if (!all) continue;
    complete.push_back(round);
    if (good) kept.push_back(round);
    if (!good && round > 1) ++table.discarded;
    if (shared) ++table.shared;
  }
  table.trusted = !kept.empty();
  if (!table.trusted) kept = complete;
  if (kept.size() > kEnoughRounds && kept.front() == 1) kept.erase(kept.begin());
  table.rounds = kept.size();
  for (const std::size_t member : table.members) {
    std::vector<double> row;
    row.reserve(kept.size());
    for (const std::size_t round : kept) {
      row.push_back(std::log(in_round(entries[member], round)->seconds));
    }
    table.logs.push_back(std::move(row));
    std::vector<double> costs;
    costs.reserve(kept.size());
    for (const std::size_t round : kept)
      costs.push_back(std::log(in_round(entries[member], round)->cost()));
    table.costs.push_back(std::move(costs));
  }
  // The samples of contestants that have left the race are still used to estimate the noise.
  for (const std::size_t index : order) {
    const ContestantState& entry = entries[index];
    if (entry.racing || entry.samples.size() < 2) continue;
    const std::optional<double> usual = usual_clock(entry);
    std::vector<double> row;
    row.reserve(kept.size());
    for (const Sample& one : entry.samples) {
      if (sound(one, usual)) row.push_back(std::log(one.seconds));
    }
    table.gone.push_back(std::move(row));
  }
  return table;
}

void summarize(ContestantState& entry, bool under_load) {
  const std::optional<double> usual = usual_clock(entry);
  std::vector<Sample> counted;
  for (const Sample& one : entry.samples) {
    if (under_load || sound(one, usual)) counted.push_back(one);
  }
  if (counted.empty()) counted = entry.samples;
  if (counted.empty()) return;
  if (counted.size() > kEnoughRounds && counted.front().round == 1) counted.erase(counted.begin());
  const auto alone = [](const Sample& one) { return !one.in_graph; };
  const bool in_graph = !std::all_of(counted.begin(), counted.end(), alone);
  if (in_graph) counted.erase(std::remove_if(counted.begin(), counted.end(), alone), counted.end());
  std::vector<double> seconds, hosts, clocks;
  for (const Sample& one : counted) {
    seconds.push_back(one.seconds);
    hosts.push_back(one.host);
    if (one.clock_hz) clocks.push_back(*one.clock_hz);
  }
  Statistics& figures = entry.standing.statistics;
  figures.samples = seconds.size();
  figures.mean = mean(seconds);
  figures.median = median(seconds);
  figures.deviation = deviation(seconds);
  figures.host = median(std::move(hosts));
  figures.in_graph = in_graph;
  figures.min = *std::min_element(seconds.begin(), seconds.end());
  figures.max = *std::max_element(seconds.begin(), seconds.end());
  if (!clocks.empty()) figures.clock_hz = median(std::move(clocks));
}

}  // namespace atc::tune
