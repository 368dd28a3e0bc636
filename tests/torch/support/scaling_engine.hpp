// An engine for tests, which convolves a signal with a filter of one element. The engine packs its
// weights (keeps a copy in a layout of its own), and counts how often it packs weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>

#include "atc/extend.h"

namespace atc_torch_test {

class ScalingEngine {
 public:
  static constexpr const char* kName = "scaling";

  ScalingEngine();  // registers the engine and sets its counts to 0
  // Unregisters the engine; all packed weights of the engine must be freed before.
  ~ScalingEngine();
  ScalingEngine(const ScalingEngine&) = delete;
  ScalingEngine& operator=(const ScalingEngine&) = delete;

  // returns the number of times that weights were packed
  int times_packed() const { return packed_; }
  // the number of prepared convolutions that hold packed weights
  int holding() const { return holding_; }

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

// signal() returns an input of a shape that the engine supports. weights() returns weights with a
// single element, `value`.
at::Tensor signal(std::int64_t length);
at::Tensor weights(float value);

}  // namespace atc_torch_test
