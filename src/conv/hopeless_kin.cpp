#include "conv/hopeless_kin.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace atc::conv {

namespace {

// Times the winner's time, as in a race.
constexpr double kHopeless = 10;
// Races that have to agree.
constexpr std::ptrdiff_t kRaces = 2;

using Key = std::tuple<std::string, int, Direction, Epilogue, Dtype, Dtype, Dtype, bool, bool, int>;

struct Known {
  std::mutex mutex;
  std::map<Key, std::vector<std::int64_t>> groups;  // of each race in which they were hopeless
};

Known& known() {
  static auto* const known = new Known;  // outlives detached threads
  return *known;
}

bool is_depthwise(const Problem& problem) {
  return problem.groups > 1 && problem.x.shape[1] == problem.groups;
}

Key key_of(const std::string& kin, const Problem& problem, const Request& request) {
  return {kin,
          problem.spatial,
          problem.direction,
          problem.epilogue,
          problem.x.dtype,
          problem.w.dtype,
          problem.y.dtype,
          problem.x.channels_last(),
          request.limits.allow_tf32,
          request.device.index};
}

// Times the winner's time; infinity where it was too slow to be timed.
std::map<std::string, double> least_ratios(const Decision& decision) {
  const double best = decision.candidates[*decision.winner].statistics.median;
  std::map<std::string, double> ratios;
  for (const Candidate& candidate : decision.candidates) {
    if (candidate.kin.empty() || !candidate.ran()) continue;
    const double ratio = candidate.statistics.median > 0 ? candidate.statistics.median / best
                                                         : std::numeric_limits<double>::infinity();
    const auto [found, first] = ratios.emplace(candidate.kin, ratio);
    if (!first) found->second = std::min(found->second, ratio);
  }
  return ratios;
}

}  // namespace

bool are_known_hopeless(const std::string& kin, const Problem& problem, const Request& request) {
  if (kin.empty() || !request.widen || !is_depthwise(problem)) return false;
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  const auto found = all.groups.find(key_of(kin, problem, request));
  if (found == all.groups.end()) return false;
  return std::count_if(found->second.begin(), found->second.end(),
                       [&](std::int64_t groups) { return groups <= problem.groups; }) >= kRaces;
}

void learn(const Problem& problem, const Request& request, const Decision& decision) {
  if (!decision.winner || decision.cancelled || !is_depthwise(problem)) return;
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  for (const auto& [kin, ratio] : least_ratios(decision)) {
    std::vector<std::int64_t>& groups = all.groups[key_of(kin, problem, request)];
    if (ratio > kHopeless)
      groups.push_back(problem.groups);
    else
      groups.clear();
  }
}

}  // namespace atc::conv
