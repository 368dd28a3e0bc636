// An engine of the test's own that scales a signal by one weight, and counts how often it packs
// weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>

#include "atc/extend.h"

namespace atc_torch_test {

class ScalingEngine {
 public:
  static constexpr const char* kName = "scaling";

  ScalingEngine();   // registered, counts at 0
  ~ScalingEngine();  // unregisters the engine; no weights that were packed for it may exist then
  ScalingEngine(const ScalingEngine&) = delete;
  ScalingEngine& operator=(const ScalingEngine&) = delete;

  int times_packed() const { return packed_; }  // weights, ever
  int holding() const { return holding_; }      // prepared with packed weights, now

 private:
  struct Prepared;

  static atc_status offers(void*, const atc_conv_problem* problem, const atc_engine_limits*,
                           atc_offer_callback offer, void* payload);
  static atc_status prepare(void** prepared, void*, const atc_conv_problem* problem,
                            const atc_engine_limits*, const char*);
  static atc_status set_weights(void* user, void* prepared, const void* w);
  static atc_status execute(void*, void* prepared, atc_engine_operands* operands);
  static void release(void* user, void* prepared);

  std::atomic<int> packed_{0}, holding_{0};
};

// A signal as the engine takes it, and weights of one number.
at::Tensor signal(std::int64_t length);
at::Tensor weights(float value);

}  // namespace atc_torch_test
