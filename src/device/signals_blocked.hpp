// Threads that atc starts receive no signals: the program's signals are meant for its own threads.
#pragma once

#include <pthread.h>

#include <csignal>

namespace atc {

// Blocks all signals of the calling thread for a scope. Threads that are started in the scope keep
// them blocked.
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
