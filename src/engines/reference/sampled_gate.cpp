#include "engines/reference/sampled_gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "core/fill.hpp"
#include "core/half.hpp"

namespace atc::reference {

namespace {

Index index_of(const Tensor& tensor, std::int64_t logical) {
  Index index{};
  for (int i = tensor.rank - 1; i >= 0; --i) {
    index[i] = logical % tensor.shape[i];
    logical /= tensor.shape[i];
  }
  return index;
}

std::int64_t logical_of(const Tensor& tensor, const Index& index) {
  std::int64_t logical = 0;
  for (int i = 0; i < tensor.rank; ++i) logical = logical * tensor.shape[i] + index[i];
  return logical;
}

// Seeded numbers below a bound.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(mix(seed_, next_++) % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

}  // namespace

std::vector<std::int64_t> sample_positions(const Tensor& tensor, int group_dim, std::int64_t groups,
                                           std::size_t count, std::uint64_t seed) {
  const std::int64_t elements = tensor.elements();
  if (static_cast<std::uint64_t>(elements) <= count) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(elements));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  Random random(seed);
  std::unordered_set<std::int64_t> chosen;
  const auto somewhere = [&] {
    Index index{};
    for (int i = 0; i < tensor.rank; ++i) index[i] = random.below(tensor.shape[i]);
    return index;
  };
  int classes = 1;
  for (int i = 0; i < tensor.rank; ++i) classes *= 3;
  // Class c: each dimension first, inner or last (inner: anywhere if there are but two).
  const auto in_class = [&](int c) {
    Index index{};
    for (int i = 0; i < tensor.rank; ++i, c /= 3) {
      const std::int64_t extent = tensor.shape[i];
      const std::int64_t inner = extent > 2 ? 1 + random.below(extent - 2) : random.below(extent);
      index[i] = c % 3 == 0 ? 0 : c % 3 == 1 ? inner : extent - 1;
    }
    return index;
  };
  for (int c = 0; c < classes; ++c) chosen.insert(logical_of(tensor, in_class(c)));
  const std::int64_t per_group = tensor.shape[group_dim] / groups;
  for (std::int64_t group = 0; group < groups; ++group) {
    Index index = in_class(static_cast<int>(random.below(classes)));
    index[group_dim] = group * per_group + random.below(per_group);
    chosen.insert(logical_of(tensor, index));
  }
  while (chosen.size() < count) chosen.insert(logical_of(tensor, somewhere()));
  std::vector<std::int64_t> sorted(chosen.begin(), chosen.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::size_t SampledReference::default_positions(const Problem& problem) {
  return problem.direction == Direction::backward_weight ? 256 : 1024;
}

SampledReference::SampledReference(const Problem& problem, const Operands& operands,
                                   std::uint64_t seed, Exactness exactness, std::size_t positions)
    : SampledReference(
          problem,
          [&](const std::vector<Index>& indices) {
            std::vector<ElementValue> values;
            values.reserve(indices.size());
            for (const Index& index : indices) values.push_back(value_at(problem, operands, index));
            return values;
          },
          seed, exactness, Precision::fp32, positions) {}

SampledReference::SampledReference(const Problem& problem, const Evaluate& evaluate,
                                   std::uint64_t seed, Exactness exactness, Precision precision,
                                   std::size_t positions)
    : output_(problem.output()), precision_(precision) {
  const int group_dim = problem.direction == Direction::backward_weight ? 0 : 1;
  const std::size_t count = positions ? positions : default_positions(problem);
  const bool exact = exactness == Exactness::exact && ternary_is_exact(problem);
  const std::int64_t terms = summands(problem);
  std::vector<Index> indices;
  for (std::int64_t logical : sample_positions(output_, group_dim, problem.groups, count, seed)) {
    indices.push_back(index_of(output_, logical));
    Sample sample;
    sample.logical = logical;
    for (int i = 0; i < output_.rank; ++i) sample.offset += indices.back()[i] * output_.strides[i];
    samples_.push_back(sample);
  }
  const std::vector<ElementValue> values = evaluate(indices);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const ElementValue& element = values[i];
    energy_ += element.energy;
    samples_[i].value = exact ? round_to(output_.dtype, element.value) : element.value;
    if (exact) continue;
    const auto allowed = [&](double rounded_before) {
      return tolerance(terms, output_.dtype, element.value, element.magnitude, precision,
                       rounded_before);
    };
    samples_[i].tolerance = allowed(problem.accumulate ? element.fresh : 0);
    samples_[i].of_two_roundings =
        problem.epilogue == Epilogue::none ? samples_[i].tolerance : allowed(element.products);
  }
}

std::vector<std::int64_t> SampledReference::offsets() const {
  std::vector<std::int64_t> offsets;
  offsets.reserve(samples_.size());
  for (const Sample& sample : samples_) offsets.push_back(sample.offset);
  return offsets;
}

GateVerdict SampledReference::check_samples(const void* output) const {
  std::vector<double> values;
  values.reserve(samples_.size());
  for (const Sample& sample : samples_)
    values.push_back(load_element(output, output_.dtype, sample.offset));
  return check_values(values);
}

GateVerdict SampledReference::check_values(const std::vector<double>& values,
                                           bool rounds_twice) const {
  double squares = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const Sample& sample = samples_[i];
    const double error = std::fabs(values[i] - sample.value);
    const double allowed = rounds_twice ? sample.of_two_roundings : sample.tolerance;
    if (!(error <= allowed))  // also false for NaN
      return {false, fmt::format("element {} is {:.9g}, the reference says {:.9g} (allowed {:.3g})",
                                 sample.logical, values[i], sample.value, allowed)};
    squares += error * error;
  }
  const double limit = class_limit(precision_, output_.dtype);
  if (squares > limit * limit * energy_)
    return {false,
            fmt::format("its errors are {:.2g} of the summands in the root mean square, {} has at "
                        "most {:.2g}: it computes with less precision than is allowed",
                        std::sqrt(squares / energy_),
                        precision_ == Precision::fp32 ? "fp32" : "TF32", limit)};
  return {true, {}};
}

GateVerdict SampledReference::check(const GuardedBuffer& output) const {
  if (std::string reason = output.violation(); !reason.empty()) return {false, reason};
  if (std::string reason = output.bad_element(); !reason.empty()) return {false, reason};
  return check_samples(output.data());
}

}  // namespace atc::reference
