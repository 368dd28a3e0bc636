#include "tune/field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/quantity.hpp"
#include "tune/decide.hpp"
#include "tune/measure.hpp"

namespace atc::tune {

namespace {

// Multiple of the leader's time. No disturbance makes a candidate that slow, and a whole check of
// such a candidate would take longer than all the others.
constexpr double kHopeless = 10;

// Seconds. If a batch takes longer, it is recorded into a graph only if the candidate is not
// hopeless.
constexpr double kDearToRecord = 1e-3;

// No further candidate is compiled once the last one that was took more than kPlainlyInVain times
// the leader's time, or the last two took more than kInVain times it: by their engine's own order
// those were the better ones.
constexpr std::size_t kCompiledInVain = 2;
constexpr double kInVain = 1.5, kPlainlyInVain = 2;

// Part of the budget in which candidates that compile may be prepared: the rest is for the others,
// and for timing.
constexpr double kForCompiling = 0.5;

// A family is put last once this many of it ran, all slower than this multiple of the leader's
// time.
constexpr std::size_t kFewOfAFamily = 2;
constexpr double kSlowFamily = 3;

// Time for the spares, as a part of the time that admitting the others took. A race in which no
// spare is better takes longer by this part.
constexpr double kForSpares = 0.3;

}  // namespace

Field::Field(Device& device, const std::vector<Contestant*>& contestants, const Options& options,
             const OnProgress& on_progress)
    : device_(device),
      options_(options),
      on_progress_(on_progress),
      start_(device.now()),
      entries_(contestants.size()) {
  for (std::size_t i = 0; i < contestants.size(); ++i) entries_[i].contestant = contestants[i];
  order_.push_back(options_.default_index);
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (options_.max_candidates != 0 && order_.size() >= options_.max_candidates) break;
    if (!is_default(i)) order_.push_back(i);
  }
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (std::find(order_.begin(), order_.end(), i) == order_.end()) {
      entries_[i].standing.reason =
          format("beyond the limit of {} candidates", options_.max_candidates);
    }
  }
}

Field::~Field() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].prepared && kept_ != i) entries_[i].contestant->release();
  }
}

std::vector<std::size_t> Field::racing() const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].racing) result.push_back(i);
  }
  return result;
}

bool Field::admit(std::size_t index, double share) {
  ContestantState& entry = entries_[index];
  entry.had_turn = true;
  if (cancelled_) {
    entry.standing.reason = "the race was cancelled before its turn";
    return false;
  }
  // The other contestants share the budget without the time that the default took.
  const double theirs = options_.budget_seconds - options_.spent_seconds - default_took_;
  const bool late = device_.now() - start_ - default_took_ >= share * theirs;
  const bool needed = is_needed(index);
  if (!needed && (late || out_of_time_)) {
    spent();
    short_of_time_ = true;
    entry.standing.reason = "the budget for preparing was spent before its turn";
    return false;
  }
  const bool compiles = entry.contestant->burden().compiles;
  if (!needed && compiles && compilers_are_spent()) {
    short_of_time_ = true;
    entry.standing.reason = "candidates that are compiled had spent their part of the budget";
    return false;
  }
  if (!is_default(index) && compiles && compiled_in_vain() >= kCompiledInVain) {
    entry.standing.reason = "candidates that were compiled before it turned out far behind";
    return false;
  }
  if (!is_default(index) && has_hopeless_kin(index)) {
    entry.standing.reason = "others of the same kernels turned out hopeless";
    return false;
  }
  if (is_spare(index) && (compiles || spares_are_dear())) {
    entry.standing.reason =
        compiles ? "beyond the limit only candidates that need no compiling are tried"
                 : "candidates beyond the limit had taken their part of the time";
    return false;
  }
  if (!is_default(index)) begin_compiling(index);
  entry.prepared = true;
  Spent& spent = entry.standing.spent;
  try {
    const Stopwatch watch(device_, spent.preparing);
    entry.contestant->prepare();
  } catch (...) {
    lose(index, Outcome::not_prepared);
  }
  if (compiles) compiling_ += spent.preparing;
  if (is_default(index)) default_took_ = device_.now() - start_;
  if (!entry.prepared) return false;
  if (!needed && out_of_time()) {
    short_of_time_ = true;
    leave(index, Outcome::skipped, "preparing it spent the budget");
    return false;
  }
  entry.racing = passes(index);
  if (is_default(index)) default_took_ = device_.now() - start_;
  return entry.racing;
}

bool Field::is_needed(std::size_t index) const {
  if (is_default(index)) return true;
  if (!entries_[options_.default_index].had_turn) return false;
  return std::none_of(entries_.begin(), entries_.end(), [&](const ContestantState& entry) {
    return entry.racing && &entry != &entries_[index];
  });
}

