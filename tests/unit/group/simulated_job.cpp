#include "simulated_job.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#include <algorithm>
#include <limits>
#include <utility>

namespace atc::group::testing {

namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;
constexpr double kMeasureSeconds = 2;

// This exception simulates that a rank is killed. agree() only catches its own exceptions and
// Error, so the exception leaves agree(), and the rank does nothing more.
struct Killed {};

// Each rank is a fiber with a stack of its own, and all fibers run in one thread. These functions
// tell AddressSanitizer which stack is in use. Fibers must not be switched within an exception
// handler, because C++ keeps a single list of active handlers for the thread.
#if defined(__SANITIZE_ADDRESS__)
void leave_stack(void** kept, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(kept, bottom, size);
}
void enter_stack(void* kept, const void** bottom, std::size_t* size) {
  __sanitizer_finish_switch_fiber(kept, bottom, size);
}
#else
void leave_stack(void**, const void*, std::size_t) {}
void enter_stack(void*, const void**, std::size_t*) {}
#endif

// The stacks of the simulated ranks. The next job uses the same stacks again.
std::vector<std::unique_ptr<char[]>>& stacks() {
  static std::vector<std::unique_ptr<char[]>> all;
  return all;
}

}  // namespace

class Port : public Transport, public Work {
 public:
  Port(Job& job, std::size_t rank) : job_(job), rank_(rank) {}

  std::string create(const std::string& key, const std::string& value) override {
    check(key, value);
    reach();
    return job_.store_.emplace(key, value).first->second;
  }
  std::optional<std::string> get(const std::string& key, double seconds) override {
    if (seconds > kSliceSeconds) fail(Status::internal, "a wait of {} s", seconds);
    reach();
    if (seconds > 0 && job_.store_.count(key) == 0) job_.pause(rank_, seconds, key);
    const auto found = job_.store_.find(key);
    return found == job_.store_.end() ? std::nullopt : std::optional(found->second);
  }
  double now() override { return job_.now_; }

  std::string order(const Problem& problem) override {
    const auto found = self().known.find(problem.key);
    return found == self().known.end() ? "" : found->second.substr(0, 4);
  }
  std::string known(const Problem& problem) override { return self().known.at(problem.key); }
  Measured measure(const Problem& problem) override {
    if (problem.text != "text of " + problem.key) fail(Status::internal, "the text is lost");
    int& others = job_.measuring_[self().member.environment + self().member.device];
    job_.most_at_once_ = std::max(job_.most_at_once_, ++others);
    job_.step(rank_, Job::Step::work);
    job_.pause(rank_, kMeasureSeconds);
    --others;
    if (self().cannot_measure && self().cannot_measure(problem.key)) return {"", "no memory"};
    self().measured.push_back(problem.key);
    // Each rank would choose differently. So the ranks can only have equal choices if the protocol
    // works.
    return {"m" + std::to_string(rank_) + " of " + problem.key, ""};
  }
  std::string refusal(const Problem& problem, const std::string&) override {
    job_.step(rank_, Job::Step::work);
    job_.pause(rank_, self().check_seconds);
    return self().refuses && self().refuses(problem.key) ? "the gate refuses it" : "";
  }

 private:
  Rank& self() { return job_.ranks_[rank_]; }
  void reach() {
    job_.step(rank_, Job::Step::store);
    if (self().faulted && self().fault == Fault::loses_store) fail(Status::io, "the store is gone");
  }
  static void check(const std::string& key, const std::string& value) {
    if (key.size() > kMostKeyBytes || value.size() > kMostValueBytes)
      fail(Status::internal, "a key of {} bytes, a value of {}", key.size(), value.size());
  }

  Job& job_;
  const std::size_t rank_;
};

Job::Job(std::vector<Rank> ranks, std::uint64_t seed, std::map<std::string, std::string> store)
    : ranks_(std::move(ranks)), dice_(seed), store_(std::move(store)), fibers_(ranks_.size()) {
  while (stacks().size() < ranks_.size()) stacks().push_back(std::make_unique<char[]>(kStackBytes));
}

void Job::enter(unsigned high, unsigned low) {
  auto* const job = reinterpret_cast<Job*>((static_cast<std::uintptr_t>(high) << 32) | low);
  enter_stack(nullptr, &job->bottom_, &job->size_);
  const std::size_t rank = job->running_;
  job->body(rank);
  leave_stack(nullptr, job->bottom_, job->size_);
  setcontext(&job->scheduler_);
}

void Job::body(std::size_t rank) {
  Rank& self = ranks_[rank];
  Port port(*this, rank);
  try {
    self.agreement = agree(self.member, port, port);
    self.returned = true;
  } catch (const Error& error) {
    self.io_error = error.status() == Status::io;
    self.returned = true;
  } catch (const Killed&) {
    // The rank is dead and does nothing more. The exception has unwound its stack, so its memory is
    // freed.
  }
  self.ended = now_;
  fibers_[rank].dead = true;
}

void Job::pause(std::size_t rank, double seconds, const std::string& key) {
  Fiber& fiber = fibers_[rank];
  fiber.wakes = now_ + seconds;
  fiber.key = key;
  leave_stack(&fiber.kept, bottom_, size_);
  swapcontext(&fiber.context, &scheduler_);
  enter_stack(fiber.kept, &bottom_, &size_);
}

void Job::step(std::size_t rank, Step kind) {
  Rank& self = ranks_[rank];
  const bool may = self.fault != Fault::cancelled || kind == Step::work;
  if (self.steps++ >= self.at && may && !self.faulted && self.fault != Fault::none) {
    self.faulted = true;
    if (self.fault == Fault::killed) throw Killed{};
    if (self.fault == Fault::cancelled) fail(Status::cancelled, "the call was cancelled");
    if (self.fault == Fault::slow) pause(rank, self.slow_bounds * self.member.bound);
  }
  pause(rank, 0.0001 * static_cast<double>(dice_.below(3)));
}

// Must not be inlined into a loop. The compiler assumes that getcontext may return twice, and so
// could lose the value of the loop's counter.
[[gnu::noinline]] void Job::prepare(std::size_t rank) {
  Fiber& fiber = fibers_[rank];
  fiber.dead = ranks_[rank].fault == Fault::absent;
  fiber.wakes = ranks_[rank].starts;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stacks()[rank].get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&fiber.context, reinterpret_cast<void (*)()>(&Job::enter), 2,
              static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
}

void Job::run() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) prepare(rank);
  for (;;) {
    std::vector<std::size_t> ready;
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t rank = 0; rank < fibers_.size(); ++rank) {
      const Fiber& fiber = fibers_[rank];
      if (fiber.dead) continue;
      if (fiber.wakes <= now_ || (!fiber.key.empty() && store_.count(fiber.key) != 0))
        ready.push_back(rank);
      next = std::min(next, fiber.wakes);
    }
    if (ready.empty()) {
      if (next == std::numeric_limits<double>::infinity()) return;
      now_ = next;
      continue;
    }
    running_ = ready[dice_.below(ready.size())];
    fibers_[running_].key.clear();
    void* kept = nullptr;
    leave_stack(&kept, stacks()[running_].get(), kStackBytes);
    swapcontext(&scheduler_, &fibers_[running_].context);
    enter_stack(kept, nullptr, nullptr);
  }
}

}  // namespace atc::group::testing
