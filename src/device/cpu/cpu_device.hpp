// The CPU: a batch is a loop, time is the monotonic clock.
#pragma once

#include "device/device.hpp"

namespace atc {

class CpuDevice final : public Device {
 public:
  BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) override;
  double now() override;

 private:
  std::size_t next_set_ = 0;  // the next set of operands. It is kept from batch to batch, so that
                              // batches of a single call also use the sets in turn
};

}  // namespace atc
