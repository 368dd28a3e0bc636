// Gives the background threads of atc a share of the cores of a busy machine.
#pragma once

#include <sched.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace atc::test {

// The threads in which atc measures candidates beside the program run only on cores that are
// otherwise idle (SCHED_IDLE). This function gives these threads of the process the usual
// scheduling, so that a test need not wait for an idle core. If the system refuses the change
// (without CAP_SYS_NICE), the threads keep their scheduling.
inline void give_background_threads_a_share() {
  const sched_param none{};
  // an error of reading the folder is ignored, because a thread may end meanwhile
  std::error_code gone;
  for (std::filesystem::directory_iterator task("/proc/self/task", gone), end; task != end && !gone;
       task.increment(gone)) {
    const pid_t thread = std::stoi(task->path().filename().string());
    if (sched_getscheduler(thread) == SCHED_IDLE) sched_setscheduler(thread, SCHED_OTHER, &none);
  }
}

}  // namespace atc::test
