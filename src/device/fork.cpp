#include "device/fork.hpp"

#include <pthread.h>
#include <sys/single_threaded.h>

namespace atc {

namespace {

// The number of forks that led to this process. It is incremented in the child right after a fork,
// when the child has only one thread, so it needs no lock.
unsigned forks = 0;
thread_local bool had_company = false;

void before_fork() { had_company = __libc_single_threaded == 0; }

void in_child() {
  ++forks;
  // If a thread lost its helper threads (such as an OpenMP pool) in an earlier fork, they are also
  // missing after a further fork, even if the process had only one thread at the second fork.
  detail::lost_threads = detail::lost_threads || had_company;
}

// The handlers are registered when libatc is loaded, because a program may use OpenMP and fork
// before it calls atc.
[[maybe_unused]] const int registered = pthread_atfork(before_fork, nullptr, in_child);

}  // namespace

unsigned forks_behind() noexcept { return forks; }

}  // namespace atc
