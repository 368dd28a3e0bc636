#include <array>

#include "engines/rewrite/moving_rewrite.hpp"
#include "engines/rewrite/rewrites.hpp"

namespace atc {

namespace {

using rewrite::Crossing;
using rewrite::Passage;

// The rewrite "patch" turns each window of x into one pixel of the rewritten problem's x. The
// elements of the window become the channels of this pixel. They keep the order that they have in
// the memory of the problem's x.
struct Window {
  Window(const Problem& problem, bool channels_last) {
    std::int64_t next = 1;
    if (channels_last) place_channels(problem, next);
    for (int dim = problem.spatial - 1; dim >= 0; --dim) {
      strides[dim] = next;
      next *= problem.kernel(dim);
    }
    if (!channels_last) place_channels(problem, next);
    places = next;
  }

  // `channel` is the distance from an input channel to the next one among the elements of a window.
  // `places` is the number of elements of a window.
  std::int64_t channel = 0, places = 0;
  Extents strides{};

 private:
  void place_channels(const Problem& problem, std::int64_t& next) {
    channel = next;
    next *= problem.channels_in();
  }
};

// The spatial extents of the rewritten problem, which always has two spatial dimensions. The width
// is the problem's last output extent. The height is the product of the other output extents.
struct Plane {
  Plane() = default;  // a plane of 1 x 1
  explicit Plane(const Problem& problem) {
    for (int dim = 0; dim < problem.spatial; ++dim)
      (dim + 1 == problem.spatial ? width : height) *= problem.out(dim);
  }
  std::int64_t height = 1, width = 1;
};

Tensor inner_tensor(Dtype dtype, std::int64_t outer, std::int64_t channels, const Plane& plane,
                    bool channels_last) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.rank = 4;
  tensor.shape = {outer, channels, plane.height, plane.width};
  return channels_last ? rewrite::channels_last(tensor) : rewrite::channels_first(tensor);
}

// Spatial dimension `dim` of the problem's y is a part of the height or width of the rewritten
// problem. Returns its stride in the rewritten problem's tensor `inner`, in elements.
std::int64_t plane_stride(const Problem& problem, const Tensor& inner, int dim) {
  std::int64_t stride = inner.strides[3];
  if (dim + 1 == problem.spatial) return stride;
  stride = inner.strides[2];
  for (int other = problem.spatial - 2; other > dim; --other) stride *= problem.out(other);
  return stride;
}

// Returns whether the operand of the rewritten problem (inner operand) can use the memory of the
// problem's operand (outer operand), because both have the same elements in the same order.
bool is_view(const Crossing& crossing) {
  for (const rewrite::SharedDim& dim : crossing.dims)
    if (dim.outer_extent != dim.inner_extent || dim.step != 1 ||
        (dim.outer_extent != 1 && dim.outer_stride != dim.inner_stride))
      return false;
  return crossing.uncovered.empty();
}

Crossing cross_x(const Problem& problem, const Window& window, const Tensor& inner) {
  const Tensor& x = problem.x;
  Crossing crossing;
  crossing.inner = inner;
  const auto share = [&](std::int64_t extent, std::int64_t outer, std::int64_t within) {
    crossing.dims.push_back({extent, outer, extent, within, 1});
  };
  share(x.shape[0], x.strides[0], inner.strides[0]);
  share(x.shape[1], x.strides[1], window.channel * inner.strides[1]);
  for (int dim = 0; dim < problem.spatial; ++dim) {
    const std::int64_t stride = x.strides[2 + dim];
    share(problem.out(dim), stride * problem.kernel(dim), plane_stride(problem, inner, dim));
    share(problem.kernel(dim), stride, window.strides[dim] * inner.strides[1]);
  }
  // Elements of x after the last window belong to no window. They are set to zero when the gradient
  // of x is written. For each spatial dimension there is one box of such elements. So that the
  // boxes do not overlap, the box of a dimension contains, along each earlier dimension, only the
  // elements that windows cover.
  for (int dim = 0; dim < problem.spatial; ++dim) {
    const std::int64_t covered = problem.out(dim) * problem.kernel(dim);
    if (covered == problem.in(dim)) continue;
    rewrite::Move zeros;
    zeros.target_offset = covered * x.strides[2 + dim];
    for (int i = 0; i < x.rank; ++i) {
      const int other = i - 2;
      const std::int64_t extent = other < 0 || other > dim ? x.shape[i]
                                  : other == dim           ? x.shape[i] - covered
                                                 : problem.out(other) * problem.kernel(other);
      zeros.dims.push_back({extent, 0, 1, 0, x.strides[i]});
    }
    crossing.uncovered.push_back(zeros);
  }
  crossing.passed_on = is_view(crossing);
  return crossing;
}

Crossing cross_w(const Problem& problem, const Window& window, const Tensor& inner) {
  const Tensor& w = problem.w;
  Crossing crossing;
  crossing.inner = inner;
  crossing.dims.push_back({w.shape[0], w.strides[0], w.shape[0], inner.strides[0], 1});
  crossing.dims.push_back({w.shape[1], w.strides[1], w.shape[1], window.channel, 1});
  for (int dim = 0; dim < problem.spatial; ++dim)
    crossing.dims.push_back(
        {problem.kernel(dim), w.strides[2 + dim], problem.kernel(dim), window.strides[dim], 1});
  crossing.passed_on = is_view(crossing);
  return crossing;
}

Crossing cross_y(const Problem& problem, const Tensor& inner) {
  const Tensor& y = problem.y;
  Crossing crossing;
  crossing.inner = inner;
  for (int i = 0; i < y.rank; ++i)
    crossing.dims.push_back({y.shape[i], y.strides[i], y.shape[i],
                             i < 2 ? inner.strides[i] : plane_stride(problem, inner, i - 2), 1});
  crossing.passed_on = is_view(crossing);
  return crossing;
}

class Patch final : public rewrite::MovingRewrite {
 public:
  std::string name() const override { return "patch"; }

