#include "engines/reference/position.hpp"

#include <algorithm>
#include <cmath>

#include "core/half.hpp"
#include "engines/reference/geometry.hpp"

namespace atc::reference {

namespace {

// Each of the next structs describes one data type. `Word` is the type in which an element is
// stored, and number() converts it to a number.
struct F32 {
  using Word = float;
  static double number(Word word) { return word; }
};
struct F16 {
  using Word = std::uint16_t;
  static double number(Word word) { return f16_to_float(word); }
};
struct Bf16 {
  using Word = std::uint16_t;
  static double number(Word word) { return bf16_to_float(word); }
};

// Adds products in four independent partial sums (lanes), so that an addition need not wait for the
// result of the previous one.
class Sum {
 public:
  void add(std::size_t lane, double term) {
    value_[lane] += term;
    magnitude_[lane] += std::fabs(term);
    energy_[lane] += term * term;
  }
  ElementValue total() const {
    const auto sum = [](const Lanes& lanes) { return lanes[0] + lanes[1] + lanes[2] + lanes[3]; };
    return {sum(value_), sum(magnitude_), sum(energy_), 0};
  }

  static constexpr std::size_t kLanes = 4;

 private:
  using Lanes = std::array<double, kLanes>;
  Lanes value_{}, magnitude_{}, energy_{};
};

void add(ElementValue& element, double term) {
  element.value += term;
  element.magnitude += std::fabs(term);
  element.energy += term * term;
}

void multiply(ElementValue& element, double factor) {
  element.value *= factor;
  element.magnitude *= std::fabs(factor);
  element.energy *= factor * factor;
}

// Applies an activation to an element. An error of the sum becomes larger by at most the
// activation's largest slope, so the numbers from which the tolerance is computed are multiplied by
// it. For the sigmoid, the 1 in its formula counts as one more summand.
void activate(ElementValue& element, const Activation& activation) {
  const double slope = steepest(activation.function);
  element.value = activated(activation, element.value);
  element.magnitude *= slope;
  element.energy *= slope * slope;
  element.fresh *= slope;
  if (activation.function == Function::sigmoid) {
    element.magnitude += 1;
    element.energy += 1;
  }
}

template <typename F>
void for_each(const std::array<std::int64_t, 3>& extents, F&& f) {
  std::array<std::int64_t, 3> i;
  for (i[0] = 0; i[0] < extents[0]; ++i[0])
    for (i[1] = 0; i[1] < extents[1]; ++i[1])
      for (i[2] = 0; i[2] < extents[2]; ++i[2]) f(i);
}

using Spatial = std::array<std::int64_t, 3>;

// The output position `o` (a position of y) is a sum of products. Sets `i` to the position of x in
// the product with the filter's tap `t`. Returns false if this position of x is padding.
bool input_of(const Geometry& g, const Spatial& o, const Spatial& t, Spatial& i) {
  for (int d = 0; d < 3; ++d) {
    i[d] = o[d] * g.stride[d] + t[d] * g.dilation[d] - g.pad[d];
    if (i[d] < 0 || i[d] >= g.in[d]) return false;
  }
  return true;
}

// Sets `o` to the output position (a position of y) whose product with the filter's tap `t` uses
// the position `i` of x. Returns false if there is no such output position.
bool output_of(const Geometry& g, const Spatial& i, const Spatial& t, Spatial& o) {
  for (int d = 0; d < 3; ++d) {
    const std::int64_t scaled = i[d] + g.pad[d] - t[d] * g.dilation[d];
    if (scaled < 0 || scaled % g.stride[d] != 0) return false;
    o[d] = scaled / g.stride[d];
    if (o[d] >= g.out[d]) return false;
  }
  return true;
}

// An operand whose elements are addressed by two outer indices (such as image and channel) and a
// spatial position.
struct Operand {
  Operand(const Tensor& tensor, const void* memory) : strides(strides_of(tensor)), data(memory) {}
  std::int64_t offset(std::int64_t a, std::int64_t b, const Spatial& s) const {
    return a * strides[0] + b * strides[1] + s[0] * strides[2] + s[1] * strides[3] +
           s[2] * strides[4];
  }

  const std::array<std::int64_t, 5> strides;
  const void* const data;
};

// A sequence of elements of one operand at equal distances. `first` is the offset of the first
// element, and `step` the distance to the next one, both in elements.
struct Run {
  const Operand& operand;
  std::int64_t first, step;
};

template <typename A, typename B>
void add_products(const Run& a, const Run& b, std::int64_t count, Sum& sum) {
  const auto* const of_a = static_cast<const typename A::Word*>(a.operand.data) + a.first;
  const auto* const of_b = static_cast<const typename B::Word*>(b.operand.data) + b.first;
  const auto product = [&](std::int64_t i) {
    return A::number(of_a[i * a.step]) * B::number(of_b[i * b.step]);
  };
  constexpr auto kLanes = static_cast<std::int64_t>(Sum::kLanes);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < Sum::kLanes; ++lane)
      sum.add(lane, product(i + static_cast<std::int64_t>(lane)));
  for (; i < count; ++i) sum.add(0, product(i));
}

// Returns the function add_products for operands of these data types: A for the first one, and `b`
// for the second one.
using AddProducts = void (*)(const Run&, const Run&, std::int64_t, Sum&);

template <typename A>
AddProducts for_types(Dtype b) {
  switch (b) {
    case Dtype::f32:
      return add_products<A, F32>;
    case Dtype::f16:
      return add_products<A, F16>;
    case Dtype::bf16:
      break;
  }
  return add_products<A, Bf16>;
}
AddProducts for_types(Dtype a, Dtype b) {
  switch (a) {
    case Dtype::f32:
      return for_types<F32>(b);
    case Dtype::f16:
      return for_types<F16>(b);
    case Dtype::bf16:
      break;
  }
  return for_types<Bf16>(b);
}

class Evaluator {
 public:
  Evaluator(const Problem& problem, const Operands& operands)
      : problem_(problem),
        operands_(operands),
        g_(problem),
        x_(problem.x, operands.x),
        w_(problem.w, operands.w),
        y_(problem.y, operands.y),
        add_(problem.direction == Direction::forward ? for_types(problem.x.dtype, problem.w.dtype)
             : problem.direction == Direction::backward_data
                 ? for_types(problem.y.dtype, problem.w.dtype)
                 : for_types(problem.x.dtype, problem.y.dtype)) {}

