// Tests the parts of the engine cublaslt that need no device: which matrix product computes a
// convolution, and the texts of configurations.
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/half.hpp"
#include "engines/cublaslt/bias.hpp"
#include "engines/cublaslt/configuration.hpp"
#include "engines/cublaslt/cublaslt_engine.hpp"
#include "engines/cublaslt/product.hpp"
#include "engines/epilogue/device_pass.hpp"
#include "support/expected.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"
#include "support/products.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using cublaslt::Configuration;
using cublaslt::Matrix;
using cublaslt::Product;
using cublaslt::Role;
using test::Memory;
using test::Spec;

void* address(const Matrix& matrix, const Operands& operands) {
  return matrix.role == Role::x ? operands.x : matrix.role == Role::w ? operands.w : operands.y;
}

double at(const Matrix& matrix, const Operands& operands, std::int64_t image, std::int64_t row,
          std::int64_t column) {
  if (matrix.transposed) std::swap(row, column);
  EXPECT_TRUE(row < matrix.rows && column < matrix.columns);
  return load_element(address(matrix, operands), matrix.dtype,
                      image * matrix.batch_stride + column * matrix.leading + row);
}

// Computes the matrix product as BLAS defines it. Each result is rounded once.
void multiply(const Problem& problem, const Product& product, const Operands& operands) {
  for (std::int64_t image = 0; image < product.batch; ++image)
    for (std::int64_t column = 0; column < product.columns; ++column)
      for (std::int64_t row = 0; row < product.rows; ++row) {
        double sum = 0;
        for (std::int64_t i = 0; i < product.depth; ++i)
          sum += at(product.a, operands, image, row, i) * at(product.b, operands, image, i, column);
        if (problem.accumulate) sum += at(product.output, operands, image, row, column);
        if (problem.epilogue == Epilogue::bias)
          sum += load_element(operands.bias, product.output.dtype, row);
        store_element(address(product.output, operands), product.output.dtype,
                      image * product.output.batch_stride + column * product.output.leading + row,
                      sum);
      }
}

// Expects that the product meets the conditions that cuBLASLt has for its arguments.
void expect_valid(const Product& product) {
  for (const Matrix* matrix : {&product.a, &product.b, &product.output}) {
    EXPECT_GE(matrix->leading, matrix->rows);
    EXPECT_GE(matrix->batch_stride, 0);
  }
  const auto extents = [](const Matrix& matrix) {
    return matrix.transposed ? std::pair(matrix.columns, matrix.rows)
                             : std::pair(matrix.rows, matrix.columns);
  };
  EXPECT_EQ(extents(product.a), std::pair(product.rows, product.depth));
  EXPECT_EQ(extents(product.b), std::pair(product.depth, product.columns));
  EXPECT_EQ(extents(product.output), std::pair(product.rows, product.columns));
  EXPECT_FALSE(product.output.transposed);
}

std::size_t compare_all(const std::vector<Problem>& problems) {
  std::size_t served = 0;
  for (const Problem& problem : problems) {
    SCOPED_TRACE(test::label(problem));
    std::string why_not;
    const auto product = cublaslt::product_of(problem, why_not);
    EXPECT_EQ(product.has_value(), why_not.empty());
    if (!product) continue;
    if (problem.epilogue != Epilogue::none && !cublaslt::can_be_fused(problem, *product)) continue;
    ++served;
    expect_valid(*product);
    test::Inputs inputs(problem, test::Fill::ternary, served);
    const test::Expected expected(problem, inputs, test::Fill::ternary);
    GuardedBuffer output(problem.output());
    inputs.reset(output);
    multiply(problem, *product, inputs.with_output(output.data()));
    EXPECT_EQ(expected.compare(output), "");
    if (testing::Test::HasFailure()) break;
  }
  return served;
}

TEST(CublasLt, ProductsAreTheConvolutions) {
  const std::vector<Problem> problems = test::make_products(11);
  const std::size_t served = compare_all(problems);
  EXPECT_GT(served, problems.size() / 3);
  EXPECT_GT(compare_all(test::make_grid(1, 3).problems), 50u);
}

