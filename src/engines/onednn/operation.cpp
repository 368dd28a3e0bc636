#include "engines/onednn/operation.hpp"

#include <algorithm>
#include <numeric>

#include "engines/faults/conditions.hpp"
#include "engines/onednn/descriptors.hpp"

namespace atc::onednn {

namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;

// The dtypes of the operands with which oneDNN's operation works. If the caller's operand has
// another dtype, it is converted before or after the operation.
struct Types {
  Dtype x, w, y, bias;
};

// Returns the dtype in which oneDNN's operation writes the output. It is the dtype of the problem's
// output if the factors are multiplied in this dtype; otherwise it is fp32. It is also fp32 if the
// old output has to be added after the operation, because oneDNN does not add it (`sums` is false):
// the addition then happens in fp32, so the sum is rounded only once.
Dtype output_type(const Problem& problem, Dtype math, bool sums) {
  const Dtype wanted = problem.output().dtype;
  if (problem.accumulate && !sums) return Dtype::f32;
  return wanted == math ? wanted : Dtype::f32;
}

Types types_of(const Problem& problem, Dtype math, bool sums) {
  Types types{math, math, math, Dtype::f32};
  const Dtype out = output_type(problem, math, sums);
  switch (problem.direction) {
    case Direction::forward:
      types.y = out;
      break;
    case Direction::backward_data:
      types.x = out;
      break;
    case Direction::backward_weight:
      types.w = out;
      break;
  }
  types.bias = out;
  return types;
}

// Appends the activation to the post-ops. The activation must be the last post-op.
void append(dnnl::post_ops& post, const Activation& activation) {
  using dnnl::algorithm;
  switch (activation.function) {
    case Function::none:
      return;
    case Function::relu:
      return post.append_eltwise(algorithm::eltwise_relu, 0.0F, 0.0F);
    case Function::clamp:
      return post.append_eltwise(algorithm::eltwise_clip, activation.low, activation.high);
    case Function::silu:
      return post.append_eltwise(algorithm::eltwise_swish, 1.0F, 0.0F);
    case Function::gelu:
      return post.append_eltwise(algorithm::eltwise_gelu_erf, 0.0F, 0.0F);
    case Function::gelu_tanh:
      return post.append_eltwise(algorithm::eltwise_gelu_tanh, 0.0F, 0.0F);
    case Function::hard_swish:
      return post.append_eltwise(algorithm::eltwise_hardswish, 1.0F / 6, 0.5F);
    case Function::sigmoid:
      return post.append_eltwise(algorithm::eltwise_logistic, 0.0F, 0.0F);
    case Function::leaky_relu:
      return post.append_eltwise(algorithm::eltwise_relu, activation.slope, 0.0F);
  }
}

// The number by which oneDNN identifies the residual among the arguments of an operation. The
// residual is always the first post-op: only the addition of the old output could precede it, and a
// problem with a residual does not accumulate.
constexpr int kResidualArgument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;

// Returns oneDNN's attributes for the problem: the scratchpad mode, the arithmetic and the
// post-ops. `residual` describes the memory from which the implementation reads the residual. Its
// layout may be "any": oneDNN then chooses the layout.
dnnl::primitive_attr attributes(const Problem& problem, bool sums, const Desc& residual) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);  // overrides ONEDNN_DEFAULT_FPMATH_MODE
  dnnl::post_ops post;
  if (sums && problem.accumulate) post.append_sum(1.0f);
  if (problem.post_ops.residual) post.append_binary(dnnl::algorithm::binary_add, residual);
  if (problem.epilogue == Epilogue::bias_relu)
    post.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  append(post, problem.post_ops.activation);
  if (post.len() != 0) attributes.set_post_ops(post);
  return attributes;
}

// Returns the residual as an operand; if the problem has none, returns an operand whose `argument`
// is 0. `output` describes the caller's memory of the output. The residual has the same layout as
// the output.
Operation::Operand residual_of(const Problem& problem, const Desc& output) {
  if (!problem.post_ops.residual) return {};
  return {kResidualArgument, output, {}};
}

struct Window {
  explicit Window(const Problem& p) {
    for (int i = 0; i < p.spatial; ++i) {
      strides.push_back(p.stride[i]);
      dilates.push_back(p.dilation[i] - 1);  // oneDNN's dilation is 0 for a kernel without gaps
      low.push_back(p.pad_low[i]);
      high.push_back(p.pad_high[i]);
    }
  }
  Dims strides, dilates, low, high;
};

