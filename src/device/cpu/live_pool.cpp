#include "device/cpu/live_pool.hpp"

#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "device/cpu/openmp.hpp"

namespace atc {

namespace {

// Blocks signals for a scope and in threads started there: signals are for the program's threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// A thread that executes functions for other threads, one at a time, while the caller waits.
class Substitute {
 public:
  Substitute() {
    const SignalsBlocked blocked;
    std::thread([this] { serve(); }).detach();
  }

  void run(void (*work)(void*), void* context, int threads) {
    const std::lock_guard turn(turns_);
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

  std::mutex turns_;  // held by the caller whose work runs
  std::mutex mutex_;
  std::condition_variable changed_;
  void (*work_)(void*) = nullptr;
  void* context_ = nullptr;
  int threads_ = 1;
  std::exception_ptr thrown_;
};

// The process's substitute. It is never destroyed, because the process may end at any time. After
// another fork its thread is gone, too, and the child makes a new substitute in the same memory.
Substitute& substitute() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  alignas(Substitute) static unsigned char place[sizeof(Substitute)];
  static Substitute* made = nullptr;
  static unsigned made_after = 0;
  if (made == nullptr || made_after != forks_behind()) {
    try {
      made = new (place) Substitute;
    } catch (const std::system_error& error) {
      fail(Status::out_of_memory,
           "no thread can be started ({}), and a convolution needs one that is not in an OpenMP "
           "region and has not forked: raise the process's limit of threads",
           error.what());
    }
    made_after = forks_behind();
  }
  return *made;
}

}  // namespace

void run_on_substitute(void (*work)(void*), void* context, int threads) {
  substitute().run(work, context, threads);
}

}  // namespace atc
