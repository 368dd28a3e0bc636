// The trace of the process. At most one trace runs at a time. It is started by a call of start() or
// by the variable ATC_TRACE.
#pragma once

#include <atomic>
#include <memory>

#include "trace/results.hpp"
#include "trace/session.hpp"

namespace atc::trace {

// Starts a trace. Throws Error(busy) if a trace is already running. Throws Error(invalid_argument)
// or Error(io) if the file of the options cannot be written.
void start(Options options);
// Ends the trace and returns its results. Waits for the timed calls that are still running on CUDA
// devices, and writes the file if the options name one. Throws Error(invalid_argument) if no trace
// is running, and Error(io) if the file cannot be written. Even if the file cannot be written, the
// trace has ended.
Results stop();

// Returns the running trace; null if there is none. The first call in the process reads ATC_TRACE
// and may start the trace.
std::shared_ptr<Session> running();

namespace detail {
// `unknown` means that ATC_TRACE has not been read yet.
enum class State : int { unknown, off, on };
extern std::atomic<State> state;
}  // namespace detail

// A fast check for each call. If it returns false, no trace is running. If it returns true, a trace
// may be running; running() returns whether it is.
inline bool may_run() {
  return detail::state.load(std::memory_order_relaxed) != detail::State::off;
}

}  // namespace atc::trace
