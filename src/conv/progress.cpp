#include "conv/progress.hpp"

#include <algorithm>

namespace atc::conv {

void Telling::begin(std::size_t problem, const std::string& description) {
  problem_ = problem;
  description_ = description;
  furthest_ = 0;
  ended_ = false;
}

bool Telling::tell(double fraction, const std::string& candidate) {
  // A race may turn out to need more work than it announced, so that `fraction` decreases. The
  // caller was promised that the reported progress never decreases.
  furthest_ = std::max(furthest_, fraction);
  if (!cancelled_ && !ended_ && on_progress_)
    cancelled_ =
        !on_progress_({problem_, problems_, furthest_, seconds(), description_, candidate});
  ended_ = furthest_ >= 1;
  return !cancelled_;
}

}  // namespace atc::conv
