// Tests the engine cublaslt on small matrix products of every kind. Each configuration that it
// offers must give right results, and the same bits in every run. The text of a configuration must
// describe the whole algorithm that cuBLASLt has proposed.
#include <cstring>
#include <iostream>

#include "conv/race/arena.hpp"
#include "conv/race/site.hpp"
#include "core/error.hpp"
#include "cuda_test.hpp"
#include "engines/cublaslt/operation.hpp"
#include "engines/epilogue/device_pass.hpp"
#include "engines/registry.hpp"
#include "offers.hpp"
#include "support/problems.hpp"
#include "support/products.hpp"

namespace atc {
namespace {

class CublasLt : public test::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped() && !cuda::cublaslt().trouble.empty()) GTEST_SKIP() << cuda::cublaslt().trouble;
  }

  static std::shared_ptr<const Engine> engine() {
    return EngineRegistry::instance().find("cublaslt");
  }
};

struct Counts {
  test::Tally all;
  std::size_t divided = 0, tf32 = 0, apart = 0;

  void print() const {
    std::cout << all << divided << " with sums in parts, " << tf32 << " in TF32, " << apart
              << " with the bias apart\n";
  }
};

void check_offers(const Engine& engine, const Problem& problem, const Limits& limits,
                  Counts& counts) {
  const test::Checked checked = test::check_offers(engine, problem, limits);
  counts.all.add(checked);
  for (const Offer& offer : checked.offers) {
    counts.apart += offer.configuration.find("+bias") != std::string::npos;
    counts.divided += offer.configuration.find("_k1_") == std::string::npos;
    counts.tf32 += offer.configuration.find("_tf32") != std::string::npos;
  }
}

TEST_F(CublasLt, EveryOfferIsRight) {
  Counts counts;
  for (const Problem& problem : test::make_products(11)) {
    const bool allow_tf32 = counts.all.problems % 2 == 0;
    check_offers(*engine(), problem, test::cuda_limits(16, allow_tf32), counts);
  }
  counts.print();
  EXPECT_GT(counts.all.passed, counts.all.problems / 2);
  EXPECT_GT(counts.tf32, 0u);
}

// The engine may assume no larger alignment of the operands than 4 bytes.
TEST_F(CublasLt, EveryOfferIsRightForLittleAlignment) {
  Counts counts;
  for (const Problem& problem : test::make_products(53))
    check_offers(*engine(), problem, test::cuda_limits(4, true), counts);
  counts.print();
  EXPECT_GT(counts.all.passed, 0u);
}

Problem layer(Direction direction, Dtype dtype, std::int64_t batch, std::int64_t channels_in,
              std::int64_t channels_out, std::int64_t extent) {
  test::Spec spec;
  spec.direction = direction;
  spec.x = spec.w = spec.y = dtype;
  spec.x_memory = spec.w_memory = spec.y_memory = test::Memory::last;
  spec.batch = batch;
  spec.channels_in = channels_in;
  spec.channels_out = channels_out;
  spec.in = {extent, extent, 1};
  spec.kernel = {1, 1, 1};
  return test::build(spec);
}

// Returns problems with few output tiles and long sums. For such problems the engine offers split-K
// algorithms, in which several blocks compute parts of one sum.
std::vector<Problem> long_sums() {
  std::vector<Problem> problems;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    problems.push_back(layer(Direction::backward_weight, dtype, 64, 768, 768, 14));
    problems.push_back(layer(Direction::backward_weight, dtype, 32, 64, 256, 28));
    problems.push_back(layer(Direction::forward, dtype, 8, 4096, 1000, 1));
  }
  return problems;
}

TEST_F(CublasLt, SumsInPartsAreRight) {
  Counts counts;
  for (const Problem& problem : long_sums())
    for (const bool allow_tf32 : {false, true})
      check_offers(*engine(), problem, test::cuda_limits(16, allow_tf32), counts);
  counts.print();
  EXPECT_GT(counts.divided, 0u) << "cuBLASLt divides no sum in fp32";
}

std::vector<unsigned char> bits_of(const Tensor& tensor, const void* data) {
  std::vector<unsigned char> bits(tensor.span_bytes());
  cuda::copy_to_host(bits.data(), data, bits.size(), nullptr);
  return bits;
}

TEST_F(CublasLt, RunsRepeatBitForBit) {
  for (const Problem& problem : long_sums()) {
    const Limits allowed = test::cuda_limits(16, true);
    const auto site = conv::make_site(allowed.device, nullptr);
    conv::Arena arena(problem, *site, 1);
    // The operands were filled on the stream of the site (the device with the race's stream). The
    // executions below run on another stream, so the filling must have ended before.
    site->wait();
    const Operands operands = arena.operands(0);
    std::string why_not;
    for (const Offer& offer : engine()->offers(problem, allowed, why_not)) {
      const auto prepared = engine()->prepare(problem, allowed, offer.configuration);
      arena.reserve_workspace(prepared->workspace_size());
      std::vector<unsigned char> first;
      for (int run = 0; run < 10; ++run) {
        prepared->execute(operands, arena.workspace(), nullptr);
        cuda::synchronize(nullptr);
        std::vector<unsigned char> bits = bits_of(problem.output(), output_of(problem, operands));
        if (run == 0)
          first = std::move(bits);
        else
          ASSERT_TRUE(bits == first) << offer.configuration << " " << test::label(problem);
      }
    }
  }
}

