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
#include "device/cpu/cpu_description.hpp"
#include "device/cpu/openmp.hpp"

namespace atc {

namespace {

void use_threads(int count) {
  using OmpSetNumThreads = void (*)(int);
  static const auto omp_set_num_threads =
      reinterpret_cast<OmpSetNumThreads>(openmp_function("omp_set_num_threads"));
  if (omp_set_num_threads != nullptr) omp_set_num_threads(count);
}

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

  void run(void (*work)(void*), void* context) {
    const int threads = cpu_threads();
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
      use_threads(threads_);
      try {
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

// The process's substitute. One is enough: only one thread, the one that forked, can have lost
// others. It is never destroyed, because the process may end at any time. After another fork its
// thread is gone, too, and the child makes a new substitute in the same memory.
Substitute& substitute() {
  alignas(Substitute) static unsigned char place[sizeof(Substitute)];
  static Substitute* made = nullptr;
  static unsigned made_after = 0;
  if (made == nullptr || made_after != forks_behind()) {
    try {
      made = new (place) Substitute;
    } catch (const std::system_error& error) {
      fail(Status::out_of_memory,
           "no thread can be started ({}), and a process that was forked from one with several "
           "threads convolves on a thread of its own: raise its limit of threads",
           error.what());
    }
    made_after = forks_behind();
  }
  return *made;
}

}  // namespace

void run_on_substitute(void (*work)(void*), void* context) { substitute().run(work, context); }

}  // namespace atc
