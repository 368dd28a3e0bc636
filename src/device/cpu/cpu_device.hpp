// Measures on the CPU how long calls take, for the tuner. A batch of calls is a loop, and the time
// is read from the monotonic clock of the host.
#pragma once

#include "device/device.hpp"

namespace atc {

class CpuDevice final : public Device {
 public:
  BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) override;
  double now() override;

 private:
  // The calls use several equal copies of the operands (operand sets) in turn. This is the number
  // of the set that the next call uses. It is kept from batch to batch, so all sets are used even
  // if each batch has only one call.
  std::size_t next_set_ = 0;
};

}  // namespace atc