// An algorithm that is made from its text must equal the algorithm that cuBLASLt proposed, bit for
// bit.
TEST_F(CublasLt, ATextSaysAllOfAnAlgorithm) {
  std::size_t same = 0, others = 0;
  cuda::lt::Handle const handle = cublaslt::handle_of(context());
  std::vector<Problem> problems = test::make_products(53);
  for (Problem& problem : long_sums()) problems.push_back(problem);
  for (const Problem& problem : problems) {
    std::string why_not;
    const auto product = cublaslt::product_of(problem, why_not);
    if (!product) continue;
    const cublaslt::Operation operation(without_bias(problem), *product, false);
    for (const cublaslt::ConfiguredAlgorithm& proposed :
         operation.proposals(handle, std::uint64_t{32} << 20, 16)) {
      const auto rebuilt = operation.build(handle, proposed.configuration, 16);
      const bool equal = std::memcmp(rebuilt.algorithm.data, proposed.algorithm.data,
                                     sizeof(proposed.algorithm.data)) == 0;
      (equal ? same : others)++;
      EXPECT_EQ(rebuilt.workspace, proposed.workspace) << to_string(proposed.configuration);
      if (!equal && others <= 4)
        for (int word = 0; word < 8; ++word)
          std::cout << std::hex << proposed.algorithm.data[word] << " "
                    << rebuilt.algorithm.data[word] << std::dec << (word == 7 ? "\n" : " | ");
    }
  }
  std::cout << same << " rebuilt as they were, " << others << " otherwise\n";
  EXPECT_GT(same, 0u);
  EXPECT_EQ(others, 0u);
}

// A bias may be at any address that is aligned to one of its elements.
TEST_F(CublasLt, ABiasLiesAnywhere) {
  for (const Epilogue epilogue : {Epilogue::bias, Epilogue::bias_relu}) {
    Problem problem = layer(Direction::forward, Dtype::f16, 4, 64, 96, 9);
    problem.epilogue = epilogue;
    const auto site = conv::make_site(kDevice, nullptr);
    conv::Arena arena(problem, *site, 1);
    // The operands were filled on the stream of the site (the device with the race's stream). The
    // executions below run on another stream, so the filling must have ended before.
    site->wait();
    const Operands operands = arena.operands(0);
    const std::uint64_t bytes = problem.bias().span_bytes();
    const Allocation elsewhere(bytes + sizeof(std::uint16_t), kDevice);
    void* const odd = static_cast<char*>(elsewhere.data()) + sizeof(std::uint16_t);
    cuda::copy_on_device(odd, operands.bias, bytes, nullptr);
    Operands moved = operands;
    moved.bias = odd;
    std::string why_not;
    const auto offers = engine()->offers(problem, test::cuda_limits(16, true), why_not);
    ASSERT_FALSE(offers.empty()) << why_not;
    for (const Offer& offer : offers) {
      const auto prepared =
          engine()->prepare(problem, test::cuda_limits(16, true), offer.configuration);
      arena.reserve_workspace(prepared->workspace_size());
      const auto run = [&](const Operands& given) {
        cuda::set_bytes(given.y, 0xff, problem.y.span_bytes(), nullptr);
        prepared->execute(given, arena.workspace(), nullptr);
        cuda::synchronize(nullptr);
        return bits_of(problem.y, given.y);
      };
      const std::vector<unsigned char> usual = run(operands);
      EXPECT_TRUE(run(moved) == usual) << offer.configuration;
    }
  }
}

TEST_F(CublasLt, KeepsWeightsThatWereSet) {
  const Problem problem = layer(Direction::forward, Dtype::f16, 4, 64, 96, 9);
  const Limits allowed = test::cuda_limits(16, true);
  std::string why_not;
  const auto offers = engine()->offers(problem, allowed, why_not);
  ASSERT_FALSE(offers.empty()) << why_not;
  const auto prepared = engine()->prepare(problem, allowed, offers.front().configuration);
  const auto verdict =
      test::Trial(problem, allowed).check(*prepared, offers.front().exactness, true);
  EXPECT_TRUE(verdict.passed) << verdict.reason;
}

TEST_F(CublasLt, RefusesWhatIsNotAllowed) {
  const Problem problem = layer(Direction::forward, Dtype::f32, 4, 64, 96, 9);
  std::string why_not;
  const auto offers = engine()->offers(problem, test::cuda_limits(16, true), why_not);
  ASSERT_FALSE(offers.empty()) << why_not;
  const std::string tf32 = offers.front().configuration;
  ASSERT_NE(tf32.find("_tf32"), std::string::npos);
  EXPECT_THROW(engine()->prepare(problem, test::cuda_limits(16, false), tf32), Error);
  EXPECT_THROW(
      engine()->prepare(problem, test::cuda_limits(16, true), "alg9999_t1_s1_k1_r0_w0_c0_i0_g0"),
      Error);
}

}  // namespace
}  // namespace atc
