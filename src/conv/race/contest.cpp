#include "conv/race/contest.hpp"

#include <algorithm>
#include <exception>
#include <future>
#include <limits>
#include <memory>
#include <optional>

#include "conv/chain.hpp"
#include "conv/key.hpp"
#include "conv/race/another_size.hpp"
#include "conv/race/arena.hpp"
#include "conv/race/experience.hpp"
#include "conv/race/gate.hpp"
#include "conv/race/race_memory.hpp"
#include "conv/race/repeat.hpp"
#include "conv/race/roofline.hpp"
#include "conv/race/single_execution.hpp"
#include "conv/race/site.hpp"
#include "conv/race/verdicts.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "core/log.hpp"
#include "core/quantity.hpp"
#include "device/call_timer.hpp"
#include "tune/race.hpp"

namespace atc::conv {

namespace {

// The first execution on a GPU may take this many seconds more than later ones, because kernels are
// loaded.
constexpr double kLoading = 1;

// If an execution takes more seconds than this, a check for which a first call waits executes the
// candidate only once.
constexpr double kLongForCheck = 0.5;

// The most runs that an examination times. On the CPU other programs may disturb a run, so there
// are more of them; but after so many seconds it times no further run. It times at least two runs.
constexpr int kTimedRunsOnGpu = 2, kMostTimedRunsOnCpu = 5;
constexpr double kTimedSeconds = 0.05;

// The libraries whose code the chain runs. Empty if one of them is not known.
Libraries libraries_of(const Chain& chain) {
  const std::string library = chain.engine->library();
  if (library.empty()) return {};
  Libraries libraries{library};
  if (!chain.rewrites.empty()) libraries.insert(kOwnLibrary);
  return libraries;
}

// A check executes one candidate on one set of operands.
ArenaTerms for_a_check() {
  ArenaTerms terms;
  terms.most_sets = 1;
  return terms;
}

ArenaTerms for_a_race(const Lineup& lineup, const Request& request) {
  ArenaTerms terms;
  for (const Candidate& candidate : lineup.candidates)
    if (candidate.workspace != 0) terms.workspaces.push_back(candidate.workspace);
  terms.lent = request.lent;
  return terms;
}

// The parts that the contestants of one race share: the device, the operands with the workspace,
// and the correctness gate.
struct Ring {
  Ring(const Problem& of, const Request& by, bool stores_text, bool each_after_other_sizes,
       ArenaTerms terms, Priority priority = Priority::normal)
      : memory(by.device),
        problem(of),
        request(by),
        site(make_site(by.device, by.stream, priority)),
        began(site->device().now()),
        arena(of, *site, by.race.seed, within_limit(std::move(terms))),
        gate(of, *site, arena.operands(0), by.limits.allow_tf32, by.race.seed,
             by.reduced_reduction),
        keeps(stores_text),
        thorough(each_after_other_sizes) {}

  // Sets the limit of the race's memory. The arena may take all memory that is left within it.
  ArenaTerms within_limit(ArenaTerms terms) {
    memory.limit_to(request.race_memory, site->available_memory());
    terms.room = memory.left();
    return terms;
  }

  RaceMemory memory;  // must be the first member, so that it is destroyed last
  const Problem& problem;
  const Request& request;
  const std::unique_ptr<Site> site;
  const double began;  // the device's time before the operands were made
  Arena arena;
  Gate gate;
  struct {
    bool padded = false, other = false;
  } default_keeps;   // whether the default, on the CPU, keeps an Inf or NaN of this input out of
                     // the outputs that do not depend on it. Known once the default has passed its
                     // check
  const bool keeps;  // true if later processes will find the winner's compiled text in the store
  bool thorough;     // true if each check includes repeats, and an execution after other sizes have
                     // run
  // If true, any candidate may have less precision than the problem allows. If false, only the
  // original may. With strict_precision no candidate may.
  bool lenient = false;
  double confirming = 0;  // seconds that the further checks of winners took
};

// Adapts a candidate of a lineup to the interface of a contestant.
class ChainContestant final : public tune::Contestant, public Runnable {
 public:
  ChainContestant(Ring& ring, const Candidate& candidate, const Chain& chain, std::string compiled,
                  bool is_default)
      : ring_(ring),
        candidate_(candidate),
        chain_(chain),
        is_default_(is_default),
        known_(!compiled.empty()),
        compiled_(std::move(compiled)) {}

