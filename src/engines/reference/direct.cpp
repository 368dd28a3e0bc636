#include "engines/reference/direct.hpp"

#include <algorithm>

#include "core/half.hpp"
#include "core/walk.hpp"
#include "engines/reference/geometry.hpp"

namespace atc::reference {

namespace {

// Calls f(in_row, out_row, range) for each row of outputs that has products of the filter's tap
// `tap` with input. in_row and out_row are the offsets of the input row and of the output row from
// the starts of their channels, in elements. `range` says which outputs of the row read input, and
// not padding.
template <typename F>
void for_each_row(const Geometry& g, std::int64_t tap, F&& f) {
  const std::int64_t tw = tap % g.kernel[2], rest = tap / g.kernel[2];
  const TapRange& rd = g.ranges[0][rest / g.kernel[1]];
  const TapRange& rh = g.ranges[1][rest % g.kernel[1]];
  const TapRange& rw = g.ranges[2][tw];
  for (std::int64_t od = rd.begin; od < rd.end; ++od)
    for (std::int64_t oh = rh.begin; oh < rh.end; ++oh) {
      const std::int64_t id = od * g.stride[0] + rd.shift, ih = oh * g.stride[1] + rh.shift;
      f((id * g.in[1] + ih) * g.in[2], (od * g.out[1] + oh) * g.out[2], rw);
    }
}

void forward_plane(const Geometry& g, const float* x, const float* w, double* sums) {
  for (std::int64_t c = 0; c < g.group_in; ++c)
    for (std::int64_t tap = 0; tap < g.taps(); ++tap) {
      const double weight = w[c * g.taps() + tap];
      const float* plane = x + c * g.in_plane();
      for_each_row(g, tap, [&](std::int64_t in_row, std::int64_t out_row, const TapRange& r) {
        const float* from = plane + in_row + r.shift;
        double* to = sums + out_row;
        const std::int64_t stride = g.stride[2];
        if (stride == 1)
          for (std::int64_t o = r.begin; o < r.end; ++o) to[o] += weight * from[o];
        else
          for (std::int64_t o = r.begin; o < r.end; ++o) to[o] += weight * from[o * stride];
      });
    }
}

void backward_data_plane(const Geometry& g, const float* y, const float* w, double* sums) {
  for (std::int64_t k = 0; k < g.group_out; ++k)
    for (std::int64_t tap = 0; tap < g.taps(); ++tap) {
      const double weight = w[k * g.group_in * g.taps() + tap];
      const float* plane = y + k * g.out_plane();
      for_each_row(g, tap, [&](std::int64_t in_row, std::int64_t out_row, const TapRange& r) {
        const float* from = plane + out_row;
        double* to = sums + in_row + r.shift;
        const std::int64_t stride = g.stride[2];
        for (std::int64_t o = r.begin; o < r.end; ++o) to[o * stride] += weight * from[o];
      });
    }
}

double backward_weight_tap(const Geometry& g, const float* x, const float* y, std::int64_t tap) {
  double sum = 0;
  for_each_row(g, tap, [&](std::int64_t in_row, std::int64_t out_row, const TapRange& r) {
    const float* in = x + in_row + r.shift;
    const float* out = y + out_row;
    const std::int64_t stride = g.stride[2];
    // The sum is divided into four partial sums, so that an addition need not wait for the result
    // of the previous one.
    double parts[4] = {};
    std::int64_t o = r.begin;
    for (; o + 4 <= r.end; o += 4)
      for (int j = 0; j < 4; ++j)
        parts[j] += static_cast<double>(in[(o + j) * stride]) * out[o + j];
    for (; o < r.end; ++o) parts[0] += static_cast<double>(in[o * stride]) * out[o];
    sum += parts[0] + parts[1] + parts[2] + parts[3];
  });
  return sum;
}

// Computes elements of the output from the sums of their products: applies the scale, adds the
// bias, the residual and the old value, applies the ReLU or activation, and rounds once to the
// output's dtype.
class Writer {
 public:
  Writer(const Problem& problem, const Operands& operands, void* output)
      : problem_(problem),
        operands_(operands),
        output_(output),
        dtype_(problem.output().dtype),
        strides_(strides_of(problem.output())) {}

