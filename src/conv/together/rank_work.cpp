#include "conv/together/rank_work.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "conv/decide/from_pin.hpp"
#include "conv/decide/from_records.hpp"
#include "conv/decide/policy.hpp"
#include "conv/key.hpp"
#include "conv/pins/pins_in_use.hpp"
#include "core/allocator.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/quantity.hpp"
#include "core/settings.hpp"
#include "store/hash.hpp"
#include "store/join.hpp"
#include "store/origin.hpp"
#include "store/sidecar_name.hpp"
#include "store/strict_json.hpp"

namespace atc::conv {

namespace {

using store::Json;

// The largest number of bytes of a decision that another rank has written.
constexpr std::size_t kMostDecisionBytes = store::kMaxEntryBytes;

// Returns the text of a decision for other ranks. It leaves out the losers of the race, the
// compiled parts, and everything that depends on the machine and the time.
std::string shared_text(const Decision& decision) {
  Json json = to_json(decision);
  store::slim(json);
  for (const char* member : {store::kReceived, store::kChecked, store::kCompiled, store::kSidecar,
                             "conditions", "host", "date"})
    json.erase(member);
  return json.dump();
}

Decision read_shared(const std::string& text) {
  if (text.size() > kMostDecisionBytes)
    fail(Status::bad_record, "the decision has {} bytes, and {} are allowed", text.size(),
         kMostDecisionBytes);
  Json json;
  std::string reason;
  if (!store::parse_strictly(text, &json, &reason))
    fail(Status::bad_record, "the decision {}", reason);
  Decision decision = decision_from_json(json);
  decision.received = true;
  decision.checked = {};
  decision.forget_compiled();
  decision.keeping = Keeping::unkept;
  return decision;
}

// Returns the text by which all ranks of a class identify a problem. It is a hash of the store's
// key and of those options that are not in the store's key but decide whether a decision can be
// used.
std::string group_key(const store::Key& key, const Request& request) {
  return store::hex128(store::hash128(format("{}\n{}\n{}{}{}", store::CanonicalKey(key).text(),
                                             request.front_end, request.require_firm ? "firm " : "",
                                             request.strict_precision ? "strict " : "",
                                             request.allow_reference ? "" : "no reference")));
}

bool is_same(const Decision& one, const Decision& other) {
  return one.choice == other.choice && one.choice_of(true) == other.choice_of(true) &&
         one.roster == other.roster && one.unstable == other.unstable;
}

// Writes the decision to the store, unless the store has an equal decision. The store's decision
// may also contain the losers of the race, which `decision` does not.
void write(const Knowledge& knowledge, const RankProblem& problem, Decision& decision) {
  const auto& store = knowledge.store();
  if (store == nullptr || (decision.received && problem.request.strict_precision)) return;
  const Record record = recorded(*store, problem.key);
  const bool has = std::any_of(record.begin(), record.end(),
                               [&](const Decision& one) { return is_same(one, decision); });
  if (!has) write_down(*store, problem.key, problem.request, decision);
}

}  // namespace

Request request_for_group(const TuningTask& task) {
  PlanOptions options = task.options;
  // The option `tune` says whether a program's calls measure, so it has no effect here.
  // Request::tune is set below.
  options.tune = TuningMode::off;
  Request request = resolve(task.device, task.problem, options, current_settings());
  request.race.usual_budget = options.budget_seconds;
  request.tune = true;
  request.must_tune = true;
  request.plan_wanted = false;
  request.for_group = true;
  obey_bars(pins_for(task.problem, request).bars, request);
  return request;
}

RankWork::RankWork(ReadTask read, double total_seconds, Telling& telling)
    : read_(std::move(read)), total_seconds_(total_seconds), telling_(telling) {}

std::optional<std::string> RankWork::add(const TuningTask& task) {
  if (!task.refusal.empty() || task.problem.batch() == 0) return std::nullopt;
  Request request = request_for_group(task);
  if (pins_for(task.problem, request).choice != nullptr) return std::nullopt;
  store::Key key = key_for(task.problem, request);
  std::string name = group_key(key, request);
  const auto [place, is_new] = problems_.try_emplace(name);
  RankProblem& problem = place->second;
  problem.knowledges.push_back(request.knowledge_in_use());
  if (is_new) {
    problem.task = task;
    problem.request = std::move(request);
    problem.key = std::move(key);
    look_up(problem);
  }
  return name;
}

void RankWork::look_up(RankProblem& problem) const {
  problem.known = known_decision(problem.task.problem, problem.request);
}

RankProblem& RankWork::find(const group::Problem& problem) {
  const auto place = problems_.find(problem.key);
  if (place != problems_.end()) return place->second;
  const std::optional<std::string> key = add(read_(problem.text));
  if (key != problem.key)
    fail(Status::bad_record, "a problem of another rank has another key here: {}", problem.text);
  return problems_.at(problem.key);
}

std::string RankWork::order(const group::Problem& problem) {
  const RankProblem& mine = find(problem);
  if (!mine.known) return "";
  return store::place_in_order(Json::parse(shared_text(*mine.known)));
}

std::string RankWork::known(const group::Problem& problem) {
  return shared_text(find(problem).known.value());
}

group::Work::Measured RankWork::measure(const group::Problem& problem) {
  RankProblem& mine = find(problem);
  const std::string description = describe(mine.task.problem);
  telling_.expect(std::max(problems_.size(), begun_ + 1));
  telling_.begin(begun_++, description);
  const double began = telling_.seconds(), left = total_seconds_ - began;
  if (!telling_.tell(0)) fail(Status::cancelled, "its progress callback cancelled");
  if (left <= 0)
    return {"", format("{}: the budget of {} in all was spent before", description,
                       time_text(total_seconds_))};
  Measured result;
  try {
    Request request = mine.request;
    request.race.budget_seconds = std::min(request.race.budget_seconds, left);
    const Decided decided =
        decide(mine.task.problem, request, [&](double fraction, const std::string& candidate) {
          return telling_.tell(fraction, candidate);
        });
    const Decision& decision = *decided.decision;
    if (decision.completeness == Completeness::cancelled)
      fail(Status::cancelled, "its progress callback cancelled");
    if (decision.is_incomplete() || !decision.winner || decision.roster.empty()) {
      result.reason = decision.why.empty() ? "nothing could be measured" : decision.why;
    } else {
      mine.measured = decision;
      result.decision = shared_text(decision);
    }
  } catch (const Error& error) {
    if (error.status() == Status::cancelled)
      fail(Status::cancelled, "its progress callback cancelled");
    if (error.status() == Status::device || error.status() == Status::capturing) throw;
    result.reason = error.what();
  } catch (const std::bad_alloc&) {
    result.reason = "out of host memory";
  }
  mine.seconds = telling_.seconds() - began;
  telling_.tell(1);
  telling_.begin(begun_, "waiting for the other ranks");
  return result;
}

Decision RankWork::decision_of(const std::string& key, const std::string& text) const {
  const RankProblem& mine = problems_.at(key);
  Decision read = read_shared(text);
  // If this rank has the same decision, this rank's own decision is returned, because it also
  // contains the losers of the race and the compiled part. Three places are searched: the decisions
  // that this process has measured for all ranks but does not use yet, the race of this call, and
  // the decision that was known before the call.
  const Record held = held_back(mine.knowledges.front(), mine.key);
  for (const Decision& one : held)
    if (is_same(one, read)) return one;
  if (mine.measured && is_same(*mine.measured, read)) return *mine.measured;
  if (mine.known && is_same(*mine.known, read)) return *mine.known;
  return read;
}

std::string RankWork::refusal(const group::Problem& problem, const std::string& decision) {
  const RankProblem& mine = find(problem);
  try {
    const Decision read = decision_of(problem.key, decision);
    // No check is needed if this process has run the race itself, because the race has built and
    // checked the winner.
    if (mine.measured && is_same(*mine.measured, read)) return "";
    const AllocatorScope scope(mine.request.allocator);
    return refusal_of(read, mine.task.problem, mine.request);
  } catch (const Error& error) {
    if (error.status() == Status::device) throw;
    return error.what();
  }
}

void RankWork::use(const std::vector<group::Agreed>& agreed) {
  std::map<std::uint64_t, std::pair<Knowledge, std::vector<AgreedDecision>>> all;
  for (const group::Agreed& one : agreed) {
    const RankProblem& mine = problems_.at(one.key);
    std::shared_ptr<const Decision> decision;
    if (!one.decision.empty())
      decision = std::make_shared<const Decision>(decision_of(one.key, one.decision));
    for (const Knowledge& knowledge : mine.knowledges) {
      if (decision != nullptr) {
        Decision kept = *decision;
        write(knowledge, mine, kept);
        remember(knowledge, mine.key, std::move(kept));
      }
      auto& part = all[knowledge.memory_id()];
      part.first = knowledge;
      part.second.push_back(
          {store::CanonicalKey(mine.key).text(), mine.request.front_end, decision});
    }
  }
  for (auto& [id, part] : all) remember_agreed(part.first, std::move(part.second));
}

}  // namespace atc::conv