  // Called for the default. If an execution in its check takes longer than the patience, there is
  // no second execution. If the result of this execution is right, the check ends as hopeless.
  void execute_once_if_long() { once_if_long_ = true; }
  void believe(const tune::Belief& belief) { belief_ = belief; }
  // Makes each later check refuse the candidate for this reason. "": there is none.
  void refuse(std::string refusal) { wrong_ = std::move(refusal); }

  void begin_compiling() noexcept override {
    if (is_wrong() || !compiled_.empty() || compiling_.valid()) return;
    try {
      compiling_ = std::async(std::launch::async, [this] {
        auto prepared = build("");
        std::string text = prepared->compiled();
        return Compiled{std::move(prepared), std::move(text)};
      });
    } catch (const std::exception&) {
      // If there is no thread, or no memory for one, prepare() compiles.
    }
  }

  void prepare() override {
    if (is_wrong()) return;  // check() says so
    if (compiling_.valid()) {
      Compiled beside = compiling_.get();
      compiled_ = std::move(beside.text);
      prepared_ = std::move(beside.prepared);
    }
    // Engines keep state for each thread. If another thread has compiled, this thread lacks that
    // state. So the result is built here once more, from the compiled text.
    if (prepared_ == nullptr || !compiled_.empty()) prepared_ = build(compiled_);
    if (candidate_.compiles && compiled_.empty()) compiled_ = prepared_->compiled();
    ring_.arena.reserve_workspace(prepared_->workspace_size());
  }

  tune::Verdict check(double patience) override {
    if (is_wrong()) return {false, wrong_};
    const tune::Verdict verdict = pass_gate(patience);
    return verdict.passed && ring_.thorough ? check_again(verdict) : verdict;
  }

  // Checks the winner of a race. Returns false if its whole output is wrong, if the gate refuses
  // its result after other sizes have run, or if it has to repeat its bits and does not. After a
  // refusal each later check refuses it, too.
  bool stands() {
    if (!is_in_doubt() && refutation().empty() && !has_to_repeat() &&
        !chain_.engine->remembers_sizes(ring_.problem))
      return true;
    try {
      if (prepared_ == nullptr) prepare();
      const tune::Verdict verdict = check_again({true, ""});
      if (!verdict.passed) wrong_ = verdict.reason;
    } catch (const std::exception&) {
      // The exception does not mean that a result was wrong. If the device has failed, Site::wait
      // throws.
    }
    return !is_wrong();
  }

  Runnable& runnable() override { return *this; }

  void run(std::size_t set) override {
    Operands operands = ring_.arena.operands(set);
    if (ring_.request.limits.constant_weights) operands.w = nullptr;
    prepared_->execute(operands, ring_.arena.workspace(), ring_.site->stream());
  }

  tune::Burden burden() const override {
    const bool kept = !compiled_.empty() && compiled_.size() <= store::kMaxSidecarBytes;
    return {candidate_.compiles && !known_, candidate_.workspace, ring_.keeps && kept,
            candidate_.original};
  }
  tune::Belief belief() const override { return belief_; }
  std::vector<std::string> groups() const override {
    return {candidate_.rewrites + candidate_.choice.engine, candidate_.family, candidate_.kin};
  }
  bool is_yardstick() const override { return candidate_.original; }
  void release() noexcept override { prepared_.reset(); }

  const std::string& compiled() const { return compiled_; }
  std::unique_ptr<Prepared> take() { return std::move(prepared_); }

  // Whether the gate, by the comparisons made so far, may have passed a wrong output.
  bool is_in_doubt() const { return ring_.gate.is_in_doubt(agreement_); }
  // The gate may learn from later candidates that an output which it has passed is wrong. Returns
  // the reason, or "".
  std::string refutation() const { return ring_.gate.refutation(agreement_); }

 private:
  struct Compiled {
    std::unique_ptr<Prepared> prepared;
    std::string text;  // or ""
  };

  bool is_wrong() const { return !wrong_.empty(); }