  // Writes all elements with the outer indices `a` and `b` (such as image and channel). `extents`
  // is the number of these elements in each spatial dimension.
  void plane(std::int64_t a, std::int64_t b, const std::array<std::int64_t, 3>& extents,
             const double* sums) const {
    const Activation activation = problem_.activation();
    const double bias =
        problem_.epilogue == Epilogue::none ? 0 : load_element(operands_.bias, dtype_, b);
    const PostOps& post_ops = problem_.post_ops;
    const double scale = post_ops.scale ? load_element(operands_.scale, dtype_, b) : 1;
    const std::int64_t first = a * strides_[0] + b * strides_[1];
    for (std::int64_t d = 0; d < extents[0]; ++d)
      for (std::int64_t h = 0; h < extents[1]; ++h)
        for (std::int64_t w = 0; w < extents[2]; ++w) {
          const std::int64_t at = first + d * strides_[2] + h * strides_[3] + w * strides_[4];
          double value = scale * *sums++ + bias;
          if (post_ops.residual) value += load_element(operands_.residual, dtype_, at);
          if (problem_.accumulate) value += load_element(output_, dtype_, at);
          store_element(output_, dtype_, at, activated(activation, value));
        }
  }

 private:
  const Problem& problem_;
  const Operands& operands_;
  void* output_;
  Dtype dtype_;
  std::array<std::int64_t, 5> strides_;
};

}  // namespace

std::vector<float> dense_copy(const Tensor& tensor, const void* data) {
  std::vector<float> copy(static_cast<std::size_t>(tensor.elements()));
  for_each_offset(tensor, [&](std::int64_t logical, std::int64_t offset) {
    copy[static_cast<std::size_t>(logical)] =
        static_cast<float>(load_element(data, tensor.dtype, offset));
  });
  return copy;
}

Dense dense(const Tensor& tensor, const void* data) {
  if (tensor.dtype == Dtype::f32 && tensor.channels_first())
    return Dense(static_cast<const float*>(data));
  return Dense(dense_copy(tensor, data));
}

void convolve(const Problem& problem, const Operands& operands, const float* weights) {
  const Geometry g(problem);
  const auto weights_of_call = [&] {
    return weights ? Dense(weights) : dense(problem.w, operands.w);
  };
  switch (problem.direction) {
    case Direction::forward: {
      const Dense x = dense(problem.x, operands.x), w = weights_of_call();
      const Writer writer(problem, operands, operands.y);
      std::vector<double> sums(static_cast<std::size_t>(g.out_plane()));
      for (std::int64_t n = 0; n < g.batch; ++n)
        for (std::int64_t k = 0; k < g.groups * g.group_out; ++k) {
          std::fill(sums.begin(), sums.end(), 0.0);
          const std::int64_t first = (n * g.groups + k / g.group_out) * g.group_in;
          forward_plane(g, x.data() + first * g.in_plane(), w.data() + k * g.group_in * g.taps(),
                        sums.data());
          writer.plane(n, k, g.out, sums.data());
        }
      return;
    }
    case Direction::backward_data: {
      const Dense y = dense(problem.y, operands.y), w = weights_of_call();
      const Writer writer(problem, operands, operands.x);
      std::vector<double> sums(static_cast<std::size_t>(g.in_plane()));
      for (std::int64_t n = 0; n < g.batch; ++n)
        for (std::int64_t c = 0; c < g.groups * g.group_in; ++c) {
          std::fill(sums.begin(), sums.end(), 0.0);
          const std::int64_t group = c / g.group_in, first = group * g.group_out;
          const float* filters = w.data() + (first * g.group_in + c % g.group_in) * g.taps();
          backward_data_plane(g, y.data() + (n * g.groups * g.group_out + first) * g.out_plane(),
                              filters, sums.data());
          writer.plane(n, c, g.in, sums.data());
        }
      return;
    }
    case Direction::backward_weight: {
      const Dense x = dense(problem.x, operands.x), y = dense(problem.y, operands.y);
      const Writer writer(problem, operands, operands.w);
      const std::int64_t channels_in = g.groups * g.group_in, channels_out = g.groups * g.group_out;
      std::vector<double> sums(static_cast<std::size_t>(g.taps()));
      for (std::int64_t k = 0; k < channels_out; ++k)
        for (std::int64_t c = 0; c < g.group_in; ++c) {
          std::fill(sums.begin(), sums.end(), 0.0);
          const std::int64_t channel = k / g.group_out * g.group_in + c;
          for (std::int64_t n = 0; n < g.batch; ++n)
            for (std::int64_t tap = 0; tap < g.taps(); ++tap)
              sums[static_cast<std::size_t>(tap)] +=
                  backward_weight_tap(g, x.data() + (n * channels_in + channel) * g.in_plane(),
                                      y.data() + (n * channels_out + k) * g.out_plane(), tap);
          writer.plane(k, c, g.kernel, sums.data());
        }
      return;
    }
  }
}

}  // namespace atc::reference
