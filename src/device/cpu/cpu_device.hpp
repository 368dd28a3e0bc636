// The CPU as a device of the tuner: a batch is a loop, and the clock is the monotonic clock of the
// host.
#pragma once

#include "device/device.hpp"

namespace atc {

class CpuDevice final : public Device {
 public:
  BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) override;
  double now() override;

 private:
  // The number of the operand set that the next call uses. It is kept from batch to batch, so that
  // batches of a single call also use all sets in turn.
  std::size_t next_set_ = 0;
};

}  // namespace atc
