#include "cuda_layer.hpp"

#include <cmath>

#include "core/format.hpp"
#include "core/half.hpp"
#include "core/walk.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/stream.hpp"
#include "engines/reference/reference_engine.hpp"
#include "engines/reference/tolerance.hpp"
#include "support/problems.hpp"

namespace soak {

namespace {

using atc::Direction;
using atc::Dtype;
using atc::Problem;
using atc::test::Memory;
using atc::test::Spec;

constexpr atc::DeviceId kDevice{atc::DeviceType::cuda, 0};

atc::Allocation copied(const void* from, std::uint64_t bytes) {
  atc::Allocation memory(bytes, kDevice);
  atc::cuda::copy_to_device(memory.data(), from, bytes, nullptr);
  return memory;
}

// Returns how exact the results for integer operands must be. If the window is neither strided nor
// dilated, cuDNN may use Winograd or FFT, whose results have rounding errors. All other results
// must be exact.
atc::Exactness exactness_of(const Problem& known) {
  bool plain = true;
  for (int i = 0; i < known.spatial; ++i) plain &= known.stride[i] == 1 && known.dilation[i] == 1;
  return plain ? atc::Exactness::transformed : atc::Exactness::exact;
}

struct Form {
  Direction direction;
  Dtype dtype;
  Memory memory;
  std::int64_t in, out, groups, side, kernel, stride;
};

// The layers. If Winograd or FFT may be used for a layer, an output is a sum of at most 32
// products, so that its error bound is below 1/2. All right results are integers. So an output that
// is wrong by 1 is noticed.
constexpr Form kForms[] = {
    {Direction::forward, Dtype::f32, Memory::first, 16, 16, 1, 8, 1, 1},
    {Direction::forward, Dtype::f16, Memory::last, 16, 32, 1, 8, 1, 1},
    {Direction::forward, Dtype::bf16, Memory::last, 32, 16, 1, 8, 1, 1},
    {Direction::forward, Dtype::f32, Memory::first, 8, 16, 1, 16, 3, 2},
    {Direction::forward, Dtype::f16, Memory::last, 16, 16, 1, 16, 3, 2},
    {Direction::forward, Dtype::f32, Memory::first, 16, 16, 16, 12, 3, 1},
    {Direction::forward, Dtype::f16, Memory::last, 16, 16, 16, 12, 3, 1},
    {Direction::forward, Dtype::f32, Memory::first, 16, 16, 4, 12, 3, 2},
    {Direction::forward, Dtype::f32, Memory::last, 3, 8, 1, 16, 3, 1},
    {Direction::backward_data, Dtype::f32, Memory::first, 16, 16, 1, 8, 1, 1},
    {Direction::backward_data, Dtype::f16, Memory::last, 16, 16, 1, 16, 3, 2},
    {Direction::backward_data, Dtype::bf16, Memory::last, 16, 16, 16, 12, 3, 1},
    {Direction::backward_weight, Dtype::f32, Memory::first, 8, 16, 1, 16, 3, 2},
    {Direction::backward_weight, Dtype::f16, Memory::last, 16, 16, 1, 16, 3, 2},
    {Direction::backward_weight, Dtype::bf16, Memory::last, 16, 32, 1, 8, 1, 2},
    {Direction::backward_weight, Dtype::f32, Memory::first, 16, 16, 16, 12, 3, 2},
};

Problem problem_of(const Form& form) {
  Spec spec;
  spec.direction = form.direction;
  spec.channels_in = form.in;
  spec.channels_out = form.out;
  spec.groups = form.groups;
  spec.in = {form.side, form.side, 1};
  spec.kernel = {form.kernel, form.kernel, 1};
  spec.stride = {form.stride, form.stride, 1};
  spec.pad_low = spec.pad_high = {form.kernel / 2, form.kernel / 2, 0};
  spec.x_memory = spec.w_memory = spec.y_memory = form.memory;
  spec.x = spec.w = spec.y = form.dtype;
  return atc::test::build(spec);
}

}  // namespace

CudaLayer::CudaLayer(const Problem& known, std::uint64_t seed)
    : known_(known), problem_(soak::problem_of(known, false)), name_(atc::test::label(known)) {
  atc::test::Inputs inputs(known, atc::test::Fill::ternary, seed);
  atc::GuardedBuffer output(known.output());
  inputs.reset(output);
  const atc::Operands operands = inputs.with_output(output.data());
  atc::make_reference_engine()->prepare(known, {}, "direct")->execute(operands, nullptr, nullptr);
  atc::for_each_offset(known.output(), [&](std::int64_t, std::int64_t offset) {
    expected_.push_back(atc::load_element(output.data(), known.output().dtype, offset));
  });
  const bool tf32 = known.x.dtype == Dtype::f32;
  const atc::reference::Margin margin = atc::reference::ternary_margin(
      known, exactness_of(known),
      tf32 ? atc::reference::Precision::tf32 : atc::reference::Precision::fp32);
  absolute_ = margin.absolute;
  relative_ = margin.relative;

  const atc::cuda::ContextScope scope(kDevice.index);
  const auto copy = [&](const atc::Tensor& tensor, const void* from) {
    return memory_.emplace_back(copied(from, tensor.span_bytes())).data();
  };
  on_device_.x = copy(known.x, operands.x);
  on_device_.w = copy(known.w, operands.w);
  on_device_.y = copy(known.y, operands.y);
}

std::string CudaLayer::compare(const atc::GuardedBuffer& output) const {
  if (std::string reason = output.violation(); !reason.empty()) return reason;
  std::string text;
  const atc::Tensor& tensor = known_.output();
  atc::for_each_offset(tensor, [&](std::int64_t logical, std::int64_t offset) {
    if (!text.empty()) return;
    const double expected = expected_[static_cast<std::size_t>(logical)];
    const double got = atc::load_element(output.data(), tensor.dtype, offset);
    const double margin = absolute_ + relative_ * std::fabs(expected);
    if (!(std::fabs(got - expected) <= margin))
      text = atc::format("element {} is {:.9g}, expected {:.9g} within {:.3g}", logical, got,
                         expected, margin);
  });
  return text;
}

CudaOutput::CudaOutput(const CudaLayer& layer)
    : layer_(layer),
      memory_(layer.known().output().span_bytes(), kDevice),
      host_(layer.known().output()) {
  atc::Operands operands = layer.on_device();
  atc::output_of(layer.known(), operands) = memory_.data();
  views_ = std::make_unique<Views>(layer.known(), false, operands, kCuda);
  unwrite(nullptr);
}

void CudaOutput::unwrite(atc::Stream stream) {
  host_.fill_pattern();
  atc::cuda::copy_to_device(memory_.data(), host_.data(), memory_.size(), stream);
}

std::string CudaOutput::compare(atc::Stream stream) {
  host_.fill_pattern();
  atc::cuda::copy_to_host(host_.data(), memory_.data(), memory_.size(), stream);
  return layer_.compare(host_);
}

std::vector<std::unique_ptr<CudaLayer>> cuda_layers(std::uint64_t seed) {
  std::vector<std::unique_ptr<CudaLayer>> layers;
  for (const Form& form : kForms)
    layers.push_back(std::make_unique<CudaLayer>(problem_of(form), ++seed));
  return layers;
}

}  // namespace soak
