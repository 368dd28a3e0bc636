#include "problem.hpp"

#include <c10/core/MemoryFormat.h>
#include <c10/util/strides.h>

#include <algorithm>
#include <vector>

#include "cuda.hpp"

namespace atc_torch {

namespace {

std::optional<atc_dtype> dtype_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return ATC_DTYPE_F32;
    case at::kBFloat16:
      return ATC_DTYPE_BF16;
    case at::kHalf:
      return ATC_DTYPE_F16;
    default:
      return std::nullopt;
  }
}

// Returns true if each element of the tensor has memory of its own. The elements of an expanded
// tensor do not.
bool has_own_elements(const at::Tensor& tensor) {
  if (tensor.is_non_overlapping_and_dense()) return true;
  // The tensor may be strided, for example a slice of another tensor. If the dimensions are sorted
  // by stride, each stride must be at least the span of the dimensions before it.
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;
  for (std::int64_t i = 0; i < tensor.dim(); ++i)
    if (tensor.size(i) > 1) dims.emplace_back(tensor.stride(i), tensor.size(i));
  std::sort(dims.begin(), dims.end());
  std::int64_t span = 1;
  for (const auto& [stride, size] : dims) {
    if (stride < span) return false;
    span = stride * size;
  }
  return true;
}

std::optional<Reason> why_not(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.layout() != at::kStrided || tensor.is_quantized() ||
      tensor.is_mkldnn() || tensor.is_conj() || tensor.is_neg() ||
      tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides())
    return Reason::layout;
  if (!tensor.is_cpu() && !tensor.is_cuda()) return Reason::device;
  if (!dtype_of(tensor)) return Reason::dtype;
  if (tensor.numel() == 0) return Reason::shape;
  if (!has_own_elements(tensor)) return Reason::layout;
  return std::nullopt;
}

// Returns the reason why `tensor` cannot be the operand whose gradient a convolution computes.
// Returns nothing if it can. The convolution reads the tensor `read`, but not the values of
// `tensor`, so fewer properties of `tensor` are checked.
std::optional<Reason> why_not_like(const at::Tensor& tensor, const at::Tensor& read) {
  if (!tensor.defined() || tensor.layout() != at::kStrided ||
      tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides())
    return Reason::layout;
  if (tensor.device() != read.device()) return Reason::device;
  if (tensor.scalar_type() != read.scalar_type()) return Reason::dtype;
  if (tensor.numel() == 0) return Reason::shape;
  return std::nullopt;
}

std::optional<Reason> why_not(const Tensors& tensors, atc_direction direction) {
  const at::Tensor* const read[2] = {direction == ATC_BACKWARD_DATA ? &tensors.y : &tensors.x,
                                     direction == ATC_BACKWARD_WEIGHT ? &tensors.y : &tensors.w};
  for (const at::Tensor* tensor : read)
    if (const auto reason = why_not(*tensor)) return reason;
  if (read[0]->device() != read[1]->device()) return Reason::device;
  if (read[0]->scalar_type() != read[1]->scalar_type()) return Reason::dtype;
  if (direction == ATC_FORWARD) return std::nullopt;
  // For a gradient, LibTorch also passes the operand whose gradient is computed (x or w). This
  // operand is checked, too.
  return why_not_like(direction == ATC_BACKWARD_DATA ? tensors.x : tensors.w, *read[0]);
}

// Returns the number in `values` for the spatial dimension `i`. As in LibTorch, a single number
// applies to all dimensions.
std::int64_t entry(at::IntArrayRef values, std::size_t i) {
  return values.size() == 1 ? values[0] : values[i];
}

bool fits(at::IntArrayRef values, std::size_t spatial, std::int64_t least) {
  return (values.size() == spatial || values.size() == 1) &&
         std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v >= least; });
}