Spec layer(Direction direction, Memory memory) {
  Spec spec;
  spec.direction = direction;
  spec.batch = 4;
  spec.channels_in = 6;
  spec.channels_out = 10;
  spec.in = {5, 3, 1};
  spec.kernel = {1, 1, 1};
  spec.x_memory = spec.w_memory = spec.y_memory = memory;
  return spec;
}

Product product_of(const Spec& spec) {
  std::string why_not;
  const auto product = cublaslt::product_of(test::build(spec), why_not);
  EXPECT_TRUE(product.has_value()) << why_not;
  return product.value_or(Product{});
}

std::string refusal_of(const Spec& spec) {
  std::string why_not;
  cublaslt::product_of(test::build(spec), why_not);
  return why_not;
}

TEST(CublasLt, ChannelsLastIsOneProductWithTheChannelsAsRows) {
  const Product forward = product_of(layer(Direction::forward, Memory::last));
  EXPECT_EQ(forward.batch, 1);
  EXPECT_EQ(forward.rows, 10);
  EXPECT_EQ(forward.columns, 60);
  EXPECT_EQ(forward.depth, 6);
  EXPECT_TRUE(forward.channels_are_rows);
  const Product data = product_of(layer(Direction::backward_data, Memory::last));
  EXPECT_EQ(data.rows, 6);
  EXPECT_EQ(data.depth, 10);
  EXPECT_TRUE(data.channels_are_rows);
  EXPECT_EQ(product_of(layer(Direction::backward_weight, Memory::last)).depth, 60);
}

TEST(CublasLt, ChannelsFirstIsAProductOfEachImageWithoutBiasAndWithoutSumsOverImages) {
  Spec spec = layer(Direction::forward, Memory::first);
  const Product forward = product_of(spec);
  EXPECT_EQ(forward.batch, 4);
  EXPECT_EQ(forward.rows, 15);
  EXPECT_EQ(forward.columns, 10);
  EXPECT_EQ(refusal_of(layer(Direction::backward_data, Memory::first)), "");
  EXPECT_FALSE(forward.channels_are_rows);
  spec = layer(Direction::backward_weight, Memory::first);
  EXPECT_NE(refusal_of(spec), "");
  spec.batch = 1;
  EXPECT_EQ(refusal_of(spec), "");
}

TEST(CublasLt, AKernelAsLargeAsTheInputIsOneProductInEitherOrderOfMemory) {
  for (const Memory memory : {Memory::first, Memory::last})
    for (const Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight}) {
      Spec spec = layer(direction, memory);
      spec.kernel = spec.in;
      const Product product = product_of(spec);
      EXPECT_EQ(product.batch, 1);
      EXPECT_EQ(product.rows * product.columns * product.depth, 4 * 10 * 6 * 15);
      EXPECT_EQ(product.channels_are_rows, direction == Direction::forward);
      spec.w_memory = memory == Memory::first ? Memory::last : Memory::first;
      EXPECT_NE(refusal_of(spec), "") << "in two orders";
    }
}

TEST(CublasLt, RefusesWhatIsNoProduct) {
  const auto refused = [](auto change) {
    Spec spec = layer(Direction::forward, Memory::last);
    change(spec);
    return !refusal_of(spec).empty();
  };
  EXPECT_FALSE(refused([](Spec&) {}));
  EXPECT_TRUE(refused([](Spec& spec) { spec.stride = {2, 1, 1}; }));
  EXPECT_TRUE(refused([](Spec& spec) { spec.pad_low = spec.pad_high = {1, 0, 0}; }));
  EXPECT_TRUE(refused([](Spec& spec) { spec.kernel = {2, 1, 1}; }));
  EXPECT_TRUE(refused([](Spec& spec) { spec.groups = 2; }));
  EXPECT_TRUE(refused([](Spec& spec) { spec.batch = 0; }));
  EXPECT_TRUE(refused([](Spec& spec) { spec.w = Dtype::f16; }));
  EXPECT_TRUE(refused([](Spec& spec) { spec.y = Dtype::f16; }));
  EXPECT_TRUE(refused([](Spec& spec) { spec.x_memory = Memory::strided; }));
}

