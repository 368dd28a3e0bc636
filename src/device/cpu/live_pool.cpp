#include "device/cpu/live_pool.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "device/cpu/openmp.hpp"
#include "device/signals_blocked.hpp"

namespace atc {

namespace {

// True on a thread that executes work for other threads (a substitute). If work on this thread
// calls run_on_substitute, the new work runs at once on the same thread.
thread_local bool is_substitute = false;

// A thread that executes functions for other threads, one function at a time, while the caller
// waits. The thread receives no signals, and neither do the OpenMP threads that it starts.
class Substitute {
 public:
  Substitute() {
    const SignalsBlocked blocked;
    std::thread([this] { serve(); }).detach();
  }

  void run(void (*work)(void*), void* context, int threads) {
    std::unique_lock lock(mutex_);
    work_ = work;
    context_ = context;
    threads_ = threads;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
    if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  void serve() {
    is_substitute = true;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return work_ != nullptr; });
      try {
        const TeamScope scope(threads_);
        work_(context_);
      } catch (...) {
        thrown_ = std::current_exception();
      }
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  void (*work_)(void*) = nullptr;
  void* context_ = nullptr;
  int threads_ = 1;
  std::exception_ptr thrown_;
};

// Owns the process's substitute (a thread that executes work for other threads) and lends it to one
// caller after the other. A Post is never destroyed, because the process may end while a caller
// uses the substitute.
class Post {
 public:
  Post(unsigned forks, Post* before) : forks_(forks), before_(before) {}

  unsigned forks() const { return forks_; }

  void run(void (*work)(void*), void* context, int threads) {
    const std::lock_guard turn(turn_);
    if (!substitute_) {
      try {
        substitute_.emplace();
      } catch (const std::system_error& error) {
        fail(Status::out_of_memory,
             "no thread can be started ({}), and this convolution needs another one: its thread "
             "has forked or is in an OpenMP region, or oneDNN's code must not be interrupted by "
             "signals. Raise the process's limit of threads",
             error.what());
      }
    }
    substitute_->run(work, context, threads);
  }

 private:
  // The value of forks_behind() in the process that made this object.
  const unsigned forks_;
  // The Post of the parent process, if this process was made by a fork; otherwise null. The pointer
  // is kept only so that leak checkers find the parent's object.
  [[maybe_unused]] Post* const before_;
  std::mutex turn_;
  std::optional<Substitute> substitute_;
};

// Returns the process's Post. In the child of a fork the parent's substitute is useless: its thread
// does not exist, and its mutex may be locked for ever. So the child makes a new Post.
Post& post() {
  static std::atomic<Post*> current{nullptr};
  Post* known = current.load();
  while (known == nullptr || known->forks() != forks_behind()) {
    auto made = std::make_unique<Post>(forks_behind(), known);
    if (current.compare_exchange_strong(known, made.get())) return *made.release();
  }
  return *known;
}

}  // namespace

void run_on_substitute(void (*work)(void*), void* context, int threads) {
  if (!is_substitute) return post().run(work, context, threads);
  const TeamScope scope(threads);
  work(context);
}

}  // namespace atc
