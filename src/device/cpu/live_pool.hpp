// OpenMP keeps a pool of threads for each thread that computes with it. A fork takes the pool away
// and the forking thread does not know: its next parallel region waits for ever. Whatever may open
// one goes through here.
#pragma once

#include "device/fork.hpp"

namespace atc {

// Runs `work(context)` on a thread with a pool of its own and with as many threads in force as the
// caller has, waits for it and throws what it threw. Error(out_of_memory) where no thread can be
// started.
void run_on_substitute(void (*work)(void*), void* context);

// Runs `work` here, or, where the calling thread's pool may have stayed in a parent process, on
// that other thread.
template <typename Work>
void with_live_pool(Work&& work) {
  if (!lost_threads_in_fork()) {
    work();
    return;
  }
  run_on_substitute([](void* context) { (*static_cast<Work*>(context))(); }, &work);
}

}  // namespace atc