TEST(CublasLt, ABiasIsFusedAlongRowsAndApartWhereNothingIsRoundedTwiceOver) {
  const auto ways = [](Memory memory, Epilogue epilogue, bool accumulate, Dtype dtype) {
    Spec spec = layer(Direction::forward, memory);
    spec.epilogue = epilogue;
    spec.accumulate = accumulate;
    spec.x = spec.w = spec.y = dtype;
    return std::pair(cublaslt::can_be_fused(test::build(spec), product_of(spec)),
                     bias_can_be_apart(test::build(spec)));
  };
  EXPECT_TRUE(ways(Memory::last, Epilogue::bias, false, Dtype::f16).first);
  EXPECT_TRUE(ways(Memory::last, Epilogue::bias, true, Dtype::f32).first);
  EXPECT_FALSE(ways(Memory::last, Epilogue::bias, true, Dtype::f16).first);
  EXPECT_FALSE(ways(Memory::first, Epilogue::bias, false, Dtype::f16).first);
  EXPECT_FALSE(ways(Memory::last, Epilogue::bias_relu, false, Dtype::f32).first);
  EXPECT_FALSE(ways(Memory::last, Epilogue::none, false, Dtype::f32).first);
  EXPECT_FALSE(ways(Memory::first, Epilogue::bias_relu, true, Dtype::f16).second);
  EXPECT_FALSE(ways(Memory::first, Epilogue::none, false, Dtype::f32).second);
}

TEST(CublasLt, AConfigurationIsItsText) {
  Configuration configuration;
  configuration.algorithm = 66;
  configuration.tile = 20;
  configuration.stages = 35;
  configuration.split = 4;
  configuration.reduction = 2;
  configuration.swizzle = 1;
  configuration.custom = 7;
  configuration.inner_shape = 3;
  configuration.cluster_shape = 11;
  EXPECT_EQ(to_string(configuration), "alg66_t20_s35_k4_r2_w1_c7_i3_g11");
  EXPECT_EQ(cublaslt::parse_configuration(to_string(configuration)), configuration);
  configuration.tf32 = true;
  EXPECT_EQ(to_string(configuration), "alg66_t20_s35_k4_r2_w1_c7_i3_g11_tf32");
  EXPECT_EQ(cublaslt::parse_configuration(to_string(configuration)), configuration);
  configuration.bias_apart = true;
  EXPECT_EQ(to_string(configuration), "alg66_t20_s35_k4_r2_w1_c7_i3_g11_tf32+bias");
  EXPECT_EQ(cublaslt::parse_configuration(to_string(configuration)), configuration);
}

TEST(CublasLt, OtherTextsAreNoConfigurations) {
  for (const char* text :
       {"", "alg", "alg66", "alg66_t20_s35_k1_r0_w0_c0_i0", "alg66_t20_s35_k1_r0_w0_c0_i0_g0_",
        "alg66_t20_s35_k1_r0_w0_c0_i0_g0_tf3", "alg66_t20_s35_k1_r0_w0_c0_i0_g0+bias_tf32",
        "alg66_t20_s35_k0_r0_w0_c0_i0_g0", "alg-1_t20_s35_k1_r0_w0_c0_i0_g0",
        "alg066_t20_s35_k1_r0_w0_c0_i0_g0", "alg66_t20_s35_k1_r0_w0_c0_i0_g65536",
        "alg66_s35_t20_k1_r0_w0_c0_i0_g0", "alg99999999999_t20_s35_k1_r0_w0_c0_i0_g0",
        "eng34_k2=3"})
    EXPECT_THROW(cublaslt::parse_configuration(text), Error) << text;
}

TEST(CublasLt, WithoutTheLibraryThereIsNoOfferAndASentence) {
  const auto engine = make_cublaslt_engine();
  Limits limits;
  limits.device.type = DeviceType::cuda;
  std::string why_not;
  const Problem problem = test::build(layer(Direction::forward, Memory::last));
  if (!engine->offers(problem, limits, why_not).empty())
    GTEST_SKIP() << "this machine has a device and a cuBLASLt";
  EXPECT_NE(why_not, "");
}

}  // namespace
}  // namespace atc
