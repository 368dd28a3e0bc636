// Runs code that may open OpenMP parallel regions, on a thread that has a usable pool of OpenMP
// threads. OpenMP keeps a pool of threads for each thread that opens parallel regions. In two cases
// the pool cannot be used. First, after a fork the pool's threads do not exist in the child. The
// OpenMP runtime does not notice this, so the next parallel region of the forking thread would wait
// for ever. Second, a thread that is inside a parallel region gets no further threads, although its
// code may have been prepared for several threads. So all code that may open a parallel region is
// run by one of the functions of this file.
#pragma once

#include "device/cpu/openmp.hpp"
#include "device/fork.hpp"

namespace atc {

// Runs `work(context)` on another thread, the substitute, which has its own OpenMP pool with
// `threads` threads. Waits until `work` returns, and rethrows an exception of `work`. Signals are
// blocked in the substitute and in its pool. Only one caller at a time uses the substitute. If the
// calling thread is the substitute, `work` runs at once. Throws Error(out_of_memory) if no thread
// can be started.
void run_on_substitute(void (*work)(void*), void* context, int threads);

// Runs the function object `work` on another thread, the substitute, whose OpenMP pool has
// `threads` threads. Otherwise equal to the other run_on_substitute.
template <typename Work>
void run_on_substitute(Work& work, int threads) {
  run_on_substitute([](void* context) { (*static_cast<Work*>(context))(); }, &work, threads);
}

// Runs `work`, which was prepared for teams of `threads` threads, so that each parallel region of
// `work` gets a team of exactly `threads` threads. `work` runs on the calling thread if that thread
// can have teams of this size. Otherwise run_on_substitute is used.
template <typename Work>
void with_team_of(int threads, Work&& work) {
  if (!lost_threads_in_fork() && has_team_of(threads)) {
    work();
  } else if (!lost_threads_in_fork() && can_have_team_of(threads)) {
    const TeamScope scope(threads);
    work();
  } else {
    run_on_substitute(work, threads);
  }
}

// Runs `work` on a thread that executes no signal handlers of the program. So no signal interrupts
// `work`.
template <typename Work>
void without_signals(Work&& work, int threads = team_size()) {
  run_on_substitute(work, threads);
}

// Runs `work` on the calling thread. If the OpenMP pool of that thread may exist only in a parent
// process, `work` is run by run_on_substitute.
template <typename Work>
void with_live_pool(Work&& work) {
  if (!lost_threads_in_fork()) {
    work();
    return;
  }
  run_on_substitute(work, team_size());
}

}  // namespace atc
