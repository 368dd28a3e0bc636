#include "tune/field.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/quantity.hpp"
#include "tune/samples.hpp"

namespace atc::tune {

namespace {

// If a batch takes more than this number of seconds and its contestant is hopelessly slow, the
// batch is not recorded as a graph.
constexpr double kDearToRecord = 1e-3;

std::vector<ContestantState> states_of(const std::vector<Contestant*>& contestants) {
  std::vector<ContestantState> states(contestants.size());
  for (std::size_t i = 0; i < contestants.size(); ++i) states[i].contestant = contestants[i];
  return states;
}

std::vector<std::size_t> order_of(std::size_t contestants, const Options& options) {
  std::vector<std::size_t> order{options.default_index};
  for (std::size_t i = 0; i < contestants; ++i) {
    if (options.max_candidates != 0 && order.size() >= options.max_candidates) break;
    if (i != options.default_index) order.push_back(i);
  }
  return order;
}

}  // namespace

std::size_t batch_calls(double seconds_per_call, double batch_seconds) {
  const double calls = std::ceil(batch_seconds / std::max(seconds_per_call, kShortestCall));
  return static_cast<std::size_t>(std::clamp(calls, 1.0, static_cast<double>(kMostCalls)));
}

Field::Field(Device& device, const std::vector<Contestant*>& contestants, const Options& options,
             const OnProgress& on_progress)
    : device_(device),
      options_(options),
      on_progress_(on_progress),
      start_(device.now()),
      entries_(states_of(contestants)),
      order_(order_of(contestants.size(), options_)),
      outlook_(entries_, options_),
      prospects_(entries_, order_, outlook_, options_) {
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

std::optional<std::size_t> Field::next() {
  // After the race has stopped, the contestants that had no turn are still returned one by one, so
  // that the caller passes each of them to admit(). admit() does not start them, but writes the
  // reason into their standings.
  if (stopped()) {
    for (const std::size_t index : order_)
      if (!entries_[index].had_turn) return index;
    return {};
  }
  if (const auto index = prospects_.next()) return index;
  const std::vector<Prospect> prospects = prospects_.all();
  for (const std::size_t index : order_) {
    if (entries_[index].had_turn) continue;
    entries_[index].standing.reason = prospects_.refusal(prospects[index]);
    tick(2);
  }
  return {};
}

bool Field::admit(std::size_t index, double share) {
  ContestantState& entry = entries_[index];
  entry.had_turn = true;
  const bool needed = outlook_.is_needed(index);
  // `theirs` is the part of the budget for the contestants other than the default: the time in
  // which the default was prepared and checked does not count.
  const double theirs = options_.budget_seconds - options_.spent_seconds - default_took_;
  if (!cancelled_ && !needed && (elapsed() - default_took_ >= share * theirs || out_of_time_)) {
    spent();
    short_of_time_ = true;
    entry.standing.reason = "the budget for preparing was spent before its turn";
    return false;
  }
  tell_turn(index);
  if (cancelled_) {
    entry.standing.reason = "the race was cancelled before its turn";
    return false;
  }
  if (!outlook_.is_default(index)) begin_compiling(index);
  entry.prepared = true;
  Spent& spent = entry.standing.spent;
  try {
    const Stopwatch watch(device_, spent.preparing);
    entry.contestant->prepare();
  } catch (...) {
    lose(index, Outcome::not_prepared);
  }
  if (outlook_.is_default(index)) default_took_ = elapsed();
  if (!entry.prepared) return false;
  if (!needed && out_of_time()) {
    short_of_time_ = true;
    leave(index, Outcome::skipped, "preparing it spent the budget");
    return false;
  }
  entry.racing = passes(index);
  if (outlook_.is_default(index)) default_took_ = elapsed();
  return entry.racing;
}

bool Field::passes(std::size_t index) {
  ContestantState& entry = entries_[index];
  try {
    const Stopwatch watch(device_, entry.standing.spent.checking);
    const Verdict verdict = entry.contestant->check(outlook_.patience(index));
    if (verdict.passed && !verdict.hopeless) {
      if (verdict.imprecise) entry.standing.imprecision = verdict.reason;
      return true;
    }
    if (verdict.hopeless && outlook_.is_default(index)) {
      if (verdict.seconds > 0) {
        entry.alone.emplace();
        entry.alone->seconds = entry.fastest = verdict.seconds;
        note_too_long(index, verdict.seconds);
      }
      return true;
    }
    if (verdict.hopeless) {
      entry.standing.spent.hopeless = verdict.seconds;
      leave(index, Outcome::dropped, verdict.reason);
    } else {
      leave(index, Outcome::wrong_result,
            verdict.reason.empty() ? "the result is wrong" : verdict.reason);
    }
  } catch (...) {
    lose(index, Outcome::failed);
  }
  return false;
}

std::optional<Sample> Field::time_first_batch(std::size_t index, std::size_t round) {
  const std::optional<Sample> probe = time(index, 1, round);
  if (!probe) return probe;
  if (batch_calls(probe->seconds) == 1) return completed(index, 1, probe);
  const std::optional<Sample> batch = time_batch(index, round);
  // If the race stops before the batch is timed, the time of the single execution is used.
  return batch || !entries_[index].racing ? batch : probe;
}

std::optional<Sample> Field::time_batch(std::size_t index, std::size_t round,
                                        double batch_seconds) {
  const std::size_t calls = batch_calls(entries_[index].fastest, batch_seconds);
  return completed(index, calls, time(index, calls, round));
}

std::optional<Sample> Field::completed(std::size_t index, std::size_t calls,
                                       std::optional<Sample> sample) {
  if (sample && !time_in_graph(index, calls, *sample)) sample.reset();
  return sample;
}

std::optional<Sample> Field::time(std::size_t index, std::size_t calls, std::size_t round) {
  ContestantState& entry = entries_[index];
  // The first batch of a contestant without which nothing could run (Outlook::is_needed) is timed
  // even if the budget is spent, unless one execution takes longer than the whole budget.
  const bool first_of_needed = outlook_.is_needed(index) && entry.samples.empty() &&
                               entry.fastest <= options_.budget_seconds;
  tell_turn(index);
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
  // If other work was on the device, the batch may have been repeated. Then `took` says nothing
  // about the call, because it also contains the waits for the end of that work.
  if (took > options_.budget_seconds && calls == 1 && !batch.shared_at_any_attempt) {
    // The call took longer than the whole budget. A running call cannot be interrupted, but the
    // call is not repeated.
    const std::string reason = note_too_long(index, took);
    if (!outlook_.is_needed(index)) {
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
  company_ = company_ || batch.shared_at_any_attempt;
  entry.fastest = entry.fastest == 0 ? sample.seconds : std::min(entry.fastest, sample.seconds);
  return sample;
}

bool Field::time_in_graph(std::size_t index, std::size_t calls, Sample& sample) {
  ContestantState& entry = entries_[index];
  // Only the technique `interleaved` uses graphs. By their definitions, the other techniques time
  // single executions, or keep the device under load without pauses.
  if (options_.technique != Technique::interleaved || (!in_graphs_ && !sample.host_bound()))
    return true;
  // A contestant that launches no kernel cannot be recorded in a graph.
  if (entry.standing.statistics.launches == 0) return true;
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
  company_ = company_ || batch->shared_at_any_attempt;
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
  if (!entry.racing || !entry.samples.empty() || outlook_.is_needed(index)) return;
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

bool Field::is_worth_recording(std::size_t index, double seconds, std::size_t calls) const {
  const bool dear = seconds * static_cast<double>(calls) > kDearToRecord;
  return !dear || !outlook_.is_hopeless(index, seconds);
}

void Field::begin_compiling(std::size_t current) {
  const auto compiles = [](const ContestantState& one) {
    return one.contestant->burden().compiles;
  };
  if (out_of_time_ || compiles(entries_[current])) return;
  const auto has_begun = [](const ContestantState& one) { return one.asked && !one.had_turn; };
  if (std::any_of(entries_.begin(), entries_.end(), has_begun)) return;
  if (const auto index = prospects_.next_to_compile(current)) {
    entries_[*index].asked = true;
    entries_[*index].contestant->begin_compiling();
  }
}

double Field::left() const {
  return options_.budget_seconds + extra_ - options_.spent_seconds - elapsed();
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

void Field::tell_turn(std::size_t index) {
  if (progress_.contestant == index) return;
  progress_.contestant = index;
  tick(0);
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
    // If even the winner has no sample, no contestant was timed.
    for (const std::size_t index : racing())
      leave(index, Outcome::skipped, "the race was cancelled before it was timed");
    winner.reset();
  }
  for (const std::size_t index : racing()) {
    if (winner == index) continue;
    // `winner` is not empty here: every technique returns a winner if a contestant is still in the
    // race.
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
  result_.seconds = elapsed();
  return std::move(result_);
}

}  // namespace atc::tune