 protected:
  std::vector<Passage> passages(const Problem& problem, const Limits&,
                                std::string& why_not) const override {
    why_not = objection(problem);
    if (!why_not.empty()) return {};
    std::vector<Passage> passages;
    passages.push_back(passage(problem, true));
    // If y is channels first, there is a second way, which does not copy y. With it, the rest of
    // the chain (other rewrites and the engine) must be able to write y with channels first.
    if (!passages.front().y.passed_on && problem.y.channels_first())
      passages.push_back(passage(problem, false));
    return passages;
  }

 private:
  static std::string objection(const Problem& problem) {
    if (problem.groups != 1) return "it has groups";
    if (rewrite::is_pointwise(problem)) return "the kernel is 1x1";
    if (rewrite::has_padding(problem)) return "it has padding";
    for (int dim = 0; dim < problem.spatial; ++dim) {
      if (problem.out(dim) > 1 && problem.stride[dim] != problem.kernel(dim))
        return "windows are no tiles: kernel and stride differ";
      if (problem.kernel(dim) > 1 && problem.dilation[dim] != 1) return "it has dilation";
    }
    if (problem.direction == Direction::backward_data && problem.epilogue != Epilogue::none)
      return "the bias goes to single pixels, not to windows";
    return "";
  }

  static Passage passage(const Problem& problem, bool last) {
    const Window window(problem, problem.x.channels_first() ? false
                                 : problem.x.channels_last()
                                     ? true
                                     : problem.w.channels_last() && !problem.w.channels_first());
    const Plane plane(problem);
    Passage passage;
    passage.configuration = last ? "last" : "first";
    passage.notes = last ? "matrix product, y channels last" : "matrix product, y channels first";
    Problem& inner = passage.problem;
    inner = problem;
    inner.spatial = 2;
    inner.stride = inner.dilation = {1, 1, 1};
    inner.pad_low = inner.pad_high = {};
    inner.x = inner_tensor(problem.x.dtype, problem.batch(), window.places, plane, true);
    inner.w = inner_tensor(problem.w.dtype, problem.channels_out(), window.places, {}, true);
    inner.y = inner_tensor(problem.y.dtype, problem.batch(), problem.channels_out(), plane, last);
    passage.x = cross_x(problem, window, inner.x);
    passage.w = cross_w(problem, window, inner.w);
    passage.y = cross_y(problem, inner.y);
    return passage;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_patch_rewrite() { return std::make_unique<Patch>(); }

}  // namespace atc
