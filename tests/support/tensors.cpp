#include "support/tensors.hpp"

#include <algorithm>
#include <iterator>

#include "core/fill.hpp"
#include "core/format.hpp"
#include "core/half.hpp"
#include "core/walk.hpp"

namespace atc::test {

namespace {

constexpr std::size_t kRedZone = std::size_t{1} << 18;
// this bit pattern is NaN in every dtype, so a result that depends on unwritten memory is NaN
constexpr unsigned char kRed = 0xff;

Tensor bias_tensor(const Problem& problem) {
  Tensor tensor;
  tensor.dtype = problem.output().dtype;
  tensor.rank = 1;
  tensor.shape[0] = problem.output_channels();
  tensor.strides[0] = 1;
  return tensor;
}

}  // namespace

std::vector<double> Buffer::values() const {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(tensor_.elements()));
  for_each_offset(tensor_, [&](std::int64_t, std::int64_t offset) {
    values.push_back(load_element(data(), tensor_.dtype, offset));
  });
  return values;
}

Inputs::Inputs(const Problem& problem, Fill fill, std::uint64_t seed)
    : problem_(problem),
      x_(problem.x),
      w_(problem.w),
      y_(problem.y),
      bias_(bias_tensor(problem)),
      old_(problem.output()),
      residual_(problem.output()) {
  std::uint64_t next = seed;
  for (Buffer* buffer : {&x_, &w_, &y_, &bias_, &old_, &residual_}) {
    if (fill == Fill::ternary)
      fill_ternary(buffer->tensor(), buffer->data(), ++next);
    else
      fill_normal(buffer->tensor(), buffer->data(), ++next);
  }
}

Operands Inputs::with_output(void* output) {
  Operands operands{x_.data(), w_.data(), bias_.data(), y_.data()};
  switch (problem_.direction) {
    case Direction::forward:
      operands.y = output;
      break;
    case Direction::backward_data:
      operands.x = output;
      break;
    case Direction::backward_weight:
      operands.w = output;
      break;
  }
  if (problem_.epilogue == Epilogue::none) operands.bias = nullptr;
  if (problem_.post_ops.residual) operands.residual = residual_.data();
  return operands;
}

void Inputs::reset(GuardedBuffer& output) const {
  if (problem_.accumulate)
    output.copy_from(old_.data());
  else
    output.fill_pattern();
}

Workspace::Workspace(std::uint64_t bytes)
    : memory_(static_cast<std::size_t>(bytes) + 2 * kRedZone, kRed), bytes_(bytes) {}

void* Workspace::data() { return memory_.data() + kRedZone; }

std::string Workspace::violation() const {
  const auto is_other = [](unsigned char byte) { return byte != kRed; };
  const auto begin = memory_.begin() + kRedZone;
  const auto end = begin + static_cast<std::ptrdiff_t>(bytes_);
  if (const auto at = std::find_if(memory_.begin(), begin, is_other); at != begin)
    return format("wrote {} bytes before the start of the workspace", begin - at);
  const auto last = std::find_if(memory_.rbegin(), std::make_reverse_iterator(end), is_other);
  if (const auto past = last.base() - end; past > 0)
    return format("wrote up to {} bytes behind the end of the workspace", past);
  return "";
}

}  // namespace atc::test
