// Fuzzes engines, settings sources, allocators and log sinks whose callbacks misbehave. Every call
// must return a status, and an error must have a text. Whatever the callbacks return, the callback
// `destroy` of each registered object must be called once, and the callback `release` once for each
// prepared configuration.
#include <cstring>
#include <string>

#include "calls.hpp"
#include "misbehaving.hpp"

namespace {

using fuzz::Input;
using fuzz::kCpu;
using fuzz::Misbehaving;
using fuzz::refused_somehow;

atc_settings settings() {
  atc_settings settings{};
  settings.struct_size = sizeof settings;
  REQUIRE_CALL(atc_settings_get(&settings) == ATC_OK);
  return settings;
}

atc_conv_options options_of(Input& in) {
  atc_conv_options options{};
  options.struct_size = sizeof options;
  options.tune = in.below(4) == 1 ? ATC_ON : ATC_OFF;
  options.technique = ATC_TECHNIQUE_ONCE;
  options.budget_seconds = 0.001;
  options.constant_weights = static_cast<std::int32_t>(in.below(3));
  options.strict_precision = static_cast<std::int32_t>(in.below(3));
  if (in.below(2) == 1) std::strcpy(options.front_end, Misbehaving::name());
  return options;
}

void run(Input& in, atc_conv_plan* plan) {
  fuzz::Call call;
  REQUIRE(call.describe(fuzz::scaling()));
  for (std::size_t n = in.below(3); n > 0; --n) refused_somehow(call.execute(plan));
  if (in.below(2) == 1) refused_somehow(atc_conv_plan_set_weights(plan, &call.w.view));
  refused_somehow(call.execute(plan));
  refused_somehow(atc_engine_unregister(Misbehaving::name()));
}

void plan(Input& in, const Misbehaving& callbacks) {
  const atc_conv_problem p = fuzz::scaling();
  const atc_conv_options options = options_of(in);
  atc_conv_plan* made = nullptr;
  const std::size_t how = in.below(3);
  const atc_status status = how == 0   ? atc_conv_plan_create(&made, kCpu, &p, &options)
                            : how == 1 ? atc_conv_plan_acquire(&made, kCpu, &p, &options, nullptr)
                                       : atc_conv_plan_create_with_choice(
                                             &made, kCpu, &p, &options, callbacks.choice().c_str());
  if (refused_somehow(status)) return;
  run(in, made);
  if (how == 1)
    atc_conv_plan_release(made);
  else
    atc_conv_plan_destroy(made);
}

void eager() {
  fuzz::Call call;
  const atc_conv_problem p = fuzz::scaling();
  REQUIRE(call.describe(p));
  refused_somehow(atc_convolution(&p, &call.x.view, &call.w.view, nullptr, &call.y.view, nullptr));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  static const atc_settings at_start = settings();
  Misbehaving callbacks(in);
  callbacks.register_others();
  callbacks.register_engine();
  for (std::size_t n = 1 + in.below(4); n > 0; --n) {
    if (in.below(4) == 1)
      eager();
    else
      plan(in, callbacks);
  }
  if (in.below(4) == 1) refused_somehow(atc_manual_seed(1));
  callbacks.unregister();
  REQUIRE_CALL(atc_settings_apply(&at_start) == ATC_OK);
  return 0;
}
