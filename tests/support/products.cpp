#include "support/products.hpp"

#include <array>

#include "support/problems.hpp"

namespace atc::test {

namespace {

struct Size {
  std::int64_t batch, channels_in, channels_out;
  Extents in;
};

constexpr std::array kSizes{Size{1, 1, 1, {1, 1, 1}},    Size{3, 13, 11, {7, 5, 3}},
                            Size{2, 32, 48, {4, 6, 2}},  Size{5, 8, 1, {1, 3, 5}},
                            Size{2, 64, 136, {9, 7, 2}}, Size{1, 520, 24, {6, 1, 1}}};

struct Dtypes {
  Dtype inputs, output;
};

constexpr std::array kDtypes{Dtypes{Dtype::f32, Dtype::f32}, Dtypes{Dtype::f16, Dtype::f16},
                             Dtypes{Dtype::bf16, Dtype::bf16}, Dtypes{Dtype::bf16, Dtype::f32}};

enum class Layout { first, last, first_to_last, last_to_first, slices_first, slices_last, crops };

constexpr std::array kLayouts{Layout::first,         Layout::last,         Layout::first_to_last,
                              Layout::last_to_first, Layout::slices_first, Layout::slices_last,
                              Layout::crops};

struct After {
  Epilogue epilogue;
  bool accumulate;
};

constexpr std::array kAfter{After{Epilogue::none, false}, After{Epilogue::bias, false},
                            After{Epilogue::bias, true}, After{Epilogue::none, true},
                            After{Epilogue::bias_relu, false}};

// Makes `tensor` a slice of a larger tensor, by a change of its strides. The larger tensor has
// `more` more elements in dimension `dim`.
void cut(Tensor& tensor, Memory memory, int dim, std::int64_t more) {
  Tensor::Index shape = tensor.shape;
  shape[dim] += more;
  tensor.strides = make_tensor(tensor.dtype, tensor.rank, shape, memory).strides;
}

Problem make(Direction direction, int spatial, const Size& size, const Dtypes& dtypes,
             Layout layout, const After& after, bool whole) {
  Spec spec;
  spec.direction = direction;
  spec.spatial = spatial;
  spec.batch = size.batch;
  spec.channels_in = size.channels_in;
  spec.channels_out = size.channels_out;
  spec.in = size.in;
  spec.kernel = whole ? size.in : Extents{1, 1, 1};
  spec.x = spec.w = spec.y = dtypes.inputs;
  const bool last =
      layout == Layout::last || layout == Layout::slices_last || layout == Layout::crops;
  const Memory memory = last ? Memory::last : Memory::first;
  spec.x_memory = layout == Layout::last_to_first ? Memory::last : memory;
  spec.y_memory = layout == Layout::first_to_last ? Memory::last : memory;
  spec.w_memory = spec.x_memory;
  if (direction != Direction::backward_weight) spec.epilogue = after.epilogue;
  spec.accumulate = after.accumulate;
  Problem problem = build(spec);
  if (layout == Layout::slices_first || layout == Layout::slices_last) {
    if (!whole) cut(problem.x, memory, 1, 8);
    cut(problem.y, memory, 1, 8);
  }
  if (layout == Layout::crops) {
    cut(problem.x, memory, problem.x.rank - 1, 2);
    cut(problem.y, memory, problem.y.rank - 1, 2);
  }
  const_cast<Tensor&>(problem.output()).dtype = dtypes.output;
  return problem;
}

}  // namespace

std::vector<Problem> make_products(std::size_t step) {
  std::vector<Problem> problems;
  std::size_t turn = 0;
  for (const Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (const Size& size : kSizes)
      for (const Layout layout : kLayouts)
        for (const bool whole : {false, true})
          for (const Dtypes& dtypes : kDtypes)
            for (const After& after : kAfter)
              if (turn++ % step == 0)
                problems.push_back(make(direction, 1 + static_cast<int>(problems.size() % 3), size,
                                        dtypes, layout, after, whole));
  return problems;
}

}  // namespace atc::test
