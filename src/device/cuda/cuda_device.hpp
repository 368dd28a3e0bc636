// A CUDA device: a batch is queued behind a delay, so that the device does not wait for the host's
// launches; time is read from events, the clock from the multiprocessors.
#pragma once

#include <functional>
#include <vector>

#include "core/allocator.hpp"
#include "device/cuda/driver_api.hpp"
#include "device/cuda/kernels/layout.hpp"
#include "device/cuda/nvml.hpp"
#include "device/cuda/stream.hpp"
#include "device/device.hpp"

namespace atc::cuda {

class CudaDevice final : public Device {
 public:
  // The runnables of its batches must launch on this stream. The context must be current now and at
  // every call.
  CudaDevice(DeviceId device, Context context, Stream stream, int multiprocessors);

  BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) override;
  std::optional<BatchTime> time_graph(Runnable& runnable, std::size_t operand_sets,
                                      std::size_t calls) override;
  std::size_t launches(Runnable& runnable) override;
  double now() override;
  Conditions conditions() const { return monitor_.conditions(); }

 private:
  struct Attempt {
    double seconds = 0, host_seconds = 0;  // of all calls together
    double delay = 0;                      // seconds ahead of the first call
    std::optional<double> clock_hz;
    bool throttled = false;
    bool hidden = false;  // all launches were queued before the first one ran
    BatchTime per_call(std::size_t calls) const;
  };
  // Times the work that `issue` gives to the stream. `expected`: seconds that the host needs for
  // that.
  Attempt attempt(const std::function<void()>& issue, double expected);
  double issue_alone(Runnable& runnable, std::size_t operand_sets);
  void run(Runnable& runnable, std::size_t operand_sets, std::size_t calls);
  void stamp(void* to);
  std::optional<double> clock_between();

  Context context_;
  Stream stream_;
  unsigned stamp_blocks_;
  std::size_t processors_;
  Allocation stamps_;  // before, after
  OwnEvent released_{kEventWithoutTiming}, start_{kEventDefault}, end_{kEventDefault};
  Monitor monitor_;
  std::size_t next_set_ = 0;
  // Seconds of the host to issue one call or graph, learned from earlier batches.
  double seconds_per_call_ = 20e-6, seconds_per_graph_ = 20e-6;
};

}  // namespace atc::cuda
