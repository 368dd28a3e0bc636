#include "implementations/layers.hpp"

#include <algorithm>
#include <initializer_list>

#include "core/random.hpp"
#include "support/problems.hpp"

namespace atc::test {

namespace {

// The limits of a layer's size. With these limits, thousands of layers take only minutes.
constexpr double kMostProducts = 3e6;
constexpr std::int64_t kMostElements = 400000;

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(mix(seed_, next_++) % static_cast<std::uint64_t>(bound));
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + below(most - least + 1);
  }
  bool one_in(std::int64_t count) { return below(count) == 0; }
  template <typename T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<std::int64_t>(values.size()))];
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

std::int64_t draw_channel_count(Random& random) {
  return random.of<std::int64_t>(
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 20, 24, 31, 32, 33, 48, 64});
}

void draw_channels(Spec& spec, Random& random) {
  spec.groups = 1;
  spec.channels_in = draw_channel_count(random);
  spec.channels_out = draw_channel_count(random);
  if (!random.one_in(3)) return;
  if (random.one_in(2)) {  // depthwise
    spec.groups = spec.channels_in;
    spec.channels_out = spec.channels_in * random.of<std::int64_t>({1, 1, 1, 2});
    return;
  }
  spec.groups = random.of<std::int64_t>({2, 3, 4, 8});
  const auto each = [&] { return random.of<std::int64_t>({1, 2, 3, 4, 5, 8, 16, 17}); };
  spec.channels_in = spec.groups * each();
  spec.channels_out = spec.groups * each();
}

void draw_windows(Spec& spec, Random& random) {
  const bool pointwise = random.one_in(5), alike = !random.one_in(3);
  for (int dim = 0; dim < spec.spatial; ++dim) {
    if (dim > 0 && alike) {
      spec.kernel[dim] = spec.kernel[0];
      spec.stride[dim] = spec.stride[0];
      spec.dilation[dim] = spec.dilation[0];
      spec.pad_low[dim] = spec.pad_low[0];
      spec.pad_high[dim] = spec.pad_high[0];
      continue;
    }
    spec.kernel[dim] = pointwise ? 1 : random.of<std::int64_t>({1, 2, 3, 3, 3, 4, 5, 7});
    spec.stride[dim] = random.of<std::int64_t>({1, 1, 2, 2, 2, 3, 4});
    spec.dilation[dim] = spec.kernel[dim] == 1 ? 1 : random.of<std::int64_t>({1, 1, 1, 1, 2, 3});
    const std::int64_t reach = spec.dilation[dim] * (spec.kernel[dim] - 1) + 1;
    if (random.one_in(2)) continue;
    spec.pad_low[dim] = random.between(0, reach / 2);
    spec.pad_high[dim] = random.one_in(3) ? random.between(0, reach / 2) : spec.pad_low[dim];
  }
}

void draw_extents(Spec& spec, Random& random) {
  const std::int64_t most = spec.spatial == 1 ? 400 : spec.spatial == 2 ? 40 : 17;
  // Half of the layers are much smaller than the limit, because a small extent often ends within a
  // block of an implementation (the number of elements that it computes at once).
  const std::int64_t bound = random.one_in(2) ? most : std::max<std::int64_t>(most / 4, 4);
  const bool alike = random.one_in(2);
  for (int dim = 0; dim < spec.spatial; ++dim) {
    const std::int64_t reach = spec.dilation[dim] * (spec.kernel[dim] - 1) + 1;
    const std::int64_t least =
        std::max<std::int64_t>(1, reach - spec.pad_low[dim] - spec.pad_high[dim]);
    spec.in[dim] = dim > 0 && alike ? std::max(spec.in[0], least) : least + random.below(bound);
    if (random.one_in(2))
      spec.in[dim] = std::max(least, spec.in[dim] / spec.stride[dim] * spec.stride[dim]);
  }
  spec.batch = random.of<std::int64_t>({1, 1, 2, 3, 8, 32});
}

// Draws a strided 1x1 layer with few channels and many pixels. For such a layer, some
// implementations of oneDNN copy the pixels that the strides select into the scratchpad, and
// compute a 1x1 layer without strides. These implementations are known to write beyond the
// scratchpad (uxlfoundation/oneDNN#6035).
void draw_strided_pointwise(Spec& spec, Random& random) {
  spec.spatial = random.of({1, 2, 2});
  spec.groups = 1;
  spec.channels_in = random.between(1, 24);
  spec.channels_out = random.of<std::int64_t>({1, 3, 8, 16, 24, 40});
  for (int dim = 0; dim < spec.spatial; ++dim) {
    spec.kernel[dim] = spec.dilation[dim] = 1;
    spec.pad_low[dim] = spec.pad_high[dim] = 0;
    spec.stride[dim] = random.of<std::int64_t>({1, 2, 2, 2, 3});
    const std::int64_t most = spec.spatial == 1 ? 4000 : 64;
    spec.in[dim] = spec.stride[dim] * random.between(1, most / spec.stride[dim]);
  }
  spec.batch = random.of<std::int64_t>({1, 2, 3, 8, 32});
}

