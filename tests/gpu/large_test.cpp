// Tests tensors of more than 2^31 elements. Each family of kernels must index them correctly, or
// give a reason why it offers no configuration.
#include <iostream>
#include <string>
#include <vector>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "cuda_test.hpp"
#include "engines/registry.hpp"
#include "engines/rewrite/rewrites.hpp"
#include "offers.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

constexpr std::int64_t kMostOf32Bits = std::int64_t{1} << 31;

// Two layers: `in` has an x of more than 2^31 elements, and `out` has such a y. So each direction
// reads or writes a large tensor in each layer: forward reads x and writes y, backward-data reads y
// and writes x, and backward-weight reads both.
struct Wide {
  test::NetworkLayer in, out;  // `in`: the layer with a large x; `out`: the layer with a large y
};

class Large : public test::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    constexpr std::uint64_t kGibibyte = 1 << 30, kMost = 20 * kGibibyte;
    try {
      const Allocation room(kMost, kDevice);
    } catch (const Error& error) {
      if (error.status() != Status::out_of_memory) throw;
      GTEST_SKIP() << "it takes " << kMost / kGibibyte << " GiB of the device: " << error.what();
    }
  }

  static Problem form_of(const test::NetworkLayer& layer, Direction direction,
                         test::Memory memory) {
    return test::forms_of(layer, {direction}, {Dtype::f16}, {memory}).front();
  }

  static void check(const char* engine, const std::vector<Problem>& problems) {
    for (const Problem& problem : problems)
      EXPECT_GT(std::max(problem.x.elements(), problem.y.elements()), kMostOf32Bits);
    std::cout << test::check_served(*EngineRegistry::instance().find(engine), problems,
                                    test::cuda_limits());
  }
  static void check_both_memories(const char* engine, const Wide& wide) {
    using test::Memory;
    check(engine, {form_of(wide.out, Direction::forward, Memory::first),
                   form_of(wide.in, Direction::forward, Memory::last),
                   form_of(wide.in, Direction::backward_data, Memory::first),
                   form_of(wide.out, Direction::backward_data, Memory::last),
                   form_of(wide.out, Direction::backward_weight, Memory::first),
                   form_of(wide.in, Direction::backward_weight, Memory::last)});
  }

  static void expect_refused(const char* engine, const Problem& problem, const char* reason) {
    std::string why_not;
    EXPECT_TRUE(EngineRegistry::instance()
                    .find(engine)
                    ->offers(problem, test::cuda_limits(), why_not)
                    .empty());
    EXPECT_NE(why_not.find(reason), std::string::npos) << engine << ": " << why_not;
  }
};

// Two layers with eight groups. A group has 32 channels in the large tensor and 8 channels in the
// other tensor.
constexpr Wide kGroups{{2700, 256, 56, 56, 64, 3, 3, 1, 1, 1, 8},
                       {2700, 64, 56, 56, 256, 3, 3, 1, 1, 1, 8}};

TEST_F(Large, Implicit) { check_both_memories("implicit", kGroups); }
TEST_F(Large, Grouped) { check_both_memories("grouped", kGroups); }

TEST_F(Large, First) {
  check_both_memories("first",
                      {{520, 4, 1024, 1024, 8, 3, 3, 1, 1, 2}, {132, 3, 512, 512, 64, 3, 3, 1, 1}});
}

TEST_F(Large, Dense) {
  const test::NetworkLayer in{2060, 64, 128, 128, 16, 3, 3, 1, 1},
      out{2060, 16, 128, 128, 64, 3, 3, 1, 1};
  check("dense", {form_of(out, Direction::forward, test::Memory::first),
                  form_of(in, Direction::forward, test::Memory::first),
                  form_of(in, Direction::backward_data, test::Memory::first)});
}

TEST_F(Large, DenseWeight) {
  check("dense", {form_of({2060, 64, 128, 128, 16, 3, 3, 1, 1}, Direction::backward_weight,
                          test::Memory::first),
                  form_of({2060, 16, 128, 128, 64, 3, 3, 1, 1}, Direction::backward_weight,
                          test::Memory::first),
                  form_of({2060, 64, 128, 128, 16, 1, 1, 0, 0}, Direction::backward_weight,
                          test::Memory::first)});
}

constexpr test::NetworkLayer kDepthwise{2060, 64, 128, 128, 64, 3, 3, 1, 1, 1, 64};

