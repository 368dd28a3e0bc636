// Converts atc_conv_problem to Problem and back.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "convert.hpp"
#include "convert_post_ops.hpp"
#include "guard.hpp"

namespace atc::ffi {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
// The largest value of a kernel extent, stride, dilation or padding, because oneDNN and cuDNN store
// these as signed 32-bit numbers.
constexpr std::int64_t kLargestParameter = std::numeric_limits<std::int32_t>::max();

void check_range(std::int64_t value, std::int64_t least, std::int64_t most, const char* name) {
  if (value < least || value > most)
    fail(Status::invalid_argument, "problem.{} is {}: use {} to {}", name, value, least, most);
}

void check_range(const std::int64_t (&values)[3], int spatial, std::int64_t least,
                 std::int64_t most, const char* name) {
  for (int i = 0; i < spatial; ++i)
    if (values[i] < least || values[i] > most)
      fail(Status::invalid_argument, "problem.{}[{}] is {}: use {} to {}", name, i, values[i],
           least, most);
}

void check_enum(std::int32_t value, std::int32_t last, const char* name, const char* names) {
  if (value < 1 || value > last)
    fail(Status::invalid_argument, "problem.{} is {}: use {} (1 to {})", name, value, names, last);
}

// Returns the extent of the caller's y along the spatial dimension `i`.
std::int64_t output_extent(const atc_conv_problem& p, int i) {
  const std::int64_t reach = p.dilation[i] * (p.kernel[i] - 1) + 1;
  const std::int64_t padding = p.padding_low[i] + p.padding_high[i];
  if (!p.transposed) {
    const std::int64_t room = p.input[i] + padding - reach;
    if (room < 0)
      fail(Status::invalid_argument,
           "problem.kernel[{}] reaches over {} elements, but the padded input has {}: enlarge "
           "problem.input[{}] or the padding",
           i, reach, p.input[i] + padding, i);
    return room / p.stride[i] + 1;
  }
  std::int64_t grown = 0;
  if (__builtin_mul_overflow(p.input[i] - 1, p.stride[i], &grown))
    fail(Status::invalid_argument, "problem.input[{}] x problem.stride[{}] is beyond 2^63", i, i);
  std::int64_t extent = 0;
  if (__builtin_add_overflow(grown, reach + p.output_padding[i] - padding, &extent))
    fail(Status::invalid_argument,
         "the output extent along dimension {} is beyond 2^63: lessen problem.input[{}]", i, i);
  if (extent < 1)
    fail(Status::invalid_argument,
         "the output extent along dimension {} would be {}: lessen problem.padding_low[{}] or "
         "problem.padding_high[{}]",
         i, extent, i, i);
  return extent;
}

void set_shape(Tensor& tensor, atc_dtype dtype, int spatial, std::int64_t first,
               std::int64_t second, const std::int64_t* rest, const char* name) {
  tensor.dtype = static_cast<Dtype>(dtype);
  tensor.rank = spatial + 2;
  tensor.shape[0] = first;
  tensor.shape[1] = second;
  std::copy(rest, rest + spatial, tensor.shape.begin() + 2);
  auto bytes = static_cast<std::int64_t>(size_of(tensor.dtype));
  for (int i = 0; i < tensor.rank; ++i)
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(tensor.shape[i], 1), &bytes))
      fail(Status::invalid_argument,
           "the bytes of {} are beyond 2^63: its extents multiply to too much", name);
}

void set_dense(Tensor& tensor, bool channels_last) {
  std::int64_t stride = 1;
  const auto take = [&](int dim) {
    tensor.strides[dim] = stride;
    stride *= std::max<std::int64_t>(tensor.shape[dim], 1);
  };
  if (channels_last) take(1);
  for (int dim = tensor.rank - 1; dim >= 2; --dim) take(dim);
  if (!channels_last) take(1);
  take(0);
}

void set_strides(Tensor& tensor, const std::int64_t (&strides)[5], const char* name) {
  std::int64_t last = 0;
  for (int i = 0; i < tensor.rank; ++i) {
    if (strides[i] < 0)
      fail(Status::invalid_argument, "problem.{}_strides[{}] is {}: strides are not negative", name,
           i, strides[i]);
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(std::max<std::int64_t>(tensor.shape[i] - 1, 0), strides[i],
                               &reach) ||
        __builtin_add_overflow(last, reach, &last) || last > kLargest / 8)
      fail(Status::invalid_argument,
           "problem.{}_strides[{}] is {}: {} would reach beyond 2^63 bytes", name, i, strides[i],
           name);
    tensor.strides[i] = tensor.shape[i] > 1 ? strides[i] : 0;
  }
  // The stride of a dimension with at most one element is never used, so it is replaced by a fixed
  // value. If the caller's value were kept, equal problems would have different records in the
  // store.
  std::int64_t longest = 1;
  for (int i = 0; i < tensor.rank; ++i)
    longest = std::max(longest, tensor.strides[i] * std::max<std::int64_t>(tensor.shape[i], 1));
  for (int i = 0; i < tensor.rank; ++i)
    if (tensor.shape[i] <= 1) tensor.strides[i] = longest;
}

