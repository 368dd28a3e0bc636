#include "engines/cublaslt/product.hpp"

#include <algorithm>
#include <limits>

namespace atc::cublaslt {

namespace {

// An axis of a tensor. `extent` is its number of indices, `step` the distance in elements from one
// index to the next.
struct Axis {
  std::int64_t extent = 1, step = 0;
};

// The axes of x or y. `pixels` is one axis that joins all spatial dimensions.
struct Images {
  Axis images, channels, pixels;
};

// A matrix (an operand or the output) with the distances between its rows and between its columns.
// matrix_of() finds out which of the two axes is contiguous in memory.
struct Plane {
  Role role;
  Dtype dtype;
  Axis rows, columns;
  std::int64_t batch_stride = 0;
};

// Joins two axes to one axis, if all neighbouring elements of the joined axis have the same
// distance in memory. Otherwise returns nullopt. `fast` is the axis whose index changes first.
std::optional<Axis> merge(const Axis& slow, const Axis& fast) {
  if (slow.extent == 1) return fast;
  if (fast.extent == 1) return slow;
  if (slow.step != fast.extent * fast.step) return std::nullopt;
  return Axis{slow.extent * fast.extent, fast.step};
}

Axis axis(const Tensor& tensor, int dim) { return {tensor.shape[dim], tensor.strides[dim]}; }

// Joins the dimensions from `first` to the last one to one axis. Returns nullopt if that is
// impossible.
std::optional<Axis> merge_from(const Tensor& tensor, int first) {
  std::optional<Axis> all = Axis{};
  for (int dim = tensor.rank - 1; dim >= first && all; --dim) all = merge(axis(tensor, dim), *all);
  return all;
}

std::optional<Images> images_of(const Tensor& tensor) {
  const std::optional<Axis> pixels = merge_from(tensor, 2);
  if (!pixels) return std::nullopt;
  return Images{axis(tensor, 0), axis(tensor, 1), *pixels};
}

bool is_pointwise(const Problem& problem) {
  for (int dim = 0; dim < problem.spatial; ++dim)
    if (problem.kernel(dim) != 1 || problem.pad_low[dim] != 0 ||
        problem.in(dim) != problem.out(dim) || (problem.stride[dim] != 1 && problem.out(dim) != 1))
      return false;
  return true;
}

bool takes_whole_images(const Problem& problem) {
  for (int dim = 0; dim < problem.spatial; ++dim)
    if (problem.kernel(dim) != problem.in(dim) || problem.pad_low[dim] != 0 ||
        problem.out(dim) != 1 || (problem.dilation[dim] != 1 && problem.kernel(dim) != 1))
      return false;
  return true;
}

// Whether an image of x and a filter of w are both dense and have the same order of dimensions in
// memory. If so, both are vectors whose elements have the same order, and an element of the output
// is the dot product of the two vectors.
bool in_one_order(const Tensor& x, const Tensor& w) {
  // `elements` is the number of elements of an image of x. `dense` is the number of these elements
  // that are known to be contiguous in memory.
  std::int64_t dense = 1, elements = 1;
  for (int dim = 1; dim < x.rank; ++dim) {
    elements *= x.shape[dim];
    if (x.shape[dim] != 1 && x.strides[dim] != w.strides[dim]) return false;
  }
  const auto next = [&] {
    for (int dim = 1; dim < x.rank; ++dim)
      if (x.shape[dim] != 1 && x.strides[dim] == dense) return x.shape[dim];
    return std::int64_t{1};
  };
  for (std::int64_t extent = next(); extent != 1; extent = next()) dense *= extent;
  return dense == elements;
}

// If the elements of a column are contiguous in memory, returns the leading dimension of the
// matrix: the distance between two columns in elements. Otherwise returns nullopt.
std::optional<std::int64_t> leading_of(const Axis& rows, const Axis& columns) {
  if (rows.extent != 1 && rows.step != 1) return std::nullopt;
  if (columns.extent == 1) return rows.extent;
  if (columns.step < rows.extent) return std::nullopt;
  return columns.step;
}

std::optional<Matrix> matrix_of(const Plane& plane) {
  Matrix matrix{plane.role, plane.dtype,       false, plane.rows.extent, plane.columns.extent,
                0,          plane.batch_stride};
  if (const auto leading = leading_of(plane.rows, plane.columns)) {
    matrix.leading = *leading;
    return matrix;
  }
  const auto leading = leading_of(plane.columns, plane.rows);
  if (!leading) return std::nullopt;
  matrix.transposed = true;
  std::swap(matrix.rows, matrix.columns);
  matrix.leading = *leading;
  return matrix;
}

Plane transpose(Plane plane) {
  std::swap(plane.rows, plane.columns);
  return plane;
}

// Returns the product output = a * b for cuBLASLt, which writes outputs whose columns are
// contiguous in memory. If instead the rows of the output are contiguous, returns the product of
// the transposed matrices: output^T = b^T * a^T.
std::optional<Product> multiply(const Plane& output, const Plane& a, const Plane& b,
                                std::int64_t batch) {
  const bool turned = !leading_of(output.rows, output.columns);
  const std::optional<Matrix> held = matrix_of(turned ? transpose(output) : output);
  const std::optional<Matrix> left = matrix_of(turned ? transpose(b) : a);
  const std::optional<Matrix> right = matrix_of(turned ? transpose(a) : b);
  if (!held || held->transposed || !left || !right) return std::nullopt;
  Product product;
  product.a = *left;
  product.b = *right;
  product.output = *held;
  product.rows = held->rows;
  product.columns = held->columns;
  product.depth = a.columns.extent;
  product.batch = batch;
  product.channels_are_rows = !turned;
  return product;
}

// Returns the matrix product that computes a convolution in the given direction (forward,
// backward-data or backward-weight). `w` is a matrix of filters x channels, `x` a matrix of
// channels x pixels, and `y` a matrix of filters x pixels.
std::optional<Product> arrange(Direction direction, const Plane& x, const Plane& w, const Plane& y,
                               std::int64_t batch) {
  switch (direction) {
    case Direction::backward_data:
      return multiply(x, transpose(w), y, batch);
    case Direction::backward_weight:
      return multiply(w, y, transpose(x), batch);
    case Direction::forward:
      break;
  }
  return multiply(y, w, x, batch);
}

std::optional<Product> arrange(const Problem& problem, const Images& x, const Plane& w,
                               const Images& y) {
  const auto plane = [](Role role, const Tensor& tensor, const Images& images, const Axis& columns,
                        std::int64_t batch_stride) {
    return Plane{role, tensor.dtype, images.channels, columns, batch_stride};
  };
  // First, the pixels of all images are joined to one axis if possible, which makes one product. If
  // that is impossible, there is one product for each image. Backward-weight must be one product,
  // because each of its sums runs over all images.
  const std::optional<Axis> all_x = merge(x.images, x.pixels), all_y = merge(y.images, y.pixels);
  if (all_x && all_y) {
    if (const auto product = arrange(problem.direction, plane(Role::x, problem.x, x, *all_x, 0), w,
                                     plane(Role::y, problem.y, y, *all_y, 0), 1))
      return product;
  }
  if (problem.direction == Direction::backward_weight) return std::nullopt;
  return arrange(problem.direction, plane(Role::x, problem.x, x, x.pixels, x.images.step), w,
                 plane(Role::y, problem.y, y, y.pixels, y.images.step), problem.batch());
}

// Whether the sizes of the product fit into the 32-bit numbers of cuBLASLt.
bool fits(const Product& product) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return std::max({product.rows, product.columns, product.depth, product.batch}) <= kMost;
}

bool has_types(const Problem& problem, const Product& product) {
  const Dtype output = problem.output().dtype;
  return product.a.dtype == product.b.dtype && (output == product.a.dtype || output == Dtype::f32);
}

}  // namespace

