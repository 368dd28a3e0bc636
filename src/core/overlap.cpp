#include "core/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace atc {

namespace {

constexpr int kMostSteps = 4096;

// The address of a tensor's first byte, and the address after its last byte.
struct Range {
  std::int64_t first, last;
};

Range range_of(const Tensor& tensor, const void* data) {
  const auto size = static_cast<std::int64_t>(size_of(tensor.dtype));
  const auto start = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data));
  Range range{start, start + size};
  for (int i = 0; i < tensor.rank; ++i) {
    const std::int64_t reach = (tensor.shape[i] - 1) * tensor.strides[i] * size;
    (reach < 0 ? range.first : range.last) += reach;
  }
  return range;
}

// A term of a sum. It can have several values: `step` times any whole number from `least` to
// `most`, in bytes.
struct Term {
  std::int64_t step = 1, least = 0, most = 0;
};

// A sum of terms, each of which can have several values. contain() finds out whether values can be
// chosen so that the sum is `target`. The terms are sorted by step, the largest first, so that only
// few values of each term have to be tried.
class Sums {
 public:
  void add(std::int64_t step, std::int64_t least, std::int64_t most) {
    if (least == most && least == 0) return;
    if (step < 0) {
      step = -step;
      least = -least;
      most = -most;
      std::swap(least, most);
    }
    if (step != 0) terms_[count_++] = {step, least, most};
  }

  bool contain(std::int64_t target) {
    std::sort(terms_.begin(), terms_.begin() + static_cast<std::ptrdiff_t>(count_),
              [](const Term& a, const Term& b) { return a.step > b.step; });
    return contain(0, target);
  }

 private:
  bool contain(std::size_t next, std::int64_t target) {
    if (next == count_) return target == 0;
    if (++steps_ > kMostSteps) return false;
    std::int64_t least = 0, most = 0;  // the smallest and the largest sum of the following terms
    for (std::size_t i = next + 1; i < count_; ++i) {
      least += terms_[i].step * terms_[i].least;
      most += terms_[i].step * terms_[i].most;
    }
    const Term& term = terms_[next];
    const std::int64_t first = std::max(term.least, ceiling(target - most, term.step));
    const std::int64_t last = std::min(term.most, floor(target - least, term.step));
    for (std::int64_t factor = first; factor <= last; ++factor)
      if (contain(next + 1, target - factor * term.step)) return true;
    return false;
  }

  static std::int64_t floor(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
  static std::int64_t ceiling(std::int64_t a, std::int64_t b) { return -floor(-a, b); }

  // There is one term for each dimension of both tensors, and one term for the bytes within an
  // element of each tensor.
  std::array<Term, std::size_t{2} * kMaxRank + 2> terms_;
  std::size_t count_ = 0;
  int steps_ = 0;
};

}  // namespace

bool share_memory(const Tensor& a, const void* a_data, const Tensor& b, const void* b_data) {
  const Range in_a = range_of(a, a_data), in_b = range_of(b, b_data);
  if (in_a.last <= in_b.first || in_b.last <= in_a.first) return false;
  if (a.elements() == 0 || b.elements() == 0) return false;
  const auto a_size = static_cast<std::int64_t>(size_of(a.dtype));
  const auto b_size = static_cast<std::int64_t>(size_of(b.dtype));
  // All possible differences between the offset of a byte of `a` (from `a_data`) and the offset of
  // a byte of `b` (from `b_data`). If one of them is b_data - a_data, these two bytes have the same
  // address.
  Sums differences;
  for (int i = 0; i < a.rank; ++i) differences.add(a.strides[i] * a_size, 0, a.shape[i] - 1);
  for (int i = 0; i < b.rank; ++i) differences.add(b.strides[i] * b_size, 1 - b.shape[i], 0);
  differences.add(1, 0, a_size - 1);
  differences.add(1, 1 - b_size, 0);
  return differences.contain(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b_data) -
                                                       reinterpret_cast<std::uintptr_t>(a_data)));
}

}  // namespace atc
