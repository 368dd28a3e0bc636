// Forks of the process. A child has only the thread that called fork(), so work that its parent's
// other threads were to do is never done.
#pragma once

namespace atc {

// Returns the number of forks between the process that loaded this library and the calling process.
// An object remembers this number when it is created. If the number is still the same, the object
// belongs to the calling process.
unsigned forks_behind() noexcept;

namespace detail {
inline thread_local bool lost_threads = false;
}

// Whether the calling thread may have lost the threads that worked for it (an OpenMP pool), because
// these exist only in a parent process.
inline bool lost_threads_in_fork() noexcept { return detail::lost_threads; }

}  // namespace atc
