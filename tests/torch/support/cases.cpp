#include "cases.hpp"

#include <ATen/Functions.h>

#include <random>
#include <sstream>

namespace atc_torch_test {

namespace {

using Extents = std::vector<std::int64_t>;

struct Window {
  std::int64_t kernel, stride, padding, dilation;
};
constexpr Window kWindows[] = {
    {3, 1, 1, 1}, {3, 2, 1, 1}, {2, 1, 0, 2}, {1, 1, 0, 1}, {3, 2, 2, 2}};
constexpr int kKindsOfGroups = 4;
constexpr int kRepeats = 5;

// A random generator whose numbers do not depend on the standard library. The distributions of
// <random> do depend on it.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}
  std::int64_t among(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(high - low + 1));
  }
  template <typename T, std::size_t N>
  T one_of(const T (&values)[N]) {
    return values[among(0, N - 1)];
  }

 private:
  std::mt19937_64 bits_;
};

void set_channels(Case& c, int kind, Draw& draw) {
  switch (kind) {
    case 0:
      c.in = draw.among(1, 6);
      c.out = draw.among(1, 6);
      return;
    case 1:
      c.groups = 2;
      c.in = 2 * draw.among(1, 4);
      c.out = 2 * draw.among(1, 4);
      return;
    case 2:
      c.in = c.out = c.groups = draw.among(2, 6);
      return;
    default:
      c.in = c.groups = draw.among(2, 4);
      c.out = 2 * c.in;
  }
}

void set_window(Case& c, const Window& window, std::size_t dims, Draw& draw) {
  for (std::size_t i = 0; i < dims; ++i) {
    c.input.push_back(dims == 3 ? draw.among(3, 5) : draw.among(4, 9));
    // The last dimension has `window`. Each other dimension has `window`, or a plain window (one
    // element, stride 1, no padding, no dilation).
    const bool plain = i + 1 < dims && draw.among(0, 3) == 0 && !c.stride_as_one_number;
    c.kernel.push_back(plain ? 1 : window.kernel);
    c.stride.push_back(plain ? 1 : window.stride);
    c.padding.push_back(plain ? 0 : window.padding);
    c.dilation.push_back(plain ? 1 : window.dilation);
    const std::int64_t most = std::max(c.stride[i], c.dilation[i]) - 1;
    c.output_padding.push_back(c.transposed ? draw.among(0, most) : 0);
    const std::int64_t reach = c.dilation[i] * (c.kernel[i] - 1) + 1;
    if (c.input[i] + 2 * c.padding[i] < reach) c.input[i] = reach;
  }
}

Memory memory_of_operand(Draw& draw) {
  constexpr Memory kinds[] = {Memory::dense,         Memory::dense,  Memory::channels_last,
                              Memory::channels_last, Memory::sliced, Memory::transposed};
  return draw.one_of(kinds);
}

Case make_case(int dims, int index, Draw& draw) {
  Case c;
  c.seed = static_cast<std::uint64_t>(1000 * dims + index);
  c.transposed = index % 2 == 1;
  c.batch = draw.among(1, 3);
  c.stride_as_one_number = draw.among(0, 3) == 0;
  set_channels(c, index / 2 % kKindsOfGroups, draw);
  const auto window = static_cast<std::size_t>(index / 2 / kKindsOfGroups) % std::size(kWindows);
  set_window(c, kWindows[window], static_cast<std::size_t>(dims), draw);
  constexpr at::ScalarType dtypes[] = {at::kFloat,    at::kFloat, at::kFloat, at::kFloat,
                                       at::kBFloat16, at::kHalf,  at::kDouble};
  c.dtype = draw.one_of(dtypes);
  c.bias = draw.among(0, 1) == 1;
  // One case in three needs a random subset of the gradients, and the others need all gradients.
  if (draw.among(0, 2) == 0) {
    const std::int64_t mask = draw.among(0, 7);
    c.wants_x = (mask & 1) != 0;
    c.wants_w = (mask & 2) != 0;
    c.wants_bias = (mask & 4) != 0;
  }
  c.wants_bias = c.wants_bias && c.bias;
  c.x = draw.among(0, 11) == 0 ? Memory::expanded : memory_of_operand(draw);
  c.w = memory_of_operand(draw);
  c.gradient = draw.among(0, 3) == 0 ? Memory::expanded : memory_of_operand(draw);
  return c;
}

const char* name(Memory memory) {
  switch (memory) {
    case Memory::dense:
      return "dense";
    case Memory::channels_last:
      return "channels last";
    case Memory::sliced:
      return "sliced";
    case Memory::transposed:
      return "transposed";
    case Memory::expanded:
      return "expanded";
  }
  return "";
}

