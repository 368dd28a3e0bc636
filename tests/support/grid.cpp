#include "support/grid.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string>

#include "core/fill.hpp"
#include "support/problems.hpp"

namespace atc::test {

namespace {

constexpr std::array kDirections{Direction::forward, Direction::backward_data,
                                 Direction::backward_weight};
constexpr std::array kMemories{Memory::first, Memory::last, Memory::strided};

struct Window {
  std::int64_t kernel, stride, dilation, low, high;
};

constexpr std::array kWindows{Window{1, 1, 1, 0, 0}, Window{1, 2, 1, 0, 0}, Window{3, 1, 1, 1, 1},
                              Window{3, 1, 1, 0, 0}, Window{3, 2, 1, 1, 1}, Window{3, 2, 1, 0, 1},
                              Window{3, 1, 2, 2, 2}, Window{2, 2, 1, 0, 0}, Window{2, 1, 1, 0, 1},
                              Window{3, 3, 2, 1, 2}, Window{5, 2, 1, 2, 1}, Window{4, 2, 1, 1, 1}};

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(mix(seed_, next_++) % static_cast<std::uint64_t>(bound));
  }
  template <typename T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<std::int64_t>(values.size()))];
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

void draw_channels(Spec& spec, int kind, Random& random) {
  switch (kind) {
    case 0:
      spec.groups = 1;
      spec.channels_in = random.of<std::int64_t>({1, 3, 4, 8, 16, 17, 32});
      spec.channels_out = random.of<std::int64_t>({1, 2, 5, 8, 16, 19, 32});
      return;
    case 1:
      spec.groups = random.of<std::int64_t>({2, 3, 4});
      spec.channels_in = spec.groups * random.of<std::int64_t>({1, 2, 5, 8, 16});
      spec.channels_out = spec.groups * random.of<std::int64_t>({1, 3, 4, 8, 16});
      return;
    default:
      spec.groups = random.of<std::int64_t>({3, 7, 8, 16, 24});
      spec.channels_in = spec.groups;
      spec.channels_out = spec.groups * (kind == 2 ? 1 : 2);
  }
}

void draw_dtypes(Spec& spec, Random& random) {
  // Half of all problems are in fp32. The other half has reduced types (bf16 and f16) in one of
  // three ways: in all operands, in all operands except an fp32 output, or operands of different
  // types.
  const std::int64_t draw = random.below(16);
  if (draw < 8) return;
  const Dtype reduced = draw % 2 ? Dtype::bf16 : Dtype::f16;
  spec.x = spec.w = spec.y = reduced;
  if (draw >= 12 && draw < 14) {
    Dtype& output = spec.direction == Direction::forward         ? spec.y
                    : spec.direction == Direction::backward_data ? spec.x
                                                                 : spec.w;
    output = Dtype::f32;
  } else if (draw >= 14) {
    const auto any = [&] { return random.of({Dtype::f32, Dtype::bf16, Dtype::f16}); };
    spec.x = any();
    spec.w = any();
    spec.y = any();
  }
}