  tune::Verdict pass_gate(double patience) {
    const bool constant = ring_.request.limits.constant_weights;
    // If an engine does not promise keeps_apart, it is checked only behind rewrites, and only with
    // the padded input: there a rewrite could let Inf and NaN spread.
    const Apart apart = chain_.engine->keeps_apart() ? Apart::all
                        : chain_.rewrites.empty()    ? Apart::unasked
                                                     : Apart::padded;
    const Imprecise imprecise =
        (candidate_.original || ring_.lenient) && !ring_.request.strict_precision
            ? Imprecise::marked
            : Imprecise::refused;
    const auto check = [&](Prepared& prepared, double most) {
      tune::Verdict checked =
          ring_.gate.check(prepared, ring_.arena.workspace(), candidate_.exactness, constant, most,
                           apart, imprecise, libraries_of(chain_));
      agreement_ = ring_.gate.agreement();
      return checked;
    };
    tune::Verdict verdict;
    if (once_if_long_) {
      const bool loads = ring_.request.device.type == DeviceType::cuda;
      SingleExecution single(*prepared_, *ring_.site, loads ? patience + kLoading : patience);
      try {
        verdict = check(single, std::numeric_limits<double>::infinity());
      } catch (const TookTooLong& one) {
        return {false, "", true, false, one.seconds};
      }
    } else {
      verdict = check(*prepared_, patience);
    }
    if (verdict.passed && !verdict.imprecise && !chain_.engine->keeps_apart() &&
        ring_.request.device.type == DeviceType::cpu)
      if (tune::Verdict spread = follow_default(); !spread.passed) verdict = std::move(spread);
    if (verdict.passed && constant) prepared_->set_weights(ring_.arena.operands(0).w);
    return verdict;
  }

  // On the CPU a candidate must keep Inf and NaN apart in each input in which the default does. The
  // program's own convolution is exempt: the program has those results without atc.
  tune::Verdict follow_default() {
    using Check = tune::Verdict (Gate::*)(Prepared&, void*, bool);
    struct Input {
      Check check;
      bool& kept_apart;
    };
    for (const Input& input : {Input{&Gate::check_padded_apart, ring_.default_keeps.padded},
                               Input{&Gate::check_other_apart, ring_.default_keeps.other}}) {
      const bool exempt = candidate_.original || candidate_.exactness == Exactness::transformed;
      if (!is_default_ && (!input.kept_apart || exempt)) continue;
      tune::Verdict verdict = (ring_.gate.*input.check)(*prepared_, ring_.arena.workspace(),
                                                        ring_.request.limits.constant_weights);
      if (is_default_)
        input.kept_apart = verdict.passed;
      else if (!verdict.passed)
        return verdict;
    }
    return {true, ""};
  }

  bool has_to_repeat() const { return ring_.request.limits.deterministic; }

  // Returns `first` if the further checks of the winner pass. They fail if the whole output is
  // wrong, if the candidate has to repeat its bits and does not, or if the gate refuses it after
  // other sizes have run.
  tune::Verdict check_again(const tune::Verdict& first) {
    if (const std::string wrong = refutation(); !wrong.empty()) return {false, wrong};
    if (is_in_doubt()) ring_.gate.evaluate_whole();
    if (is_in_doubt())
      if (tune::Verdict whole = pass_gate(std::numeric_limits<double>::infinity()); !whole.passed)
        return whole;
    if (has_to_repeat()) {
      Operands operands = ring_.arena.operands(0);
      if (ring_.request.limits.constant_weights) operands.w = nullptr;
      const std::string difference = difference_of_repeats(*prepared_, ring_.problem, operands,
                                                           ring_.arena.workspace(), *ring_.site);
      if (!difference.empty()) return {false, difference};
    }
    return check_after_other_sizes(first);
  }

  // The gate's verdict after other sizes have run. Returns `first` if the results of the engine do
  // not depend on other sizes, or if none of the other sizes could run.
  tune::Verdict check_after_other_sizes(const tune::Verdict& first) {
    if (!chain_.engine->remembers_sizes(ring_.problem) ||
        run_other_sizes(chain_, candidate_.choice, ring_.problem, ring_.request.limits,
                        *ring_.site) == 0)
      return first;
    tune::Verdict verdict = pass_gate(std::numeric_limits<double>::infinity());
    if (!verdict.passed)
      verdict.reason = format("wrong after a problem of another size has run ({})", verdict.reason);
    return verdict;
  }

  std::unique_ptr<Prepared> build(const std::string& compiled) const {
    return conv::build(chain_, candidate_.choice, ring_.problem, ring_.request.limits, compiled);
  }

