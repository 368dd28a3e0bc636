#include "engines/cudnn/graph.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace atc::cudnn {

namespace {

int data_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return kFloat;
    case Dtype::bf16:
      return kBfloat16;
    case Dtype::f16:
      return kHalf;
  }
  return kFloat;
}

// The extents and strides of a tensor as they are passed to cuDNN. cuDNN requires at least two
// spatial dimensions.
struct Shape {
  int rank = 0;
  std::array<std::int64_t, kMaxRank> dims{}, strides{};
};

// Returns cuDNN's pointwise operation that computes an activation. Returns nothing if there is no
// activation, or if cuDNN has no such operation. The ReLU of cuDNN has parameters, with which it
// computes a clamp and a leaky ReLU, too.
std::optional<int> mode_of(Function function) {
  switch (function) {
    case Function::relu:
    case Function::clamp:
    case Function::leaky_relu:
      return kPointwiseRelu;
    case Function::silu:
      return kPointwiseSwish;
    case Function::gelu:
      return kPointwiseGelu;
    case Function::gelu_tanh:
      return kPointwiseGeluTanh;
    case Function::sigmoid:
      return kPointwiseSigmoid;
    case Function::none:
    case Function::hard_swish:
      break;
  }
  return std::nullopt;
}

// Returns the extents and strides of a tensor for cuDNN. If a dimension has one element, its stride
// has no effect on addresses, but cuDNN derives the layout (channels first or last) from it. So
// this stride is replaced by the stride that the dimension has in a dense tensor of the same layout
// as `tensor`. If the strides of `tensor` fit both layouts or neither, the layout of the other
// tensors of the problem is taken.
Shape shape_of(const Tensor& tensor, bool problems_channels_last) {
  const bool channels_last = tensor.channels_first() == tensor.channels_last()
                                 ? problems_channels_last
                                 : tensor.channels_last();
  Shape shape;
  shape.rank = tensor.rank;
  std::copy_n(tensor.shape.begin(), tensor.rank, shape.dims.begin());
  std::copy_n(tensor.strides.begin(), tensor.rank, shape.strides.begin());
  if (tensor.rank == 3) {
    shape.rank = 4;
    shape.dims[3] = shape.dims[2];
    shape.strides[3] = shape.strides[2];
    shape.dims[2] = 1;
  }
  // The numbers of the dimensions in the order of memory, the dimension with the largest stride
  // first.
  std::array<int, kMaxRank> order{};
  int at = 0;
  order[at++] = 0;
  if (!channels_last) order[at++] = 1;
  for (int i = 2; i < shape.rank; ++i) order[at++] = i;
  if (channels_last) order[at++] = 1;
  std::int64_t next = 1;  // the stride of the next dimension in a dense tensor
  for (int i = shape.rank - 1; i >= 0; --i) {
    const auto dim = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
    if (shape.dims[dim] == 1) shape.strides[dim] = next;
    next = std::max(next, shape.strides[dim] * shape.dims[dim]);
  }
  return shape;
}

bool prefers_channels_last(const Problem& problem) {
  for (const Tensor* tensor : {&problem.x, &problem.y, &problem.w})
    if (tensor->channels_first() != tensor->channels_last()) return tensor->channels_last();
  return false;
}

class Builder {
 public:
  Builder(const Problem& problem, std::size_t alignment, std::vector<Descriptor>& parts)
      : problem_(problem),
        alignment_(static_cast<std::int64_t>(alignment)),
        channels_last_(prefers_channels_last(problem)),
        parts_(parts) {}

