// What a fork leaves behind: of the threads the child has the forking one alone.
#pragma once

namespace atc {

// Forks between the process that loaded this library and the calling one: who remembers the number
// can tell later whether what was made then is this process's own.
unsigned forks_behind() noexcept;

namespace detail {
inline thread_local bool lost_threads = false;
}

// Whether threads that stayed in a parent process may have worked for the calling one.
inline bool lost_threads_in_fork() noexcept { return detail::lost_threads; }

}  // namespace atc
