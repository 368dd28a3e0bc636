// One call of a convolution. The running trace counts the call, and times it if it is one of the
// calls to be timed. If memory for the trace runs out, or if CUDA fails, the call is not in the
// trace, and nothing is thrown. Only Slot::enter may throw.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/problem.hpp"
#include "trace/trace.hpp"

namespace atc::trace {

// Remembers the row of the trace in which the calls of one plan are counted, so that the row is
// looked up only once per trace. Only one thread at a time may use a slot.
class Slot {
 public:
  // Returns the trace that is running, and sets `row` to its row for this problem and choice (the
  // counts and times of such calls). Returns null if no trace is running.
  std::shared_ptr<Session> enter(Row*& row, DeviceId device, const Problem& problem,
                                 const std::string& choice);

 private:
  std::weak_ptr<Session> session_;
  Row* row_ = nullptr;
};

class Call {
 public:
  // Counts the call. If the call is one of those to be timed, also starts to time it.
  Call(Slot& slot, DeviceId device, const Problem& problem, const std::string& choice,
       Stream stream) noexcept;
  // Starts to time a call that was already counted and is to be timed.
  Call(std::shared_ptr<Session> session, Row& row, DeviceId device, Stream stream) noexcept;
  // If end() was not called, the time of the call is discarded.
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void end() noexcept;

 private:
  void begin(DeviceId device, Stream stream, Row& row);

  std::shared_ptr<Session> session_;
  // The row of a call on the CPU; null if the call is not timed, or if it runs on CUDA.
  Row* row_ = nullptr;
  std::int64_t start_ns_ = 0, tick_ = 0;
  // The events of a call on CUDA. Null if the call runs on the CPU or is not timed.
  std::unique_ptr<DeviceCall> on_device_;
};

}  // namespace atc::trace
