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

// The row in which a plan's calls are counted. It is found once per trace. One thread at a time.
class Slot {
 public:
  // The session and the row of this problem and choice; a null session: no trace runs.
  std::shared_ptr<Session> enter(Row*& row, DeviceId device, const Problem& problem,
                                 const std::string& choice);

 private:
  std::weak_ptr<Session> session_;
  Row* row_ = nullptr;
};

class Call {
 public:
  // Counts the call; if its turn has come, begins to time it.
  Call(Slot& slot, DeviceId device, const Problem& problem, const std::string& choice,
       Stream stream) noexcept;
  // Times a call that has been counted and whose turn has come.
  Call(std::shared_ptr<Session> session, Row& row, DeviceId device, Stream stream) noexcept;
  ~Call();  // drops the time of a call that was not ended
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void end() noexcept;

 private:
  void begin(DeviceId device, Stream stream, Row& row);

  std::shared_ptr<Session> session_;
  Row* row_ = nullptr;  // null: not timed, or timed by the device
  std::int64_t start_ns_ = 0, tick_ = 0;
  std::unique_ptr<DeviceCall> on_device_;  // null on the CPU
};

}  // namespace atc::trace
