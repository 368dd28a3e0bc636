// Measures on a CUDA device how long batches of calls take, for the tuner. A kernel delays the
// stream before each batch, so that the host can queue all launches before the first one runs.
// Times are read from events. Clock frequencies are measured on the multiprocessors. If other work
// is seen on the device right before or after a batch, the batch is timed again after a pause, in
// the hope that the other work has ended.
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
  // Each Runnable that is passed to this device must launch its work on `stream`. The CUDA context
  // must be current when the object is constructed and at every call.
  CudaDevice(DeviceId device, Context context, Stream stream, int multiprocessors);

  BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) override;
  std::optional<BatchTime> time_graph(Runnable& runnable, std::size_t operand_sets,
                                      std::size_t calls) override;
  std::size_t launches(Runnable& runnable) override;
  double now() override;
  Conditions conditions() const { return monitor_.conditions(); }

 private:
  struct Attempt {
    // The times of all calls of the batch together, in seconds. `seconds` is the time in which the
    // device ran the calls, and `host_seconds` is the time in which the host issued them.
    double seconds = 0, host_seconds = 0;
    double delay = 0;  // the time in seconds by which the first call was delayed
    std::optional<double> clock_hz;
    bool throttled = false;
    // True if other work was seen on the device right before or right after this batch.
    bool shared = false;
    // Whether other work was seen at this attempt or at an earlier attempt to time the same batch.
    bool shared_at_any_attempt = false;
    // True if the host had queued all launches before the delay ended. Then the device did not wait
    // for the host during the batch.
    bool hidden = false;
    BatchTime per_call(std::size_t calls) const;
  };
  // Times the work that `issue` puts on the stream. `expected` is the number of seconds that the
  // host is expected to need for issuing the work.
  Attempt attempt(const std::function<void()>& issue, double expected);
  // Times the work that `issue` puts on the stream. If other work is seen on the device, times the
  // work again after a pause. The length of each pause and the sum of all pauses are limited.
  Attempt attempt_alone(const std::function<void()>& issue, double expected);
  double issue_alone(Runnable& runnable, std::size_t operand_sets);
  void run(Runnable& runnable, std::size_t operand_sets, std::size_t calls);
  // A stamp is a small kernel that reads clock and time on each multiprocessor. `place` is 0 for
  // the stamp before the batch and 1 for the stamp after it.
  void stamp(std::size_t place);
  // A stamp is a kernel that reads the clock of each multiprocessor. Returns the results of the
  // stamp before the batch, one for each multiprocessor, and then the results of the stamp after
  // the batch.
  std::vector<ClockStamp> stamps();
  // Whether a stamp (a kernel that reads the clocks) took so long that it must have waited for
  // other work on the device. `stamp` is its time in seconds.
  bool waited(double stamp);
  static double seconds_between(const OwnEvent& first, const OwnEvent& second);

  Context context_;
  Stream stream_;
  LaunchShape stamp_shape_;
  Kernel stamp_;
  std::size_t processors_;
  // Device memory for the results of two stamps (kernels that read the clocks): one before the
  // batch and one after it. Two counters follow, one for each stamp: the number of blocks of the
  // stamp's kernel that have started.
  Allocation stamps_;
  // Events. They are recorded in this order: `released_` after the delay, `start_` after the first
  // stamp (a kernel that reads the clocks), `end_` after the batch, `stamped_` after the stamp that
  // follows the batch.
  OwnEvent released_{kEventDefault}, start_{kEventDefault}, end_{kEventDefault},
      stamped_{kEventDefault};
  Monitor monitor_;
  std::size_t next_set_ = 0;
  // The shortest time, in seconds, of a stamp (a kernel that reads the clocks) so far.
  double quickest_stamp_ = std::numeric_limits<double>::infinity();
  // Whether a batch is timed again if other work is seen on the device. Becomes false if the other
  // work was still there after all repetitions. Becomes true again when a batch has run without
  // other work.
  bool waits_ = true;
  // The times, in seconds, that the host is expected to need for issuing one call or for launching
  // one graph. They are learned from earlier batches.
  double seconds_per_call_ = 20e-6, seconds_per_graph_ = 20e-6;
};

}  // namespace atc::cuda
