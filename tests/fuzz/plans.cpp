// Fuzzes the order of calls on existing plans, while switches, stores and the plan cache change.
// Each call must return a status that its header lists, and each execution of a plan must give the
// same result.
#include <memory>
#include <utility>
#include <vector>

#include "calls.hpp"

namespace {

using fuzz::Call;
using fuzz::Input;
using fuzz::kCpu;
using fuzz::refused;

constexpr std::size_t kMostPlans = 4;

// A plan, its operands, and the output of its first execution.
struct Live {
  atc_conv_problem problem{};
  atc_conv_plan* plan = nullptr;
  bool acquired = false, has_weights = false;
  Call call;
  std::vector<unsigned char> first;

  void end() {
    if (acquired)
      atc_conv_plan_release(plan);
    else
      atc_conv_plan_destroy(plan);
    plan = nullptr;
  }
};

// A vector of pointers, because the objects must not move when the vector grows: the views of a
// plan's operands point into the object.
using Plans = std::vector<std::unique_ptr<Live>>;

std::vector<unsigned char>& output_of(Live& live) {
  if (live.problem.direction == ATC_BACKWARD_DATA) return live.call.x.bytes;
  if (live.problem.direction == ATC_BACKWARD_WEIGHT) return live.call.w.bytes;
  return live.call.y.bytes;
}

// Fills the operands with zeros and with a power of two, because sums of products of these values
// are exact, whatever the order of the additions is.
void fill(Live& live) {
  for (fuzz::Operand* operand : {&live.call.x, &live.call.w, &live.call.y, &live.call.bias}) {
    const std::size_t size = operand->view.dtype.bits / 8;
    for (std::size_t i = 0; i < operand->bytes.size(); ++i)
      operand->bytes[i] = i % size == size - 1 && i / size % 3 == 0 ? 0x3c : 0;
  }
}

void make(Input& in, Plans& plans) {
  if (plans.size() == kMostPlans) return;
  auto made = std::make_unique<Live>();
  Live& live = *made;
  live.problem = fuzz::valid_problem(in);
  live.acquired = in.below(2) == 1;
  if (!live.call.describe(live.problem)) return;
  atc_conv_options options{};
  options.struct_size = sizeof options;
  options.alignment = 1u << in.below(5);
  options.deterministic = static_cast<std::int32_t>(in.below(3));
  const atc_status status =
      live.acquired ? atc_conv_plan_acquire(&live.plan, kCpu, &live.problem, &options, nullptr)
                    : atc_conv_plan_create(&live.plan, kCpu, &live.problem, &options);
  if (!refused(status, {ATC_ERROR_INVALID_ARGUMENT, ATC_ERROR_UNSUPPORTED}))
    plans.push_back(std::move(made));
}

void execute(Live& live) {
  fill(live);
  const atc_tensor_view& w = live.call.w.view;
  REQUIRE_CALL(atc_conv_plan_execute(live.plan, &live.call.x.view, live.has_weights ? nullptr : &w,
                                     live.call.bias_view(), &live.call.y.view, nullptr, 0,
                                     nullptr) == ATC_OK);
  if (live.first.empty()) live.first = output_of(live);
  REQUIRE(live.first == output_of(live));
}

void set_weights(Live& live) {
  fill(live);
  if (!refused(atc_conv_plan_set_weights(live.plan, &live.call.w.view),
               {ATC_ERROR_INVALID_ARGUMENT, ATC_ERROR_UNSUPPORTED}))
    live.has_weights = true;
}

void ask(Input& in, Live& live) {
  const char* text = nullptr;
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  REQUIRE_CALL(atc_conv_plan_choice(&text, live.plan) == ATC_OK);
  REQUIRE_CALL(atc_conv_plan_workspace_size(&bytes, live.plan) == ATC_OK);
  REQUIRE_CALL(atc_conv_plan_candidate_count(&count, live.plan) == ATC_OK);
  atc_candidate candidate{};
  candidate.struct_size = sizeof candidate;
  const std::size_t index = in.below(8);
  const bool outside =
      refused(atc_conv_plan_candidate(&candidate, live.plan, index), {ATC_ERROR_INVALID_ARGUMENT});
  REQUIRE(outside == (index >= count));
}

void eager(Live& live) {
  fill(live);
  REQUIRE_CALL(atc_convolution(&live.problem, &live.call.x.view, &live.call.w.view,
                               live.call.bias_view(), &live.call.y.view, nullptr) == ATC_OK);
}

void change_process(Input& in) {
  switch (in.below(5)) {
    case 0:
      REQUIRE_CALL(atc_cache_clear() == ATC_OK);
      break;
    case 1:
      refused(atc_set_benchmark_limit_cudnn(in.number32()), {ATC_ERROR_INVALID_ARGUMENT});
      break;
    case 2:
      REQUIRE_CALL(atc_set_deterministic_cudnn(static_cast<std::int32_t>(in.below(2))) == ATC_OK);
      break;
    case 3:
      REQUIRE_CALL(atc_store_use(nullptr) == ATC_OK);
      break;
    default: {
      atc_cache_statistics statistics{};
      statistics.struct_size = sizeof statistics;
      REQUIRE_CALL(atc_cache_stats(&statistics) == ATC_OK);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  atc_log_level_set(ATC_LOG_OFF);
  Plans plans;
  make(in, plans);
  for (int n = 0; n < 32 && !in.empty(); ++n) {
    const std::size_t what = in.below(7);
    if (what == 0) make(in, plans);
    if (what == 1) change_process(in);
    if (what <= 1 || plans.empty()) continue;
    const std::size_t which = in.below(plans.size());
    Live& live = *plans[which];
    switch (what) {
      case 2:
        execute(live);
        break;
      case 3:
        set_weights(live);
        break;
      case 4:
        ask(in, live);
        break;
      case 5:
        eager(live);
        break;
      default:
        live.end();
        plans.erase(plans.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  for (const auto& live : plans) live->end();
  return 0;
}