// Refuses an output if two of its elements may have the same address. Refuses an input if a stride
// is 0 (a broadcast input), because no engine supports such an input.
void check_overlap(const Tensor& tensor, bool is_output, const char* name) {
  std::multimap<std::int64_t, int> by_stride;
  for (int i = 0; i < tensor.rank; ++i) {
    if (tensor.shape[i] == 0) return;
    if (tensor.shape[i] > 1) by_stride.emplace(tensor.strides[i], i);
  }
  std::int64_t reach = 0;
  for (const auto& [stride, dim] : by_stride) {
    if (stride == 0 && !is_output)
      fail(Status::unsupported,
           "problem.{}_strides[{}] is 0 on an extent of {}: broadcast inputs are not supported, "
           "copy "
           "the tensor",
           name, dim, tensor.shape[dim]);
    if (is_output && stride <= reach)
      fail(Status::invalid_argument,
           "problem.{}_strides[{}] is {}: the output would overlap itself, use at least {}", name,
           dim, stride, reach + 1);
    reach += (tensor.shape[dim] - 1) * stride;
  }
}

void check_fields(const atc_conv_problem& p) {
  check_range(p.spatial_dims, 1, kMaxSpatial, "spatial_dims");
  check_enum(p.direction, 3, "direction", "forward, backward-data or backward-weight");
  check_range(p.transposed, 0, 1, "transposed");
  check_range(p.accumulate, 0, 1, "accumulate");
  check_enum(p.x_dtype, 3, "x_dtype", "a data type");
  check_enum(p.w_dtype, 3, "w_dtype", "a data type");
  check_enum(p.y_dtype, 3, "y_dtype", "a data type");
  check_enum(p.layout, 3, "layout", "a layout");
  check_enum(p.epilogue, 3, "epilogue", "an epilogue");
  if (p.epilogue != ATC_EPILOGUE_NONE && p.direction != ATC_FORWARD)
    fail(Status::invalid_argument,
         "problem.epilogue is {}: only the direction forward has one, leave it out", p.epilogue);
  check_post_ops(p);
  check_range(p.batch, 0, kLargest, "batch");
  check_range(p.in_channels, 1, kLargest, "in_channels");
  check_range(p.out_channels, 1, kLargest, "out_channels");
  check_range(p.groups, 1, kLargest, "groups");
  for (const auto& [channels, name] :
       {std::pair{p.in_channels, "in_channels"}, std::pair{p.out_channels, "out_channels"}})
    if (channels % p.groups != 0)
      fail(Status::invalid_argument, "problem.{} is {}, no multiple of problem.groups {}", name,
           channels, p.groups);
  const int n = p.spatial_dims;
  // The largest input extent is an eighth of the largest int64, so that the sums in output_extent
  // cannot overflow.
  check_range(p.input, n, 1, kLargest / 8, "input");
  check_range(p.kernel, n, 1, kLargestParameter, "kernel");
  check_range(p.stride, n, 1, kLargestParameter, "stride");
  check_range(p.dilation, n, 1, kLargestParameter, "dilation");
  check_range(p.padding_low, n, 0, kLargestParameter, "padding_low");
  check_range(p.padding_high, n, 0, kLargestParameter, "padding_high");
  for (int i = 0; i < n; ++i) {
    if (!p.transposed && p.output_padding[i] != 0)
      fail(Status::invalid_argument,
           "problem.output_padding[{}] is {}: only transposed convolutions have one, use 0", i,
           p.output_padding[i]);
    if (p.output_padding[i] < 0 ||
        p.output_padding[i] >= std::max({p.stride[i], p.dilation[i], std::int64_t{1}}))
      if (p.output_padding[i] != 0)
        fail(Status::invalid_argument,
             "problem.output_padding[{}] is {}: it must be at least 0 and below the larger of "
             "stride {} "
             "and dilation {}",
             i, p.output_padding[i], p.stride[i], p.dilation[i]);
  }
}

}  // namespace

