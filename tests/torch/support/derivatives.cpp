#include "derivatives.hpp"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "atc/torch.h"
#include "bridge.hpp"

namespace atc_torch_test {

namespace {

std::int64_t product(const std::vector<std::int64_t>& extents, std::size_t first) {
  std::int64_t product = 1;
  for (std::size_t i = first; i < extents.size(); ++i) product *= extents[i];
  return product;
}

at::Tensor leaf(const at::Tensor& tensor, bool wanted) {
  if (!tensor.defined()) return tensor;
  at::Tensor own = tensor.detach();
  return own.requires_grad_(wanted);
}

// The number of terms of a sum that gives one element of a result. Also the largest number of
// roundings to the output's dtype between a term and the result.
struct Sum {
  std::int64_t terms;
  int roundings;
};

// A gradient of weights is a sum over the samples of a batch. Returns whether the sum of each
// sample may be rounded to f16 before the sums are added. If the processor is one on which oneDNN
// does not support f16, LibTorch's own kernel runs, and rounds in this way.
bool may_round_each_sample(const Case& c) {
  return c.device == c10::DeviceType::CPU && c.dtype == at::kHalf;
}

Sum sum_of(const Case& c, int which) {
  const std::int64_t window = product(c.kernel, 0);
  const std::int64_t positions = c.batch * product(c.transposed ? c.x_shape() : c.y_shape(), 2);
  switch (which) {
    case kY:
      // On CUDA a separate pass may add the bias to the result of the convolution, which is already
      // rounded. LibTorch does so. Then there are two roundings.
      return {c.in / c.groups * window + 1, c.bias && c.device == c10::DeviceType::CUDA ? 2 : 1};
    case kGradX:
    case kSecondX:
      return {c.out / c.groups * window, 1};
    case kGradW:
    case kSecondW:
      // If the output padding is at least the stride, LibTorch computes the convolution. Its 16-bit
      // kernels round the part of each sample before they add the parts.
      return {positions,
              c.pads_beyond_stride() || may_round_each_sample(c) ? static_cast<int>(c.batch) : 1};
    case kGradBias:
      return {c.batch * product(c.y_shape(), 2), 1};
    default:
      // The gradient of the gradient is the sum of two convolutions and a bias. Each of these three
      // terms is rounded, and so is each of the two additions.
      return {2 * c.in / c.groups * window + 3, 3};
  }
}

double unit_roundoff(at::ScalarType dtype) {
  if (dtype == at::kHalf) return 0x1p-11;
  return dtype == at::kBFloat16 ? 0x1p-8 : 0x1p-24;
}

// Returns the largest absolute error of rounding a number near zero. For f16 this is half of the
// smallest positive number. For bf16 and fp32 it is the smallest normal number, because smaller
// numbers may be flushed to zero.
double least_error(at::ScalarType dtype) { return dtype == at::kHalf ? 0x1p-25 : 0x1p-126; }

double gamma(double count, double unit) {
  return count * unit < 1 ? count * unit / (1 - count * unit) : 1;
}

// Returns the relative error of a product. On CUDA LibTorch allows TF32 by default, so the operands
// of a product may be rounded to 11 bits first.
double of_products(const Case& c) {
  return c.device == c10::DeviceType::CUDA && c.dtype == at::kFloat ? 2 * 0x1p-10 + 0x1p-20 : 0;
}

double tolerance(const Sum& sum, const Case& c, double value, double magnitude) {
  const at::ScalarType dtype = c.dtype;
  const auto terms = static_cast<double>(sum.terms);
  const double of_sum =
      (gamma(terms, 0x1p-24) * (1 + of_products(c)) + of_products(c)) * magnitude +
      terms * 0x1p-126;
  if (dtype == at::kFloat) return of_sum + least_error(dtype);
  // A single rounding of the result has an error relative to the result. If parts of the sum are
  // rounded, too, the errors are relative to the sum of the magnitudes of the terms.
  const double rounded = sum.roundings == 1 ? std::fabs(value) : magnitude;
  return of_sum + gamma(sum.roundings, unit_roundoff(dtype)) * (rounded + of_sum) +
         sum.roundings * least_error(dtype);
}

Operands in_double(const Operands& o, bool absolute) {
  const auto of = [&](const at::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    const at::Tensor wide = tensor.to(at::kCPU, at::kDouble).contiguous();
    return absolute ? wide.abs() : wide;
  };
  return {of(o.x), of(o.w), of(o.bias), of(o.gradient), of(o.vx), of(o.vw), of(o.vbias)};
}

}  // namespace

const char* const kNames[kDerivatives] = {
    "y",           "grad x",      "grad w", "grad bias", "second derivative by the gradient",
    "second by x", "second by w",
};

at::Tensor of_libtorch(const Case& c, const at::Tensor& x, const at::Tensor& w,
                       const std::optional<at::Tensor>& bias) {
  return at::convolution(x, w, bias, c.given_stride(), c.padding, c.dilation, c.transposed,
                         c.output_padding, c.groups);
}

at::Tensor of_atc(const Case& c, const at::Tensor& x, const at::Tensor& w,
                  const std::optional<at::Tensor>& bias, bool tune) {
  atc_torch_geometry geometry{};
  if (atc_torch_geometry_init(&geometry, static_cast<std::int32_t>(c.dims())) != ATC_OK)
    throw std::runtime_error(atc_last_error());
  for (std::size_t i = 0; i < c.dims(); ++i) {
    geometry.stride[i] = c.stride[i];
    geometry.padding[i] = c.padding[i];
    geometry.dilation[i] = c.dilation[i];
    geometry.output_padding[i] = c.output_padding[i];
  }
  geometry.transposed = c.transposed ? 1 : 0;
  geometry.groups = c.groups;
  atc_torch_options options{};
  options.struct_size = sizeof(options);
  options.tune = tune ? ATC_ON : ATC_OFF;
  options.budget_seconds = budget_on(c.device);
  options.strict_precision = ATC_ON;
  const auto pass = [](const at::Tensor& tensor) {
    return reinterpret_cast<const atc_torch_tensor*>(&tensor);
  };
  atc_torch_tensor* made = nullptr;
  if (atc_torch_convolution(&made, pass(x), pass(w), bias ? pass(*bias) : nullptr, &geometry,
                            &options) != ATC_OK)
    throw std::runtime_error(atc_last_error());
  const std::unique_ptr<at::Tensor> owner(reinterpret_cast<at::Tensor*>(made));
  return *owner;
}

Derivatives derive(const Case& c, const Operands& o, const Convolution& convolution) {
  using torch::autograd::grad;
  using torch::autograd::variable_list;
  const at::Tensor x = leaf(o.x, c.wants_x), w = leaf(o.w, c.wants_w);
  const at::Tensor bias = leaf(o.bias, c.wants_bias), gradient = leaf(o.gradient, true);
  Derivatives result;
  const at::Tensor y =
      convolution(c, x, w, bias.defined() ? std::optional(bias) : std::optional<at::Tensor>());
  result[kY] = y.detach();
  variable_list by, vectors;
  std::vector<int> places;
  const auto want = [&](bool wanted, const at::Tensor& input, const at::Tensor& vector, int place) {
    if (!wanted) return;
    by.push_back(input);
    vectors.push_back(vector);
    places.push_back(place);
  };
  want(c.wants_x, x, o.vx, kGradX);
  want(c.wants_w, w, o.vw, kGradW);
  want(c.wants_bias, bias, o.vbias, kGradBias);
  if (by.empty()) return result;
  const variable_list first = grad({y}, by, {gradient}, true, true);
  for (std::size_t i = 0; i < first.size(); ++i)
    result[static_cast<std::size_t>(places[i])] = first[i].detach();
  variable_list again{gradient};
  std::vector<std::size_t> places_again{kSecondGradient};
  if (c.wants_x) again.push_back(x), places_again.push_back(kSecondX);
  if (c.wants_w) again.push_back(w), places_again.push_back(kSecondW);
  const variable_list second = grad(first, again, vectors, std::nullopt, false, true);
  for (std::size_t i = 0; i < second.size(); ++i) result[places_again[i]] = second[i];
  return result;
}

Exact::Exact(const Case& c, const Operands& operands)
    : case_(c),
      values_(derive(c, in_double(operands, false), of_libtorch)),
      magnitudes_(derive(c, in_double(operands, true), of_libtorch)) {}

std::string Exact::compare(int which, const at::Tensor& got) const {
  const at::Tensor& value = values_[static_cast<std::size_t>(which)];
  if (got.defined() != value.defined())
    return value.defined() ? "it is undefined" : "it should be undefined";
  if (!got.defined()) return "";
  if (got.sizes() != value.sizes()) return "it has the wrong shape";
  const at::Tensor wide = got.to(at::kCPU, at::kDouble).contiguous(), exact = value.contiguous(),
                   magnitude = magnitudes_[static_cast<std::size_t>(which)].contiguous();
  const Sum sum = sum_of(case_, which);
  for (std::int64_t i = 0; i < wide.numel(); ++i) {
    const double is = wide.const_data_ptr<double>()[i], should = exact.const_data_ptr<double>()[i];
    const double allowed = tolerance(sum, case_, should, magnitude.const_data_ptr<double>()[i]);
    if (std::fabs(is - should) <= allowed) continue;
    std::ostringstream text;
    text.precision(9);
    text << "element " << i << " is " << is << ", exact is " << should << ", allowed " << allowed;
    return text.str();
  }
  return "";
}

bool is_same(const at::Tensor& a, const at::Tensor& b) {
  if (!compare_layout(a, b).empty()) return false;
  if (!a.defined()) return true;
  const at::Tensor left = a.contiguous().cpu(), right = b.contiguous().cpu();
  return left.numel() == 0 ||
         std::memcmp(left.const_data_ptr(), right.const_data_ptr(), left.nbytes()) == 0;
}

std::string compare_layout(const at::Tensor& got, const at::Tensor& expected) {
  if (got.defined() != expected.defined())
    return expected.defined() ? "it is undefined" : "it should be undefined";
  if (!got.defined()) return "";
  std::ostringstream text;
  if (got.scalar_type() != expected.scalar_type())
    text << "its dtype is " << got.scalar_type() << ", LibTorch's is " << expected.scalar_type();
  else if (got.sizes() != expected.sizes())
    text << "its shape is " << got.sizes() << ", LibTorch's is " << expected.sizes();
  else if (got.strides() != expected.strides())
    text << "its strides are " << got.strides() << ", LibTorch's are " << expected.strides();
  return text.str();
}

}  // namespace atc_torch_test
