// The trace of the process: at most one runs at a time, started by a call or by ATC_TRACE.
#pragma once

#include <atomic>
#include <memory>

#include "trace/results.hpp"
#include "trace/session.hpp"

namespace atc::trace {

// Throws Error(busy) while a trace runs, Error(invalid_argument) and Error(io) for a file that
// cannot be written.
void start(Options options);
// Waits for the timed calls that CUDA devices still run, and writes the file if there is one.
// Throws Error(invalid_argument) if no trace runs, and Error(io) if the file cannot be written. In
// the second case the trace has ended, too.
Results stop();

// The running trace; null: none. Reads ATC_TRACE at the first call of the process.
std::shared_ptr<Session> running();

namespace detail {
enum class State : int { unknown, off, on };  // unknown: ATC_TRACE has not been read
extern std::atomic<State> state;
}  // namespace detail

// False: no trace runs. True: one may; running() tells.
inline bool may_run() {
  return detail::state.load(std::memory_order_relaxed) != detail::State::off;
}

}  // namespace atc::trace
