#include "core/problem.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/format.hpp"

namespace atc {

std::string_view name_of(Direction direction) {
  switch (direction) {
    case Direction::forward:
      return "forward";
    case Direction::backward_data:
      return "backward-data";
    case Direction::backward_weight:
      return "backward-weight";
  }
  return "?";
}

std::string_view name_of(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::none:
      return "none";
    case Epilogue::bias:
      return "bias";
    case Epilogue::bias_relu:
      return "bias+relu";
  }
  return "?";
}

std::int64_t Tensor::elements() const {
  std::int64_t product = 1;
  for (int i = 0; i < rank; ++i) product *= shape[i];
  return product;
}

std::int64_t Tensor::span() const {
  std::int64_t last = 0;
  for (int i = 0; i < rank; ++i) {
    if (shape[i] == 0) return 0;
    last += (shape[i] - 1) * strides[i];
  }
  return last + 1;
}

Tensor::Index Tensor::index_of(std::int64_t number) const {
  Index index{};
  for (int dim = rank - 1; dim >= 0; --dim) {
    index[dim] = number % shape[dim];
    number /= shape[dim];
  }
  return index;
}

std::int64_t Tensor::number_of(const Index& index) const {
  std::int64_t number = 0;
  for (int dim = 0; dim < rank; ++dim) number = number * shape[dim] + index[dim];
  return number;
}

std::int64_t Tensor::offset_of(const Index& index) const {
  std::int64_t offset = 0;
  for (int dim = 0; dim < rank; ++dim) offset += index[dim] * strides[dim];
  return offset;
}

namespace {

// Whether the tensor is dense and its dimensions lie in memory in this order, the one with the
// largest stride first. The stride of an extent of 1 is ignored.
template <typename Order>
bool dense_in_order(const Tensor& tensor, const Order& order) {
  std::int64_t expected = 1;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    const int dim = order(i);
    if (tensor.shape[dim] != 1 && tensor.strides[dim] != expected) return false;
    expected *= tensor.shape[dim];
  }
  return true;
}

}  // namespace

bool Tensor::channels_first() const {
  return dense_in_order(*this, [](int i) { return i; });
}

bool Tensor::channels_last() const {
  return dense_in_order(*this, [this](int i) { return i == 0 ? 0 : i == rank - 1 ? 1 : i + 1; });
}

bool Tensor::operator==(const Tensor& other) const {
  return dtype == other.dtype && rank == other.rank && shape == other.shape &&
         strides == other.strides;
}

const Tensor& Problem::output() const {
  switch (direction) {
    case Direction::backward_data:
      return x;
    case Direction::backward_weight:
      return w;
    case Direction::forward:
      break;
  }
  return y;
}

namespace {

// Returns a tensor with one number for each channel of the output. The tensor is empty if `exists`
// is false.
Tensor of_channels(const Problem& problem, bool exists) {
  Tensor tensor;
  tensor.dtype = problem.output().dtype;
  tensor.rank = 1;
  tensor.shape[0] = exists ? problem.output_channels() : 0;
  tensor.strides[0] = 1;
  return tensor;
}

}  // namespace

Tensor Problem::bias() const { return of_channels(*this, epilogue != Epilogue::none); }

Tensor Problem::scale() const { return of_channels(*this, post_ops.scale); }

Tensor Problem::residual() const {
  return post_ops.residual ? output() : of_channels(*this, false);
}

std::int64_t Problem::output_channels() const {
  return direction == Direction::backward_data ? channels_in() : channels_out();
}

std::int64_t Problem::reduction_length() const {
  std::int64_t taps = 1, positions = batch();
  for (int i = 0; i < spatial; ++i) {
    taps *= kernel(i);
    positions *= out(i);
  }
  switch (direction) {
    case Direction::backward_data:
      return channels_out() / groups * taps;
    case Direction::backward_weight:
      return positions;
    case Direction::forward:
      break;
  }
  return w.shape[1] * taps;
}

double Problem::flops() const {
  return 2.0 * static_cast<double>(y.elements()) * static_cast<double>(w.elements()) /
         static_cast<double>(std::max<std::int64_t>(w.shape[0], 1));
}

bool Problem::operator==(const Problem& other) const {
  return direction == other.direction && spatial == other.spatial && groups == other.groups &&
         stride == other.stride && dilation == other.dilation && pad_low == other.pad_low &&
         pad_high == other.pad_high && x == other.x && w == other.w && y == other.y &&
         epilogue == other.epilogue && post_ops == other.post_ops &&
         accumulate == other.accumulate && from_transposed == other.from_transposed;
}

namespace {

std::string describe(const char* name, const Tensor& tensor) {
  const std::string_view layout = tensor.channels_first()  ? ""
                                  : tensor.channels_last() ? " channels-last"
                                                           : " strided";
  const auto first = tensor.shape.begin();
  return format("{}={} {}{}", name, joined(first, first + tensor.rank, "x"), name_of(tensor.dtype),
                layout);
}

}  // namespace

std::string describe(const Problem& problem) {
  const auto join = [&](const Extents& extents) {
    return joined(extents.begin(), extents.begin() + problem.spatial, "x");
  };
  std::string text = format("{} {} {} {} stride {} pad {}", name_of(problem.direction),
                            describe("x", problem.x), describe("w", problem.w),
                            describe("y", problem.y), join(problem.stride), join(problem.pad_low));
  if (problem.pad_high != problem.pad_low) text += format(":{}", join(problem.pad_high));
  const auto first = problem.dilation.begin();
  if (std::any_of(first, first + problem.spatial, [](auto d) { return d != 1; }))
    text += format(" dilation {}", join(problem.dilation));
  if (problem.groups != 1) text += format(" groups {}", problem.groups);
  if (problem.epilogue != Epilogue::none) text += format(" +{}", name_of(problem.epilogue));
  text += describe(problem.post_ops);
  if (problem.accumulate) text += " accumulate";
  return text;
}

}  // namespace atc
