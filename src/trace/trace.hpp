// The trace of the process: at most one runs at a time, started by a call or by ATC_TRACE.
#pragma once

#include <atomic>
#include <memory>

#include "trace/results.hpp"
#include "trace/session.hpp"

namespace atc::trace {

// Starts a trace. Throws Error(busy) if a trace is running, and Error(invalid_argument) or
// Error(io) for a file that cannot be written.
void start(Options options);
// Waits for the timed calls that CUDA devices still run, and writes the file if there is one.
// Throws Error(invalid_argument) if no trace runs, and Error(io) if the file cannot be written. In
// the second case the trace has ended, too.
Results stop();

// Returns the running trace; null if there is none. The first call in the process reads ATC_TRACE.
std::shared_ptr<Session> running();

namespace detail {
enum class State : int { unknown, off, on };  // unknown: ATC_TRACE has not been read
extern std::atomic<State> state;
}  // namespace detail

// Returns false if no trace is running. If it returns true, a trace may be running: call running()
// to know.
inline bool may_run() {
  return detail::state.load(std::memory_order_relaxed) != detail::State::off;
}

}  // namespace atc::trace
