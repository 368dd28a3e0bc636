#include "conv/race/whole_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/half.hpp"
#include "engines/reference/sampled_gate.hpp"

namespace atc::conv {

namespace {

bool are_apart(const Libraries& some, const Libraries& others) {
  if (some.empty() || others.empty()) return false;
  return std::none_of(some.begin(), some.end(),
                      [&](const std::string& library) { return others.count(library) != 0; });
}

// Returns the result of `make`; null if memory does not suffice. Comparing whole outputs finds more
// faults than comparing samples, but a race can go on without it.
template <typename Make>
std::unique_ptr<WholeOutput> if_there_is_memory(const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    if (error.status() != Status::out_of_memory) throw;
    return nullptr;
  }
}

}  // namespace

std::string WholeCheck::difference(WatchedOutput& output, Exactness exactness,
                                   reference::Precision precision) {
  next_.reset();
  last_ = {0, false, is_sampled_};
  if (is_sampled_) return "";
  const Tensor& tensor = problem_.output();
  const bool has_to_equal = reference::is_held_to_equality(problem_, exactness, precision);
  if (kept_ != nullptr) {
    const reference::Margin margin = reference::ternary_margin(problem_, exactness, precision);
    const auto element = kept_->difference(output.data(), margin);
    if (!element) {
      last_.kept = refutations_.size();
      last_.is_equal = has_to_equal;
      return "";
    }
    const reference::Index index = tensor.index_of(*element);
    const std::int64_t offset = tensor.offset_of(index);
    const double exact = site_.values(problem_, operands_, {index}).front().value;
    const double right = round_to(tensor.dtype, exact);
    const double value = output.values({offset}).front();
    const double allowed = margin.absolute + margin.relative * std::fabs(right);
    std::string difference = reference::difference_of(*element, value, right, allowed);
    // `output` is refused if it is wrong at this element, or if the reference itself computed the
    // kept output, with which `output` disagrees. In the remaining case the kept output is the
    // wrong one, and is removed.
    if (is_the_references_ || !(std::fabs(value - right) <= allowed)) return difference;
    const double other = kept_->value(offset);
    refutations_.back() = reference::difference_of(*element, other, right, 0);
    kept_.reset();
    confirmed_ = false;
  }
  if (has_to_equal)
    next_ = if_there_is_memory([&] { return site_.copy_of(tensor, output.data()); });
  return "";
}

void WholeCheck::keep(std::unique_ptr<WholeOutput> output) {
  kept_ = std::move(output);
  refutations_.emplace_back();
  equal_.clear();
  confirmed_ = is_the_references_ = false;
}

Agreement WholeCheck::accept(const Libraries& libraries) {
  if (next_ != nullptr) {
    keep(std::move(next_));
    last_.kept = refutations_.size();
    last_.is_equal = true;
  }
  if (last_.is_equal && !confirmed_) {
    confirmed_ = std::any_of(equal_.begin(), equal_.end(),
                             [&](const Libraries& others) { return are_apart(libraries, others); });
    equal_.push_back(libraries);
  }
  return last_;
}

bool WholeCheck::is_in_doubt(const Agreement& agreement) const {
  if (agreement.is_sampled) return false;
  if (kept_ != nullptr && agreement.kept != refutations_.size()) return true;
  return !confirmed_ && !evaluated_;
}

void WholeCheck::evaluate() {
  if (is_sampled_ || confirmed_ || evaluated_) return;
  evaluated_ = true;
  auto whole = if_there_is_memory([&] { return site_.evaluate(problem_, operands_); });
  if (whole == nullptr) return;
  if (kept_ != nullptr) {
    const auto element = whole->difference(kept_->data(), {});
    if (!element) {
      confirmed_ = is_the_references_ = true;
      return;
    }
    const Tensor& tensor = problem_.output();
    const std::int64_t offset = tensor.offset_of(tensor.index_of(*element));
    refutations_.back() =
        reference::difference_of(*element, kept_->value(offset), whole->value(offset), 0);
  }
  keep(std::move(whole));
  confirmed_ = is_the_references_ = true;
}

std::string WholeCheck::refutation(const Agreement& agreement) const {
  return agreement.is_equal ? refutations_[agreement.kept - 1] : "";
}

}  // namespace atc::conv
