#include "engines/onednn/descriptors.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <vector>

namespace atc::onednn {

namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;

// Returns the strides of a dense tensor. `order` lists the dimensions, the one with the largest
// stride first.
Dims dense_strides(const Dims& extents, const std::vector<std::size_t>& order) {
  Dims strides(extents.size());
  std::int64_t next = 1;
  for (auto dim = order.rbegin(); dim != order.rend(); ++dim) {
    strides[*dim] = next;
    next *= extents[*dim];
  }
  return strides;
}

// Returns the numbers of the dimensions of a tensor in the order of memory, the dimension with the
// largest stride first. This is the order 0, 1, 2, …, except that in Layout::last the dimension
// `channel` is the last one.
std::vector<std::size_t> order_of(std::size_t rank, std::size_t channel, Layout layout) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (layout == Layout::last) {
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(channel));
    order.push_back(channel);
  }
  return order;
}

}  // namespace

dnnl::memory::data_type data_type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return dnnl::memory::data_type::f32;
    case Dtype::bf16:
      return dnnl::memory::data_type::bf16;
    case Dtype::f16:
      return dnnl::memory::data_type::f16;
  }
  return dnnl::memory::data_type::undef;
}

Desc strided(const Dims& extents, Dims strides, Dtype dtype) {
  std::int64_t beyond = 1;
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (extents[i] != 1) beyond = std::max(beyond, extents[i] * strides[i]);
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (extents[i] == 1) strides[i] = beyond;
  return Desc(extents, data_type_of(dtype), strides);
}

Desc activation(const Tensor& tensor, Layout layout, Dtype dtype) {
  const auto rank = static_cast<std::size_t>(tensor.rank);
  const Dims extents(tensor.shape.begin(), tensor.shape.begin() + tensor.rank);
  switch (layout) {
    case Layout::any:
      return Desc(extents, data_type_of(dtype), dnnl::memory::format_tag::any);
    case Layout::given:
      return strided(extents, Dims(tensor.strides.begin(), tensor.strides.begin() + tensor.rank),
                     dtype);
    case Layout::first:
    case Layout::last:
      break;
  }
  return Desc(extents, data_type_of(dtype), dense_strides(extents, order_of(rank, 1, layout)));
}

Desc weights(const Problem& problem, Layout layout, Dtype dtype, bool transposed) {
  const Tensor& w = problem.w;
  const bool grouped = problem.groups > 1;
  Dims extents(w.shape.begin(), w.shape.begin() + w.rank);
  Dims strides(w.strides.begin(), w.strides.begin() + w.rank);
  if (layout == Layout::first || layout == Layout::last)
    strides = dense_strides(extents, order_of(extents.size(), 1, layout));
  if (grouped) {
    extents[0] /= problem.groups;
    extents.insert(extents.begin(), problem.groups);
    strides.insert(strides.begin(), strides[0] * extents[1]);
  }
  if (transposed) {
    std::swap(extents[grouped], extents[grouped + 1]);
    std::swap(strides[grouped], strides[grouped + 1]);
  }
  if (layout == Layout::any)
    return Desc(extents, data_type_of(dtype), dnnl::memory::format_tag::any);
  if (layout == Layout::given) return strided(extents, strides, dtype);
  return Desc(extents, data_type_of(dtype), strides);
}

std::string layout_text(const Desc& desc) {
  const Dims extents = desc.get_dims(), strides = desc.get_strides();
  const Dims blocks = desc.get_inner_blks(), indices = desc.get_inner_idxs();
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  std::string text;
  for (std::size_t dim : order) {
    const bool blocked =
        std::count(indices.begin(), indices.end(), static_cast<std::int64_t>(dim)) != 0;
    text += static_cast<char>((blocked ? 'A' : 'a') + static_cast<int>(dim));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
    text += std::to_string(blocks[i]) + static_cast<char>('a' + indices[i]);
  return text;
}

}  // namespace atc::onednn