TEST_F(Large, Depthwise) {
  for (const auto memory : {test::Memory::first, test::Memory::last})
    check("depthwise", {form_of(kDepthwise, Direction::forward, memory),
                        form_of(kDepthwise, Direction::backward_data, memory)});
}

TEST_F(Large, DepthwiseWeight) {
  for (const auto memory : {test::Memory::first, test::Memory::last})
    check("depthwise", {form_of(kDepthwise, Direction::backward_weight, memory)});
}

// Tests each configuration of each rewrite. The reference engine computes the rewritten problem.
TEST_F(Large, Rewrites) {
  struct Case {
    std::unique_ptr<Rewrite> (*make)();
    test::NetworkLayer layer;
  };
  constexpr Case kCases[] = {
      {make_channels_last_rewrite, {2060, 64, 128, 128, 1, 3, 3, 0, 0, 4}},
      {make_patch_rewrite, {14400, 3, 224, 224, 8, 16, 16, 0, 0, 16}},
      {make_subsample_rewrite, {2060, 64, 128, 128, 8, 1, 1, 0, 0, 2}},
      {make_channel_padding_rewrite, {1400, 3, 720, 720, 8, 3, 3, 0, 0, 4}},
      {make_batch_split_rewrite, {2060, 64, 128, 128, 8, 3, 3, 1, 1, 4}},
  };
  const auto reference = EngineRegistry::instance().find("reference");
  Limits limits = test::cuda_limits();
  limits.workspace = std::uint64_t{8} << 30;
  for (const Case& of : kCases)
    for (const Direction direction : {Direction::forward, Direction::backward_data}) {
      const Problem problem = form_of(of.layer, direction, test::Memory::first);
      EXPECT_GT(problem.x.elements(), kMostOf32Bits);
      const auto rewrite = of.make();
      std::string why_not;
      const auto rewritings = rewrite->rewritings(problem, limits, why_not);
      EXPECT_FALSE(rewritings.empty()) << rewrite->name() << ": " << why_not;
      test::Trial trial(problem, limits);
      for (const Rewriting& rewriting : rewritings) {
        const auto prepared = rewrite->prepare(
            problem, limits, rewriting, reference->prepare(rewriting.problem, limits, "direct"));
        const auto verdict = trial.check(*prepared, Exactness::exact);
        EXPECT_TRUE(verdict.passed) << rewrite->name() << " " << rewriting.configuration << " "
                                    << test::label(problem) << ": " << verdict.reason;
      }
    }
}

TEST_F(Large, ImagesThatAreTooLargeAreRefused) {
  using test::Memory;
  const test::NetworkLayer image{1, 64, 4096, 4096, 64, 3, 3, 1, 1},
      groups{1, 64, 4096, 4096, 64, 3, 3, 1, 1, 1, 8}, first{1, 4, 16384, 16384, 8, 3, 3, 1, 1};
  for (const Memory memory : {Memory::first, Memory::last})
    for (const Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight}) {
      constexpr const char* kReason = "an image has more than 2^30 elements";
      expect_refused("implicit", form_of(groups, direction, memory), kReason);
      expect_refused("grouped", form_of(groups, direction, memory), kReason);
      expect_refused("first", form_of(first, direction, memory), kReason);
    }
  expect_refused("dense", form_of(image, Direction::forward, Memory::first),
                 "an image has more than 536870912 elements");
  expect_refused("dense", form_of(image, Direction::backward_data, Memory::first),
                 "an image has more than 536870912 elements");
  expect_refused("dense", form_of(image, Direction::backward_weight, Memory::first),
                 "an image or the batch is too large");
  // Depthwise kernels count the elements of a line, and the lines of an image, with 32-bit numbers.
  // So a line of 2^30 elements is refused. Only a whole image may have more elements than a 32-bit
  // number can count.
  test::Spec line;
  line.spatial = 1;
  line.batch = 1;
  line.channels_in = line.channels_out = line.groups = 2;
  line.in = {kMostOf32Bits / 2, 1, 1};
  line.x = line.w = line.y = Dtype::f16;
  expect_refused("depthwise", test::build(line), "beyond 2^30");
  line.direction = Direction::backward_weight;
  expect_refused("depthwise", test::build(line), "an extent is too large");
}

}  // namespace
}  // namespace atc
