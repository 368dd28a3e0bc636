// OpenMP keeps a pool of threads for each thread that opens parallel regions. In the child of a
// fork the pool is gone, but the runtime does not know: the forking thread's next parallel region
// waits for ever. All code that may open a parallel region runs through with_live_pool.
#pragma once

#include "device/fork.hpp"

namespace atc {

// Runs `work(context)` on another thread, which has a pool of its own, with the caller's number of
// OpenMP threads; waits for the end and rethrows an exception of `work`. Throws
// Error(out_of_memory) where no thread can be started.
void run_on_substitute(void (*work)(void*), void* context);

// Runs `work` on the calling thread, or by run_on_substitute where that thread's pool may have
// stayed in a parent process.
template <typename Work>
void with_live_pool(Work&& work) {
  if (!lost_threads_in_fork()) {
    work();
    return;
  }
  run_on_substitute([](void* context) { (*static_cast<Work*>(context))(); }, &work);
}

}  // namespace atc
