#include "contenders.hpp"

#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "check.hpp"

namespace {

constexpr char kFrontEnd[] = "aten";
constexpr std::uint32_t kAlignment = 64;  // LibTorch's allocator aligns to 64 bytes

atc_tensor_view view_of(const at::Tensor& tensor, const Target& target) {
  const auto code = static_cast<std::uint8_t>(
      tensor.scalar_type() == at::kBFloat16 ? ATC_CODE_BFLOAT : ATC_CODE_FLOAT);
  const auto bits = static_cast<std::uint8_t>(8 * tensor.element_size());
  return {tensor.data_ptr(),
          target.atc(),
          static_cast<std::int32_t>(tensor.dim()),
          {code, bits, 1},
          tensor.sizes().data(),
          tensor.strides().data(),
          0};
}

// The tensor views of the operands of a call whose result is written to `output`.
struct Views {
  atc_tensor_view x, w, y, bias;
  bool has_bias;

  Views(const atc_conv_problem& p, const Inputs& inputs, const at::Tensor& output,
        const Target& target)
      : x(view_of(p.direction == ATC_BACKWARD_DATA ? output : inputs.x, target)),
        w(view_of(p.direction == ATC_BACKWARD_WEIGHT ? output : inputs.w, target)),
        y(view_of(p.direction == ATC_FORWARD ? output : inputs.y, target)),
        bias{},
        has_bias(p.epilogue != ATC_EPILOGUE_NONE) {
    if (has_bias) bias = view_of(inputs.bias, target);
  }
};

std::string identity(const atc_candidate& candidate) {
  return std::string(candidate.engine) + "@" + candidate.version + ":" + candidate.configuration;
}

}  // namespace

std::function<at::Tensor(const Inputs&)> torch_convolution(const atc_conv_problem& p) {
  const auto array = [&p](const std::int64_t* values) {
    return std::vector<std::int64_t>(values, values + p.spatial_dims);
  };
  const auto stride = array(p.stride), padding = array(p.padding_low), dilation = array(p.dilation),
             output_padding = array(p.output_padding);
  const bool transposed = p.transposed != 0;
  const std::int64_t groups = p.groups;
  if (p.direction == ATC_FORWARD)
    return [=](const Inputs& inputs) {
      const std::optional<at::Tensor> bias =
          inputs.bias.defined() ? std::optional<at::Tensor>(inputs.bias) : std::nullopt;
      return at::convolution(inputs.x, inputs.w, bias, stride, padding, dilation, transposed,
                             output_padding, groups);
    };
  const bool data = p.direction == ATC_BACKWARD_DATA;
  return [=](const Inputs& inputs) {
    auto gradients = at::convolution_backward(
        inputs.y, inputs.x, inputs.w, at::OptionalIntArrayRef(), stride, padding, dilation,
        transposed, output_padding, groups, std::array<bool, 3>{data, !data, false});
    return data ? std::get<0>(gradients) : std::get<1>(gradients);
  };
}

std::function<at::Tensor(const Inputs&)> eager_convolution(const atc_conv_problem& problem,
                                                           const Target& target) {
  return [problem, target](const Inputs& inputs) {
    at::Tensor output = new_output(problem, target);
    const Views views(problem, inputs, output, target);
    check(atc_convolution(&problem, &views.x, &views.w, views.has_bias ? &views.bias : nullptr,
                          &views.y, nullptr));
    return output;
  };
}

std::string default_choice(const atc_conv_problem& problem, const Target& target) {
  atc_conv_plan* plan = nullptr;
  check(atc_conv_plan_create(&plan, target.atc(), &problem, nullptr));
  const char* text = nullptr;
  check(atc_conv_plan_choice(&text, plan));
  const std::string choice = text;
  atc_conv_plan_destroy(plan);
  return choice;
}

Plan::Plan(const atc_conv_problem& problem, const Target& target, bool constant_weights,
           double budget, const std::string& choice)
    : problem_(problem),
      target_(target),
      constant_weights_(constant_weights && problem.direction != ATC_BACKWARD_WEIGHT) {
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.tune = budget > 0 ? ATC_ON : ATC_OFF;
  options.constant_weights = constant_weights_ ? ATC_ON : ATC_OFF;
  options.alignment = kAlignment;
  options.budget_seconds = budget;
  std::snprintf(options.front_end, sizeof(options.front_end), "%s", kFrontEnd);
  atc_conv_plan* plan = nullptr;
  if (choice.empty())
    check(atc_conv_plan_create(&plan, target.atc(), &problem, &options));
  else
    check(
        atc_conv_plan_create_with_choice(&plan, target.atc(), &problem, &options, choice.c_str()));
  plan_.reset(plan);
}

std::string Plan::choice() const {
  const char* text = nullptr;
  check(atc_conv_plan_choice(&text, plan_.get()));
  return text;
}

std::int32_t Plan::source() const {
  std::int32_t source = 0;
  check(atc_conv_plan_source(&source, plan_.get()));
  return source;
}

bool Plan::is_torchs_own() const { return choice().rfind(std::string(kFrontEnd) + "@", 0) == 0; }

std::vector<std::string> Plan::runners_up(double factor) const {
  std::size_t count = 0;
  check(atc_conv_plan_candidate_count(&count, plan_.get()));
  std::vector<std::pair<double, std::string>> timed;
  for (std::size_t i = 0; i < count; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    check(atc_conv_plan_candidate(&candidate, plan_.get(), i));
    if (candidate.samples > 0) timed.emplace_back(candidate.median, identity(candidate));
  }
  std::sort(timed.begin(), timed.end());
  std::vector<std::string> found;
  const std::string own = choice();
  for (const auto& [seconds, text] : timed)
    if (seconds <= factor * timed.front().first && text != own &&
        text.rfind(std::string(kFrontEnd) + "@", 0) != 0)
      found.push_back(text);
  return found;
}

void Plan::set_weights(const at::Tensor& w) {
  if (!constant_weights_ || is_torchs_own()) return;
  const atc_tensor_view view = view_of(w, target_);
  check(atc_conv_plan_set_weights(plan_.get(), &view));
}

at::Tensor Plan::run(const Inputs& inputs) const {
  at::Tensor output = new_output(problem_, target_);
  const Views views(problem_, inputs, output, target_);
  check(atc_conv_plan_execute(plan_.get(), &views.x, constant_weights_ ? nullptr : &views.w,
                              views.has_bias ? &views.bias : nullptr, &views.y, nullptr, 0,
                              nullptr));
  return output;
}

void Plan::run_into(const Inputs& inputs, const at::Tensor& output,
                    const at::Tensor& workspace) const {
  const Views views(problem_, inputs, output, target_);
  check(atc_conv_plan_execute(plan_.get(), &views.x, constant_weights_ ? nullptr : &views.w,
                              views.has_bias ? &views.bias : nullptr, &views.y,
                              workspace.data_ptr(), workspace.nbytes(), nullptr));
}

std::uint64_t Plan::workspace_size() const {
  std::uint64_t bytes = 0;
  check(atc_conv_plan_workspace_size(&bytes, plan_.get()));
  return bytes;
}
