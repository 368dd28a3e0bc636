#include "conv/race/kind.hpp"

#include <algorithm>

#include "conv/race/resized.hpp"
#include "core/format.hpp"
#include "core/unreached.hpp"

namespace atc::conv {

namespace {

bool is_dense(const Tensor& tensor) { return tensor.channels_first() || tensor.channels_last(); }

// The cost of a check: how many elements of operands it fills and reads, and how many products one
// execution computes.
struct Cost {
  double elements, products;
};

// Returns the largest cost that counts as cheap. On a CPU a check with this cost takes tens of
// milliseconds. On a GPU the limit is far higher, and such a check still takes less time.
Cost most_on(DeviceId device) {
  return device.type == DeviceType::cuda ? Cost{1U << 27, 1e12} : Cost{1U << 19, 1U << 26};
}

bool is_cheap(const Problem& problem, const Cost& most) {
  const auto moved = static_cast<double>(problem.x.elements() + problem.y.elements());
  return moved <= most.elements && problem.flops() / 2 <= most.products;
}

// The smallest number of windows (positions of the kernel) to which a dimension is shortened. With
// fewer windows many implementations run other code.
constexpr std::int64_t kFewestWindows = 16;

}  // namespace

std::string kind_of(const Choice& choice, const Chain& chain, const Problem& problem,
                    const Request& request) {
  bool strided = false, dilated = false, beyond = false, low = false, high = false;
  for (int dim = 0; dim < problem.spatial; ++dim) {
    strided = strided || problem.stride[dim] > 1;
    dilated = dilated || problem.dilation[dim] > 1;
    beyond = beyond || reach(problem, dim) > problem.in(dim);
    low = low || problem.pad_low[dim] > problem.pad_high[dim];
    high = high || problem.pad_low[dim] < problem.pad_high[dim];
  }
  const auto mark = [](bool condition, const char* name) { return condition ? name : ""; };
  return format("{} {}{}@{}:{} {} {}-D {} {} {} {}{}{}{}{}{}{}{}{}{}{}{}{}", request.device.index,
                rewrites_text(choice), choice.engine, choice.version,
                chain.engine->kernel_of(choice.configuration), name_of(problem.direction),
                problem.spatial, name_of(problem.x.dtype), name_of(problem.w.dtype),
                name_of(problem.y.dtype), name_of(problem.epilogue), describe(problem.post_ops),
                mark(problem.accumulate, " accumulate"), mark(problem.groups > 1, " groups"),
                mark(strided, " strided"), mark(dilated, " dilated"), mark(beyond, " beyond"),
                mark(low, " low"), mark(high, " high"),
                mark(has_unreached_elements(problem), " unreached"),
                mark(request.strict_precision, " strict"), mark(request.limits.allow_tf32, " tf32"),
                mark(request.reduced_reduction, " reduced"));
}

Problem cheap_of_kind(const Problem& problem, DeviceId device) {
  const Cost most = most_on(device);
  Problem cheap = problem;
  if (!is_dense(problem.x) || !is_dense(problem.y)) return cheap;
  while (!is_cheap(cheap, most)) {
    if (cheap.batch() > 1) {
      Extents in{};
      for (int dim = 0; dim < problem.spatial; ++dim) in[dim] = cheap.in(dim);
      cheap = with_input(problem, cheap.batch() / 2, in);
      continue;
    }
    int longest = 0;
    for (int dim = 1; dim < problem.spatial; ++dim)
      if (cheap.out(dim) > cheap.out(longest)) longest = dim;
    const std::int64_t windows = cheap.out(longest);
    Extents in{};
    for (int dim = 0; dim < problem.spatial; ++dim) in[dim] = cheap.in(dim);
    in[longest] -= problem.stride[longest] * (windows - windows / 2);
    // A dimension of the input is not made shorter than the kernel, because the problem would then
    // belong to another kind.
    const bool shorter = in[longest] < std::min(reach(problem, longest), problem.in(longest));
    if (windows < 2 * kFewestWindows || in[longest] < 1 || shorter) break;
    cheap = with_input(problem, 1, in);
  }
  return cheap;
}

}  // namespace atc::conv
