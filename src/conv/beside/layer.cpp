#include "conv/beside/layer.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "conv/beside/room.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "device/fork.hpp"
#include "device/stream.hpp"
#include "tune/agenda.hpp"

namespace atc::conv::beside {

namespace {

// The largest number of timed calls whose times have not been read yet. If there are so many,
// further calls are not timed.
constexpr std::size_t kMostPending = 64;

tune::ExplorationOptions options_for(const Request& request) {
  tune::ExplorationOptions options;
  options.tie_margin = request.race.tie_margin;
  options.seed = request.race.seed;
  return options;
}

}  // namespace

Layer::Layer(std::string id, Problem problem, const Request& request, store::Key key, Choice choice,
             int threads)
    : id_(std::move(id)),
      problem_(std::move(problem)),
      request_(request),
      knowledge_(request.knowledge_in_use()),
      key_(std::move(key)),
      choice_(std::move(choice)),
      threads_(threads),
      forks_(forks_behind()),
      exploration_(options_for(request)),
      arms_(1) {
  request_.knowledge.reset();
  request_.allocator.reset();
  request_.stream = nullptr;
}

bool Layer::is_of_this_process() const { return forks_ == forks_behind(); }

std::unique_ptr<CallTimer> Layer::timer() {
  if (timers_.empty()) return make_call_timer(request_.device);
  auto timer = std::move(timers_.back());
  timers_.pop_back();
  return timer;
}

void Layer::collect() {
  while (!pending_.empty()) {
    const auto time = pending_.front().timer->read();
    if (!time) return;
    Pending done = std::move(pending_.front());
    pending_.pop_front();
    exploration_.ran(done.arm, *time);
    timers_.push_back(std::move(done.timer));
  }
}

void Layer::update_stage() {
  if (stage_ == Stage::young && exploration_.default_seconds() > 0) {
    stage_ = Stage::to_foresee;
    wake_worker();
  }
  if ((stage_ == Stage::young || stage_ == Stage::exploring) && exploration_.decided()) {
    stage_ = Stage::decided;
    wake_worker();
  }
}

// Counts a call of the program. Returns true if the layer still waits for the call with the number
// `due_at_`. Up to this call, calls run the default, because trying candidates is not expected to
// pay yet. The call with this number also wakes the worker (the thread that checks candidates).
bool Layer::only_counts() {
  double calls = calls_.load(std::memory_order_relaxed);
  while (!calls_.compare_exchange_weak(calls, calls + 1, std::memory_order_relaxed)) {
  }
  double due_at = due_at_.load(std::memory_order_relaxed);
  if (due_at == 0) return false;
  if (calls + 1 >= due_at && due_at_.compare_exchange_strong(due_at, 0)) wake_worker();
  return true;
}

Turn Layer::begin(Stream stream) {
  try {
    return try_begin(stream);
  } catch (const std::bad_alloc&) {
    give_up();
    return {};
  }
}

Turn Layer::try_begin(Stream stream) {
  if (!is_of_this_process() || only_counts() || is_captured(request_.device, stream)) return {};
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || stage_ == Stage::over) return {};
  collect();
  update_stage();
  const tune::Exploration::Turn next = exploration_.next();
  update_stage();
  Turn turn;
  try {
    if (next.measured && pending_.size() < kMostPending) turn.timer = timer();
    Arm& arm = arms_[next.arm];
    const bool runs = next.arm == 0 || arm.idle.has_value();
    if (runs && (turn.timer != nullptr || !next.measured)) {
      turn.arm = next.arm;
      turn.candidate = std::exchange(arm.idle, std::nullopt);
      return turn;
    }
  } catch (const Error&) {
    // If no timer can be made, the call runs the default and is not timed.
  }
  if (turn.timer != nullptr) timers_.push_back(std::move(turn.timer));
  if (next.measured) exploration_.put_back(next.arm);
  return {};
}

void Layer::end(Turn turn, std::size_t executions, bool failed) noexcept {
  try {
    try_end(std::move(turn), executions, failed);
  } catch (const std::bad_alloc&) {
    give_up();
  }
}

void Layer::try_end(Turn turn, std::size_t executions, bool failed) {
  if (!is_of_this_process() || (turn.timer == nullptr && !turn.candidate)) return;
  // `freed` is declared before the lock. So a candidate that is moved to `freed` is destroyed after
  // the mutex is released.
  std::optional<Decided> freed;
  const std::lock_guard lock(mutex_);
  if (stage_ == Stage::over) {
    const bool won = decision_ != nullptr && turn.arm == exploration_.winner();
    (won ? arms_[turn.arm].idle : freed) = std::move(turn.candidate);
    return;
  }
  if (turn.candidate) {
    arms_[turn.arm].idle = std::move(turn.candidate);
    if (failed) exploration_.drop(turn.arm, "a call of it has failed");
  }
  if (turn.timer == nullptr) return;
  if (executions == 1 && !failed) {
    pending_.push_back({turn.arm, std::move(turn.timer)});
    collect();
  } else {
    if (executions == 0)
      exploration_.put_back(turn.arm);
    else
      exploration_.ran(turn.arm, std::nullopt);
    timers_.push_back(std::move(turn.timer));
  }
  update_stage();
}

