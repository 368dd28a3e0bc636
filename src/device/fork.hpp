// Forks of the process: a child has only the thread that called fork(), so that work which other
// threads of its parent were to do is never done.
#pragma once

namespace atc {

// The number of forks between the process that loaded this library and the calling process. An
// object that keeps the number of its creation belongs to the calling process if the numbers agree.
unsigned forks_behind() noexcept;

namespace detail {
inline thread_local bool lost_threads = false;
}

// Whether the calling thread may have lost threads that worked for it (an OpenMP pool), because
// they stayed in a parent process.
inline bool lost_threads_in_fork() noexcept { return detail::lost_threads; }

}  // namespace atc
