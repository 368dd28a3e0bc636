// Blocks signals in the threads that atc starts. The program's signals are meant for the program's
// own threads.
#pragma once

#include <pthread.h>

#include <csignal>

namespace atc {

// Blocks all signals of the calling thread during a scope. A thread that is started in the scope
// starts with all signals blocked, and keeps them blocked after the scope.
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

}  // namespace atc
