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
  // The number of the operand set that the next call uses. The number is kept from batch to batch.
  // So all sets are used in turn even if each batch has only one call.
  std::size_t next_set_ = 0;
};

}  // namespace atc