  ElementValue operator()(const Index& index) const {
    Spatial at{};
    for (int i = 0; i < problem_.spatial; ++i) at[3 - problem_.spatial + i] = index[2 + i];
    Sum sum;
    switch (problem_.direction) {
      case Direction::forward:
        forward(index, at, sum);
        break;
      case Direction::backward_data:
        backward_data(index, at, sum);
        break;
      case Direction::backward_weight:
        backward_weight(index, at, sum);
        break;
    }
    return finish(index, at, sum.total());
  }

 private:
  void forward(const Index& index, const Spatial& at, Sum& sum) const {
    const std::int64_t first = index[1] / g_.group_out * g_.group_in;
    Spatial input;
    for_each(g_.kernel, [&](const Spatial& tap) {
      if (input_of(g_, at, tap, input))
        add_({x_, x_.offset(index[0], first, input), x_.strides[1]},
             {w_, w_.offset(index[1], 0, tap), w_.strides[1]}, g_.group_in, sum);
    });
  }

  void backward_data(const Index& index, const Spatial& at, Sum& sum) const {
    const std::int64_t first = index[1] / g_.group_in * g_.group_out, c = index[1] % g_.group_in;
    Spatial output;
    for_each(g_.kernel, [&](const Spatial& tap) {
      if (output_of(g_, at, tap, output))
        add_({y_, y_.offset(index[0], first, output), y_.strides[1]},
             {w_, w_.offset(first, c, tap), w_.strides[0]}, g_.group_out, sum);
    });
  }

  // Adds the summands of the gradient of one weight. The function goes row by row over those
  // positions of y at which the weight is multiplied with input, and not with padding.
  void backward_weight(const Index& index, const Spatial& tap, Sum& sum) const {
    const std::int64_t c = index[0] / g_.group_out * g_.group_in + index[1];
    const auto range = [&](std::size_t dim) -> const TapRange& {
      return g_.ranges[dim][static_cast<std::size_t>(tap[dim])];
    };
    const TapRange& depth = range(0);
    const TapRange& rows = range(1);
    const TapRange& columns = range(2);
    for (std::int64_t n = 0; n < g_.batch; ++n)
      for (std::int64_t d = depth.begin; d < depth.end; ++d)
        for (std::int64_t h = rows.begin; h < rows.end; ++h) {
          const Spatial input{d * g_.stride[0] + depth.shift, h * g_.stride[1] + rows.shift,
                              columns.begin * g_.stride[2] + columns.shift};
          add_({x_, x_.offset(n, c, input), g_.stride[2] * x_.strides[4]},
               {y_, y_.offset(n, index[0], {d, h, columns.begin}), y_.strides[4]},
               columns.end - columns.begin, sum);
        }
  }

  ElementValue finish(const Index& index, const Spatial& at, ElementValue sum) const {
    const Dtype dtype = problem_.output().dtype;
    if (problem_.post_ops.scale) multiply(sum, load_element(operands_.scale, dtype, index[1]));
    sum.fresh = std::fabs(sum.value);
    if (problem_.epilogue != Epilogue::none)
      add(sum, load_element(operands_.bias, dtype, index[1]));
    sum.fresh = std::max(sum.fresh, std::fabs(sum.value));
    if (problem_.accumulate) {
      const Operand old(problem_.output(), atc::output_of(problem_, operands_));
      add(sum, load_element(old.data, dtype, old.offset(index[0], index[1], at)));
    }
    if (problem_.post_ops.residual) {
      const Operand residual(problem_.output(), operands_.residual);
      add(sum, load_element(residual.data, dtype, residual.offset(index[0], index[1], at)));
    }
    activate(sum, problem_.activation());
    return sum;
  }

  const Problem& problem_;
  const Operands& operands_;
  const Geometry g_;
  const Operand x_, w_, y_;
  const AddProducts add_;
};

}  // namespace

std::vector<ElementValue> values_at(const Problem& problem, const Operands& operands,
                                    const std::vector<Index>& indices) {
  const Evaluator evaluate(problem, operands);
  std::vector<ElementValue> values;
  values.reserve(indices.size());
  for (const Index& index : indices) values.push_back(evaluate(index));
  return values;
}

ElementValue value_at(const Problem& problem, const Operands& operands, const Index& index) {
  return Evaluator(problem, operands)(index);
}

}  // namespace atc::reference
