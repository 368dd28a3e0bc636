#include "calls.hpp"

namespace soak {

namespace {

constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};

// The statuses that a call may return because another thread has put a replay-only store into use,
// with which nothing is measured.
constexpr std::initializer_list<atc_status> kReplaying = {ATC_ERROR_NOT_TUNED};

}  // namespace

Terms Terms::drawn(Random& random, const atc_store* store) {
  const std::size_t value = random.below(16);
  Terms terms;
  terms.options.deterministic = static_cast<std::int32_t>(value % 3);
  terms.options.allow_tf32 = static_cast<std::int32_t>(value / 3 % 3);
  terms.options.store = store;
  if (store == nullptr && value == 15) terms.options.use_store = ATC_OFF;
  return terms;
}

template <typename Run>
void Calls::compare(Kind kind, const char* call, const Layer& layer, const std::string& choice,
                    std::initializer_list<atc_status> documented, Run run) {
  atc::GuardedBuffer output(layer.known().output());
  layer.inputs().reset(output);
  if (!report_.done(run(*layer.on_cpu(output)), call, layer.name(), documented)) return;
  const std::string wrong = layer.expected().compare(output);
  if (!wrong.empty())
    report_.stop(std::string(call) + " of " + layer.name() + " by " + choice + ": " + wrong);
  report_.count(kind);
}

void Calls::eager(const Layer& layer) {
  compare(Kind::eager, "atc_convolution", layer, "any choice", kReplaying, [&](const Views& views) {
    return atc_convolution(&layer.problem(), views.x(), views.w(), views.bias(), views.y(),
                           nullptr);
  });
}

void Calls::execute(Kind kind, const Layer& layer, atc_conv_plan* plan, bool weights_are_set) {
  const char* choice = "";
  report_.done(atc_conv_plan_choice(&choice, plan), "atc_conv_plan_choice", layer.name());
  compare(kind, "atc_conv_plan_execute", layer, choice, {}, [&](const Views& views) {
    return atc_conv_plan_execute(plan, views.x(), weights_are_set ? nullptr : views.w(),
                                 views.bias(), views.y(), nullptr, 0, nullptr);
  });
}

void Calls::plan(const Layer& layer, const Terms& terms, std::size_t executions) {
  atc_conv_plan* made = nullptr;
  if (!report_.done(atc_conv_plan_create(&made, kCpu, &layer.problem(), &terms.options),
                    "atc_conv_plan_create", layer.name(), kReplaying))
    return;
  const Plan plan(made);
  for (std::size_t i = 0; i < executions; ++i) execute(Kind::planned, layer, made, false);
}

void Calls::given(const Layer& layer, const std::string& choice, bool comes_and_goes) {
  atc_conv_plan* made = nullptr;
  const atc_status status =
      atc_conv_plan_create_with_choice(&made, kCpu, &layer.problem(), nullptr, choice.c_str());
  const std::string subject = choice + " for " + layer.name();
  if (comes_and_goes &&
      !report_.done(status, "atc_conv_plan_create_with_choice", subject, {ATC_ERROR_UNSUPPORTED}))
    return;
  report_.done(status, "atc_conv_plan_create_with_choice", subject);
  const Plan plan(made);
  execute(Kind::given, layer, made, false);
}

void Calls::acquired(const Layer& layer, bool beside) {
  auto options = ATC_CONV_OPTIONS_INIT;
  if (beside) options.tune = ATC_TUNE_BESIDE;
  atc_conv_plan* plan = nullptr;
  if (!report_.done(atc_conv_plan_acquire(&plan, kCpu, &layer.problem(), &options, nullptr),
                    "atc_conv_plan_acquire", layer.name(), kReplaying))
    return;
  execute(Kind::acquired, layer, plan, false);
  atc_conv_plan_release(plan);
}

void Calls::packed(const Layer& layer, const Terms& terms) {
  if (!layer.has_weights_as_input()) return;
  Terms constant = terms;
  constant.options.constant_weights = ATC_ON;
  atc_conv_plan* made = nullptr;
  if (!report_.done(atc_conv_plan_create(&made, kCpu, &layer.problem(), &constant.options),
                    "atc_conv_plan_create", layer.name(), kReplaying))
    return;
  const Plan plan(made);
  {
    atc::GuardedBuffer unused(layer.known().output());
    report_.done(atc_conv_plan_set_weights(made, layer.on_cpu(unused)->w()),
                 "atc_conv_plan_set_weights", layer.name());
  }
  execute(Kind::packed, layer, made, true);
}

void Calls::race(const Layer& layer, const atc_store* store, const std::string& barred,
                 atc_technique technique, double seconds) {
  auto options = ATC_TUNE_OPTIONS_INIT;
  options.retune = ATC_ON;
  options.technique = technique;
  options.problem_budget_seconds = seconds;
  options.engines_barred = barred.c_str();
  options.store = store;
  atc_tune_report* made = nullptr;
  report_.done(atc_tune(&made, kCpu, &layer.problem(), 1, &options, nullptr, nullptr), "atc_tune",
               layer.name());
  auto tuned = ATC_TUNED_PROBLEM_INIT;
  report_.done(atc_tune_report_problem(&tuned, made, 0), "atc_tune_report_problem", layer.name());
  const atc_status status = tuned.status;
  const std::string why = tuned.why;
  const bool unwritten = (tuned.flags & ATC_TUNED_UNWRITTEN) != 0;
  atc_tune_report_destroy(made);
  // A pin (a rule in a file that forces or bars choices) may bar all engines except the reference.
  // If the options of the race bar the reference, no engine is left.
  const bool may_be_empty = barred == "reference";
  report_.done(status, "a race", layer.name() + " (" + why + ")",
               {ATC_ERROR_NOT_TUNED, may_be_empty ? ATC_ERROR_UNSUPPORTED : ATC_ERROR_NOT_TUNED});
  if (unwritten) report_.stop("the decision for " + layer.name() + " was not written: " + why);
  report_.count(Kind::race);
  Terms terms;
  terms.options.store = store;
  // A plan with the switch `tune` on uses the decision of the race, which it finds in the store or
  // in the memory of the process.
  terms.options.tune = ATC_ON;
  terms.options.budget_seconds = seconds;
  plan(layer, terms, 1);
}

}  // namespace soak
