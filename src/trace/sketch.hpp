// The distribution of a sequence of times, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atc::trace {

// Counts times in buckets whose bounds grow by a constant factor (DDSketch: Masson, Rim, Lee, VLDB
// 2019). Count, mean, deviation and extremes are kept exactly. There are at most kBuckets counts
// (13 KB).
class Sketch {
 public:
  // A quantile differs from the exact one by at most this fraction of it, if the times are between
  // kLeast and kMost seconds. For other times, a quantile is only known to be between the extremes.
  static constexpr double kRelativeError = 0.01;
  static constexpr double kLeast = 1e-9, kMost = 1e5;
  static constexpr std::size_t kBuckets = 1613;

  void add(double seconds);
  void merge(const Sketch& other);

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  double min() const {
    return min_;
  }  // the smallest time. This function and those below return 0
     // if there is no time
  double max() const { return max_; }
  double deviation() const;  // standard deviation of a sample (n - 1); 0 if there are fewer than
                             // two times
  // Returns, of the n times in ascending order, the one with index floor(q * (n - 1)); q is in [0,
  // 1].
  double quantile(double q) const;

 private:
  void reserve(std::size_t bucket);

  std::uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;  // Welford's method: squares_ is the sum of (time - mean)^2
  double min_ = 0, max_ = 0;
  std::size_t first_ = 0;  // the bucket of counts_[0]
  std::vector<std::uint64_t> counts_;
};

}  // namespace atc::trace
