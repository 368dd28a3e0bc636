#include "engines/rewrite/moving_rewrite.hpp"
#include "engines/rewrite/rewrites.hpp"

namespace atc {

namespace {

using rewrite::Passage;

std::int64_t up_to_multiple(std::int64_t number, std::int64_t of) {
  return (number + of - 1) / of * of;
}

class ChannelPadding final : public rewrite::MovingRewrite {
 public:
  std::string name() const override { return "pad"; }

 protected:
  std::vector<Passage> passages(const Problem& problem, const Limits& limits,
                                std::string& why_not) const override {
    if (problem.groups != 1) {
      why_not = "channels of groups are not padded";
      return {};
    }
    if (!rewrite::has_tensor_cores(problem, limits)) {
      why_not = "fp32 without TF32 gains nothing from more channels";
      return {};
    }
    // Kernels for tensor cores require that the channels of one pixel take a multiple of 16 bytes.
    const bool halves = problem.x.dtype != Dtype::f32 && problem.w.dtype != Dtype::f32;
    const std::int64_t unit = halves ? 8 : 4;
    std::vector<Passage> passages;
    if (problem.channels_in() <= 4) add(problem, 4, unit, passages, why_not);
    add(problem, unit, unit, passages, why_not);
    return passages;
  }

 private:
  static void add(const Problem& problem, std::int64_t in_unit, std::int64_t out_unit,
                  std::vector<Passage>& passages, std::string& why_not) {
    const std::int64_t in = up_to_multiple(problem.channels_in(), in_unit);
    const std::int64_t out = up_to_multiple(problem.channels_out(), out_unit);
    if (in == problem.channels_in() && out == problem.channels_out()) {
      if (passages.empty()) why_not = "the numbers of channels are even enough";
      return;
    }
    const bool forward = problem.direction == Direction::forward;
    if (problem.epilogue != Epilogue::none &&
        (forward ? out != problem.channels_out() : in != problem.channels_in())) {
      why_not = "the bias is not padded";
      return;
    }
    Passage passage;
    passage.configuration = in_unit == 4 ? "c4" : "c8";
    for (const Passage& other : passages)
      if (other.configuration == passage.configuration) return;
    passage.notes = "channels last, padded with zeros";
    passage.problem = problem;
    Problem& inner = passage.problem;
    inner.x.shape[1] = inner.w.shape[1] = in;
    inner.y.shape[1] = inner.w.shape[0] = out;
    for (Tensor* tensor : {&inner.x, &inner.w, &inner.y}) *tensor = rewrite::channels_last(*tensor);
    passage.x = rewrite::cross(problem.x, inner.x);
    passage.w = rewrite::cross(problem.w, inner.w);
    passage.y = rewrite::cross(problem.y, inner.y);
    passages.push_back(passage);
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_channel_padding_rewrite() {
  return std::make_unique<ChannelPadding>();
}

}  // namespace atc
