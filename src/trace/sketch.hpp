// The distribution of a sequence of times, in a bounded amount of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atc::trace {

// Counts times in buckets whose bounds grow by a constant factor (DDSketch: Masson, Rim, Lee, VLDB
// 2019). The number of times, the mean, the deviation and the extremes are exact. There are at most
// kBuckets counters (13 KB).
class Sketch {
 public:
  // If all times are between kLeast and kMost seconds, the relative error of a quantile is at most
  // kRelativeError. For other times, a quantile is only known to be between the extremes.
  static constexpr double kRelativeError = 0.01;
  static constexpr double kLeast = 1e-9, kMost = 1e5;
  static constexpr std::size_t kBuckets = 1613;

  void add(double seconds);
  void merge(const Sketch& other);

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  // min(), max(), deviation() and quantile() return 0 if no time was added.
  double min() const { return min_; }
  double max() const { return max_; }
  // The standard deviation of a sample (divisor n - 1); 0 if there are fewer than two times.
  double deviation() const;
  // Returns the time with the index floor(q * (n - 1)) among the n times in ascending order. q is
  // in [0, 1].
  double quantile(double q) const;

 private:
  void reserve(std::size_t bucket);

  std::uint64_t count_ = 0;
  // Welford's method: squares_ is the sum of (time - mean)^2.
  double mean_ = 0, squares_ = 0;
  double min_ = 0, max_ = 0;
  std::size_t first_ = 0;  // the number of the bucket that is counted in counts_[0]
  std::vector<std::uint64_t> counts_;
};

}  // namespace atc::trace