Problem to_problem(const atc_conv_problem* given) {
  const auto p = read_struct(given, "problem");
  check_fields(p);
  std::int64_t output[3] = {};
  for (int i = 0; i < p.spatial_dims; ++i) output[i] = output_extent(p, i);

  Problem problem;
  problem.spatial = p.spatial_dims;
  problem.groups = p.groups;
  set_post_ops(problem, p);
  problem.accumulate = p.accumulate == 1;
  problem.from_transposed = p.transposed == 1;
  for (int i = 0; i < p.spatial_dims; ++i) {
    problem.stride[i] = p.stride[i];
    problem.dilation[i] = p.dilation[i];
    problem.pad_low[i] = p.padding_low[i];
    problem.pad_high[i] = p.padding_high[i];
  }
  Tensor x, w, y;
  set_shape(x, p.x_dtype, p.spatial_dims, p.batch, p.in_channels, p.input, "x");
  set_shape(y, p.y_dtype, p.spatial_dims, p.batch, p.out_channels, output, "y");
  const std::int64_t rows = p.transposed ? p.in_channels : p.out_channels;
  const std::int64_t columns = (p.transposed ? p.out_channels : p.in_channels) / p.groups;
  set_shape(w, p.w_dtype, p.spatial_dims, rows, columns, p.kernel, "w");
  if (p.layout == ATC_LAYOUT_STRIDED) {
    set_strides(x, p.x_strides, "x");
    set_strides(w, p.w_strides, "w");
    set_strides(y, p.y_strides, "y");
    check_overlap(x, p.direction == ATC_BACKWARD_DATA, "x");
    check_overlap(w, p.direction == ATC_BACKWARD_WEIGHT, "w");
    check_overlap(y, p.direction == ATC_FORWARD, "y");
  } else {
    for (Tensor* tensor : {&x, &w, &y}) set_dense(*tensor, p.layout == ATC_LAYOUT_CHANNELS_LAST);
  }
  problem.w = w;
  problem.direction = static_cast<Direction>(p.direction);
  if (p.transposed) {
    std::swap(x, y);
    if (p.direction == ATC_FORWARD) problem.direction = Direction::backward_data;
    if (p.direction == ATC_BACKWARD_DATA) problem.direction = Direction::forward;
  }
  problem.x = x;
  problem.y = y;
  return problem;
}

namespace {

// Returns the problem as a C struct with explicit strides. `x` and `y` are the tensors that the
// caller calls x and y.
atc_conv_problem with_strides(const Problem& problem, const Tensor& x, const Tensor& y) {
  atc_conv_problem p{};
  p.struct_size = sizeof(p);
  p.direction = static_cast<atc_direction>(problem.direction);
  p.spatial_dims = problem.spatial;
  p.batch = x.shape[0];
  p.in_channels = x.shape[1];
  p.out_channels = y.shape[1];
  p.groups = problem.groups;
  for (int i = 0; i < problem.spatial; ++i) {
    p.input[i] = x.shape[2 + i];
    p.kernel[i] = problem.kernel(i);
    p.stride[i] = problem.stride[i];
    p.dilation[i] = problem.dilation[i];
    p.padding_low[i] = problem.pad_low[i];
    p.padding_high[i] = problem.pad_high[i];
  }
  p.x_dtype = static_cast<atc_dtype>(x.dtype);
  p.w_dtype = static_cast<atc_dtype>(problem.w.dtype);
  p.y_dtype = static_cast<atc_dtype>(y.dtype);
  p.layout = ATC_LAYOUT_STRIDED;
  p.epilogue = static_cast<atc_epilogue>(problem.epilogue);
  write_post_ops(p, problem.post_ops);
  p.accumulate = problem.accumulate ? 1 : 0;
  for (int i = 0; i < problem.spatial + 2; ++i) {
    p.x_strides[i] = x.strides[i];
    p.w_strides[i] = problem.w.strides[i];
    p.y_strides[i] = y.strides[i];
  }
  return p;
}

}  // namespace

std::vector<Problem> to_problems(const atc_conv_problem* problems, std::size_t count) {
  std::vector<Problem> known;
  if (count == 0) return known;
  const std::size_t stride = required(problems, "problems").struct_size;
  const auto* const bytes = reinterpret_cast<const char*>(problems);
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const given = reinterpret_cast<const atc_conv_problem*>(bytes + i * stride);
    std::uint32_t size = 0;
    std::memcpy(&size, given, sizeof(size));
    if (size != stride)
      fail(Status::invalid_argument,
           "problems[{}].struct_size is {}, problems[0] has {}: all elements must have the same "
           "size",
           i, size, stride);
    try {
      known.push_back(to_problem(given));
    } catch (const Error& error) {
      fail(error.status(), "problems[{}]: {}", i, error.what());
    }
  }
  return known;
}

std::optional<atc_conv_problem> from_problem(const Problem& problem) {
  const atc_conv_problem p = with_strides(problem, problem.x, problem.y);
  for (int i = 0; i < problem.spatial; ++i)
    if (output_extent(p, i) != problem.out(i)) return std::nullopt;
  return p;
}

atc_conv_problem to_caller_problem(const Problem& problem) {
  if (!problem.from_transposed) return with_strides(problem, problem.x, problem.y);
  atc_conv_problem p = with_strides(problem, problem.y, problem.x);
  p.transposed = 1;
  if (problem.direction == Direction::backward_data) p.direction = ATC_FORWARD;
  if (problem.direction == Direction::forward) p.direction = ATC_BACKWARD_DATA;
  for (int i = 0; i < problem.spatial; ++i) p.output_padding[i] = problem.in(i)-output_extent(p, i);
  return p;
}

}  // namespace atc::ffi
