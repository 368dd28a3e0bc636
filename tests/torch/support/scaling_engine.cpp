#include "scaling_engine.hpp"

#include <ATen/Functions.h>

#include <cstdint>
#include <optional>
#include <stdexcept>

namespace atc_torch_test {

namespace {

void check(atc_status status) {
  if (status != ATC_OK) throw std::runtime_error(atc_last_error());
}

bool scales(const atc_conv_problem& p) {
  return p.direction == ATC_FORWARD && p.spatial_dims == 1 && p.batch == 1 && p.in_channels == 1 &&
         p.out_channels == 1 && p.kernel[0] == 1 && p.stride[0] == 1 && p.padding_low[0] == 0 &&
         p.padding_high[0] == 0 && p.x_dtype == ATC_DTYPE_F32 && p.epilogue == ATC_EPILOGUE_NONE &&
         p.accumulate == 0 && p.x_strides[2] == 1 && p.y_strides[2] == 1;
}

}  // namespace

struct ScalingEngine::Prepared {
  std::int64_t length;
  std::optional<float> weight;
};

ScalingEngine::ScalingEngine() {
  atc_engine engine{};
  engine.struct_size = sizeof(engine);
  engine.device_type = ATC_DEVICE_CPU;
  engine.name = kName;
  engine.version = "1";
  engine.user = this;
  engine.offers = offers;
  engine.prepare = prepare;
  engine.set_weights = set_weights;
  engine.execute = execute;
  engine.release = release;
  check(atc_engine_register(&engine));
}

ScalingEngine::~ScalingEngine() { atc_engine_unregister(kName); }

atc_status ScalingEngine::offers(void*, const atc_conv_problem* problem, const atc_engine_limits*,
                                 atc_offer_callback offer, void* payload) {
  if (!scales(*problem)) return ATC_OK;
  atc_engine_offer given{};
  given.struct_size = sizeof(given);
  given.configuration = "only";
  return offer(&given, payload);
}

atc_status ScalingEngine::prepare(void** prepared, void*, const atc_conv_problem* problem,
                                  const atc_engine_limits*, const char*) {
  *prepared = new Prepared{problem->input[0], std::nullopt};
  return ATC_OK;
}

atc_status ScalingEngine::set_weights(void* user, void* prepared, const void* w) {
  auto& own = *static_cast<Prepared*>(prepared);
  auto& engine = *static_cast<ScalingEngine*>(user);
  ++engine.packed_;
  if (!own.weight) ++engine.holding_;
  own.weight = *static_cast<const float*>(w);
  return ATC_OK;
}

atc_status ScalingEngine::execute(void*, void* prepared, atc_engine_operands* operands) {
  const auto& own = *static_cast<Prepared*>(prepared);
  const float weight =
      operands->w != nullptr ? *static_cast<const float*>(operands->w) : own.weight.value_or(0);
  for (std::int64_t i = 0; i < own.length; ++i)
    static_cast<float*>(operands->y)[i] = static_cast<const float*>(operands->x)[i] * weight;
  return ATC_OK;
}

void ScalingEngine::release(void* user, void* prepared) {
  const auto* const own = static_cast<Prepared*>(prepared);
  if (own->weight) --static_cast<ScalingEngine*>(user)->holding_;
  delete own;
}

at::Tensor signal(std::int64_t length) {
  return at::arange(length, at::kFloat).add_(1).reshape({1, 1, length});
}

at::Tensor weights(float value) { return at::full({1, 1, 1}, value); }

}  // namespace atc_torch_test
