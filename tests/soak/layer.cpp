#include "layer.hpp"

#include <algorithm>
#include <cstring>

#include "random.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"

namespace soak {

namespace {

using atc::Direction;
using atc::Dtype;
using atc::Problem;
using atc::test::Fill;

// The largest number of operations that a layer may have. The reference executes such a layer in
// far less than a tenth of a second, even with a sanitizer.
constexpr double kMostFlops = 400'000;

std::int32_t number_of(Dtype dtype) { return static_cast<std::int32_t>(dtype); }

void copy_strides(std::int64_t (&to)[5], const atc::Tensor& from) {
  std::copy(from.strides.begin(), from.strides.end(), to);
}

atc_tensor_view view_of(const atc::Tensor& tensor, const void* data, atc_device device) {
  atc_tensor_view view{};
  view.data = const_cast<void*>(data);
  view.device = device;
  view.ndim = tensor.rank;
  view.dtype.code = tensor.dtype == Dtype::bf16 ? ATC_CODE_BFLOAT : ATC_CODE_FLOAT;
  view.dtype.bits = static_cast<std::uint8_t>(8 * atc::size_of(tensor.dtype));
  view.dtype.lanes = 1;
  view.shape = tensor.shape.data();
  view.strides = tensor.strides.data();
  return view;
}

std::string name_of(const Problem& known, bool transposed) {
  return std::string(transposed ? "transposed: " : "") + atc::test::label(known);
}

}  // namespace

atc_conv_problem problem_of(const Problem& known, bool transposed) {
  atc_conv_problem p;
  atc_conv_problem_init(&p, known.spatial);
  Direction direction = known.direction;
  if (transposed && direction != Direction::backward_weight)
    direction = direction == Direction::forward ? Direction::backward_data : Direction::forward;
  p.direction = static_cast<atc_direction>(direction);
  p.transposed = transposed;
  const atc::Tensor& x = transposed ? known.y : known.x;
  const atc::Tensor& y = transposed ? known.x : known.y;
  p.batch = x.shape[0];
  p.in_channels = x.shape[1];
  p.out_channels = y.shape[1];
  p.groups = known.groups;
  for (int i = 0; i < known.spatial; ++i) {
    p.input[i] = x.shape[2 + i];
    p.kernel[i] = known.kernel(i);
    p.stride[i] = known.stride[i];
    p.dilation[i] = known.dilation[i];
    p.padding_low[i] = known.pad_low[i];
    p.padding_high[i] = known.pad_high[i];
    const std::int64_t reach = known.dilation[i] * (known.kernel(i) - 1) + 1;
    if (transposed)
      p.output_padding[i] = known.in(i) + known.pad_low[i] + known.pad_high[i] - reach -
                            (known.out(i) - 1) * known.stride[i];
  }
  p.x_dtype = number_of(x.dtype);
  p.w_dtype = number_of(known.w.dtype);
  p.y_dtype = number_of(y.dtype);
  p.layout = ATC_LAYOUT_STRIDED;
  p.epilogue = static_cast<atc_epilogue>(known.epilogue);
  p.accumulate = known.accumulate;
  copy_strides(p.x_strides, x);
  copy_strides(p.w_strides, known.w);
  copy_strides(p.y_strides, y);
  return p;
}

Views::Views(const Problem& known, bool transposed, const atc::Operands& operands,
             atc_device device)
    : of_x_(transposed ? known.y : known.x),
      of_w_(known.w),
      of_y_(transposed ? known.x : known.y),
      of_bias_(known.bias()),
      x_(view_of(of_x_, transposed ? operands.y : operands.x, device)),
      w_(view_of(of_w_, operands.w, device)),
      y_(view_of(of_y_, transposed ? operands.x : operands.y, device)),
      bias_(view_of(of_bias_, operands.bias, device)) {}

Layer::Layer(const Problem& known, bool transposed, std::uint64_t seed)
    : known_(known),
      transposed_(transposed),
      problem_(problem_of(known, transposed)),
      name_(name_of(known, transposed)),
      inputs_(known, Fill::ternary, seed),
      expected_(known, inputs_, Fill::ternary) {}

std::unique_ptr<Views> Layer::on_cpu(atc::GuardedBuffer& output) const {
  constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};
  return std::make_unique<Views>(known_, transposed_, inputs_.with_output(output.data()), kCpu);
}

bool suits_own_engine(const Problem& known) {
  return known.direction == Direction::forward && known.x.dtype == Dtype::f32 &&
         known.w.dtype == Dtype::f32 && known.y.dtype == Dtype::f32 && known.batch() > 0;
}

std::vector<std::unique_ptr<Layer>> draw_layers(std::size_t count, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<Problem> known = atc::test::make_grid(1, seed).problems;
  std::vector<std::unique_ptr<Layer>> layers;
  while (layers.size() < count && !known.empty()) {
    std::swap(random.of(known), known.back());
    const Problem drawn = known.back();
    known.pop_back();
    const bool wanted = layers.size() >= count / 4 || suits_own_engine(drawn);
    if (!wanted || drawn.flops() > kMostFlops) continue;
    const bool may_be_transposed = drawn.direction == Direction::backward_data;
    const bool must_be = may_be_transposed && drawn.epilogue != atc::Epilogue::none;
    const bool transposed = must_be || (may_be_transposed && random.once_in(2));
    layers.push_back(std::make_unique<Layer>(drawn, transposed, random.next()));
  }
  return layers;
}

}  // namespace soak