std::optional<Decided> Layer::take_winner() {
  const std::lock_guard lock(mutex_);
  const std::size_t winner = exploration_.winner();
  if (winner == 0 || decision_ == nullptr) return std::nullopt;
  std::optional<Decided> decided = std::exchange(arms_[winner].idle, std::nullopt);
  if (decided) decided->decision = decision_;
  return decided;
}

bool Layer::has_other_winner() {
  const std::lock_guard lock(mutex_);
  return decision_ != nullptr && exploration_.winner() != 0;
}

Layer::Stage Layer::stage() {
  const std::lock_guard lock(mutex_);
  return stage_;
}

double Layer::default_seconds() {
  const std::lock_guard lock(mutex_);
  return exploration_.default_seconds();
}

// Returns the number of future calls within which exploring has to save as much time as it costs. A
// worker thread checks the candidates. On a GPU this thread slows the program down, so the number
// is cautious: a program is expected to make about as many calls as it has made so far. On the CPU
// the worker thread uses only idle cores, so the number is that of all calls that the user expects.
double Layer::to_come() const {
  const double most = request_.race.expected_calls;
  return request_.device.type == DeviceType::cuda ? tune::calls_to_come(calls_, most) : most;
}

double Layer::urgency_now() const { return tune::urgency(pick_, calls_, to_come()); }

double Layer::calls_to_come() {
  const std::lock_guard lock(mutex_);
  return to_come();
}

void Layer::foresee(const tune::Pick& pick) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::to_foresee) return;
  pick_ = pick;
  stage_ = Stage::waiting;
  if (urgency_now() == 0) due_at_ = std::floor(pick.cost / pick.saving) + 1;
}

double Layer::urgency() {
  const std::lock_guard lock(mutex_);
  return stage_ == Stage::waiting ? urgency_now() : 0;
}

double Layer::saved_part() {
  const std::lock_guard lock(mutex_);
  if (!exploration_.decided() || exploration_.winner() == 0) return 0;
  const double saving = exploration_.standing(0).statistics.median -
                        exploration_.standing(exploration_.winner()).statistics.median;
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - born_;
  return std::max(0.0, saving * calls_ / age.count());
}

void Layer::began_admission() {
  const std::lock_guard lock(mutex_);
  if (stage_ == Stage::waiting) stage_ = Stage::admitting;
}

void Layer::admit(std::size_t candidate, Decided decided, double seconds) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::admitting) return;
  exploration_.add(seconds);
  arms_.push_back({candidate, std::move(decided)});
}

void Layer::end_admission(std::vector<Candidate> candidates, Roster roster) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::admitting) return;
  candidates_ = std::move(candidates);
  roster_ = std::move(roster);
  exploration_.close();
  stage_ = Stage::exploring;
  update_stage();
}

std::optional<Decision> Layer::decision() {
  const std::lock_guard lock(mutex_);
  if (!exploration_.compared()) return std::nullopt;
  Decision decision;
  decision.source = Source::beside;
  decision.candidates = std::move(candidates_);
  decision.roster = std::move(roster_);
  const auto found = std::find_if(decision.candidates.begin(), decision.candidates.end(),
                                  [&](const Candidate& one) { return one.choice == choice_; });
  if (found == decision.candidates.end()) return std::nullopt;
  arms_[0].candidate = static_cast<std::size_t>(found - decision.candidates.begin());
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
    Candidate& candidate = decision.candidates[arms_[arm].candidate];
    const tune::Standing standing = exploration_.standing(arm);
    candidate.outcome = standing.outcome;
    candidate.reason = standing.reason;
    candidate.statistics = standing.statistics;
  }
  decision.default_candidate = arms_[0].candidate;
  decision.winner = arms_[exploration_.winner()].candidate;
  decision.choice = decision.candidates[*decision.winner].choice;
  // A later race can replace this provisional decision by a firm decision.
  decision.unstable = true;
  decision.risk = exploration_.risk();
  decision.executions = exploration_.calls();
  decision.seconds = exploration_.cost();
  decision.why = format("measured beside the program, by {} of its calls", exploration_.calls());
  return decision;
}

void Layer::settle(std::shared_ptr<const Decision> decision) {
  std::vector<Arm> freed;
  const std::lock_guard lock(mutex_);
  decision_ = std::move(decision);
  stage_ = Stage::over;
  if (decision_ == nullptr) freed.swap(arms_);
  for (std::size_t arm = 0; arm < arms_.size(); ++arm)
    if (arm != exploration_.winner()) std::swap(freed.emplace_back().idle, arms_[arm].idle);
  settled_.store(true, std::memory_order_release);
}

void Layer::abandon() { settle(nullptr); }

void Layer::give_up() {
  abandon();
  wake_worker();
}

}  // namespace atc::conv::beside