  Ring& ring_;
  const Candidate& candidate_;
  const Chain& chain_;
  const bool is_default_;
  tune::Belief belief_;
  const bool known_;      // true if the candidate's compiled text was known before the race
  std::string compiled_;  // the compiled text; "": prepare() compiles
  std::unique_ptr<Prepared> prepared_;
  bool once_if_long_ = false;
  std::string wrong_;    // why the candidate fails each check; "" if it does not
  Agreement agreement_;  // of the last check
  // The result of a compiling thread, for which the destructor waits.
  std::future<Compiled> compiling_;
};

using Runners = std::vector<std::unique_ptr<ChainContestant>>;

// Runs the race. The winner may compute wrong results after another size has run, or may not repeat
// its bits. In these cases the race is run once more, and every candidate has to pass these tests,
// too. The second race has a fresh budget, because a shorter race would leave the default without a
// comparison.
tune::Result race_until_winner_stands(Ring& ring, const Runners& runners,
                                      const tune::Options& options,
                                      const tune::OnProgress& on_progress) {
  std::vector<tune::Contestant*> contestants;
  for (const auto& runner : runners) contestants.push_back(runner.get());
  tune::Result result = tune::race(ring.site->device(), contestants, options, on_progress);
  if (result.cancelled) return result;
  bool right = true;
  for (const auto& chosen : {result.winner, result.captured}) {
    if (!chosen) continue;
    const double began = ring.site->device().now();
    if (on_progress && !on_progress({0, 0, chosen})) {
      result.cancelled = result.incomplete = true;
      return result;
    }
    // If the default's only execution was longer than the budget, it was not compared with any
    // candidate. Then the decision is not stored.
    const bool ran_once = result.standings[*chosen].statistics.executions == 0;
    if (!ran_once && !runners[*chosen]->stands()) right = false;
    ring.confirming += ring.site->device().now() - began;
  }
  if (right) return result;
  for (const auto& runner : runners) runner->release();
  ring.thorough = true;
  const std::size_t executions = result.executions;
  result = tune::race(ring.site->device(), contestants, options, on_progress);
  result.executions += executions;
  return result;
}

// Writes the standings of the race into the candidates.
void take_standings(const std::vector<tune::Standing>& standings,
                    std::vector<Candidate>& candidates) {
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const tune::Standing& standing = standings[i];
    Candidate& candidate = candidates[i];
    candidate.outcome = standing.outcome;
    candidate.reason = standing.reason;
    if (!standing.imprecision.empty()) {
      candidate.imprecise = true;
      candidate.reason +=
          format("{}imprecise: {}", candidate.reason.empty() ? "" : "; ", standing.imprecision);
    }
    candidate.statistics = standing.statistics;
    candidate.spent = standing.spent;
  }
}

// Marks candidates as wrong that passed their check and were timed, but whose output a later
// candidate has shown to be wrong.
void take_refutations(const std::vector<std::string>& refutations,
                      std::vector<Candidate>& candidates) {
  for (std::size_t i = 0; i < refutations.size(); ++i) {
    if (refutations[i].empty() || !candidates[i].ran()) continue;
    candidates[i].outcome = tune::Outcome::wrong_result;
    candidates[i].reason = refutations[i];
    candidates[i].statistics = {};
  }
}

// Logs where the time of a race went, at level debug.
void log_course(const Problem& problem, const Decision& decision, double operands,
                double confirming) {
  if (log_level() < LogLevel::debug) return;
  log(LogLevel::debug,
      format("race for {}: {:.4f} s, {:.4f} of it for operands, {:.4f} for further "
             "checks of its winner, at most {} MiB of memory",
             describe(problem), decision.seconds, operands, confirming,
             decision.memory_bytes >> 20));
  for (const Candidate& candidate : decision.candidates) {
    const tune::Spent& spent = candidate.spent;
    if (spent.preparing + spent.checking + spent.timing == 0) continue;
    log(LogLevel::debug,
        format("  {}: {:.4f} s preparing, {:.4f} checking, {:.4f} timing, {:.4f} releasing, "
               "{} executions of {}{}{}",
               to_string(candidate.choice), spent.preparing, spent.checking, spent.timing,
               spent.releasing, candidate.statistics.executions,
               time_text(candidate.statistics.median), candidate.reason.empty() ? "" : ": ",
               candidate.reason));
  }
}

// Checks one candidate without a race. If an execution takes more than `most` seconds, there is no
// second one, and the result of this execution decides.
tune::Verdict check_in(Ring& ring, const Candidate& candidate, const Chain& chain,
                       const std::string& compiled, double most) {
  ChainContestant only(ring, candidate, chain, compiled, false);
  only.execute_once_if_long();
  only.prepare();
  ring.gate.evaluate_whole();  // the whole output is computed by the reference, because there is no
                               // other output to compare with
  tune::Verdict verdict = only.check(most);
  verdict.passed = verdict.passed || verdict.hopeless;
  ring.site->wait();
  return verdict;
}

}  // namespace

