// Small convolutions for fuzz targets that execute convolutions on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "atc/atc.h"
#include "input.hpp"
#include "status.hpp"

namespace fuzz {

constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};
// The largest number of bytes that an operand may have. If an operand is larger, the call is not
// executed.
constexpr std::int64_t kMostBytes = 1 << 20;
// the largest number of products that an executed call may have
constexpr std::int64_t kMostProducts = 1 << 20;

using Plan = std::unique_ptr<atc_conv_plan, decltype(&atc_conv_plan_destroy)>;

// Makes a small valid problem. The bytes of the fuzzer's input determine the problem.
inline atc_conv_problem valid_problem(Input& in) {
  atc_conv_problem p;
  REQUIRE_CALL(atc_conv_problem_init(&p, 1 + static_cast<std::int32_t>(in.below(3))) == ATC_OK);
  p.direction = 1 + static_cast<atc_direction>(in.below(3));
  p.transposed = static_cast<std::int32_t>(in.below(2));
  p.batch = static_cast<std::int64_t>(in.below(3));
  p.groups = 1 + static_cast<std::int64_t>(in.below(3));
  p.in_channels = p.groups * (1 + static_cast<std::int64_t>(in.below(4)));
  p.out_channels = p.groups * (1 + static_cast<std::int64_t>(in.below(4)));
  p.x_dtype = p.w_dtype = p.y_dtype = 1 + static_cast<atc_dtype>(in.below(3));
  p.layout = 1 + static_cast<atc_layout>(in.below(2));
  p.accumulate = static_cast<std::int32_t>(in.below(2));
  if (p.direction == ATC_FORWARD) p.epilogue = 1 + static_cast<atc_epilogue>(in.below(3));
  for (int i = 0; i < p.spatial_dims; ++i) {
    p.input[i] = 4 + static_cast<std::int64_t>(in.below(8));
    p.kernel[i] = 1 + static_cast<std::int64_t>(in.below(3));
    p.stride[i] = 1 + static_cast<std::int64_t>(in.below(3));
    p.padding_low[i] = static_cast<std::int64_t>(in.below(2));
    p.padding_high[i] = static_cast<std::int64_t>(in.below(2));
  }
  return p;
}

// An operand of a problem. Its memory has exactly the size of the operand, so that AddressSanitizer
// finds accesses outside of the operand.
struct Operand {
  std::int64_t shape[5] = {}, strides[5] = {};
  std::vector<unsigned char> bytes;
  atc_tensor_view view{};

  // Sets the view of an operand of the problem. Returns false if the operand is larger than
  // kMostBytes. In this case the problem must not be executed.
  bool describe(const atc_conv_problem& p, std::int32_t operand, atc_dtype dtype,
                std::int32_t ndim) {
    REQUIRE_CALL(atc_conv_operand_shape(shape, strides, &p, operand) == ATC_OK);
    const std::int64_t size = dtype == ATC_DTYPE_F32 ? 4 : 2;
    std::int64_t last = 0;
    bool none = false;
    for (int i = 0; i < ndim; ++i) {
      none |= shape[i] == 0;
      if (shape[i] > kMostBytes || strides[i] > kMostBytes) return false;
      if (shape[i] > 1) last += (shape[i] - 1) * strides[i];
    }
    if (last >= kMostBytes / size) return false;
    bytes.assign(none ? 0 : static_cast<std::size_t>((last + 1) * size), 0);
    view = {bytes.data(), kCpu, ndim, {}, shape, strides, 0};
    view.dtype.code = dtype == ATC_DTYPE_BF16 ? ATC_CODE_BFLOAT : ATC_CODE_FLOAT;
    view.dtype.bits = static_cast<std::uint8_t>(8 * size);
    view.dtype.lanes = 1;
    return true;
  }
};

// The operands of one call of a convolution, with their memory.
struct Call {
  Operand x, w, bias, y;
  bool has_bias = false;

  // Describes each operand of the problem. Returns false if an operand is larger than kMostBytes or
  // the problem has more than kMostProducts products, so that the problem must not be executed.
  bool describe(const atc_conv_problem& p) {
    const std::int32_t ndim = p.spatial_dims + 2;
    has_bias = p.epilogue != ATC_EPILOGUE_NONE;
    if (!x.describe(p, ATC_OPERAND_X, p.x_dtype, ndim) ||
        !w.describe(p, ATC_OPERAND_W, p.w_dtype, ndim) ||
        !y.describe(p, ATC_OPERAND_Y, p.y_dtype, ndim) ||
        (has_bias && !bias.describe(p, ATC_OPERAND_BIAS, p.y_dtype, 1)))
      return false;
    std::int64_t products = p.out_channels;
    for (int i = 0; i < ndim && products <= kMostProducts; ++i)
      products *= std::max<std::int64_t>(x.shape[i], 1);
    for (int i = 2; i < ndim && products <= kMostProducts; ++i) products *= w.shape[i];
    return products <= kMostProducts;
  }

  const atc_tensor_view* bias_view() const { return has_bias ? &bias.view : nullptr; }
  atc_status execute(atc_conv_plan* plan) {
    return atc_conv_plan_execute(plan, &x.view, &w.view, bias_view(), &y.view, nullptr, 0, nullptr);
  }
};

}  // namespace fuzz
