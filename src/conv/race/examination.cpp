#include "conv/race/examination.hpp"

#include <algorithm>
#include <limits>

#include "conv/race/chain_contestant.hpp"
#include "conv/race/race_lock.hpp"
#include "conv/race/race_setup.hpp"
#include "core/inside.hpp"
#include "device/call_timer.hpp"

namespace atc::conv {

namespace {

// A choice may have to be checked before the first call that runs it. If one execution takes more
// seconds than this, this check executes the choice only once, so that the call does not wait too
// long.
constexpr double kLongForCheck = 0.5;

// The largest number of timed runs in an examination. On the CPU other programs may disturb a run,
// so more runs are timed there. After kTimedSeconds seconds no further run is timed, but at least
// two runs are.
constexpr int kTimedRunsOnGpu = 2, kMostTimedRunsOnCpu = 5;
constexpr double kTimedSeconds = 0.05;

// Checks one candidate without a race. If an execution takes more than `most` seconds, there is no
// second execution, and the result of the first one alone is checked.
tune::Verdict check_in(RaceSetup& setup, const Candidate& candidate, const Chain& chain,
                       const std::string& compiled, double most) {
  ChainContestant only(setup, candidate, chain, compiled, false);
  only.execute_once_if_long();
  only.prepare();
  // The reference computes the whole output, because no other candidate's output can be compared.
  setup.gate.evaluate_whole();
  tune::Verdict verdict = only.check(most);
  verdict.passed = verdict.passed || verdict.hopeless;
  setup.site->wait();
  return verdict;
}

}  // namespace

tune::Verdict check_alone(const Problem& problem, const Request& request,
                          const Candidate& candidate, const Chain& chain,
                          const std::string& compiled) {
  require_outside_callbacks(kRacesTakeTurns);
  const auto turn = take_turn();
  RaceSetup setup(problem, request, terms_of_one_set());
  setup.thorough = true;
  return check_in(setup, candidate, chain, compiled, std::numeric_limits<double>::infinity());
}

tune::Verdict check_beside(const Problem& problem, const Request& request,
                           const Candidate& candidate, const Chain& chain,
                           const std::string& compiled, bool lenient) {
  RaceSetup setup(problem, request, terms_of_one_set());
  setup.lenient = lenient;
  return check_in(setup, candidate, chain, compiled, kLongForCheck);
}

struct Examination::State {
  State(const Problem& problem, const Request& request)
      : setup(problem, request, terms_of_one_set(), Priority::low),
        timer(make_call_timer(request.device)) {}

  RaceSetup setup;
  const std::unique_ptr<CallTimer> timer;
};

Examination::Examination(const Problem& problem, const Request& request)
    : state_(std::make_unique<State>(problem, request)) {}

Examination::~Examination() = default;

Examination::Result Examination::examine(const Candidate& candidate, const Chain& chain,
                                         double patience) {
  RaceSetup& setup = state_->setup;
  ChainContestant only(setup, candidate, chain, "", false);
  only.prepare();
  Result result;
  result.verdict = only.check(patience);
  // The program will use results of this candidate, so the candidate has to pass the further checks
  // that the winner of a race has to pass.
  if (result.verdict.passed && !only.stands())
    result.verdict = only.check(std::numeric_limits<double>::infinity());
  if (!result.verdict.passed) return result;
  result.seconds = std::numeric_limits<double>::infinity();
  const double start = setup.site->device().now();
  const bool on_cpu = setup.request.device.type == DeviceType::cpu;
  for (int i = 0; i < (on_cpu ? kMostTimedRunsOnCpu : kTimedRunsOnGpu); ++i) {
    if (i >= 2 && setup.site->device().now() - start > kTimedSeconds) break;
    const double began = setup.site->device().now();
    // An untimed run is queued before each timed run, so that the device does not wait for the host
    // during the timed one.
    for (const bool timed : {false, true}) {
      if (timed) state_->timer->begin(setup.site->stream());
      only.run(0);
      if (timed) state_->timer->end(setup.site->stream());
    }
    setup.site->wait();
    const auto seconds = state_->timer->read();
    // If the timer has no valid time for the timed run, the time of both runs together is used, as
    // an upper bound.
    const double both = setup.site->device().now() - began;
    result.seconds = std::min(result.seconds, seconds && *seconds ? **seconds : both);
  }
  result.prepared = only.take();
  // Some engines keep what they have compiled for each thread separately, but other threads will
  // run the candidate. So the candidate is built again from its compiled text. Then each thread
  // loads this text, and none has to compile.
  if (const std::string compiled = only.compiled(); !compiled.empty())
    result.prepared = build(chain, candidate.choice, setup.problem, setup.request.limits, compiled);
  return result;
}

void Examination::require_device() { state_->setup.site->wait(); }

}  // namespace atc::conv
