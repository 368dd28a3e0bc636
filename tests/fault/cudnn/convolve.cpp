#include "fault/cudnn/convolve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

namespace atc::fault {

namespace {

using Numbers = std::vector<std::int64_t>;
// The index of an element of a tensor. The index has one entry for each dimension of the tensor.
using Index = std::array<std::int64_t, 5>;

// A tensor of a cuDNN graph. `data` is null if the tensor has no memory.
struct Image {
  Numbers dims, strides;
  float* data = nullptr;

  Image(const Node& tensor, const Pointers& pointers)
      : dims(tensor.numbers<std::int64_t>(Attribute::tensor_dimensions)),
        strides(tensor.numbers<std::int64_t>(Attribute::tensor_strides)) {
    const auto known = pointers.find(tensor.number<std::int64_t>(Attribute::tensor_unique_id));
    if (known != pointers.end()) data = known->second;
  }

  std::int64_t elements() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : dims) count *= extent;
    return count;
  }
  std::int64_t offset(const Index& index) const {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) offset += index[i] * strides[i];
    return offset;
  }
  std::int64_t logical(const Index& index) const {
    std::int64_t logical = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) logical = logical * dims[i] + index[i];
    return logical;
  }
  Index index(std::int64_t logical) const {
    Index index{};
    for (std::size_t i = dims.size(); i-- > 0; logical /= dims[i]) index[i] = logical % dims[i];
    return index;
  }
};

// The attributes by which a program passes the operands of a convolution to cuDNN. In cuDNN each
// direction (forward or backward) has attributes of its own.
struct Names {
  Attribute x, w, y, convolution, beta;
};

Names names_of(Kind kind) {
  switch (kind) {
    case Kind::convolution_backward_data:
      return {Attribute::backward_data_dx, Attribute::backward_data_w, Attribute::backward_data_dy,
              Attribute::backward_data_convolution, Attribute::backward_data_beta};
    case Kind::convolution_backward_filter:
      return {Attribute::backward_filter_x, Attribute::backward_filter_dw,
              Attribute::backward_filter_dy, Attribute::backward_filter_convolution,
              Attribute::backward_filter_beta};
    default:
      return {Attribute::forward_x, Attribute::forward_w, Attribute::forward_y,
              Attribute::forward_convolution, Attribute::forward_beta};
  }
}

// Rounds the value to 8 significant bits, the precision of bf16.
float narrow(float value) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
}

class Convolution {
 public:
  Convolution(const Node& operation, const Pointers& pointers, bool imprecise)
      : kind_(operation.kind),
        names_(names_of(kind_)),
        x_(*operation.node(names_.x), pointers),
        w_(*operation.node(names_.w), pointers),
        y_(*operation.node(names_.y), pointers),
        imprecise_(imprecise) {
    const Shared convolution = operation.node(names_.convolution);
    stride_ = convolution->numbers<std::int64_t>(Attribute::convolution_strides);
    dilation_ = convolution->numbers<std::int64_t>(Attribute::convolution_dilations);
    padding_ = convolution->numbers<std::int64_t>(Attribute::convolution_pre_paddings);
    beta_ = operation.number<float>(names_.beta);
  }

  // Returns the elements of the output as double, in logical order. Each product belongs to one
  // element of x, one of w and one of y. The direction determines which of these three tensors is
  // the output, to which the products are added.
  std::vector<double> sums() const {
    const Image& output = this->output();
    std::vector<double> sums(static_cast<std::size_t>(output.elements()), 0.0);
    const std::int64_t group_in = w_.dims[1], groups = x_.dims[1] / group_in,
                       group_out = w_.dims[0] / groups, taps = w_.elements() / w_.dims[0];
    for (std::int64_t at = 0; at < y_.elements(); ++at) {
      const Index y = y_.index(at);
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        Index w = w_.index(tap), x = y;
        w[0] = y[1];
        x[1] = y[1] / group_out * group_in + w[1];
        if (!is_inside(y, w, x)) continue;
        const Index& index = kind_ == Kind::convolution_backward_data     ? x
                             : kind_ == Kind::convolution_backward_filter ? w
                                                                          : y;
        sums[static_cast<std::size_t>(output.logical(index))] += product(x, w, y);
      }
    }
    if (beta_ != 0 && output.data != nullptr)
      for (std::int64_t i = 0; i < output.elements(); ++i)
        sums[static_cast<std::size_t>(i)] +=
            static_cast<double>(beta_) * output.data[output.offset(output.index(i))];
    return sums;
  }

  const Image& output() const {
    return kind_ == Kind::convolution_backward_data     ? x_
           : kind_ == Kind::convolution_backward_filter ? w_
                                                        : y_;
  }
  bool is_depthwise() const { return x_.dims[1] > 1 && w_.dims[1] == 1; }
  const Numbers& size() const { return x_.dims; }
  float* an_input() const { return kind_ == Kind::convolution_backward_data ? w_.data : x_.data; }

 private:
  bool is_inside(const Index& y, const Index& w, Index& x) const {
    for (std::size_t d = 2; d < x_.dims.size(); ++d) {
      x[d] = y[d] * stride_[d - 2] + w[d] * dilation_[d - 2] - padding_[d - 2];
      if (x[d] < 0 || x[d] >= x_.dims[d]) return false;
    }
    return true;
  }

  double product(const Index& x, const Index& w, const Index& y) const {
    const auto load = [&](const Image& image, const Index& index) {
      const float value = image.data[image.offset(index)];
      return static_cast<double>(imprecise_ ? narrow(value) : value);
    };
    if (kind_ == Kind::convolution_backward_data) return load(w_, w) * load(y_, y);
    if (kind_ == Kind::convolution_backward_filter) return load(x_, x) * load(y_, y);
    return load(x_, x) * load(w_, w);
  }

  Kind kind_;
  Names names_;
  Image x_, w_, y_;
  bool imprecise_;
  Numbers stride_, dilation_, padding_;
  float beta_ = 0;
};

