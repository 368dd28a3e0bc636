// OpenMP keeps a pool of threads for each thread that opens parallel regions. In the child of a
// fork the pool is gone, but the runtime does not know: the forking thread's next parallel region
// waits for ever. A thread inside a region gets no further threads, although the code that it runs
// may have been prepared for several. All code that may open a parallel region runs through one of
// the functions here.
#pragma once

#include "device/cpu/openmp.hpp"
#include "device/fork.hpp"

namespace atc {

// Runs `work(context)` on another thread with an OpenMP pool of its own, with `threads` OpenMP
// threads in force. Waits for its end and rethrows an exception of `work`. Signals are blocked in
// that thread and in its pool. Only one caller at a time uses the thread. If the calling thread is
// that thread itself, `work` runs at once. Throws Error(out_of_memory) if no thread can be started.
void run_on_substitute(void (*work)(void*), void* context, int threads);

// Like the function above, for a function object.
template <typename Work>
void run_on_substitute(Work& work, int threads) {
  run_on_substitute([](void* context) { (*static_cast<Work*>(context))(); }, &work, threads);
}

// Runs `work`, which was prepared for teams of `threads` threads. Its parallel regions then get
// exactly these teams. It runs on the calling thread if that thread can give it such teams, else by
// run_on_substitute.
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

// Runs `work` while no signal handler of the program runs, whichever thread the signal is for.
template <typename Work>
void without_signals(Work&& work, int threads = team_size()) {
  run_on_substitute(work, threads);
}

// Runs `work` on the calling thread. If the pool of that thread may have stayed in a parent
// process, runs it by run_on_substitute.
template <typename Work>
void with_live_pool(Work&& work) {
  if (!lost_threads_in_fork()) {
    work();
    return;
  }
  run_on_substitute(work, team_size());
}

}  // namespace atc
