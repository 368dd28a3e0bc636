#include "device/background.hpp"

#include <pthread.h>
#include <sched.h>

#include <csignal>
#include <thread>

namespace atc {

namespace {

// Blocks signals for a scope, and in threads that are started in the scope.
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

}  // namespace

void start_in_background(void (*work)()) {
  const SignalsBlocked blocked;
  std::thread([work] {
    // If the system refuses, the thread works at the usual priority.
    const sched_param none{};
    static_cast<void>(pthread_setschedparam(pthread_self(), SCHED_IDLE, &none));
    work();
  }).detach();
}

}  // namespace atc