Operation open_direct(const dnnl::engine& engine, const Problem& p, const Configuration& c) {
  const bool sums = p.direction == Direction::forward;
  const Types types = types_of(p, c.math, sums);
  const Window window(p);
  const auto direct = dnnl::algorithm::convolution_direct;
  const Desc x = activation(p.x, c.x, types.x), y = activation(p.y, c.y, types.y);
  const Desc w = weights(p, c.w, types.w, false);
  const Layouts caller = layouts_of(p);
  Operation op;
  op.sums = sums;
  op.x.caller = activation(p.x, caller.x, p.x.dtype);
  op.w.caller = weights(p, caller.w, p.w.dtype, false);
  op.y.caller = activation(p.y, caller.y, p.y.dtype);
  op.x.argument = p.direction == Direction::backward_data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC;
  op.w.argument =
      p.direction == Direction::backward_weight ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS;
  op.y.argument = p.direction == Direction::forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST;
  op.residual = residual_of(p, op.y.caller);
  const dnnl::primitive_attr attr = attributes(p, sums, activation(p.y, c.y, p.y.dtype));
  if (p.direction == Direction::forward) {
    Desc bias;
    if (p.epilogue != Epilogue::none) {
      op.bias.argument = DNNL_ARG_BIAS;
      op.bias.caller = strided({p.output_channels()}, {1}, p.y.dtype);
      bias = strided({p.output_channels()}, {1}, types.bias);
    }
    op.descriptor = dnnl::convolution_forward::primitive_desc(
        engine, dnnl::prop_kind::forward_training, direct, x, w, bias, y, window.strides,
        window.dilates, window.low, window.high, attr);
    return op;
  }
  // For a backward pass, oneDNN requires the descriptor of the forward pass as a hint. oneDNN's
  // convolutions only check the shapes of the hint, so its layouts do not matter.
  const dnnl::convolution_forward::primitive_desc hint(
      engine, dnnl::prop_kind::forward_training, direct, activation(p.x, Layout::any, c.math),
      weights(p, Layout::any, c.math, false), Desc(), activation(p.y, Layout::any, c.math),
      window.strides, window.dilates, window.low, window.high);
  op.hint = hint;
  if (p.direction == Direction::backward_data)
    op.descriptor = dnnl::convolution_backward_data::primitive_desc(
        engine, direct, x, w, y, window.strides, window.dilates, window.low, window.high, hint,
        attr);
  else
    op.descriptor = dnnl::convolution_backward_weights::primitive_desc(
        engine, direct, x, w, Desc(), y, window.strides, window.dilates, window.low, window.high,
        hint, attr);
  return op;
}

Operation open_deconvolution(const dnnl::engine& engine, const Problem& p, const Configuration& c) {
  const Types types = types_of(p, c.math, true);
  const Window window(p);
  const Layouts caller = layouts_of(p);
  Operation op;
  op.sums = true;
  op.x = {DNNL_ARG_DST, activation(p.x, caller.x, p.x.dtype), {}};
  op.w = {DNNL_ARG_WEIGHTS, weights(p, caller.w, p.w.dtype, true), {}};
  op.y = {DNNL_ARG_SRC, activation(p.y, caller.y, p.y.dtype), {}};
  op.residual = residual_of(p, op.x.caller);
  Desc bias;
  if (p.epilogue != Epilogue::none) {
    op.bias.argument = DNNL_ARG_BIAS;
    op.bias.caller = strided({p.output_channels()}, {1}, p.x.dtype);
    bias = strided({p.output_channels()}, {1}, types.bias);
  }
  op.descriptor = dnnl::deconvolution_forward::primitive_desc(
      engine, dnnl::prop_kind::forward_training, dnnl::algorithm::deconvolution_direct,
      activation(p.y, c.y, types.y), weights(p, c.w, types.w, true), bias,
      activation(p.x, c.x, types.x), window.strides, window.dilates, window.low, window.high,
      attributes(p, true, activation(p.x, c.x, p.x.dtype)));
  return op;
}

