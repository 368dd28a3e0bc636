// Threads that work in the background of the program.
#pragma once

#include "device/cpu/openmp.hpp"

namespace atc {

// Runs `work` on a new thread, which nobody joins. This thread, and the threads that it starts, run
// only on cores that nothing else wants (SCHED_IDLE), and receive no signals. Throws
// std::system_error if no thread can be started.
void start_in_background(void (*work)());

// As long as this object exists, this number of threads computes for the calling thread on the CPU
// (computing_threads() in description.hpp).
using ComputingThreads = TeamScope;

}  // namespace atc