bool Field::passes(std::size_t index) {
  ContestantState& entry = entries_[index];
  try {
    const Stopwatch watch(device_, entry.standing.spent.checking);
    const Verdict verdict = entry.contestant->check(patience(index));
    if (verdict.passed && !verdict.hopeless) {
      if (verdict.imprecise) entry.standing.imprecision = verdict.reason;
      return true;
    }
    if (verdict.hopeless && is_default(index)) {
      if (verdict.seconds > 0) {
        entry.alone.emplace();
        entry.alone->seconds = entry.fastest = verdict.seconds;
        note_too_long(index, verdict.seconds);
      }
      return true;
    }
    if (verdict.hopeless)
      leave(index, Outcome::dropped, verdict.reason);
    else
      leave(index, Outcome::wrong_result,
            verdict.reason.empty() ? "the result is wrong" : verdict.reason);
  } catch (...) {
    lose(index, Outcome::failed);
  }
  return false;
}

std::optional<Sample> Field::time(std::size_t index, std::size_t calls, std::size_t round) {
  ContestantState& entry = entries_[index];
  // A contestant that is needed (is_needed) is timed however small the budget is, but only once if
  // an execution takes longer than the whole budget.
  const bool first_of_needed =
      is_needed(index) && entry.samples.empty() && entry.fastest <= options_.budget_seconds;
  if (cancelled_) return {};
  if (entry.alone && entry.samples.empty()) {
    entry.alone->round = round;
    return entry.alone;
  }
  if (!first_of_needed && out_of_time(entry.fastest * static_cast<double>(calls))) return {};
  const double before = device_.now();
  const Stopwatch watch(device_, entry.standing.spent.timing);
  BatchTime batch;
  entry.standing.statistics.executions += calls;
  result_.executions += calls;
  try {
    batch = device_.time_batch(entry.contestant->runnable(), options_.operand_sets, calls);
    if (!entry.counted && is_worth_recording(index, batch.seconds_per_call, calls)) {
      entry.counted = true;
      entry.standing.statistics.launches = device_.launches(entry.contestant->runnable());
    }
  } catch (...) {
    lose(index, Outcome::failed);
    return {};
  }
  if (!std::isfinite(batch.seconds_per_call) || batch.seconds_per_call < 0) {
    leave(index, Outcome::failed, "the device returned no valid time for a batch");
    return {};
  }
  const double took = device_.now() - before;
  // Beside other work `took` also contains the pauses in which the race waited for its end.
  if (took > options_.budget_seconds && calls == 1 && !batch.company) {
    // A running call cannot be interrupted, but it is not run again.
    const std::string reason = note_too_long(index, took);
    if (!is_needed(index)) {
      leave(index, Outcome::failed, reason);
      return {};
    }
  }
  Sample sample;
  sample.round = round;
  sample.seconds = std::max(batch.seconds_per_call, kShortestCall);
  sample.host = batch.host_seconds;
  sample.clock_hz = batch.clock_hz;
  sample.throttled = batch.throttled;
  sample.shared = batch.shared;
  company_ = company_ || batch.company;
  entry.fastest = entry.fastest == 0 ? sample.seconds : std::min(entry.fastest, sample.seconds);
  return sample;
}

bool Field::time_in_graph(std::size_t index, std::size_t calls, Sample& sample) {
  ContestantState& entry = entries_[index];
  // Other techniques are defined by single executions, or by load without pauses.
  if (options_.technique != Technique::interleaved || (!in_graphs_ && !sample.host_bound()))
    return true;
  if (entry.standing.statistics.launches == 0) return true;  // no graph can be made of it
  if (!is_worth_recording(index, sample.seconds, calls)) return true;
  if (cancelled_ || out_of_time(sample.seconds * static_cast<double>(calls))) return true;
  const Stopwatch watch(device_, entry.standing.spent.timing);
  std::optional<BatchTime> batch;
  try {
    batch = device_.time_graph(entry.contestant->runnable(), options_.operand_sets, calls);
  } catch (...) {
    lose(index, Outcome::failed);
    return false;
  }
  if (!batch || !std::isfinite(batch->seconds_per_call) || batch->seconds_per_call < 0) return true;
  entry.standing.statistics.executions += calls;
  result_.executions += calls;
  sample.seconds = std::max(batch->seconds_per_call, kShortestCall);
  sample.clock_hz = batch->clock_hz;
  sample.throttled = batch->throttled;
  sample.shared = batch->shared;
  company_ = company_ || batch->company;
  sample.in_graph = true;
  entry.fastest = std::min(entry.fastest, sample.seconds);
  return true;
}

