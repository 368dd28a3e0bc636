#include "engines/reference/sampled_gate.hpp"

#include <cmath>

#include "core/fill.hpp"
#include "core/format.hpp"
#include "core/half.hpp"
#include "engines/reference/samples.hpp"

namespace atc::reference {

namespace {

const char* name_of(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return "fp32";
    case Precision::tf32:
      return "TF32";
    case Precision::reduced:
      return "a reduction of less precision";
  }
  return "";
}

}  // namespace

std::string difference_of(std::int64_t element, double value, double expected, double allowed) {
  return format("element {} is {:.9g}, the reference says {:.9g} (allowed {:.3g})", element, value,
                expected, allowed);
}

SampledReference::SampledReference(const Problem& problem, const Operands& operands,
                                   std::uint64_t seed, Exactness exactness, std::size_t positions)
    : SampledReference(
          problem,
          [&](const std::vector<Index>& indices) { return values_at(problem, operands, indices); },
          seed, exactness, Precision::fp32, kLargestNormal, positions) {}

SampledReference::SampledReference(const Problem& problem, const Evaluate& evaluate,
                                   std::uint64_t seed, Exactness exactness, Precision precision,
                                   double largest, std::size_t positions)
    : output_(problem.output()), precision_(precision), limit_(class_limit(precision, problem)) {
  const std::size_t count = positions ? positions : default_samples(problem);
  const bool exact = is_held_to_equality(problem, exactness, precision);
  const std::int64_t terms = summands(problem);
  std::vector<Index> indices;
  for (std::int64_t logical : sample_positions(problem, count, seed)) {
    indices.push_back(output_.index_of(logical));
    Sample sample;
    sample.logical = logical;
    sample.offset = output_.offset_of(indices.back());
    samples_.push_back(sample);
  }
  const std::vector<ElementValue> values = evaluate(indices);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const ElementValue& element = values[i];
    energy_ += element.energy;
    samples_[i].value = exact ? round_to(output_.dtype, element.value) : element.value;
    if (!exact)
      samples_[i].tolerance = tolerance(terms, output_.dtype, element.value, element.magnitude,
                                        precision, may_round_before(problem) ? element.fresh : 0);
    samples_[i].tolerance += reduced_tolerance(precision, problem, element.energy);
    if (exactness == Exactness::transformed)
      samples_[i].tolerance += steepest(problem.post_ops.activation.function) *
                               (problem.post_ops.scale ? largest : 1) *
                               transform_tolerance(problem.reduction_length(), largest);
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

GateVerdict SampledReference::check_values(const std::vector<double>& values) const {
  double squares = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const Sample& sample = samples_[i];
    const double error = std::fabs(values[i] - sample.value);
    // If the candidate's value is NaN, this comparison is false, so the candidate is refused.
    if (!(error <= sample.tolerance))
      return {false, difference_of(sample.logical, values[i], sample.value, sample.tolerance)};
    squares += error * error;
  }
  if (squares > limit_ * limit_ * energy_)
    return {false,
            format("its errors are {:.2g} of the summands in the root mean square, {} has at "
                   "most {:.2g}: it computes with less precision than is allowed",
                   std::sqrt(squares / energy_), name_of(precision_), limit_)};
  return {true, {}};
}

GateVerdict SampledReference::check(const GuardedBuffer& output) const {
  if (std::string reason = output.violation(); !reason.empty()) return {false, reason};
  if (std::string reason = output.bad_element(); !reason.empty()) return {false, reason};
  return check_samples(output.data());
}

}  // namespace atc::reference