// Computes a 1x1 convolution by matrix products. The table shows the products for the two layouts,
// where y[M,K] means that y is a matrix of M rows and K columns. N is the batch, C and K are the
// numbers of input and output channels, S is the number of spatial positions, and M = N x S:
//                     channels last                     channels first, batched over n
//   forward           y[M,K] = x[M,C] * w^T[C,K]        y[K,S] = w[K,C] * x[C,S]
//   backward-data     x[M,C] = y[M,K] * w[K,C]          x[C,S] = w^T[C,K] * y[K,S]
//   backward-weight   w[K,C] = y^T[K,M] * x[M,C]        none: the batch would be a reduction
Operation open_matmul(const dnnl::engine& engine, const Problem& p, const Configuration& c) {
  const Types types = types_of(p, c.math, true);
  const std::int64_t channels_in = p.channels_in(), channels_out = p.channels_out();
  const std::int64_t space = std::accumulate(p.x.shape.begin() + 2, p.x.shape.begin() + p.x.rank,
                                             std::int64_t{1}, std::multiplies<>());
  const std::int64_t rows = p.batch() * space;
  // The layout of the caller's memory: channels last or channels first. fits() and is_form() have
  // checked that the layout is one of these two.
  const bool last = c.x == Layout::last;
  const bool forward = p.direction == Direction::forward;

  const auto plane = [&](std::int64_t channels, Dtype dtype) {
    return last ? strided({rows, channels}, {channels, 1}, dtype)
                : strided({p.batch(), channels, space}, {channels * space, space, 1}, dtype);
  };
  const auto matrix = [&](bool transposed, Layout layout, Dtype dtype) {
    Dims extents{channels_out, channels_in}, strides{p.w.strides[0], p.w.strides[1]};
    if (transposed) {
      std::swap(extents[0], extents[1]);
      std::swap(strides[0], strides[1]);
    }
    if (!last) {
      extents.insert(extents.begin(), 1);
      // The added dimension has one element, so its stride has no effect. strided() replaces it.
      strides.insert(strides.begin(), 1);
    }
    return layout == Layout::any ? Desc(extents, data_type_of(dtype), dnnl::memory::format_tag::any)
                                 : strided(extents, strides, dtype);
  };
  const auto reduced = [&](Dtype dtype) {  // the transpose of y, for backward-weight
    return strided({channels_out, rows}, {1, channels_out}, dtype);
  };

  Operation op;
  op.sums = true;
  Desc left, right, out;
  if (p.direction == Direction::backward_weight) {
    op.x = {DNNL_ARG_WEIGHTS, plane(channels_in, p.x.dtype), {}};
    op.w = {DNNL_ARG_DST, matrix(false, Layout::given, p.w.dtype), {}};
    op.y = {DNNL_ARG_SRC, reduced(p.y.dtype), {}};
    left = reduced(types.y);
    right = plane(channels_in, types.x);
    out = matrix(false, c.w, types.w);
  } else {
    const bool transposed = forward == last;
    op.x = {0, plane(channels_in, p.x.dtype), {}};
    op.y = {0, plane(channels_out, p.y.dtype), {}};
    op.w = {
        last ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC, matrix(transposed, Layout::given, p.w.dtype), {}};
    (forward ? op.y : op.x).argument = DNNL_ARG_DST;
    (forward ? op.x : op.y).argument = last ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS;
    const Desc factor = forward ? plane(channels_in, types.x) : plane(channels_out, types.y);
    out = forward ? plane(channels_out, types.y) : plane(channels_in, types.x);
    const Desc filters = matrix(transposed, c.w, types.w);
    left = last ? factor : filters;
    right = last ? filters : factor;
  }
  Desc bias;
  if (p.epilogue != Epilogue::none) {
    const std::int64_t channels = p.output_channels();
    const Dims extents = last ? Dims{1, channels} : Dims{1, channels, 1};
    const Dims strides = last ? Dims{channels, 1} : Dims{channels, 1, 1};
    op.bias.argument = DNNL_ARG_BIAS;
    op.bias.caller = strided(extents, strides, p.output().dtype);
    bias = strided(extents, strides, types.bias);
  }
  const Desc& output = forward ? op.y.caller : op.x.caller;
  op.residual = residual_of(p, output);
  op.descriptor =
      dnnl::matmul::primitive_desc(engine, left, right, bias, out, attributes(p, true, output));
  return op;
}

}  // namespace

void Operation::read_layouts() {
  for (Operand* operand : {&x, &w, &y, &bias, &residual})
    if (operand->argument != 0)
      operand->seen = descriptor.query_md(dnnl::query::exec_arg_md, operand->argument);
}

bool fits(const Problem& p, Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::direct:
      // oneDNN's primitives for gradients take neither a bias nor post-ops.
      return p.direction == Direction::forward ||
             (p.epilogue == Epilogue::none && !p.post_ops.any());
    case Algorithm::deconvolution:
      return p.direction == Direction::backward_data;
    case Algorithm::matmul:
      break;
  }
  if (p.groups != 1) return false;
  for (int i = 0; i < p.spatial; ++i)
    if (p.kernel(i) != 1 || p.stride[i] != 1 || p.pad_low[i] != 0 || p.pad_high[i] != 0)
      return false;
  const Layouts caller = layouts_of(p);
  if (caller.x != caller.y || caller.x == Layout::given) return false;
  return caller.x == Layout::last || p.direction != Direction::backward_weight;
}

bool has_long_rows(const Problem& problem) {
  return faults::tabulated_row(problem) > std::int64_t{1} << 18;
}

Operation open(const dnnl::engine& engine, const Problem& problem,
               const Configuration& configuration) {
  Operation op;
  switch (configuration.algorithm) {
    case Algorithm::direct:
      op = open_direct(engine, problem, configuration);
      break;
    case Algorithm::deconvolution:
      op = open_deconvolution(engine, problem, configuration);
      break;
    case Algorithm::matmul:
      op = open_matmul(engine, problem, configuration);
      break;
  }
  op.read_layouts();
  return op;
}

}  // namespace atc::onednn
