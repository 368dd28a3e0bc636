#include "engines/rewrite/moving_rewrite.hpp"
#include "engines/rewrite/rewrites.hpp"

namespace atc {

namespace {

using rewrite::Passage;

class Subsample final : public rewrite::MovingRewrite {
 public:
  std::string name() const override { return "subsample"; }

 protected:
  std::vector<Passage> passages(const Problem& problem, const Limits& limits,
                                std::string& why_not) const override {
    why_not = objection(problem);
    if (!why_not.empty()) return {};
    std::vector<Passage> passages;
    const bool last = problem.x.channels_last() && problem.y.channels_last();
    if (!last && rewrite::has_tensor_cores(problem, limits))
      passages.push_back(passage(problem, true));
    passages.push_back(passage(problem, false));
    return passages;
  }

 private:
  static std::string objection(const Problem& problem) {
    if (!rewrite::is_pointwise(problem)) return "the kernel is not 1x1";
    if (problem.stride == Extents{1, 1, 1}) return "every pixel counts";
    if (rewrite::has_padding(problem)) return "it has padding";
    if (problem.direction == Direction::backward_data && problem.epilogue != Epilogue::none)
      return "the bias goes to pixels that are not computed";
    return "";
  }

  static Passage passage(const Problem& problem, bool all_last) {
    Passage passage;
    passage.configuration = all_last ? "last" : "same";
    passage.notes = all_last ? "pixels that count, channels last" : "pixels that count";
    passage.problem = problem;
    Problem& inner = passage.problem;
    inner.stride = inner.dilation = {1, 1, 1};
    inner.pad_low = inner.pad_high = {};
    for (int dim = 0; dim < problem.spatial; ++dim) inner.x.shape[2 + dim] = problem.out(dim);
    const bool last = all_last || problem.x.channels_last();
    inner.x = last ? rewrite::channels_last(inner.x) : rewrite::channels_first(inner.x);
    if (all_last) {
      inner.w = rewrite::channels_last(inner.w);
      inner.y = rewrite::channels_last(inner.y);
    }
    passage.x = rewrite::cross(problem.x, inner.x, problem.stride);
    passage.w = rewrite::cross(problem.w, inner.w);
    passage.y = rewrite::cross(problem.y, inner.y);
    return passage;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_subsample_rewrite() { return std::make_unique<Subsample>(); }

}  // namespace atc