void Field::settle_mode() {
  const auto timed_so = [](const ContestantState& entry) {
    return entry.racing && !entry.samples.empty() && entry.samples.back().in_graph;
  };
  in_graphs_ = in_graphs_ || std::any_of(entries_.begin(), entries_.end(), timed_so);
}

void Field::leave(std::size_t index, Outcome outcome, std::string reason) {
  ContestantState& entry = entries_[index];
  entry.racing = false;
  entry.standing.outcome = outcome;
  entry.standing.reason = std::move(reason);
  if (entry.prepared) {
    const Stopwatch watch(device_, entry.standing.spent.releasing);
    entry.prepared = false;
    entry.contestant->release();
  }
}

void Field::skip_untimed(std::size_t index) {
  ContestantState& entry = entries_[index];
  if (!entry.racing || !entry.samples.empty() || is_needed(index)) return;
  short_of_time_ = true;
  leave(index, Outcome::skipped, "the race ended before it was timed");
}

void Field::lose(std::size_t index, Outcome otherwise) {
  Outcome outcome = otherwise;
  std::string reason;
  try {
    throw;
  } catch (const Error& error) {
    if (error.status() == Status::out_of_memory) outcome = Outcome::out_of_memory;
    reason = error.what();
  } catch (const std::bad_alloc&) {
    outcome = Outcome::out_of_memory;
    reason = "out of host memory";
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (outcome == Outcome::out_of_memory) {
    result_.incomplete = true;
    note(format("candidate {} was lost to out of memory", index));
  }
  leave(index, outcome, reason.empty() ? "failed without saying why" : reason);
}

bool Field::out_of_time(double seconds) {
  if (!out_of_time_ && left() <= seconds) {
    out_of_time_ = true;
    spent();
  }
  return out_of_time_;
}

void Field::spent() {
  if (result_.out_of_budget) return;
  result_.out_of_budget = true;
  note(format("the budget of {} was spent", time_text(options_.budget_seconds)));
}

double Field::leaders_time() const {
  double best = std::numeric_limits<double>::infinity();
  for (const ContestantState& entry : entries_)
    if (entry.racing && entry.fastest > 0) best = std::min(best, entry.fastest);
  return best;
}

bool Field::is_comparable(const ContestantState& entry) const {
  const auto alone = [](const ContestantState& one) {
    return std::any_of(one.samples.begin(), one.samples.end(),
                       [](const Sample& sample) { return !sample.shared; });
  };
  return entry.samples.empty() || alone(entry) ||
         std::none_of(entries_.begin(), entries_.end(),
                      [&](const ContestantState& one) { return one.racing && alone(one); });
}

double Field::patience(std::size_t index) const {
  const double hopeless = kHopeless * leaders_time();
  if (is_default(index)) return options_.budget_seconds;
  return is_exempt(index) ? std::max(hopeless, options_.budget_seconds) : hopeless;
}

bool Field::is_hopeless(std::size_t index, double seconds) const {
  return !is_default(index) && seconds > patience(index);
}

bool Field::is_worth_recording(std::size_t index, double seconds, std::size_t calls) const {
  const bool dear = seconds * static_cast<double>(calls) > kDearToRecord;
  return !dear || !is_hopeless(index, seconds);
}

bool Field::was_hopeless(std::size_t index) const {
  const ContestantState& entry = entries_[index];
  const bool in_its_check = entry.standing.outcome == Outcome::dropped && entry.fastest == 0;
  return in_its_check || (is_comparable(entry) && is_hopeless(index, entry.fastest));
}

bool Field::has_hopeless_kin(std::size_t index) const {
  const std::string kin = entries_[index].contestant->kin();
  if (kin.empty()) return false;
  bool any = false;
  for (const std::size_t other : order_) {
    if (other == index || entries_[other].contestant->kin() != kin) continue;
    if (was_hopeless(other))
      any = true;
    else if (entries_[other].fastest > 0)
      return false;
  }
  return any;
}

bool Field::compilers_are_spent() const {
  return compiling_ >= kForCompiling * (options_.budget_seconds - options_.spent_seconds);
}

std::size_t Field::compiled_in_vain() const {
  const double best = leaders_time();
  std::size_t in_vain = 0;
  for (const std::size_t index : order_) {
    const ContestantState& entry = entries_[index];
    if (!entry.contestant->burden().compiles) continue;
    const bool comparable = is_comparable(entry);
    if (was_hopeless(index) || (comparable && entry.fastest > kPlainlyInVain * best))
      in_vain += kCompiledInVain;
    else if (comparable && entry.fastest > kInVain * best)
      ++in_vain;
    else if (comparable && entry.fastest > 0)
      in_vain = 0;
  }
  return in_vain;
}

void Field::begin_compiling(std::size_t current) {
  if (compilers_are_spent() || compiled_in_vain() >= kCompiledInVain) return;
  for (const std::size_t index : order_) {
    ContestantState& entry = entries_[index];
    const bool turn_to_come = index == current || !entry.had_turn;
    if (!turn_to_come || is_spare(index) || !entry.contestant->burden().compiles) continue;
    if (index != current && !std::exchange(entry.asked, true)) entry.contestant->begin_compiling();
    return;
  }
}

bool Field::spares_are_dear() {
  const double now = device_.now() - start_;
  if (!widened_) widened_ = now;
  return now - *widened_ > kForSpares * *widened_;
}

bool Field::has_slow_family(std::size_t index) const {
  const std::string family = entries_[index].contestant->family();
  if (family.empty() || is_exempt(index)) return false;
  const double slow = kSlowFamily * leaders_time();
  std::size_t ran = 0;
  for (const ContestantState& entry : entries_) {
    if (entry.fastest == 0 || entry.contestant->family() != family) continue;
    if (entry.fastest <= slow) return false;
    ++ran;
  }
  return ran >= kFewOfAFamily;
}

double Field::left() const {
  return options_.budget_seconds + extra_ - options_.spent_seconds - (device_.now() - start_);
}

void Field::extend(double part) {
  extra_ += part * options_.budget_seconds - left();
  out_of_time_ = false;
}

void Field::expect(std::size_t units) { progress_.total += units; }

void Field::tick(std::size_t units) {
  progress_.done += units;
  if (cancelled_ || !on_progress_) return;
  if (!on_progress_(progress_)) {
    cancelled_ = true;
    result_.cancelled = result_.incomplete = true;
    note("cancelled");
  }
}

void Field::note(const std::string& sentence) {
  if (!result_.why.empty()) result_.why += "; ";
  result_.why += sentence;
}

std::string Field::note_too_long(std::size_t index, double seconds) {
  std::string reason = format("one execution took {}, more than the budget of {}",
                              time_text(seconds), time_text(options_.budget_seconds));
  note(format("candidate {}: {}; it was not run again", index, reason));
  return reason;
}

void Field::unstable(const std::string& why) {
  result_.unstable = true;
  note(why);
}

Result Field::finish(std::optional<std::size_t> winner) {
  const bool under_load = options_.technique == Technique::sustained;
  for (ContestantState& entry : entries_) summarize(entry, under_load);
  if (cancelled_ && winner && entries_[*winner].samples.empty()) {
    // The winner has the first sample: nobody was timed.
    for (const std::size_t index : racing())
      leave(index, Outcome::skipped, "the race was cancelled before it was timed");
    winner.reset();
  }
  for (const std::size_t index : racing()) {
    if (winner == index) continue;
    // `winner` is set: techniques name one whenever a contestant is left racing.
    if (index == result_.captured) {
      const Statistics& figures = entries_[index].standing.statistics;
      leave(index, Outcome::lost,
            format("the choice of captured calls: it takes {}, but the host {} to issue it",
                   time_text(figures.median), time_text(figures.host)));
      continue;
    }
    const double ratio =
        entries_[index].standing.statistics.median / entries_[*winner].standing.statistics.median;
    if (ratio > 1 + options_.tie_margin) {
      leave(index, Outcome::lost);
    } else if (ratio < 1 && entries_[index].standing.statistics.host_bound()) {
      leave(index, Outcome::lost,
            format("{:.2f} % faster, but the host takes {} to issue it", 100 * (1 - ratio),
                   time_text(entries_[index].standing.statistics.host)));
    } else if (ratio >= 1) {
      leave(index, Outcome::tied, format("{:.2f} % slower: a tie", 100 * (ratio - 1)));
    } else {
      leave(index, Outcome::tied,
            format("{:.2f} % faster: a tie, or not beyond the noise", 100 * (1 - ratio)));
    }
  }
  if (winner) entries_[*winner].standing.outcome = Outcome::won;
  if (short_of_time_ && options_.budget_seconds < options_.usual_budget) {
    unstable(format("some candidates had no turn in the {} that were left",
                    time_text(options_.budget_seconds)));
  }
  kept_ = winner;
  result_.winner = winner;
  for (ContestantState& entry : entries_) result_.standings.push_back(entry.standing);
  result_.seconds = device_.now() - start_;
  return std::move(result_);
}

}  // namespace atc::tune
