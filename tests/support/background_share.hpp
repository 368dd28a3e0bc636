// Gives atc's background threads a share of a busy machine's cores.
#pragma once

#include <sched.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace atc::test {

// The threads that explore beside the program run only on cores that nothing else wants
// (SCHED_IDLE). This function gives those of this process the usual scheduling, so that a test does
// not wait for an idle machine. A system that refuses this (without CAP_SYS_NICE) leaves them as
// they are.
inline void give_background_threads_a_share() {
  const sched_param none{};
  std::error_code gone;  // a thread may end while the folder is read
  for (std::filesystem::directory_iterator task("/proc/self/task", gone), end; task != end && !gone;
       task.increment(gone)) {
    const pid_t thread = std::stoi(task->path().filename().string());
    if (sched_getscheduler(thread) == SCHED_IDLE) sched_setscheduler(thread, SCHED_OTHER, &none);
  }
}

}  // namespace atc::test