at::Tensor channels_last(const at::Tensor& values) {
  if (values.dim() == 4) return values.contiguous(at::MemoryFormat::ChannelsLast);
  if (values.dim() == 5) return values.contiguous(at::MemoryFormat::ChannelsLast3d);
  return values.movedim(1, -1).contiguous().movedim(-1, 1);
}

at::Tensor sliced(const at::Tensor& values) {
  std::vector<std::int64_t> larger = values.sizes().vec();
  for (std::int64_t& extent : larger) extent += 2;
  at::Tensor part = at::full(larger, 1e3, values.options());
  for (std::int64_t i = 0; i < values.dim(); ++i) part = part.narrow(i, 1, values.size(i));
  return part.copy_(values);
}

}  // namespace

bool Case::pads_beyond_stride() const {
  for (std::size_t i = 0; i < dims(); ++i)
    if (output_padding[i] >= stride[i]) return true;
  return false;
}

std::vector<std::int64_t> Case::x_shape() const {
  Extents shape{batch, in};
  shape.insert(shape.end(), input.begin(), input.end());
  return shape;
}

std::vector<std::int64_t> Case::w_shape() const {
  Extents shape = transposed ? Extents{in, out / groups} : Extents{out, in / groups};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  return shape;
}

std::vector<std::int64_t> Case::y_shape() const {
  Extents shape{batch, out};
  for (std::size_t i = 0; i < dims(); ++i) {
    const std::int64_t reach = dilation[i] * (kernel[i] - 1) + 1;
    shape.push_back(transposed
                        ? (input[i] - 1) * stride[i] - 2 * padding[i] + reach + output_padding[i]
                        : (input[i] + 2 * padding[i] - reach) / stride[i] + 1);
  }
  return shape;
}

std::vector<std::int64_t> Case::given_stride() const {
  return stride_as_one_number ? Extents{stride[0]} : stride;
}

std::vector<Case> make_cases(int dims, c10::DeviceType device, std::size_t every) {
  Draw draw(static_cast<std::uint64_t>(dims));
  std::vector<Case> cases;
  const int count = 2 * kKindsOfGroups * static_cast<int>(std::size(kWindows)) * kRepeats;
  for (int i = 0; i < count; ++i) {
    // A case that is left out is made, too, because each case is made from the random numbers that
    // follow those of the previous case.
    const Case c = make_case(dims, i, draw);
    if (static_cast<std::size_t>(i) % every != 0) continue;
    cases.push_back(c);
    cases.back().device = device;
  }
  return cases;
}

std::string describe(const Case& c) {
  std::ostringstream text;
  text << (c.device == c10::DeviceType::CUDA ? "on CUDA " : "")
       << (c.transposed ? "transposed" : "convolution") << " x" << at::IntArrayRef(c.x_shape())
       << " " << name(c.x) << " w" << at::IntArrayRef(c.w_shape()) << " " << name(c.w) << " stride"
       << at::IntArrayRef(c.given_stride()) << " padding" << at::IntArrayRef(c.padding)
       << " dilation" << at::IntArrayRef(c.dilation) << " output_padding"
       << at::IntArrayRef(c.output_padding) << " groups " << c.groups << " "
       << at::toString(c.dtype) << (c.bias ? " with bias" : "") << ", gradient " << name(c.gradient)
       << ", wants" << (c.wants_x ? " x" : "") << (c.wants_w ? " w" : "")
       << (c.wants_bias ? " bias" : "");
  return text.str();
}

at::Tensor arrange(const at::Tensor& values, Memory memory) {
  switch (memory) {
    case Memory::dense:
      break;
    case Memory::channels_last:
      return channels_last(values);
    case Memory::sliced:
      return sliced(values);
    case Memory::transposed:
      return values.transpose(0, -1).contiguous().transpose(0, -1);
    case Memory::expanded:
      return values.narrow(0, 0, 1).contiguous().expand_as(values);
  }
  return values.contiguous();
}

Operands make_operands(const Case& c) {
  at::manual_seed(c.seed);
  const auto normal = [&](at::IntArrayRef shape) { return at::randn(shape).to(c.device, c.dtype); };
  Operands o;
  o.x = arrange(normal(c.x_shape()), c.x);
  o.w = arrange(normal(c.w_shape()), c.w);
  // An expanded gradient is one number for all elements, like the gradient that autograd makes for
  // a sum.
  o.gradient = c.gradient == Memory::expanded
                   ? at::ones({}, at::TensorOptions(c.device).dtype(c.dtype)).expand(c.y_shape())
                   : arrange(normal(c.y_shape()), c.gradient);
  o.vx = normal(c.x_shape());
  o.vw = normal(c.w_shape());
  if (!c.bias) return o;
  o.bias = normal({c.out});
  o.vbias = normal({c.out});
  return o;
}

}  // namespace atc_torch_test
