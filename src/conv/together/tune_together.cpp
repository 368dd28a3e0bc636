#include "conv/together/tune_together.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "conv/decide/policy.hpp"
#include "conv/noted.hpp"
#include "conv/race/race_lock.hpp"
#include "conv/together/rank_terms.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "device/description.hpp"
#include "store/hash.hpp"

namespace atc::conv {

namespace {

// Returns the prefix that this call puts before its keys: the caller's prefix, followed by the
// number of earlier calls with this prefix in this process.
std::string numbered(const std::string& prefix) {
  static std::mutex mutex;
  static std::map<std::string, std::uint64_t> calls;
  const std::lock_guard lock(mutex);
  return format("{}/{}", prefix, calls[prefix]++);
}

std::string nonce() {
  std::random_device random;
  std::string text;
  for (int i = 0; i < 4; ++i) text += store::hex32(random());
  return text;
}

// A transport whose waiting can be cancelled by the caller's progress callback.
class CancellableTransport : public group::Transport {
 public:
  CancellableTransport(group::Transport& transport, Telling& telling)
      : transport_(transport), telling_(telling) {}

  std::string create(const std::string& key, const std::string& value) override {
    return transport_.create(key, value);
  }
  std::optional<std::string> get(const std::string& key, double seconds) override {
    // The callback may cancel only while this rank really waits. A call with `seconds` = 0 may come
    // after the ranks have agreed, and an agreement cannot be cancelled.
    if (seconds > 0 && !told_ && !telling_.tell(0)) {
      told_ = true;
      fail(Status::cancelled, "its progress callback cancelled");
    }
    return transport_.get(key, seconds);
  }
  double now() override { return transport_.now(); }

 private:
  group::Transport& transport_;
  Telling& telling_;
  bool told_ = false;
};

GroupReport report_of(const group::Agreement& agreement, std::size_t rank) {
  GroupReport report;
  report.agreed = agreement.agreed;
  report.rank = agreement.rank;
  report.reason = agreement.reason;
  report.digest = agreement.digest;
  for (const group::Team& team : agreement.teams) {
    RankClass one;
    for (const std::size_t member : team.ranks) {
      if (member == rank) report.own_class = report.classes.size();
      one.ranks.push_back(member);
    }
    one.environment = team.environment;
    if (!report.classes.empty())
      one.differences = differences(team.environment, report.classes.front().environment);
    report.classes.push_back(std::move(one));
  }
  return report;
}

// Returns the report of one problem on which the ranks have agreed.
TunedProblem row_of(const RankWork& work, const group::Agreed& agreed) {
  const RankProblem& problem = work.at(agreed.key);
  TunedProblem row;
  row.description = describe(problem.task.problem);
  row.seconds = problem.seconds;
  if (agreed.decision.empty()) {
    try {
      Request request = problem.request;
      request.tune = false;
      request.for_group = false;
      row.decision = *decide(problem.task.problem, request).decision;
      row.choice = to_string(row.decision.choice);
      row.why = "the default, on all ranks of the class: " + agreed.reason;
    } catch (const Error& error) {
      row.status = error.status();
      row.why = format("{}; the default: {}", agreed.reason, error.what());
    }
    return row;
  }
  row.decision = work.decision_of(agreed.key, agreed.decision);
  row.decision.source = problem.measured ? Source::tuned : Source::agreed;
  const auto& store = problem.knowledges.front().store();
  row.decision.keeping = store != nullptr && store->mode() == store::Mode::read_write
                             ? Keeping::stored
                             : Keeping::unkept;
  row.choice = to_string(row.decision.choice);
  row.why = row.decision.why;
  return row;
}

TunedProblem refused_row(const TuningTask& task, const std::string& why) {
  TunedProblem row;
  row.description = describe(task.problem);
  row.status = Status::not_agreed;
  row.why = why;
  return row;
}

}  // namespace

TogetherReport tune_together(DeviceId device, const PlanOptions& how,
                             const std::vector<SharedTask>& tasks, const ReadTask& read,
                             const RankOfJob& job, group::Transport& transport,
                             double total_seconds, const OnTuning& on_progress) {
  require_outside_callbacks(kRacesTakeTurns);
  require_device(device);
  Telling telling(on_progress, tasks.size());
  telling.begin(0, "waiting for the other ranks");
  RankWork work(read, total_seconds, telling);
  std::vector<std::optional<std::string>> keys;
  group::Member member;
  for (const SharedTask& one : tasks) {
    keys.push_back(work.add(one.task));
    const auto& key = keys.back();
    const bool listed =
        !key || std::any_of(member.problems.begin(), member.problems.end(),
                            [&](const group::Problem& known) { return known.key == *key; });
    if (!listed) member.problems.push_back({*key, one.text});
  }
  std::sort(member.problems.begin(), member.problems.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  member.rank = job.rank;
  member.size = job.size;
  member.prefix = numbered(job.prefix);
  member.nonce = nonce();
  member.bound = job.bound;
  member.environment = environment_text(device, how);
  member.pins = pins_text();
  member.device = device_place(device);
  CancellableTransport cancellable(transport, telling);
  const group::Agreement agreement = group::agree(member, cancellable, work);

  TogetherReport report;
  report.group = report_of(agreement, job.rank);
  if (agreement.agreed) work.use(agreement.decisions);
  std::map<std::string, const group::Agreed*> agreed;
  for (const group::Agreed& one : agreement.decisions) agreed[one.key] = &one;
  std::set<std::string> own;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TuningTask& task = tasks[i].task;
    if (!keys[i]) {
      report.tuning.problems.push_back(tune_all({task}, total_seconds, {}).problems.front());
      continue;
    }
    if (!agreement.agreed) {
      report.tuning.problems.push_back(refused_row(task, agreement.reason));
      continue;
    }
    own.insert(*keys[i]);
    const group::Agreed& one = *agreed.at(*keys[i]);
    report.tuning.problems.push_back(row_of(work, one));
    if (!task.note.empty() && !one.decision.empty()) settle_note(task.note, true);
  }
  for (const group::Agreed& one : agreement.decisions)
    if (own.count(one.key) == 0) report.tuning.problems.push_back(row_of(work, one));
  report.tuning.cancelled = telling.cancelled();
  return report;
}

}  // namespace atc::conv
