#include "options.hpp"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "aten_engine.hpp"
#include "structs.hpp"

namespace atc_torch {

namespace {

bool to_switch(std::int32_t value, const char* name) {
  if (value < 0 || value > ATC_ON)
    throw Failure(ATC_ERROR_INVALID_ARGUMENT, std::string("options.") + name + " is " +
                                                  std::to_string(value) +
                                                  ": use 0 (inherit), 1 (off) or 2 (on)");
  return value == ATC_ON;
}

// Returns the value of the environment variable ATC_TUNE. An unknown value is ignored here: libatc
// reads the variable, too, and warns about an unknown value.
std::int32_t tune_of_environment() {
  static const std::int32_t tune = [] {
    const char* const text = secure_getenv("ATC_TUNE");
    const std::string_view value = text != nullptr ? text : "";
    if (value == "off") return static_cast<std::int32_t>(ATC_OFF);
    if (value == "on") return static_cast<std::int32_t>(ATC_ON);
    if (value == "later") return static_cast<std::int32_t>(ATC_TUNE_LATER);
    if (value == "beside") return static_cast<std::int32_t>(ATC_TUNE_BESIDE);
    if (value == "predict") return static_cast<std::int32_t>(ATC_TUNE_PREDICT);
    return std::int32_t{0};
  }();
  return tune;
}

std::int32_t to_tune(std::int32_t value) {
  if (value < 0 || value > ATC_TUNE_PREDICT)
    throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                  "options.tune is " + std::to_string(value) +
                      ": use 0 (inherit), 1 (off), 2 (on), 3 (later), 4 (beside) or 5 (predict)");
  return value != 0 ? value : tune_of_environment();
}

std::string to_choice(const char (&given)[256], const char* name) {
  const std::size_t size = strnlen(given, sizeof(given));
  if (size == sizeof(given))
    throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                  std::string("options.") + name + " has no end: use at most 255 bytes and a NUL");
  return {given, size};
}

}  // namespace

Options to_options(const atc_torch_options* given) {
  Options options;
  options.tune = tune_of_environment();
  if (given == nullptr) return options;
  const auto known = read_struct(given, "options");
  options.tune = to_tune(known.tune);
  for (const SwitchField& field : kSwitches)
    options.*field.value = to_switch(known.*field.given, field.name);
  if (!(known.budget_seconds >= 0))
    throw Failure(ATC_ERROR_INVALID_ARGUMENT, "options.budget_seconds is " +
                                                  std::to_string(known.budget_seconds) +
                                                  ": use seconds > 0, or 0 for the default");
  options.budget_seconds = known.budget_seconds;
  for (const ReservedField& field : kReserved)
    if (known.*field.given != 0)
      throw Failure(ATC_ERROR_INVALID_ARGUMENT, std::string("options.") + field.name + " is " +
                                                    std::to_string(known.*field.given) +
                                                    ": set it to 0");
  options.choices = {to_choice(known.choice, "choice"),
                     to_choice(known.choice_backward_data, "choice_backward_data"),
                     to_choice(known.choice_backward_weight, "choice_backward_weight")};
  return options;
}

atc_conv_options to_plan_options(const Options& options) {
  atc_conv_options plan{};
  plan.struct_size = sizeof(plan);
  plan.tune = options.tune != 0 ? options.tune : ATC_OFF;
  plan.deterministic = options.deterministic;
  plan.allow_tf32 = options.allow_tf32;
  for (const SwitchField& field : kSwitches)
    plan.*field.plan = options.*field.value ? ATC_ON : ATC_OFF;
  plan.alignment = options.alignment;
  plan.budget_seconds = options.budget_seconds;
  copy_text(plan.front_end, kAtenEngine);
  return plan;
}

}  // namespace atc_torch
