#include "device/fork.hpp"

#include <pthread.h>
#include <sys/single_threaded.h>

namespace atc {

namespace {

// The number of forks so far. A child process increments it before the child has a second thread,
// so the variable needs no lock.
unsigned forks = 0;
thread_local bool had_company = false;

void before_fork() { had_company = __libc_single_threaded == 0; }

void in_child() {
  ++forks;
  // Threads that were lost in a fork are also missing in the children of the child, even if the
  // child has only one thread when it forks.
  detail::lost_threads = detail::lost_threads || had_company;
}

// The handlers are registered when the library is loaded, because a program may use OpenMP and fork
// before it calls atc.
[[maybe_unused]] const int registered = pthread_atfork(before_fork, nullptr, in_child);

}  // namespace

unsigned forks_behind() noexcept { return forks; }

}  // namespace atc
