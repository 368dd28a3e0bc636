#include "device/cuda/tensor_work.hpp"

#include <algorithm>

#include "core/allocator.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernels.hpp"
#include "device/cuda/stream.hpp"

namespace atc::cuda {

namespace {

constexpr unsigned kThreads = 256, kMostBlocks = 4096;
constexpr unsigned long long kNothing = ~0ull;

unsigned blocks_for(std::int64_t elements) {
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((elements + kThreads - 1) / kThreads, 1, kMostBlocks));
}

Layout layout_of(const Tensor& tensor) {
  Layout layout;
  layout.elements = tensor.elements();
  layout.rank = tensor.rank;
  layout.dtype = static_cast<int>(tensor.dtype);
  std::copy_n(tensor.shape.begin(), tensor.rank, layout.shape);
  std::copy_n(tensor.strides.begin(), tensor.rank, layout.strides);
  return layout;
}

// Returns the dimensions that have more than one element, the dimension with the largest stride
// first.
std::vector<int> by_stride(const Tensor& tensor) {
  std::vector<int> dims;
  for (int i = 0; i < tensor.rank; ++i)
    if (tensor.shape[i] > 1) dims.push_back(i);
  std::sort(dims.begin(), dims.end(),
            [&](int a, int b) { return tensor.strides[a] > tensor.strides[b]; });
  return dims;
}

// Returns a layout of the tensor in which the elements are numbered in the order of memory, with as
// few dimensions as possible. The layout of a dense tensor has one dimension, so kernels need no
// division to find an element.
Layout layout_in_memory(const Tensor& tensor) {
  Layout layout;
  layout.elements = tensor.elements();
  layout.dtype = static_cast<int>(tensor.dtype);
  for (const int dim : by_stride(tensor)) {
    const std::int64_t extent = tensor.shape[dim], stride = tensor.strides[dim];
    const int last = layout.rank - 1;
    if (layout.rank > 0 && layout.strides[last] == extent * stride) {
      layout.shape[last] *= extent;
      layout.strides[last] = stride;
    } else {
      layout.shape[layout.rank] = extent;
      layout.strides[layout.rank++] = stride;
    }
  }
  return layout;
}

// The function layout_in_memory() numbers the elements of a tensor in the order of memory. Converts
// such a number to the logical number: the number in the order of the tensor's own dimensions.
std::int64_t logical_number(const Tensor& tensor, std::int64_t number) {
  const Layout layout = layout_in_memory(tensor);
  std::int64_t offset = 0;
  for (int i = layout.rank - 1; i >= 0; --i) {
    offset += number % layout.shape[i] * layout.strides[i];
    number /= layout.shape[i];
  }
  Tensor::Index index{};
  for (const int dim : by_stride(tensor)) {
    index[dim] = offset / tensor.strides[dim];
    offset %= tensor.strides[dim];
  }
  return tensor.number_of(index);
}

// A result of kernels: a value in device memory that kernels write and that the host reads once.
template <typename Value>
class Answer {
 public:
  Answer(DeviceId device, Stream stream) : stream_(stream), memory_(sizeof(Value), device, stream) {
    const Value initial{};
    copy_to_device(memory_.data(), &initial, sizeof(initial), stream_);
  }
  void* address() const { return memory_.data(); }
  Value read() const {
    Value value;
    copy_to_host(&value, memory_.data(), sizeof(value), stream_);
    return value;
  }

 private:
  Stream stream_;
  Allocation memory_;
};

}  // namespace

void TensorWork::fill(const Tensor& tensor, void* data, FillKind kind, std::uint64_t seed) const {
  launch(kernel(context_, kTensorKernels, "atc_fill"), blocks_for(tensor.elements()), kThreads,
         stream_, layout_of(tensor), data, static_cast<unsigned long long>(seed),
         static_cast<int>(kind));
}

void TensorWork::copy_elements(const Tensor& tensor, void* to, const void* from) const {
  launch(kernel(context_, kTensorKernels, "atc_copy"), blocks_for(tensor.elements()), kThreads,
         stream_, layout_in_memory(tensor), to, from);
}

std::uint64_t TensorWork::fingerprint(const void* data, std::uint64_t bytes) const {
  const Answer<unsigned long long> sum(device_, stream_);
  const auto words = static_cast<long long>(bytes / sizeof(std::uint16_t));
  launch(kernel(context_, kTensorKernels, "atc_fingerprint"), blocks_for(words), kThreads, stream_,
         data, words, sum.address());
  return sum.read();
}

std::vector<double> TensorWork::gather(const Tensor& tensor, const void* data,
                                       const std::vector<std::int64_t>& offsets) const {
  const auto count = static_cast<long long>(offsets.size());
  const Allocation places(offsets.size() * sizeof(std::int64_t), device_, stream_);
  const Allocation found(offsets.size() * sizeof(double), device_, stream_);
  copy_to_device(places.data(), offsets.data(), places.size(), stream_);
  launch(kernel(context_, kTensorKernels, "atc_gather"), blocks_for(count), kThreads, stream_,
         layout_of(tensor), data, places.data(), count, found.data());
  std::vector<double> values(offsets.size());
  copy_to_host(values.data(), found.data(), found.size(), stream_);
  return values;
}

Findings TensorWork::take(const Tensor& tensor, void* data, void* buffer,
                          std::uint64_t buffer_bytes, std::uint16_t pattern) const {
  const Answer<Findings> findings(device_, stream_);
  launch(kernel(context_, kTensorKernels, "atc_take"), blocks_for(tensor.elements()), kThreads,
         stream_, layout_in_memory(tensor), data, pattern, findings.address());
  const auto words = static_cast<long long>(buffer_bytes / sizeof(pattern));
  launch(kernel(context_, kTensorKernels, "atc_scan"), blocks_for(words), kThreads, stream_, buffer,
         words, pattern, findings.address());
  Findings found = findings.read();
  if (found.bad_element != kNothing) {
    const auto number = static_cast<std::int64_t>(found.bad_element / 2);
    found.bad_element =
        2 * static_cast<unsigned long long>(logical_number(tensor, number)) + found.bad_element % 2;
  }
  return found;
}

std::optional<std::int64_t> TensorWork::difference(const Tensor& tensor, const void* data,
                                                   const void* expected, double absolute,
                                                   double relative) const {
  const Answer<Found> answer(device_, stream_);
  launch(kernel(context_, kTensorKernels, "atc_compare"), blocks_for(tensor.elements()), kThreads,
         stream_, layout_in_memory(tensor), data, expected, absolute, relative, answer.address());
  const Found found = answer.read();
  if (found.element == kNothing) return std::nullopt;
  return logical_number(tensor, found.element);
}

void TensorWork::set_pattern(void* buffer, std::uint64_t bytes, std::uint16_t pattern) const {
  check(require_driver().set_words(reinterpret_cast<Address>(buffer), pattern,
                                   bytes / sizeof(pattern), stream_),
        "cuMemsetD16Async");
}

}  // namespace atc::cuda
