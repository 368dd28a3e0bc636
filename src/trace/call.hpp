// One call of a convolution, which the running trace counts and perhaps times. Nothing here throws:
// if a trace runs out of memory, or CUDA fails, the call is not in the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/problem.hpp"
#include "trace/trace.hpp"

namespace atc::trace {

// Remembers the row in which a plan's calls are counted, so that it is looked up once per trace.
// One thread at a time.
class Slot {
 public:
  // Returns the session, and sets `row` to the row of this problem and choice. Returns null if no
  // trace is running.
  std::shared_ptr<Session> enter(Row*& row, DeviceId device, const Problem& problem,
                                 const std::string& choice);

 private:
  std::weak_ptr<Session> session_;
  Row* row_ = nullptr;
};

class Call {
 public:
  // Counts the call. If the call is one of those to be timed, begins to time it.
  Call(Slot& slot, DeviceId device, const Problem& problem, const std::string& choice,
       Stream stream) noexcept;
  // Begins to time a call that was counted and is to be timed.
  Call(std::shared_ptr<Session> session, Row& row, DeviceId device, Stream stream) noexcept;
  ~Call();  // if end() was not called, drops the time of the call
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void end() noexcept;

 private:
  void begin(DeviceId device, Stream stream, Row& row);

  std::shared_ptr<Session> session_;
  Row* row_ = nullptr;  // null: the call is not timed, or the device times it
  std::int64_t start_ns_ = 0, tick_ = 0;
  std::unique_ptr<DeviceCall> on_device_;  // null on the CPU
};

}  // namespace atc::trace
