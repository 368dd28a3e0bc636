// Starts threads that work in the background of the program.
#pragma once

#include "device/cpu/openmp.hpp"

namespace atc {

// Runs `work` on a new thread, which is detached. This thread and the threads that it starts run
// only on cores that would otherwise be idle (SCHED_IDLE). They receive no signals. Throws
// std::system_error if no thread can be started.
void start_in_background(void (*work)());

// The constructor takes a number of threads. As long as the object exists, computing_threads()
// (description.hpp) returns this number on the thread that made the object.
using ComputingThreads = TeamScope;

}  // namespace atc