// Applies a function of one number, with the parameters of cuDNN's ReLU.
double activated(const Node& description, int mode, double t) {
  const auto parameter = [&](Attribute attribute, double otherwise) {
    return description.has(attribute) ? description.number<double>(attribute) : otherwise;
  };
  switch (mode) {
    case cudnn::kPointwiseRelu: {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      const double low = parameter(Attribute::pointwise_relu_lower_clip, 0);
      const double high = parameter(Attribute::pointwise_relu_upper_clip, kInfinity);
      const double slope = parameter(Attribute::pointwise_relu_slope, 0);
      return t < low ? low + slope * (t - low) : std::min(t, high);
    }
    case cudnn::kPointwiseSwish:
      return t / (1 + std::exp(-t));
    case cudnn::kPointwiseGelu:
      return t / 2 * (1 + std::erf(t / std::sqrt(2.0)));
    case cudnn::kPointwiseGeluTanh:
      return t / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (t + 0.044715 * t * t * t)));
    case cudnn::kPointwiseSigmoid:
      return 1 / (1 + std::exp(-t));
    default:
      return t;
  }
}

void apply(const Node& pointwise, const Image& shape, const Pointers& pointers,
           std::vector<double>& values) {
  const Node& description = *pointwise.node(Attribute::operation_pointwise_descriptor);
  const int mode = description.number<int>(Attribute::pointwise_mode);
  if (mode != cudnn::kPointwiseAdd && mode != cudnn::kPointwiseMultiply) {
    for (double& value : values) value = activated(description, mode, value);
    return;
  }
  // The second operand has either the shape of the output, or one number for each channel.
  const Image second(*pointwise.node(Attribute::operation_pointwise_b), pointers);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Index index = shape.index(static_cast<std::int64_t>(i));
    for (std::size_t d = 0; d < second.dims.size(); ++d)
      if (second.dims[d] == 1) index[d] = 0;
    const auto operand = static_cast<double>(second.data[second.offset(index)]);
    values[i] = mode == cudnn::kPointwiseAdd ? values[i] + operand : values[i] * operand;
  }
}

// Returns whether the previous execution of the engine had another size than `size`, and remembers
// `size` for the next call.
bool follows_another_size(const Engine& engine, const Numbers& size) {
  struct Last {
    std::mutex mutex;
    // The size of the last execution; the key is the index of the engine.
    std::map<std::int64_t, Numbers> sizes;
  };
  static auto* const last = new Last;
  const std::lock_guard lock(last->mutex);
  const auto [known, first] = last->sizes.emplace(engine.index, size);
  const bool another = !first && known->second != size;
  known->second = size;
  return another;
}

void misbehave(Deed deed, const Image& output, float* input) {
  const std::int64_t last = output.elements() - 1;
  float& middle = output.data[output.offset(output.index(last / 2))];
  switch (deed) {
    case Deed::wrong:
      middle += 1;
      return;
    case Deed::not_finite:
      middle = std::numeric_limits<float>::infinity();
      return;
    case Deed::before_the_start:
      output.data[-1] = 1;
      return;
    case Deed::behind_the_end:
      output.data[output.offset(output.index(last)) + 1] = 1;
      return;
    case Deed::into_its_input:
      *input += 1;
      return;
    case Deed::right:
    case Deed::imprecise:
    case Deed::leaves_one:
    case Deed::reads_workspace:
    case Deed::remembers_sizes:
      return;
  }
}

}  // namespace

void convolve(const Node& graph, const Pointers& pointers, float* workspace, const Engine& engine) {
  const std::vector<Shared> operations = graph.nodes(Attribute::graph_operations);
  const Convolution convolution(*operations.front(), pointers, engine.deed == Deed::imprecise);
  std::vector<double> values = convolution.sums();
  Image output = convolution.output();
  for (std::size_t i = 1; i < operations.size(); ++i) {
    apply(*operations[i], output, pointers, values);
    output = Image(*operations[i]->node(Attribute::operation_pointwise_y), pointers);
  }
  if (engine.deed == Deed::reads_workspace) values[0] += static_cast<double>(*workspace);
  std::fill_n(workspace, static_cast<std::size_t>(engine.workspace) / sizeof(float), 0.0F);
  const std::size_t left = engine.deed == Deed::leaves_one ? 1 : 0;
  for (std::size_t i = 0; i + left < values.size(); ++i)
    output.data[output.offset(output.index(static_cast<std::int64_t>(i)))] =
        static_cast<float>(values[i]);
  const bool remembers = engine.deed == Deed::remembers_sizes && convolution.is_depthwise() &&
                         follows_another_size(engine, convolution.size());
  misbehave(remembers ? Deed::wrong : engine.deed, output, convolution.an_input());
}

}  // namespace atc::fault
