// Defines a convolution problem with its fp32 tensors on the CPU, for tests that only use the C
// ABI.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "atc/atc.h"

namespace atc_test {

inline constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};

inline atc_conv_problem small_problem() {
  atc_conv_problem problem;
  atc_conv_problem_init(&problem, 2);
  problem.batch = 2;
  problem.in_channels = 4;
  problem.out_channels = 6;
  problem.input[0] = 9;
  problem.input[1] = 8;
  problem.kernel[0] = problem.kernel[1] = 3;
  problem.padding_low[0] = problem.padding_low[1] = 1;
  problem.padding_high[0] = problem.padding_high[1] = 1;
  return problem;
}

// One operand of a call: shape, strides, memory, and the view that is passed to atc.
struct Operand {
  std::vector<std::int64_t> shape, strides;
  std::vector<float> data;
  atc_tensor_view view{};

  Operand(const atc_conv_problem& problem, std::int32_t which, std::uint32_t seed) {
    const bool is_of_channels = which == ATC_OPERAND_BIAS || which == ATC_OPERAND_SCALE;
    const std::size_t rank =
        is_of_channels ? 1 : static_cast<std::size_t>(problem.spatial_dims) + 2;
    shape.resize(rank);
    strides.resize(rank);
    atc_conv_operand_shape(shape.data(), strides.data(), &problem, which);
    std::int64_t span = 1;
    for (std::size_t i = 0; i < rank; ++i)
      span = shape[i] == 0 ? 0 : span + (shape[i] - 1) * strides[i];
    data.resize(static_cast<std::size_t>(span));
    std::mt19937 random(seed);
    for (float& value : data) value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
    view.data = data.data();
    view.device = kCpu;
    view.ndim = static_cast<std::int32_t>(rank);
    view.dtype = {ATC_CODE_FLOAT, 32, 1};
    view.shape = shape.data();
    view.strides = strides.data();
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  float& at(const std::vector<std::int64_t>& index) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
    return data[static_cast<std::size_t>(offset)];
  }
};

struct Call {
  atc_conv_problem problem;
  Operand x, w, bias, y;

  explicit Call(const atc_conv_problem& given)
      : problem(given),
        x(given, ATC_OPERAND_X, 1),
        w(given, ATC_OPERAND_W, 2),
        bias(given, ATC_OPERAND_BIAS, 3),
        y(given, ATC_OPERAND_Y, 4) {}

  const atc_tensor_view* bias_view() const {
    return problem.epilogue == ATC_EPILOGUE_NONE ? nullptr : &bias.view;
  }
  atc_status eager() {
    return atc_convolution(&problem, &x.view, &w.view, bias_view(), &y.view, nullptr);
  }
  atc_status run(atc_conv_plan* plan, atc_stream stream = nullptr) {
    return atc_conv_plan_execute(plan, &x.view, &w.view, bias_view(), &y.view, nullptr, 0, stream);
  }
  Operand& output() {
    return problem.direction == ATC_FORWARD ? y : problem.direction == ATC_BACKWARD_DATA ? x : w;
  }
};

struct PlanDeleter {
  void operator()(atc_conv_plan* plan) const { atc_conv_plan_destroy(plan); }
};

}  // namespace atc_test
