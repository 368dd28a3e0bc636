#include "conv/race/isolation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/format.hpp"
#include "engines/reference/pairs.hpp"
#include "engines/reference/samples.hpp"

namespace atc::conv {

namespace {

constexpr std::uint64_t kApart = 64;  // the distance, in bytes, between two saved old values

// Returns the bytes of the number Inf, the least significant byte first.
std::vector<unsigned char> infinity(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return {0x00, 0x00, 0x80, 0x7f};
    case Dtype::f16:
      return {0x00, 0x7c};
    case Dtype::bf16:
      break;
  }
  return {0x80, 0x7f};
}

// Returns a Pair that consists of the element `input` of the tensor `tensor` (an input of the
// convolution) and the element `output` of the output.
reference::Pair pair_of(const Problem& problem, const Tensor& tensor, const reference::Index& input,
                        const reference::Index& output) {
  const auto operand = [&](const Tensor& of) {
    return &of == &tensor ? &input : &of == &problem.output() ? &output : nullptr;
  };
  return {operand(problem.x), operand(problem.w), operand(problem.y)};
}

}  // namespace

Isolation::Isolation(const Problem& problem, Site& site, const Operands& operands,
                     const Tensor& tensor, void* data, std::uint64_t seed)
    : site_(site), dtype_(tensor.dtype) {
  // Chooses the elements that become Inf or NaN. Two are at corners, where kernels meet padding and
  // the ends of their tiles. In the padded input the third is in the middle. In the other input the
  // third is at a corner of a middle channel. The middle of the other input would be useless: the
  // middle tap of a filter reaches every output of its channel, so no wrong spreading could be
  // seen.
  const Tensor& padded = problem.direction == Direction::backward_data ? problem.y : problem.x;
  std::array<reference::Index, 3> places{};
  for (int i = 0; i < tensor.rank; ++i) {
    places[1][i] = tensor.shape[i] - 1;
    places[2][i] = i < 2 || &tensor == &padded ? tensor.shape[i] / 2 : 0;
  }
  std::set<std::int64_t> taken;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t offset = tensor.offset_of(places[i]);
    if (!taken.insert(offset).second) continue;
    char* const address =
        static_cast<char*>(data) + offset * static_cast<std::int64_t>(size_of(dtype_));
    spoiled_.push_back({address, i != 1, kApart * spoiled_.size()});
  }
  kept_ = Allocation(kApart * spoiled_.size(), site.id(), site.stream());
  for (const Spoiled& element : spoiled_)
    site_.copy(static_cast<char*>(kept_.data()) + element.kept, element.address, size_of(dtype_));

  const Tensor& output = problem.output();
  logical_ = reference::sample_positions(problem, reference::default_samples(problem), seed);
  std::vector<reference::Index> indices;
  for (const std::int64_t logical : logical_) {
    indices.push_back(output.index_of(logical));
    offsets_.push_back(output.offset_of(indices.back()));
  }
  if (problem.activation().function == Function::none) {
    // An element of the output is not finite if one of the products in its sum has an Inf or NaN as
    // a factor, even if the other factor is 0.
    for (const reference::Index& index : indices)
      finite_.push_back(std::none_of(places.begin(), places.end(), [&](const auto& place) {
        return reference::belong_together(problem, pair_of(problem, tensor, place, index));
      }));
    return;
  }
  // If there is an activation, it may make a value finite again, as max(-Inf, 0) does. So the
  // reference computes the expected values with the Inf and NaN in the input.
  spoil();
  try {
    for (const reference::ElementValue& element : site_.values(problem, operands, indices))
      finite_.push_back(std::isfinite(element.value));
  } catch (...) {
    restore();
    throw;
  }
  restore();
}

void Isolation::spoil() {
  for (const Spoiled& element : spoiled_) {
    if (element.is_nan) {
      site_.set(element.address, 0xff, size_of(dtype_));
      continue;
    }
    char* at = element.address;
    for (const unsigned char byte : infinity(dtype_)) site_.set(at++, byte, 1);
  }
}

void Isolation::restore() {
  for (const Spoiled& element : spoiled_)
    site_.copy(element.address, static_cast<char*>(kept_.data()) + element.kept, size_of(dtype_));
}

std::string Isolation::difference(WatchedOutput& output) const {
  const std::vector<double> values = output.values(offsets_);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i]) != finite_[i])
      return format(
          "element {} is {}, the reference says it is {}finite where single elements of the "
          "inputs are Inf or NaN",
          logical_[i], values[i], finite_[i] ? "" : "not ");
  return "";
}

}  // namespace atc::conv
