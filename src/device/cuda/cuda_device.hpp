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
  // The runnables of its batches must launch on this stream. The context must be current when the
  // device is constructed and at every call.
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
    double delay = 0;                      // delay in seconds before the first call
    std::optional<double> clock_hz;
    bool throttled = false;
    bool shared = false;  // true if other work was seen on the device before or after this batch
    bool shared_at_any_attempt = false;  // true if other work was seen at this batch or at an
                                         // earlier attempt of it
    bool hidden = false;  // true if all launches were queued before the first one ran
    BatchTime per_call(std::size_t calls) const;
  };
  // Times the work that `issue` puts on the stream. `expected` is the number of seconds that the
  // host needs to issue it.
  Attempt attempt(const std::function<void()>& issue, double expected);
  // Like attempt, but times the work again as long as other work is seen on the device, with pauses
  // between the repetitions.
  Attempt attempt_alone(const std::function<void()>& issue, double expected);
  double issue_alone(Runnable& runnable, std::size_t operand_sets);
  void run(Runnable& runnable, std::size_t operand_sets, std::size_t calls);
  void stamp(std::size_t place);  // 0: before the batch; 1: after it
  // First the stamps before a batch, then the stamps after it; each has one for each
  // multiprocessor.
  std::vector<ClockStamp> stamps();
  bool waited(double stamp);  // true if a stamp (a small timed kernel) took so many seconds that it
                              // must have waited for other work
  static double seconds_between(const OwnEvent& first, const OwnEvent& second);

  Context context_;
  Stream stream_;
  LaunchShape stamp_shape_;
  Kernel stamp_;
  std::size_t processors_;
  Allocation stamps_;  // the stamps before and after the batch, and then the number of blocks of
                       // each stamp that have arrived
  // Puts on the stream the delay, the stamp before the batch, the batch, and the stamp after it.
  OwnEvent released_{kEventDefault}, start_{kEventDefault}, end_{kEventDefault},
      stamped_{kEventDefault};
  Monitor monitor_;
  std::size_t next_set_ = 0;
  double quickest_stamp_ = std::numeric_limits<double>::infinity();  // seconds
  bool waits_ = true;  // true if the device waits for other work to end; false after a wait that
                       // was in vain
  // Seconds that the host needs to issue one call or graph, learned from earlier batches.
  double seconds_per_call_ = 20e-6, seconds_per_graph_ = 20e-6;
};

}  // namespace atc::cuda
