// OpenMP keeps a pool of threads for each thread that opens parallel regions. In the child of a
// fork the pool is gone, but the runtime does not know: the forking thread's next parallel region
// waits for ever. All code that may open a parallel region runs through with_live_pool.
#pragma once

#include "device/fork.hpp"

namespace atc {

// Runs `work(context)` on another thread, which has a pool of its own, with the caller's number of
// OpenMP threads; waits for the end and rethrows an exception of `work`. Signals are blocked in
// that thread and in its pool. Callers take turns. Throws Error(out_of_memory) where no thread can
// be started.
void run_on_substitute(void (*work)(void*), void* context);

// Runs `work` where no signal handler of the program runs, whichever thread the signal is for.
template <typename Work>
void without_signals(const Work& work) {
  run_on_substitute([](void* context) { (*static_cast<const Work*>(context))(); },
                    const_cast<Work*>(&work));
}

// Runs `work` on the calling thread, or by run_on_substitute where that thread's pool may have
// stayed in a parent process.
template <typename Work>
void with_live_pool(const Work& work) {
  lost_threads_in_fork() ? without_signals(work) : work();
}

}  // namespace atc