std::optional<Product> product_of(const Problem& problem, std::string& why_not) {
  const bool pointwise = is_pointwise(problem);
  if (problem.groups != 1 || (!pointwise && !takes_whole_images(problem))) {
    why_not =
        "cuBLASLt multiplies matrices: kernels of one pixel with stride 1, or as large as "
        "the input, without padding and groups";
    return std::nullopt;
  }
  if (problem.x.elements() == 0 || problem.y.elements() == 0) {
    why_not = "there is nothing to multiply";
    return std::nullopt;
  }
  Images x, y;
  Axis taps = axis(problem.w, 1);
  if (pointwise) {
    const std::optional<Images> x_images = images_of(problem.x), y_images = images_of(problem.y);
    if (!x_images || !y_images) {
      why_not = "the pixels of an image do not lie at equal steps";
      return std::nullopt;
    }
    x = *x_images;
    y = *y_images;
  } else {
    if (!in_one_order(problem.x, problem.w)) {
      why_not = "the images of x and the filters of w do not lie in memory in one order";
      return std::nullopt;
    }
    taps = {problem.w.elements() / problem.w.shape[0], 1};
    x = {axis(problem.x, 0), taps, {}};
    y = {axis(problem.y, 0), axis(problem.y, 1), {}};
  }
  const Plane w{Role::w, problem.w.dtype, axis(problem.w, 0), taps};
  std::optional<Product> product = arrange(problem, x, w, y);
  if (!product) {
    why_not = problem.direction == Direction::backward_weight
                  ? "the sum runs over images that are no one matrix in this layout"
                  : "the layout is not that of matrices";
    return std::nullopt;
  }
  if (!has_types(problem, *product)) {
    why_not = "cuBLASLt multiplies two inputs of one data type, into the same or f32";
    return std::nullopt;
  }
  if (!fits(*product)) {
    why_not = "a matrix has 2^31 rows or columns, or more";
    return std::nullopt;
  }
  // If the kernel covers the whole input, a row of the output of backward-data belongs to one pixel
  // of one channel. cuBLASLt's bias has one number for each row, but the problem's bias has one
  // number for each channel. So cuBLASLt cannot add the bias in this case.
  product->channels_are_rows =
      product->channels_are_rows && product->rows == problem.output_channels();
  return product;
}

}  // namespace atc::cublaslt
