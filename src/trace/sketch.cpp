#include "trace/sketch.hpp"

#include <algorithm>
#include <cmath>

namespace atc::trace {

namespace {

// Bucket i > 0 counts the times above kLeast * kGrowth^(i-1), up to kLeast * kGrowth^i. One value
// stands for all times of a bucket: the harmonic mean of its two bounds. It differs from any time t
// in the bucket by at most t * (kGrowth - 1) / (kGrowth + 1). The factor of t is kRelativeError.
constexpr double kGrowth = (1 + Sketch::kRelativeError) / (1 - Sketch::kRelativeError);

// The compiler replaces this call of std::log by its result.
double log_growth() { return std::log(kGrowth); }

std::size_t bucket_of(double seconds) {
  if (!(seconds > Sketch::kLeast)) return 0;
  const double bucket = std::ceil(std::log(seconds / Sketch::kLeast) / log_growth());
  return std::min(static_cast<std::size_t>(bucket), Sketch::kBuckets - 1);
}

double value_of(std::size_t bucket) {
  return Sketch::kLeast * 2 / (kGrowth + 1) * std::exp(static_cast<double>(bucket) * log_growth());
}

}  // namespace

void Sketch::reserve(std::size_t bucket) {
  if (counts_.empty()) first_ = bucket;
  if (bucket < first_) {
    counts_.insert(counts_.begin(), first_ - bucket, 0);
    first_ = bucket;
  }
  if (bucket - first_ >= counts_.size()) counts_.resize(bucket - first_ + 1, 0);
}

void Sketch::add(double seconds) {
  const std::size_t bucket = bucket_of(seconds);
  reserve(bucket);
  ++counts_[bucket - first_];
  min_ = count_ == 0 ? seconds : std::min(min_, seconds);
  max_ = count_ == 0 ? seconds : std::max(max_, seconds);
  ++count_;
  const double before = seconds - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (seconds - mean_);
}

void Sketch::merge(const Sketch& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  reserve(other.first_);
  reserve(other.first_ + other.counts_.size() - 1);
  for (std::size_t i = 0; i < other.counts_.size(); ++i)
    counts_[other.first_ + i - first_] += other.counts_[i];
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  const auto mine = static_cast<double>(count_), theirs = static_cast<double>(other.count_);
  const double gap = other.mean_ - mean_;
  mean_ += gap * theirs / (mine + theirs);
  squares_ += other.squares_ + gap * gap * mine * theirs / (mine + theirs);
  count_ += other.count_;
}

double Sketch::deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

double Sketch::quantile(double q) const {
  if (count_ == 0) return 0;
  const auto rank = static_cast<std::uint64_t>(q * static_cast<double>(count_ - 1));
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    below += counts_[i];
    if (below > rank) return std::clamp(value_of(first_ + i), min_, max_);
  }
  return max_;
}

}  // namespace atc::trace