// Draws a strided layer in which the last elements of x may be in no window.
void draw_unreached(Spec& spec, Random& random) {
  for (int dim = 0; dim < spec.spatial; ++dim) {
    spec.kernel[dim] = random.of<std::int64_t>({1, 2, 3, 3});
    spec.dilation[dim] = 1;
    spec.stride[dim] = random.of<std::int64_t>({2, 2, 3, 4});
    spec.pad_low[dim] = spec.pad_high[dim] = random.between(0, spec.kernel[dim] / 2);
    const std::int64_t least = std::max<std::int64_t>(1, spec.kernel[dim] - 2 * spec.pad_low[dim]);
    spec.in[dim] =
        least + random.between(0, 8) * spec.stride[dim] + random.between(0, spec.stride[dim] - 1);
  }
}

// Draws a layer whose input is as large as a window, or smaller than a stride.
void draw_tiny(Spec& spec, Random& random) {
  for (int dim = 0; dim < spec.spatial; ++dim) {
    spec.kernel[dim] = random.between(1, 3);
    spec.stride[dim] = random.between(1, 4);
    spec.dilation[dim] = random.one_in(4) ? 2 : 1;
    spec.in[dim] = random.between(1, 6);
    spec.pad_low[dim] = random.one_in(3) ? random.between(0, 1) : 0;
    spec.pad_high[dim] = random.one_in(3) ? random.between(0, 1) : spec.pad_low[dim];
  }
}

void draw_dtypes(Spec& spec, Random& random) {
  const std::int64_t draw = random.below(20);
  if (draw < 9) return;
  const Dtype reduced = draw % 3 != 0 ? Dtype::bf16 : Dtype::f16;
  spec.x = spec.w = spec.y = reduced;
  if (draw < 17) return;
  Dtype& output = spec.direction == Direction::forward         ? spec.y
                  : spec.direction == Direction::backward_data ? spec.x
                                                               : spec.w;
  output = Dtype::f32;
}

void draw_memory(Spec& spec, Random& random) {
  spec.x_memory = random.of(
      {Memory::first, Memory::first, Memory::last, Memory::last, Memory::last, Memory::strided});
  spec.y_memory = random.one_in(10) ? random.of({Memory::first, Memory::last}) : spec.x_memory;
  spec.w_memory = random.one_in(2) ? spec.x_memory : Memory::first;
}

// Draws a residual, an activation or both, for a forward problem (of a convolution, or of a
// transposed convolution, which is a problem of the direction backward-data).
void draw_post_ops(Spec& spec, Random& random) {
  spec.accumulate = false;
  PostOps& post_ops = spec.post_ops;
  post_ops.residual = !random.one_in(3);
  Activation& activation = post_ops.activation;
  activation.function = random.of({Function::none, Function::relu, Function::clamp, Function::silu,
                                   Function::gelu, Function::gelu_tanh, Function::hard_swish,
                                   Function::sigmoid, Function::leaky_relu});
  if (activation.function == Function::clamp) {
    activation.low = -1;
    activation.high = 2;
  }
  if (activation.function == Function::leaky_relu) activation.slope = 0.25F;
  // A bias and a ReLU without further post-ops are expressed as Epilogue::bias_relu.
  const bool only_relu = !post_ops.residual && activation.function == Function::relu;
  if (spec.epilogue == Epilogue::bias_relu) spec.epilogue = Epilogue::bias;
  if (only_relu) spec.epilogue = Epilogue::none;
}

// Makes the layer from its description. If the layer is larger than the limits, first halves the
// batch, and then the extents, until it is within the limits.
Problem bounded(Spec spec) {
  for (;;) {
    const Problem problem = build(spec);
    const std::int64_t elements =
        std::max({problem.x.elements(), problem.w.elements(), problem.y.elements()});
    if (problem.flops() <= 2 * kMostProducts && elements <= kMostElements) return problem;
    Spec smaller = spec;
    if (smaller.batch > 1) {
      smaller.batch /= 2;
    } else {
      auto& in = smaller.in;
      auto* const largest = std::max_element(in.begin(), in.begin() + smaller.spatial);
      *largest -= *largest / 2;
      if (smaller.in == spec.in || !is_possible(smaller)) return problem;
    }
    spec = smaller;
  }
}

}  // namespace

Problem draw_layer(std::uint64_t seed) {
  Random random(seed);
  for (;;) {
    Spec spec;
    spec.direction =
        random.of({Direction::forward, Direction::backward_data, Direction::backward_data,
                   Direction::backward_weight, Direction::backward_weight});
    spec.spatial = random.of({1, 2, 2, 2, 3, 3});
    draw_channels(spec, random);
    draw_windows(spec, random);
    draw_extents(spec, random);
    const std::int64_t kind = random.below(8);
    if (kind == 0) draw_strided_pointwise(spec, random);
    if (kind == 1) draw_unreached(spec, random);
    if (kind == 2) draw_tiny(spec, random);
    draw_dtypes(spec, random);
    draw_memory(spec, random);
    if (spec.direction != Direction::backward_weight && random.one_in(4))
      spec.epilogue = random.of({Epilogue::bias, Epilogue::bias_relu});
    spec.accumulate = random.one_in(6);
    if (spec.direction != Direction::backward_weight && random.one_in(4))
      draw_post_ops(spec, random);
    if (is_possible(spec)) return bounded(spec);
  }
}

}  // namespace atc::test
