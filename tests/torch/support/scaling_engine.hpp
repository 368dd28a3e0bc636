// An engine of the tests. It multiplies a signal by one weight, and counts how often it packs
// weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>

#include "atc/extend.h"

namespace atc_torch_test {

class ScalingEngine {
 public:
  static constexpr const char* kName = "scaling";

  ScalingEngine();  // registers the engine; its counts are 0
  // Unregisters the engine; all packed weights of the engine must be freed before.
  ~ScalingEngine();
  ScalingEngine(const ScalingEngine&) = delete;
  ScalingEngine& operator=(const ScalingEngine&) = delete;

  int times_packed() const { return packed_; }  // how often weights were packed
  int holding() const { return holding_; }      // how many prepared objects hold packed weights

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

// Returns a signal with the shape that the engine supports, and weights that are the one number
// `value`.
at::Tensor signal(std::int64_t length);
at::Tensor weights(float value);

}  // namespace atc_torch_test