tune::Verdict check_alone(const Problem& problem, const Request& request,
                          const Candidate& candidate, const Chain& chain,
                          const std::string& compiled) {
  require_outside_callbacks(kRacesTakeTurns);
  const auto turn = take_turn();
  Ring ring(problem, request, false, true, for_a_check());
  return check_in(ring, candidate, chain, compiled, std::numeric_limits<double>::infinity());
}

tune::Verdict check_beside(const Problem& problem, const Request& request,
                           const Candidate& candidate, const Chain& chain,
                           const std::string& compiled, bool lenient) {
  Ring ring(problem, request, false, false, for_a_check());
  ring.lenient = lenient;
  return check_in(ring, candidate, chain, compiled, kLongForCheck);
}

struct Examination::State {
  State(const Problem& problem, const Request& request)
      : ring(problem, request, false, false, for_a_check(), Priority::low),
        timer(make_call_timer(request.device)) {}

  Ring ring;
  const std::unique_ptr<CallTimer> timer;
};

Examination::Examination(const Problem& problem, const Request& request)
    : state_(std::make_unique<State>(problem, request)) {}

Examination::~Examination() = default;

Examination::Result Examination::examine(const Candidate& candidate, const Chain& chain,
                                         double patience) {
  Ring& ring = state_->ring;
  ChainContestant only(ring, candidate, chain, "", false);
  only.prepare();
  Result result;
  result.verdict = only.check(patience);
  // Before a candidate computes a result of the program, it passes all that winners of races have
  // to pass.
  if (result.verdict.passed && !only.stands())
    result.verdict = only.check(std::numeric_limits<double>::infinity());
  if (!result.verdict.passed) return result;
  result.seconds = std::numeric_limits<double>::infinity();
  const double start = ring.site->device().now();
  const bool on_cpu = ring.request.device.type == DeviceType::cpu;
  for (int i = 0; i < (on_cpu ? kMostTimedRunsOnCpu : kTimedRunsOnGpu); ++i) {
    if (i >= 2 && ring.site->device().now() - start > kTimedSeconds) break;
    const double began = ring.site->device().now();
    // Each run has a further one before it, so that the device does not wait for the host.
    for (const bool timed : {false, true}) {
      if (timed) state_->timer->begin(ring.site->stream());
      only.run(0);
      if (timed) state_->timer->end(ring.site->stream());
    }
    ring.site->wait();
    const auto seconds = state_->timer->read();
    // If the time of the run does not count, the time of both runs together is an upper bound.
    const double both = ring.site->device().now() - began;
    result.seconds = std::min(result.seconds, seconds && *seconds ? **seconds : both);
  }
  result.prepared = only.take();
  // Engines keep state for each thread. Other threads load the compiled text, and do not compile.
  if (const std::string compiled = only.compiled(); !compiled.empty())
    result.prepared = build(chain, candidate.choice, ring.problem, ring.request.limits, compiled);
  return result;
}

void Examination::require_device() { state_->ring.site->wait(); }

std::unique_lock<std::mutex> take_turn() {
  static auto* const mutex = new std::mutex;
  return std::unique_lock(*mutex);
}

void fail_cancelled(const Problem& problem) {
  fail(Status::cancelled, "tuning of {} was cancelled", describe(problem));
}

