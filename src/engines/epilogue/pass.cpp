#include "engines/epilogue/pass.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/half.hpp"

namespace atc {

namespace {

// Converts elements of a data type to fp32 numbers (`number`) and back (`word`). There is one
// struct for each data type.
struct F32 {
  using Word = float;
  static float number(Word word) { return word; }
  static Word word(float number) { return number; }
};
struct F16 {
  using Word = std::uint16_t;
  static float number(Word word) { return f16_to_float(word); }
  static Word word(float number) { return f16_from_double(number); }
};
struct Bf16 {
  using Word = std::uint16_t;
  static float number(Word word) { return bf16_to_float(word); }
  static Word word(float number) { return bf16_from_double(number); }
};

// Returns the dimensions of a tensor sorted by stride, the largest stride first.
std::array<int, kMaxRank> memory_order(const Tensor& tensor) {
  std::array<int, kMaxRank> order{};
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.begin() + tensor.rank,
                   [&](int a, int b) { return tensor.strides[a] > tensor.strides[b]; });
  return order;
}

// Calls f(offset, channel) for each row of the tensor. A row consists of the elements along the
// last dimension of `order`. `offset` is the offset of the row's first element from the start of
// the tensor, in elements.
template <typename F>
void for_each_row(const Tensor& tensor, const std::array<int, kMaxRank>& order, F&& f) {
  Tensor::Index index{};
  const int inner = tensor.rank - 1;
  for (;;) {
    f(tensor.offset_of(index), index[1]);
    int at = inner - 1;
    for (; at >= 0; --at) {
      const int dim = order[static_cast<std::size_t>(at)];
      if (++index[dim] < tensor.shape[dim]) break;
      index[dim] = 0;
    }
    if (at < 0) return;
  }
}

template <typename Type>
void apply(const Problem& problem, const Operands& operands, bool with_bias) {
  using Word = typename Type::Word;
  const Tensor& output = problem.output();
  const Activation activation = problem.activation();
  auto* const data = static_cast<Word*>(output_of(problem, operands));
  const auto* const scale =
      problem.post_ops.scale ? static_cast<const Word*>(operands.scale) : nullptr;
  const auto* const bias = with_bias ? static_cast<const Word*>(operands.bias) : nullptr;
  const auto* const residual =
      problem.post_ops.residual ? static_cast<const Word*>(operands.residual) : nullptr;
  const std::array<int, kMaxRank> order = memory_order(output);
  const int inner = order[static_cast<std::size_t>(output.rank - 1)];
  const std::int64_t count = output.shape[inner], step = output.strides[inner];
  const std::int64_t channel_step = inner == 1 ? 1 : 0;
  for_each_row(output, order, [&](std::int64_t offset, std::int64_t channel) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = offset + i * step, k = channel + i * channel_step;
      float value = Type::number(data[at]);
      if (scale != nullptr) value *= Type::number(scale[k]);
      if (bias != nullptr) value += Type::number(bias[k]);
      if (residual != nullptr) value += Type::number(residual[at]);
      data[at] = Type::word(activated(activation, value));
    }
  });
}

}  // namespace

void apply_post_ops(const Problem& problem, const Operands& operands, bool with_bias) {
  if (problem.output().elements() == 0) return;
  switch (problem.output().dtype) {
    case Dtype::f32:
      return apply<F32>(problem, operands, with_bias);
    case Dtype::f16:
      return apply<F16>(problem, operands, with_bias);
    case Dtype::bf16:
      break;
  }
  apply<Bf16>(problem, operands, with_bias);
}

}  // namespace atc
