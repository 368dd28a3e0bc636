#include "device/background.hpp"

#include <pthread.h>
#include <sched.h>

#include <thread>

#include "device/signals_blocked.hpp"

namespace atc {

void start_in_background(void (*work)()) {
  const SignalsBlocked blocked;
  std::thread([work] {
    // If the system refuses SCHED_IDLE, the thread works at the usual priority.
    const sched_param none{};
    static_cast<void>(pthread_setschedparam(pthread_self(), SCHED_IDLE, &none));
    work();
  }).detach();
}

}  // namespace atc