  std::vector<RawDescriptor> operations() {
    auto* const x = tensor(problem_.x, kX);
    auto* const w = tensor(problem_.w, kW);
    auto* const y = tensor(problem_.y, kY);
    auto* const convolution = describe_convolution();
    auto* const output = problem_.direction == Direction::forward         ? y
                         : problem_.direction == Direction::backward_data ? x
                                                                          : w;
    const std::vector<Step> steps = steps_behind_sum();
    const auto result_of = [&](std::size_t step) {
      return step == steps.size() ? output : between(step);
    };
    RawDescriptor value = result_of(0);
    std::vector<RawDescriptor> operations{convolve(x, w, y, convolution, value)};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      auto* const result = result_of(i + 1);
      operations.push_back(pointwise(steps[i], value, result));
      value = result;
    }
    return operations;
  }

 private:
  // An operation on each element of an intermediate result: a function of the element alone, or
  // with a second operand.
  struct Step {
    int mode;
    RawDescriptor second = nullptr;
    Activation activation;
  };

  // Returns the operations that follow the convolution, in their order.
  std::vector<Step> steps_behind_sum() {
    std::vector<Step> steps;
    if (problem_.post_ops.scale) steps.push_back({kPointwiseMultiply, per_channel(kScale), {}});
    if (problem_.epilogue != Epilogue::none)
      steps.push_back({kPointwiseAdd, per_channel(kBias), {}});
    if (problem_.post_ops.residual)
      steps.push_back({kPointwiseAdd, tensor(problem_.output(), kResidual), {}});
    const Activation activation = problem_.activation();
    if (const std::optional<int> mode = mode_of(activation.function))
      steps.push_back({*mode, nullptr, activation});
    return steps;
  }

  RawDescriptor keep(Descriptor& descriptor) {
    descriptor.finalize();
    parts_.push_back(std::move(descriptor));
    return parts_.back().raw();
  }

  RawDescriptor tensor(const Shape& shape, int type, std::int64_t id, std::int64_t alignment,
                       bool is_virtual) {
    Descriptor tensor(Kind::tensor);
    tensor.set(Attribute::tensor_data_type, Type::data_type, type)
        .set(Attribute::tensor_dimensions, Type::int64, shape.dims.data(), shape.rank)
        .set(Attribute::tensor_strides, Type::int64, shape.strides.data(), shape.rank)
        .set(Attribute::tensor_unique_id, id)
        .set(Attribute::tensor_alignment, alignment);
    tensor.set(Attribute::tensor_is_virtual, Type::boolean, &is_virtual, 1);
    return keep(tensor);
  }

  RawDescriptor tensor(const Tensor& described, std::int64_t id) {
    return tensor(shape_of(described, channels_last_), data_type(described.dtype), id, alignment_,
                  false);
  }

  // Adds a virtual tensor in fp32: the intermediate result with this number, which is not written
  // to memory.
  RawDescriptor between(std::size_t number) {
    return tensor(shape_of(problem_.output(), channels_last_), kFloat,
                  kFirstBetween + static_cast<std::int64_t>(number), alignof(float) * 4, true);
  }

  // Adds a tensor with one number for each channel of the output.
  RawDescriptor per_channel(std::int64_t id) {
    const Tensor& output = problem_.output();
    Shape shape;
    shape.rank = std::max(output.rank, 4);
    shape.dims.fill(1);
    shape.strides.fill(1);
    shape.dims[1] = output.shape[1];
    shape.strides[0] = output.shape[1];
    if (!channels_last_) shape.strides[1] = 1;
    for (int i = 2; i < shape.rank && channels_last_; ++i)
      shape.strides[static_cast<std::size_t>(i)] = output.shape[1];
    return tensor(shape, data_type(output.dtype), id,
                  static_cast<std::int64_t>(size_of(output.dtype)), false);
  }

  RawDescriptor describe_convolution() {
    const int dims = std::max(problem_.spatial, 2), lead = dims - problem_.spatial;
    const auto spread = [&](const Extents& values, std::int64_t neutral) {
      std::array<std::int64_t, kMaxSpatial> result{};
      for (int i = 0; i < dims; ++i)
        result[static_cast<std::size_t>(i)] = i < lead ? neutral : values[i - lead];
      return result;
    };
    const auto stride = spread(problem_.stride, 1), dilation = spread(problem_.dilation, 1),
               low = spread(problem_.pad_low, 0), high = spread(problem_.pad_high, 0);
    Descriptor convolution(Kind::convolution);
    convolution.set(Attribute::convolution_compute_type, Type::data_type, kFloat)
        .set(Attribute::convolution_mode, Type::convolution_mode, kCrossCorrelation)
        .set(Attribute::convolution_spatial_dims, static_cast<std::int64_t>(dims))
        .set(Attribute::convolution_pre_paddings, Type::int64, low.data(), dims)
        .set(Attribute::convolution_post_paddings, Type::int64, high.data(), dims)
        .set(Attribute::convolution_strides, Type::int64, stride.data(), dims)
        .set(Attribute::convolution_dilations, Type::int64, dilation.data(), dims);
    return keep(convolution);
  }

  RawDescriptor convolve(RawDescriptor x, RawDescriptor w, RawDescriptor y,
                         RawDescriptor convolution, RawDescriptor output) {
    const float alpha = 1, beta = problem_.accumulate ? 1 : 0;
    const auto describe = [&](Kind kind, Attribute name_a, RawDescriptor a, Attribute name_b,
                              RawDescriptor b, Attribute name_out, Attribute name_convolution,
                              Attribute name_alpha, Attribute name_beta) {
      Descriptor operation(kind);
      operation.set(name_a, Type::descriptor, &a, 1)
          .set(name_b, Type::descriptor, &b, 1)
          .set(name_out, Type::descriptor, &output, 1)
          .set(name_convolution, Type::descriptor, &convolution, 1)
          .set(name_alpha, alpha)
          .set(name_beta, beta);
      return keep(operation);
    };
    switch (problem_.direction) {
      case Direction::backward_data:
        return describe(Kind::convolution_backward_data, Attribute::backward_data_dy, y,
                        Attribute::backward_data_w, w, Attribute::backward_data_dx,
                        Attribute::backward_data_convolution, Attribute::backward_data_alpha,
                        Attribute::backward_data_beta);
      case Direction::backward_weight:
        return describe(Kind::convolution_backward_filter, Attribute::backward_filter_x, x,
                        Attribute::backward_filter_dy, y, Attribute::backward_filter_dw,
                        Attribute::backward_filter_convolution, Attribute::backward_filter_alpha,
                        Attribute::backward_filter_beta);
      case Direction::forward:
        break;
    }
    return describe(Kind::convolution_forward, Attribute::forward_x, x, Attribute::forward_w, w,
                    Attribute::forward_y, Attribute::forward_convolution, Attribute::forward_alpha,
                    Attribute::forward_beta);
  }

  RawDescriptor pointwise(const Step& step, RawDescriptor x, RawDescriptor y) {
    Descriptor description(Kind::pointwise);
    description.set(Attribute::pointwise_mode, Type::pointwise_mode, step.mode)
        .set(Attribute::pointwise_precision, Type::data_type, kFloat);
    const Activation& activation = step.activation;
    const auto set = [&](Attribute attribute, double value) {
      description.set(attribute, Type::float64, &value, 1);
    };
    if (activation.function == Function::clamp) {
      set(Attribute::pointwise_relu_lower_clip, activation.low);
      set(Attribute::pointwise_relu_upper_clip, activation.high);
    }
    if (activation.function == Function::leaky_relu)
      set(Attribute::pointwise_relu_slope, activation.slope);
    auto* const described = keep(description);
    Descriptor operation(Kind::operation_pointwise);
    operation.set(Attribute::operation_pointwise_descriptor, Type::descriptor, &described, 1)
        .set(Attribute::operation_pointwise_x, Type::descriptor, &x, 1)
        .set(Attribute::operation_pointwise_y, Type::descriptor, &y, 1);
    if (step.second != nullptr)
      operation.set(Attribute::operation_pointwise_b, Type::descriptor, &step.second, 1);
    return keep(operation);
  }

  const Problem& problem_;
  std::int64_t alignment_;
  bool channels_last_;
  std::vector<Descriptor>& parts_;
};

}  // namespace

Graph::Graph(Handle handle, const Problem& problem, std::size_t alignment) {
  const std::vector<RawDescriptor> operations = Builder(problem, alignment, parts_).operations();
  graph_ = Descriptor(Kind::graph);
  graph_.set(Attribute::graph_handle, Type::handle, &handle, 1)
      .set(Attribute::graph_operations, Type::descriptor, operations.data(),
           static_cast<std::int64_t>(operations.size()))
      .finalize();
}

bool has_operations_for(const PostOps& post_ops) {
  const Function function = post_ops.activation.function;
  return function == Function::none || mode_of(function).has_value();
}

std::string objection(const Problem& problem) {
  if (problem.accumulate && problem.epilogue != Epilogue::none)
    return "cuDNN's graph of a bias has no place for the output's old value";
  const Tensor& output = problem.output();
  if (output.span() != output.elements()) return "cuDNN writes into the gaps of a strided output";
  return "";
}

}  // namespace atc::cudnn