// Returns whether LibTorch accepts the shapes and engines of atc can compute the convolution. All
// other convolutions are left to LibTorch, which refuses wrong shapes with its own message.
bool is_sound(at::IntArrayRef x, at::IntArrayRef w, const Geometry& g) {
  if (x.size() != w.size() || x.size() < 3 || x.size() > 5 || g.groups < 1) return false;
  const std::size_t spatial = x.size() - 2;
  if (!fits(g.stride, spatial, 1) || !fits(g.dilation, spatial, 1) || !fits(g.padding, spatial, 0))
    return false;
  if (g.transposed) {
    if (!fits(g.output_padding, spatial, 0)) return false;
    // LibTorch also accepts an output padding that is less than the dilation but not less than the
    // stride. Engines cannot compute such a convolution: they get the ordinary convolution with x
    // and y exchanged, which would not reach all elements of the output.
    for (std::size_t i = 0; i < spatial; ++i)
      if (entry(g.output_padding, i) >= entry(g.stride, i)) return false;
    return w[0] == x[1] && w[0] % g.groups == 0;
  }
  return w[1] * g.groups == x[1] && w[0] % g.groups == 0 && w[0] > 0;
}

// The largest extent or parameter that set_shape() accepts. Up to this limit the sums and products
// below cannot overflow. libatc may have lower limits, which is_taken() tests.
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

std::int64_t output_extent(const atc_conv_problem& p, int i) {
  const std::int64_t kernel = p.dilation[i] * (p.kernel[i] - 1) + 1;
  if (p.transposed != 0)
    return (p.input[i] - 1) * p.stride[i] - 2 * p.padding_low[i] + kernel + p.output_padding[i];
  const std::int64_t room = p.input[i] + 2 * p.padding_low[i] - kernel;
  return room < 0 ? 0 : room / p.stride[i] + 1;
}

// Sets the extents of the problem. Returns false if LibTorch would refuse the call, or if there is
// nothing to compute because an extent is 0.
bool set_shape(atc_conv_problem& p, at::IntArrayRef x, at::IntArrayRef w, const Geometry& g) {
  p.spatial_dims = static_cast<std::int32_t>(x.size()) - 2;
  p.transposed = g.transposed ? 1 : 0;
  p.batch = x[0];
  p.in_channels = x[1];
  p.out_channels = g.transposed ? w[1] * g.groups : w[0];
  p.groups = g.groups;
  for (int i = 0; i < p.spatial_dims; ++i) {
    const auto at = static_cast<std::size_t>(i);
    p.input[i] = x[at + 2];
    p.kernel[i] = w[at + 2];
    p.stride[i] = entry(g.stride, at);
    p.dilation[i] = entry(g.dilation, at);
    p.padding_low[i] = p.padding_high[i] = entry(g.padding, at);
    if (g.transposed) p.output_padding[i] = entry(g.output_padding, at);
    for (const std::int64_t value : {p.stride[i], p.padding_low[i]})
      if (value > kLargest) return false;
    if (p.dilation[i] > kLargest / p.kernel[i] || p.input[i] > kLargest / p.stride[i]) return false;
    if (output_extent(p, i) < 1) return false;
  }
  return true;
}

std::vector<std::int64_t> shape_of_y(const atc_conv_problem& p) {
  std::vector<std::int64_t> shape{p.batch, p.out_channels};
  for (int i = 0; i < p.spatial_dims; ++i) shape.push_back(output_extent(p, i));
  return shape;
}

// Returns whether libatc accepts the extents and parameters. libatc is asked only if one of them is
// above the limits `usual` and `usual_elements`, because libatc accepts everything below these
// limits.
bool is_taken(const atc_conv_problem& p) {
  constexpr std::int64_t usual = 1 << 15;
  constexpr double usual_elements = 1e15;
  std::int64_t largest = 1;
  double elements = static_cast<double>(p.batch) * static_cast<double>(p.out_channels);
  for (int i = 0; i < p.spatial_dims; ++i) {
    elements *= static_cast<double>(output_extent(p, i));
    largest = std::max(
        {largest, p.kernel[i], p.stride[i], p.dilation[i], p.padding_low[i], p.output_padding[i]});
  }
  if (largest <= usual && elements <= usual_elements) return true;
  // The strides of the output are not known yet, so all tensors are assumed to be dense.
  atc_conv_problem dense = p;
  dense.layout = ATC_LAYOUT_CHANNELS_FIRST;
  return atc_conv_operand_shape(nullptr, nullptr, &dense, ATC_OPERAND_X) == ATC_OK;
}

}  // namespace

