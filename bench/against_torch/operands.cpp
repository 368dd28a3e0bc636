#include "operands.hpp"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/randn.h>

#include <algorithm>

#include "check.hpp"

namespace {

// All operands are parts of one large tensor. Each operand begins at a multiple of this number of
// elements, because operands that an allocator returns are aligned, too.
constexpr std::int64_t kAlignment = 128;

struct Form {
  std::vector<std::int64_t> shape, strides;

  Form(const atc_conv_problem& p, std::int32_t operand) {
    const std::size_t dims =
        operand == ATC_OPERAND_BIAS ? 1 : static_cast<std::size_t>(p.spatial_dims) + 2;
    shape.resize(dims);
    strides.resize(dims);
    check(atc_conv_operand_shape(shape.data(), strides.data(), &p, operand));
  }
  std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) product *= extent;
    return product;
  }
  std::int64_t room() const { return (elements() + kAlignment - 1) / kAlignment * kAlignment; }
};

std::int32_t output_of(const atc_conv_problem& p) {
  if (p.direction == ATC_BACKWARD_DATA) return ATC_OPERAND_X;
  return p.direction == ATC_BACKWARD_WEIGHT ? ATC_OPERAND_W : ATC_OPERAND_Y;
}

// Returns normally distributed numbers. Later calls return the same numbers again, because drawing
// new numbers would take longer than most of the measurements.
at::Tensor numbers(std::int64_t count, at::ScalarType dtype, const Target& target) {
  static at::Tensor pool;
  if (!pool.defined() || pool.scalar_type() != dtype || pool.numel() < count) {
    pool = at::Tensor();
    pool = at::randn({count}, at::TensorOptions().dtype(dtype).device(target.torch()));
  }
  return pool;
}

}  // namespace

at::ScalarType scalar_type(atc_dtype dtype) {
  if (dtype == ATC_DTYPE_F32) return at::kFloat;
  return dtype == ATC_DTYPE_BF16 ? at::kBFloat16 : at::kHalf;
}

at::Tensor new_output(const atc_conv_problem& p, const Target& target) {
  const Form form(p, output_of(p));
  return at::empty_strided(
      form.shape, form.strides,
      at::TensorOptions().dtype(scalar_type(p.y_dtype)).device(target.torch()));
}

Inputs only_set(const atc_conv_problem& p, const Target& target) {
  Inputs inputs;
  std::int64_t offset = 0;
  const auto take = [&](std::int32_t operand) {
    const Form form(p, operand);
    const at::Tensor pool = numbers(offset + form.room(), scalar_type(p.x_dtype), target);
    const at::Tensor taken = at::as_strided(pool, form.shape, form.strides, offset);
    offset += form.room();
    return taken;
  };
  inputs.x = take(ATC_OPERAND_X);
  inputs.w = take(ATC_OPERAND_W);
  inputs.y = take(ATC_OPERAND_Y);
  if (p.epilogue != ATC_EPILOGUE_NONE) inputs.bias = take(ATC_OPERAND_BIAS);
  return inputs;
}

std::uint64_t Operands::size(const atc_conv_problem& p) {
  std::int64_t elements = 0;
  for (const std::int32_t operand : {ATC_OPERAND_X, ATC_OPERAND_W, ATC_OPERAND_Y})
    elements += Form(p, operand).elements();
  return static_cast<std::uint64_t>(elements) * c10::elementSize(scalar_type(p.x_dtype));
}

Operands::Operands(const atc_conv_problem& p, bool constant_weights, const Target& target) {
  const at::ScalarType dtype = scalar_type(p.x_dtype);
  const Form x(p, ATC_OPERAND_X), w(p, ATC_OPERAND_W), y(p, ATC_OPERAND_Y);
  const std::int32_t output = output_of(p);
  const bool rotates[3] = {output != ATC_OPERAND_X, output != ATC_OPERAND_W && !constant_weights,
                           output != ATC_OPERAND_Y};
  const Form* const forms[3] = {&x, &w, &y};
  std::int64_t read = 0, constant = 0, touched = 0;
  for (int i = 0; i < 3; ++i) {
    (rotates[i] ? read : constant) += forms[i]->room();
    if (i != 1 || !constant_weights) touched += forms[i]->room();
  }
  // All sets of operands together have at least 1.1 times the size of the last-level cache. So the
  // operands of the next call are certainly not in the cache.
  const auto least = static_cast<std::int64_t>(target.cache_size() + target.cache_size() / 10) /
                     static_cast<std::int64_t>(c10::elementSize(dtype));
  const std::int64_t count = std::max<std::int64_t>(2, (least + touched - 1) / touched);
  const std::int64_t bias_room = kAlignment + p.out_channels;
  const at::Tensor pool = numbers(constant + bias_room + count * read, dtype, target);
  std::int64_t offset = 0;
  const auto take = [&](const Form& form) {
    const at::Tensor taken = at::as_strided(pool, form.shape, form.strides, offset);
    offset += form.room();
    return taken;
  };
  Inputs shared;
  at::Tensor* const members[3] = {&shared.x, &shared.w, &shared.y};
  for (int i = 0; i < 3; ++i)
    if (!rotates[i]) *members[i] = take(*forms[i]);
  if (p.epilogue != ATC_EPILOGUE_NONE) {
    shared.bias = take(Form(p, ATC_OPERAND_BIAS));
  }
  for (std::int64_t set = 0; set < count; ++set) {
    Inputs inputs = shared;
    at::Tensor* const own[3] = {&inputs.x, &inputs.w, &inputs.y};
    for (int i = 0; i < 3; ++i)
      if (rotates[i]) *own[i] = take(*forms[i]);
    sets_.push_back(std::move(inputs));
    outputs_.push_back(new_output(p, target).zero_());
  }
}

const Inputs& Operands::next() {
  current_ = (current_ + 1) % sets_.size();
  return sets_[current_];
}
