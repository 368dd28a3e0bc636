// The functions of atc/conv.h that create and destroy a plan (a convolution that is prepared for
// execution), take a plan from the cache of plans, and give it back.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "atc/conv.h"
#include "cached_call.hpp"
#include "conv/decide/policy.hpp"
#include "conv/decide/watched.hpp"
#include "convert.hpp"
#include "convert_own.hpp"
#include "guard.hpp"
#include "plan_handle.hpp"
#include "progress.hpp"

using namespace atc;
using namespace atc::ffi;

namespace {

// Decides which implementation a plan runs. If the options contain a choice, this choice is used.
// Otherwise the decision is looked up in the store, or candidates are timed.
conv::Decided decide(const Problem& problem, const conv::Request& request, const char* choice,
                     const conv::OnTuning& on_progress) {
  if (choice == nullptr || *choice == '\0')
    return conv::decide_watched(problem, request, on_progress);
  return conv::decide_given(problem, request, conv::parse_choice(choice));
}

}  // namespace

extern "C" {

atc_status atc_conv_plan_create(atc_conv_plan** out, atc_device device,
                                const atc_conv_problem* problem,
                                const atc_conv_options* options) noexcept {
  return guard([&] {
    required(out, "out");
    const DeviceId id = to_device(device);
    const Problem known = to_problem(problem);
    const atc_conv_options given = read_plan_options(options);
    const conv::PlanOptions asked = to_plan_options(given);
    conv::Request request = conv::resolve(id, known, asked, current_settings());
    request.must_tune = asked.tune == conv::TuningMode::on;
    // Calls of this plan do not time other candidates (ATC_TUNE_BESIDE): the plan keeps its choice.
    request.explores = false;
    auto decided =
        decide(known, request, given.choice, to_on_tuning(given.progress, given.progress_payload));
    *out = new atc_conv_plan(std::make_unique<conv::Plan>(known, request, std::move(decided)));
  });
}

atc_status atc_conv_plan_create_with_choice(atc_conv_plan** out, atc_device device,
                                            const atc_conv_problem* problem,
                                            const atc_conv_options* options,
                                            const char* choice) noexcept {
  return guard([&] {
    required(out, "out");
    const DeviceId id = to_device(device);
    const Problem known = to_problem(problem);
    const conv::PlanOptions asked = to_plan_options(read_plan_options(options));
    const conv::Choice given = conv::parse_choice(&required(choice, "choice"));
    const conv::Request request = conv::resolve(id, known, asked, current_settings());
    auto decided = conv::decide_given(known, request, given);
    *out = new atc_conv_plan(std::make_unique<conv::Plan>(known, request, std::move(decided)));
  });
}

void atc_conv_plan_destroy(atc_conv_plan* plan) noexcept {
  guard_void([&] { delete plan; });
}

atc_status atc_conv_plan_acquire(atc_conv_plan** out, atc_device device,
                                 const atc_conv_problem* problem, const atc_conv_options* options,
                                 atc_stream stream) noexcept {
  return guard([&] {
    required(out, "out");
    const DeviceId id = to_device(device);
    CachedCall call{comparable_problem(problem), comparable_options(options)};
    // The key in the cache of plans contains the text of the given choice and the identity of the
    // store, not their addresses. The allocator and the progress callback are not part of the key:
    // calls that differ only in them share plans.
    const auto knowledge = to_knowledge(call.options.store, call.options.use_store);
    const auto allocator = to_allocator(call.options.allocator);
    const auto on_progress = to_on_tuning(call.options.progress, call.options.progress_payload);
    const std::string choice = call.options.choice == nullptr ? "" : call.options.choice;
    call.options.choice = nullptr;
    call.options.store = nullptr;
    call.options.allocator = nullptr;
    call.options.progress = nullptr;
    call.options.progress_payload = nullptr;
    std::string_view known_by(reinterpret_cast<const char*>(&call), sizeof(call));
    std::string with_choice;
    if (!choice.empty()) known_by = with_choice.append(known_by).append(choice);
    const conv::CallKey key{known_by, id, 0, stream,
                            knowledge ? *knowledge : conv::Knowledge::of_process()};
    auto plan = std::make_unique<atc_conv_plan>(key, [&](const Settings& settings) {
      const Problem known = to_problem(&call.problem);
      conv::PlanOptions asked = to_plan_options(call.options);
      asked.knowledge = key.knowledge;
      asked.allocator = allocator;
      conv::Request request = conv::resolve(id, known, asked, settings);
      request.stream = stream;
      auto decided = decide(known, request, choice.c_str(), on_progress);
      return std::make_unique<conv::Plan>(known, request, std::move(decided));
    });
    plan->plan().use_allocator(allocator);
    *out = plan.release();
  });
}

void atc_conv_plan_release(atc_conv_plan* plan) noexcept {
  guard_void([&] { delete plan; });
}

}  // extern "C"