void copy_strides(std::int64_t* to, const at::Tensor& tensor) {
  const auto dims = static_cast<std::size_t>(tensor.dim());
  std::vector<std::int64_t> dense;
  if (tensor.is_contiguous()) {
    const auto strides = c10::contiguous_strides(tensor.sizes());
    dense.assign(strides.begin(), strides.end());
  } else if (dims == 4 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast)) {
    dense = c10::get_channels_last_strides_2d(tensor.sizes());
  } else if (dims == 5 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast3d)) {
    dense = c10::get_channels_last_strides_3d(tensor.sizes());
  } else {
    dense = tensor.strides().vec();
    for (std::size_t i = 0; i < dims; ++i)
      if (tensor.size(static_cast<std::int64_t>(i)) == 1) dense[i] = 1;
  }
  std::copy(dense.begin(), dense.end(), to);
}

std::optional<Reason> describe(atc_conv_problem& out, atc_direction direction,
                               const Tensors& tensors, const Geometry& geometry) {
  if (const auto reason = why_not(tensors, direction)) return reason;
  atc_conv_problem p{};
  p.struct_size = sizeof(p);
  p.direction = direction;
  p.layout = ATC_LAYOUT_STRIDED;
  p.epilogue = ATC_EPILOGUE_NONE;
  const auto dtype =
      dtype_of(direction == ATC_BACKWARD_DATA ? tensors.y : tensors.x).value_or(ATC_DTYPE_F32);
  p.x_dtype = p.w_dtype = p.y_dtype = dtype;
  const at::IntArrayRef x = tensors.x.sizes(), w = tensors.w.sizes();
  if (!is_sound(x, w, geometry) || !set_shape(p, x, w, geometry) || !is_taken(p))
    return Reason::shape;
  if (direction != ATC_FORWARD && tensors.y.sizes() != at::IntArrayRef(shape_of_y(p)))
    return Reason::shape;
  if (direction != ATC_BACKWARD_DATA) copy_strides(p.x_strides, tensors.x);
  if (direction != ATC_BACKWARD_WEIGHT) copy_strides(p.w_strides, tensors.w);
  if (direction != ATC_FORWARD) copy_strides(p.y_strides, tensors.y);
  out = p;
  return std::nullopt;
}

std::int64_t* output_strides(atc_conv_problem& problem) {
  if (problem.direction == ATC_BACKWARD_DATA) return problem.x_strides;
  return problem.direction == ATC_BACKWARD_WEIGHT ? problem.w_strides : problem.y_strides;
}

std::vector<std::int64_t> output_shape(const atc_conv_problem& p) {
  if (p.direction == ATC_FORWARD) return shape_of_y(p);
  std::vector<std::int64_t> shape;
  if (p.direction == ATC_BACKWARD_DATA) {
    shape = {p.batch, p.in_channels};
    shape.insert(shape.end(), p.input, p.input + p.spatial_dims);
    return shape;
  }
  if (p.transposed != 0)
    shape = {p.in_channels, p.out_channels / p.groups};
  else
    shape = {p.out_channels, p.in_channels / p.groups};
  shape.insert(shape.end(), p.kernel, p.kernel + p.spatial_dims);
  return shape;
}

atc_tensor_view view_of(const at::Tensor& tensor) {
  atc_tensor_view view{};
  view.data = tensor.data_ptr();
  view.device = device_of(tensor);
  view.ndim = static_cast<std::int32_t>(tensor.dim());
  view.dtype = {ATC_CODE_FLOAT, 32, 1};
  if (tensor.scalar_type() == at::kBFloat16) view.dtype = {ATC_CODE_BFLOAT, 16, 1};
  if (tensor.scalar_type() == at::kHalf) view.dtype = {ATC_CODE_FLOAT, 16, 1};
  view.shape = tensor.sizes().data();
  view.strides = tensor.strides().data();
  return view;
}

at::ScalarType scalar_type(atc_dtype dtype) {
  if (dtype == ATC_DTYPE_BF16) return at::kBFloat16;
  return dtype == ATC_DTYPE_F16 ? at::kHalf : at::kFloat;
}

}  // namespace atc_torch