Raced contest(const Problem& problem, const Request& request, Lineup lineup,
              const std::string& compiled, bool keeps, const OnFraction& on_progress) {
  require_outside_callbacks(kRacesTakeTurns);
  if (on_progress && !on_progress(0, {})) fail_cancelled(problem);
  const auto turn = take_turn();
  const store::Json environment = key_for(problem, request).environment;
  const Knowledge knowledge = request.knowledge_in_use();
  const std::string layer = layer_class(problem, request);
  Ring ring(problem, request, keeps, false, for_a_race(lineup, request));
  Device& device = ring.site->device();
  Runners runners;
  for (std::size_t i = 0; i < lineup.candidates.size(); ++i)
    runners.push_back(std::make_unique<ChainContestant>(ring, lineup.candidates[i],
                                                        lineup.chains[i], i == 0 ? compiled : "",
                                                        i == lineup.default_candidate));
  const Experience experience = known_experience(environment, knowledge);
  for (std::size_t i = 0; i < runners.size(); ++i) {
    runners[i]->believe(experience.belief(lineup.candidates[i], layer));
    runners[i]->refuse(given_refusal(lineup.candidates[i].choice, problem, request));
  }
  if (lineup.default_candidate && !runners.empty()) {
    const std::size_t place = *lineup.default_candidate;
    const Choice& choice = lineup.candidates[place].choice;
    runners[place]->execute_once_if_long();
    if (request.retune != Retune::all)
      if (std::string refusal = known_refusal(choice, problem, request); !refusal.empty())
        runners[place]->refuse(std::move(refusal));
  }
  tune::Options options = request.race;
  options.operand_sets = ring.arena.sets();
  options.default_index = lineup.default_candidate.value_or(0);
  options.least_seconds = least_seconds(problem, request, known_ceilings(environment, knowledge));
  // The time for making the operands is part of the budget. If no budget is left after it, the
  // default still takes part.
  options.spent_seconds = device.now() - ring.began;
  const double ready = device.now();
  tune::OnProgress on_unit;
  if (on_progress)
    on_unit = [&, told = std::optional<std::size_t>(),
               name = std::string()](const tune::Progress& progress) mutable {
      if (told != progress.contestant) {
        // Throws if the candidate before has broken the device: no other one could run.
        ring.site->wait();
        told = progress.contestant;
        name = told ? to_string(lineup.candidates[*told].choice) : "";
      }
      // For the progress, the work after the race counts as one unit.
      return on_progress(
          static_cast<double>(progress.done) / (static_cast<double>(progress.total) + 1), name);
    };
  const tune::Result result = race_until_winner_stands(ring, runners, options, on_unit);
  ring.site->wait();  // throws if the device has failed; then no decision is made
  // The conditions (clocks, temperature) are read now, while the device is still warm from the
  // race.
  const Conditions conditions = ring.site->conditions();
  Raced raced;
  Decision& decision = raced.decision;
  if (result.winner) {
    ChainContestant& winner = *runners[*result.winner];
    decision.compiled = winner.compiled();
    raced.chain = lineup.chains[*result.winner];
    if (!request.limits.constant_weights) raced.prepared = winner.take();
  }
  std::vector<bool> in_doubt;
  std::vector<std::string> refutations;
  for (const auto& runner : runners) {
    in_doubt.push_back(runner->is_in_doubt());
    refutations.push_back(runner->refutation());
  }
  runners.clear();
  decision.winner = result.winner;
  decision.captured = result.captured;
  decision.default_candidate = lineup.default_candidate;
  decision.roster = std::move(lineup.roster);
  decision.candidates = std::move(lineup.candidates);
  take_standings(result.standings, decision.candidates);
  take_refutations(refutations, decision.candidates);
  note_verdicts(decision.candidates, lineup.chains, in_doubt, problem, request);
  decision.candidates.insert(decision.candidates.end(),
                             std::make_move_iterator(lineup.beyond.begin()),
                             std::make_move_iterator(lineup.beyond.end()));
  if (result.winner) decision.choice = decision.candidates[*result.winner].choice;
  decision.unstable = result.unstable;
  decision.risk = result.risk;
  const auto timed = std::count_if(decision.candidates.begin(), decision.candidates.end(),
                                   [](const Candidate& candidate) { return candidate.ran(); });
  // If the budget ended before two candidates were timed, there was no comparison that another
  // process could use.
  const bool uncompared = result.out_of_budget && timed < 2 && result.standings.size() > 1;
  decision.completeness = result.cancelled    ? Completeness::cancelled
                          : uncompared        ? Completeness::uncompared
                          : result.incomplete ? Completeness::incomplete
                                              : Completeness::complete;
  decision.budget_seconds = request.race.budget_seconds;
  decision.why = result.why;
  decision.seconds = device.now() - ring.began;
  decision.executions = result.executions;
  decision.technique = request.race.technique;
  decision.conditions = conditions;
  decision.memory_bytes = ring.memory.peak();
  add_experience(environment, knowledge, decision, layer);
  log_course(problem, decision, ready - ring.began, ring.confirming);
  return raced;
}

}  // namespace atc::conv
