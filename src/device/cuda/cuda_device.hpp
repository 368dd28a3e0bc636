// A CUDA device. A batch is queued behind a delay, so that the device does not wait for the host's
// launches. Times are read from events, the clock from the multiprocessors. If other work is seen
// on the device beside a batch, the batch is repeated once that work has ended, if it ends soon.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "core/allocator.hpp"
#include "device/cuda/driver_api.hpp"
#include "device/cuda/kernel.hpp"
#include "device/cuda/kernels/layout.hpp"
#include "device/cuda/nvml.hpp"
#include "device/cuda/stream.hpp"
#include "device/device.hpp"

namespace atc::cuda {

class CudaDevice final : public Device {
 public:
  // The runnables of its batches must launch on this stream. The context must be current at
  // construction and at every call.
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
    bool shared = false;                 // other work was on the device before or after
    bool shared_at_any_attempt = false;  // likewise, or at an earlier attempt at the same batch
    bool hidden = false;                 // all launches were queued before the first one ran
    BatchTime per_call(std::size_t calls) const;
  };
  // Times the work that `issue` gives to the stream. `expected`: seconds that the host needs for
  // that.
  Attempt attempt(const std::function<void()>& issue, double expected);
  // Times it again while other work is on the device, with pauses between the repetitions.
  Attempt attempt_alone(const std::function<void()>& issue, double expected);
  double issue_alone(Runnable& runnable, std::size_t operand_sets);
  void run(Runnable& runnable, std::size_t operand_sets, std::size_t calls);
  void stamp(std::size_t place);  // 0: before the batch, 1: after it
  // The stamps before a batch, then the stamps after it, one for each multiprocessor.
  std::vector<ClockStamp> stamps();
  bool waited(double stamp);  // whether a stamp of that many seconds waited for other work
  static double seconds_between(const OwnEvent& first, const OwnEvent& second);

  Context context_;
  Stream stream_;
  LaunchShape stamp_shape_;
  Kernel stamp_;
  std::size_t processors_;
  Allocation stamps_;  // before, after; then how many blocks of each have arrived
  // Gives the stream the delay, the stamp before the batch, the batch, and the stamp after it.
  OwnEvent released_{kEventDefault}, start_{kEventDefault}, end_{kEventDefault},
      stamped_{kEventDefault};
  Monitor monitor_;
  std::size_t next_set_ = 0;
  double quickest_stamp_ = std::numeric_limits<double>::infinity();  // seconds
  bool waits_ = true;  // for other work to end: the last wait was not in vain
  // Seconds of the host to issue one call or graph, learned from earlier batches.
  double seconds_per_call_ = 20e-6, seconds_per_graph_ = 20e-6;
};

}  // namespace atc::cuda
