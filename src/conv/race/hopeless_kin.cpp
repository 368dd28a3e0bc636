#include "conv/race/hopeless_kin.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace atc::conv {

namespace {

// Multiples of the winner's time, as in a race.
constexpr double kHopeless = 10, kPlainlyBehind = 2;
// Races that have to agree.
constexpr std::ptrdiff_t kRaces = 2;

// A text that is used as the kin of all candidates that compile. A race tries them one after the
// other and stops if one is plainly behind, so it never times most of them.
constexpr const char* kCompiled = "compiled";

using Key = std::tuple<std::string, int, Direction, Epilogue, Dtype, Dtype, Dtype, bool, bool, int>;

struct Known {
  std::mutex mutex;
  std::map<Key, std::vector<std::int64_t>> groups;  // of each race in which the kin was so slow
};

Known& known() {
  static auto* const known = new Known;  // outlives detached threads
  return *known;
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

// For each kin, and for all candidates that compile: the shortest time as a multiple of the
// winner's; infinity if all were too slow to be timed.
std::map<std::string, double> least_ratios(const Decision& decision) {
  const double best = decision.candidates[*decision.winner].statistics.median;
  std::map<std::string, double> ratios;
  const auto add = [&](const std::string& kin, double ratio) {
    const auto [found, first] = ratios.emplace(kin, ratio);
    if (!first) found->second = std::min(found->second, ratio);
  };
  for (const Candidate& candidate : decision.candidates) {
    if (!candidate.ran()) continue;
    const double ratio = candidate.statistics.median > 0 ? candidate.statistics.median / best
                                                         : std::numeric_limits<double>::infinity();
    if (!candidate.kin.empty()) add(candidate.kin, ratio);
    if (candidate.compiles) add(kCompiled, ratio);
  }
  return ratios;
}

bool is_known(const std::string& kin, const Problem& problem, const Request& request) {
  if (!request.widen || !problem.is_depthwise()) return false;
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  const auto found = all.groups.find(key_of(kin, problem, request));
  if (found == all.groups.end()) return false;
  return std::count_if(found->second.begin(), found->second.end(),
                       [&](std::int64_t groups) { return groups <= problem.groups; }) >= kRaces;
}

}  // namespace

bool are_known_hopeless(const std::string& kin, const Problem& problem, const Request& request) {
  return !kin.empty() && is_known(kin, problem, request);
}

bool is_compiled_in_vain(const Problem& problem, const Request& request) {
  return is_known(kCompiled, problem, request);
}

void remember_hopeless_kin(const Problem& problem, const Request& request,
                           const Decision& decision) {
  // Not from races beside other work or under changing clocks: their effect would last as long as
  // the process.
  if (decision.unstable) return;
  if (!decision.winner || decision.completeness == Completeness::cancelled ||
      !problem.is_depthwise())
    return;
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  for (const auto& [kin, ratio] : least_ratios(decision)) {
    std::vector<std::int64_t>& groups = all.groups[key_of(kin, problem, request)];
    if (ratio > (kin == kCompiled ? kPlainlyBehind : kHopeless))
      groups.push_back(problem.groups);
    else
      groups.clear();
  }
}

}  // namespace atc::conv
