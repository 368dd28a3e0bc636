#include "conv/beside/admission.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "conv/key.hpp"
#include "conv/race/believed.hpp"
#include "conv/race/examination.hpp"
#include "conv/race/experience.hpp"
#include "conv/race/lineup.hpp"
#include "conv/race/verdicts.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "tune/agenda.hpp"
#include "tune/outlook.hpp"
#include "tune/picks.hpp"
#include "tune/prospects.hpp"

namespace atc::conv::beside {

namespace {

// The shortest time limit, in seconds, for one execution of a candidate during its correctness
// check. A limit computed only from the time of the default (the candidate that runs without
// tuning) could be too short: on a GPU the first execution may load kernels, and on the CPU the
// program's threads may occupy the cores.
constexpr double kPatienceOnGpu = 0.25, kPatienceOnCpu = 60;

// Estimates of the device time of one correctness check of a candidate on a GPU, in seconds.
// kCheckOnGpu is the time of a check without the executions of the candidate. kFirstCheckOnGpu is
// added for the first check of a layer, which also makes the operands and the trusted results. Both
// were measured beside a running ResNet-50 (docs/adr/0052-calls-that-measure.md).
constexpr double kCheckOnGpu = 3e-3, kFirstCheckOnGpu = 6e-3;

// The candidates of a layer (one convolution problem) that the program's calls may try.
struct Field {
  Request request;
  Lineup lineup;
  std::vector<std::size_t> open;  // the indices in `lineup` of the candidates that may be tried
  tune::Picks picks;              // chooses the next candidate to try among the indices in `open`
};

Field field_of(const Layer& layer, double default_seconds) {
  const auto knowledge = layer.knowledge().find();
  if (!knowledge) fail(Status::not_tuned, "the store of its calls is closed");
  Request request = layer.request();
  request.knowledge = *knowledge;
  const Experience experience = known_experience(layer.key().environment, *knowledge);
  Believed found = believed(full_lineup(layer.problem(), request), layer.problem(), request,
                            experience, layer.default_choice());
  const double first = request.device.type == DeviceType::cpu ? 0 : kFirstCheckOnGpu;
  return {std::move(request), std::move(found.lineup), std::move(found.open),
          tune::Picks(std::move(found.beliefs), default_seconds, first)};
}

// Logs the check of one candidate, at level debug. `seconds` is the elapsed time of the check.
void log_check(const Problem& problem, const Candidate& candidate, bool passed, double seconds) {
  if (log_level() < LogLevel::debug) return;
  log(LogLevel::debug,
      format("checked {} for {} beside the program in {:.4f} s: {}", to_string(candidate.choice),
             describe(problem), seconds, passed ? "passed" : candidate.reason));
}

// Builds and checks one candidate. If the candidate passes, calls of the program may run it from
// then on, and the time of one execution in seconds is returned. Otherwise nothing is returned, and
// `candidate.reason` says why the candidate failed.
std::optional<double> examine(Examination& examination, Layer& layer, Field& field,
                              std::size_t index, double patience) {
  Candidate& candidate = field.lineup.candidates[index];
  const Chain& chain = field.lineup.chains[index];
  const Request& request = field.request;
  try {
    Examination::Result result = examination.examine(candidate, chain, patience);
    if (!result.verdict.passed) {
      candidate.outcome =
          result.verdict.hopeless ? tune::Outcome::skipped : tune::Outcome::wrong_result;
      candidate.reason =
          result.verdict.hopeless ? "its run in the check took too long" : result.verdict.reason;
      if (!result.verdict.hopeless)
        note_verdict(candidate.choice, layer.problem(), request, candidate.reason);
      return std::nullopt;
    }
    note_verdict(candidate.choice, layer.problem(), request, "");
    candidate.imprecise = result.verdict.imprecise;
    Decision decision;
    decision.source = Source::beside;
    decision.choice = candidate.choice;
    decision.winner = 0;
    decision.candidates = {candidate};
    Decided decided;
    decided.chain = chain;
    decided.prepared = std::move(result.prepared);
    decided.decision = std::make_shared<const Decision>(std::move(decision));
    layer.admit(index, std::move(decided), result.seconds);
    return result.seconds;
  } catch (const Error& error) {
    candidate.outcome = error.status() == Status::out_of_memory ? tune::Outcome::out_of_memory
                                                                : tune::Outcome::not_prepared;
    candidate.reason = error.what();
  }
  // If only this candidate cannot be built or executed, the other candidates are still checked. If
  // the device has failed, require_device() throws, so that no further candidate is checked.
  examination.require_device();
  return std::nullopt;
}

}  // namespace

std::optional<tune::Pick> foreseen_pick(const Layer& layer, double default_seconds) {
  const Field field = field_of(layer, default_seconds);
  return field.picks.next(field.request.race.expected_calls);
}

void admit_candidates(Layer& layer, const std::function<void(double seconds)>& worked,
                      const std::function<bool()>& go_on) {
  layer.began_admission();
  const double default_seconds = layer.default_seconds();
  Field field = field_of(layer, default_seconds);
  for (Candidate& candidate : field.lineup.candidates) {
    candidate.outcome = tune::Outcome::skipped;
    candidate.reason = "it was not tried beside the program";
  }
  const bool on_cpu = field.request.device.type == DeviceType::cpu;
  const double patience =
      std::max(on_cpu ? kPatienceOnCpu : kPatienceOnGpu, tune::kHopeless * default_seconds);
  std::optional<Examination> examination;
  const std::size_t most = on_cpu ? tune::kMostPicksOnIdleCores : tune::kMostPicks;
  for (std::size_t number = 0; number < most; ++number) {
    const auto pick = field.picks.next(layer.calls_to_come());
    if (!pick || (number > 0 && !go_on())) break;
    using Clock = std::chrono::steady_clock;
    const Clock::time_point began = Clock::now();
    if (!examination) examination.emplace(layer.problem(), field.request);
    const std::size_t index = field.open[pick->candidate];
    const auto seconds = examine(*examination, layer, field, index, patience);
    // On the CPU the time of a check is not used to estimate the other candidates: other programs
    // may have used the cores during the check.
    field.picks.checked(pick->candidate, on_cpu ? std::nullopt : seconds);
    // The elapsed time includes waiting, because the device may be busy or other programs may
    // occupy the cores. So the reported time is at most an estimate of the time that the device
    // needed.
    const std::chrono::duration<double> took = Clock::now() - began;
    const double on_device = kCheckOnGpu + (number == 0 ? kFirstCheckOnGpu : 0) +
                             tune::kExecutionsOfTurn * seconds.value_or(default_seconds);
    worked(std::min(took.count(), on_device));
    log_check(layer.problem(), field.lineup.candidates[index], seconds.has_value(), took.count());
  }
  Lineup& lineup = field.lineup;
  lineup.candidates.insert(lineup.candidates.end(), std::make_move_iterator(lineup.beyond.begin()),
                           std::make_move_iterator(lineup.beyond.end()));
  layer.end_admission(std::move(lineup.candidates), std::move(lineup.roster));
}

}  // namespace atc::conv::beside
