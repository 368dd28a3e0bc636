// Detects forks of the process. After fork(), the child has only the thread that called fork(). The
// other threads of the parent do not exist in the child, so work that was queued for these threads
// is never done in the child.
#pragma once

namespace atc {

// Returns how many forks lie between the process that loaded this library and the calling process.
// An object can store this number when it is created. If the number is still the same later, the
// calling process created the object, and not a parent process.
unsigned forks_behind() noexcept;

namespace detail {
inline thread_local bool lost_threads = false;
}

// Whether the calling thread may have lost its helper threads (an OpenMP pool) in a fork, because
// the helper threads exist only in a parent process.
inline bool lost_threads_in_fork() noexcept { return detail::lost_threads; }

}  // namespace atc
