#include "device/fork.hpp"

#include <pthread.h>
#include <sys/single_threaded.h>

namespace atc {

namespace {

unsigned forks = 0;  // the number of forks so far; a child process writes it before it has a second
                     // thread
thread_local bool had_company = false;

void before_fork() { had_company = __libc_single_threaded == 0; }

void in_child() {
  ++forks;
  // Threads that were lost in a fork are also missing in the child's own children, even if the
  // child has only one thread when it forks.
  detail::lost_threads = detail::lost_threads || had_company;
}

// The handler is registered when the library is loaded, because a program may use OpenMP and fork
// before it calls atc.
[[maybe_unused]] const int registered = pthread_atfork(before_fork, nullptr, in_child);

}  // namespace

unsigned forks_behind() noexcept { return forks; }

}  // namespace atc
