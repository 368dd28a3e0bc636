// The distribution of a stream of times in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atc::trace {

// Counts in buckets whose bounds grow by a constant factor (DDSketch: Masson, Rim, Lee, VLDB 2019),
// beside the exact count, mean, deviation and extremes. At most kBuckets counts (13 KB) are kept.
class Sketch {
 public:
  // A quantile differs from the exact one by at most this fraction of it, for times from kLeast to
  // kMost seconds. For times outside, a quantile is only known to be between the extremes.
  static constexpr double kRelativeError = 0.01;
  static constexpr double kLeast = 1e-9, kMost = 1e5;
  static constexpr std::size_t kBuckets = 1613;

  void add(double seconds);
  void merge(const Sketch& other);

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  double min() const { return min_; }  // this and all others: 0 without a time
  double max() const { return max_; }
  double deviation() const;  // of a sample (n - 1); 0 below two times
  // Of the n times in ascending order, the one of index floor(q * (n - 1)), q in [0, 1].
  double quantile(double q) const;

 private:
  void reserve(std::size_t bucket);

  std::uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;  // Welford: squares_ is the sum of (time - mean)^2
  double min_ = 0, max_ = 0;
  std::size_t first_ = 0;  // the bucket of counts_[0]
  std::vector<std::uint64_t> counts_;
};

}  // namespace atc::trace
