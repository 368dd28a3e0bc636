#include "conv/decide/watched.hpp"
#include "conv/decide/policy.hpp"

#include "conv/race/contest.hpp"

namespace atc::conv {

Decided decide_watched(const Problem& problem, const Request& request,
                       const OnTuning& on_progress) {
  if (!on_progress) return decide(problem, request);
  Telling telling(on_progress, 1);
  bool raced = false;
  const auto tell = [&](double fraction, const std::string& candidate) {
    if (!raced) telling.begin(0, describe(problem));
    raced = true;
    return telling.tell(fraction, candidate);
  };
  try {
    Decided decided = decide(problem, request, tell);
    if (raced && !telling.tell(1)) fail_cancelled(problem);
    return decided;
  } catch (...) {
    if (raced) telling.tell(1);
    throw;
  }
}

}  // namespace atc::conv
