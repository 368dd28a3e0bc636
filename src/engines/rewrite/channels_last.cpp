#include <algorithm>

#include "engines/rewrite/moving_rewrite.hpp"
#include "engines/rewrite/rewrites.hpp"

namespace atc {

namespace {

using rewrite::Passage;

constexpr std::int64_t kFewChannels = 4;
// For a 1x1 convolution this rewrite is offered only if x and y together have at least this many
// bytes. A 1x1 convolution of smaller tensors takes a few microseconds, and the conversion would
// take as long.
constexpr std::uint64_t kSmallPointwise = 4 << 20;

class ChannelsLast final : public rewrite::MovingRewrite {
 public:
  std::string name() const override { return "nhwc"; }

 protected:
  std::vector<Passage> passages(const Problem& problem, const Limits& limits,
                                std::string& why_not) const override {
    why_not = objection(problem, limits);
    if (!why_not.empty()) return {};
    Passage passage;
    passage.notes = "channels last";
    passage.problem = problem;
    for (Tensor* tensor : {&passage.problem.x, &passage.problem.w, &passage.problem.y})
      *tensor = rewrite::channels_last(*tensor);
    passage.x = rewrite::cross(problem.x, passage.problem.x);
    passage.w = rewrite::cross(problem.w, passage.problem.w);
    passage.y = rewrite::cross(problem.y, passage.problem.y);
    return {passage};
  }

 private:
  static std::string objection(const Problem& problem, const Limits& limits) {
    if (problem.x.channels_last() && problem.w.channels_last() && problem.y.channels_last())
      return "all tensors are channels last";
    if (problem.groups == 1 && !rewrite::has_tensor_cores(problem, limits))
      return "fp32 without TF32 is no faster channels last";
    if (problem.x.dtype == Dtype::f32 &&
        std::min(problem.channels_in(), problem.channels_out()) <= kFewChannels)
      return "fp32 with few channels is no faster channels last";
    if (rewrite::is_pointwise(problem) &&
        problem.x.span_bytes() + problem.y.span_bytes() < kSmallPointwise)
      return "a 1x1 convolution of small tensors takes less time than moving them";
    return "";
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_channels_last_rewrite() { return std::make_unique<ChannelsLast>(); }

}  // namespace atc