Spec draw(Direction direction, int spatial, int kind, const Window& window, Memory memory,
          Random& random) {
  Spec spec;
  spec.direction = direction;
  spec.spatial = spatial;
  spec.batch = random.of<std::int64_t>({1, 2, 3});
  draw_channels(spec, kind, random);
  spec.kernel.fill(window.kernel);
  spec.stride.fill(window.stride);
  spec.dilation.fill(window.dilation);
  spec.pad_low.fill(window.low);
  spec.pad_high.fill(window.high);
  for (int dim = 0; dim < spatial; ++dim) {
    const std::int64_t reach = window.dilation * (window.kernel - 1) + 1;
    const std::int64_t least = std::max<std::int64_t>(1, reach - window.low - window.high);
    spec.in[dim] = least + random.below(spatial == 1 ? 14 : spatial == 2 ? 8 : 5);
    // About one dimension in four gets a kernel and a dilation of its own, which may differ from
    // those of the other dimensions.
    if (random.below(4) == 0 && spec.in[dim] + spec.pad_low[dim] + spec.pad_high[dim] >= 2) {
      spec.kernel[dim] = 2;
      spec.dilation[dim] = 1;
    }
  }
  spec.x_memory = spec.y_memory = memory;
  // The weights have the same memory order (channels first or last, or strided) as x, or channels
  // first. Sometimes y has another order than x.
  spec.w_memory = random.below(2) ? memory : Memory::first;
  if (random.below(6) == 0) spec.y_memory = random.of({Memory::first, Memory::last});
  draw_dtypes(spec, random);
  if (direction != Direction::backward_weight)
    spec.epilogue =
        random.of({Epilogue::none, Epilogue::none, Epilogue::bias, Epilogue::bias_relu});
  spec.accumulate = random.below(4) == 0;
  return spec;
}

// Problems with sizes at the limits of the valid range.
std::vector<Spec> edges() {
  std::vector<Spec> specs;
  for (Direction direction : kDirections)
    for (int spatial = 1; spatial <= 3; ++spatial)
      for (Memory memory : kMemories) {
        Spec base;
        base.direction = direction;
        base.spatial = spatial;
        base.x_memory = base.y_memory = memory;
        Spec ones = base;
        ones.batch = ones.channels_in = ones.channels_out = 1;
        ones.in = ones.kernel = {1, 1, 1};
        specs.push_back(ones);
        Spec primes = base;
        primes.batch = 3;
        primes.channels_in = 13;
        primes.channels_out = 11;
        primes.in = {7, 5, 11};
        primes.pad_low = primes.pad_high = {1, 1, 1};
        specs.push_back(primes);
        // a problem whose kernel is as large as its input, so that there is one output position
        Spec whole = base;
        whole.in = whole.kernel = {5, 4, 3};
        specs.push_back(whole);
        Spec padding = base;  // a problem whose kernel is larger than its input
        padding.in = {2, 2, 2};
        padding.kernel = {5, 5, 5};
        padding.pad_low = {2, 2, 2};
        padding.pad_high = {3, 2, 2};
        specs.push_back(padding);
        Spec leftover = base;  // used as a transposed convolution, this problem has output padding
        leftover.in = {8, 8, 8};
        leftover.stride = {3, 3, 3};
        specs.push_back(leftover);
        Spec empty = base;
        empty.batch = 0;
        specs.push_back(empty);
        Spec product = base;
        product.channels_in = 32;
        product.channels_out = 48;
        product.kernel = {1, 1, 1};
        for (Epilogue epilogue : {Epilogue::none, Epilogue::bias, Epilogue::bias_relu})
          for (bool accumulate : {false, true}) {
            if (direction == Direction::backward_weight && epilogue != Epilogue::none) continue;
            product.epilogue = epilogue;
            product.accumulate = accumulate;
            specs.push_back(product);
          }
      }
  return specs;
}

}  // namespace

Grid make_grid(int repeats, std::uint64_t seed) {
  Grid grid;
  std::set<std::string> known;
  const auto add = [&](const Spec& spec) {
    if (!is_possible(spec)) return;
    Problem problem = build(spec);
    if (known.insert(label(problem)).second)
      grid.problems.push_back(problem);
    else
      ++grid.duplicates;
  };
  std::uint64_t stream = seed;
  for (Direction direction : kDirections)
    for (int spatial = 1; spatial <= 3; ++spatial)
      for (int kind = 0; kind < 4; ++kind)
        for (const Window& window : kWindows)
          for (Memory memory : kMemories)
            for (int i = 0; i < repeats; ++i) {
              Random random(mix(seed, stream++));
              add(draw(direction, spatial, kind, window, memory, random));
            }
  for (const Spec& spec : edges()) add(spec);
  return grid;
}

}  // namespace atc::test
