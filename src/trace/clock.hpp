// The two clocks of a trace.
#pragma once

#include <chrono>
#include <cstdint>

namespace atc::trace {

template <typename Clock>
std::int64_t nanoseconds_of() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

// Returns the nanoseconds since 1970. This clock gives the position of a call in the timeline of a
// trace.
inline std::int64_t now_ns() { return nanoseconds_of<std::chrono::system_clock>(); }
// Returns the nanoseconds of a clock that is never set back. This clock gives the duration of a
// call.
inline std::int64_t tick_ns() { return nanoseconds_of<std::chrono::steady_clock>(); }

}  // namespace atc::trace
