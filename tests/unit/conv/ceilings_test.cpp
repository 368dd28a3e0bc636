// Tests the ceilings of a device (its measured bytes and operations per second): where they are
// stored, and which ceilings a problem needs.
#include "conv/race/ceilings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "conv/explain/explanation.hpp"
#include "conv/race/roofline.hpp"
#include "conv/race/work.hpp"
#include "policy_fixture.hpp"
#include "support/problems.hpp"

namespace atc::conv {
namespace {

namespace fs = std::filesystem;

class CeilingsKept : public Policy {
 protected:
  Knowledge knowledge(store::Mode mode) {
    use_store(mode);
    return Knowledge::of(store_);
  }
  // Returns the file of the store that has the ceilings (measured bytes and operations per second).
  // The store has only one such file.
  fs::path file() const {
    for (const auto& entry : fs::directory_iterator(folder_ / "store"))
      if (entry.path().filename().string().rfind("ceilings-", 0) == 0) return entry.path();
    return {};
  }
  const store::Json here_ = {{"device", "cpu"}, {"name", "a test's"}};
  const Ceilings some_ = {20e9, {{"f32", 1e12}}};
};

TEST_F(CeilingsKept, AStoreKeepsThemForItsEnvironment) {
  keep_ceilings(here_, knowledge(store::Mode::read_write), some_);
  ASSERT_FALSE(file().empty());
  std::ifstream stream(file());
  const store::Json json = store::Json::parse(stream);
  EXPECT_EQ(json.at("environment"), here_);
  EXPECT_EQ(json.at("bytes_per_second"), 20e9);
  EXPECT_EQ(json.at("flops_per_second").at("f32"), 1e12);
  EXPECT_TRUE(store_->verify().empty()) << "the store takes the file for a bad entry";
  EXPECT_EQ(store_->size(), 0U);
  EXPECT_FALSE(known_ceilings({{"device", "other"}}, Knowledge::of(store_)).bytes_per_second);
}

TEST_F(CeilingsKept, TheirFileIsWritableByItsOwnerAlone) {
  const mode_t before = umask(0);
  keep_ceilings(here_, knowledge(store::Mode::read_write), some_);
  umask(before);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms{0644});
}

TEST_F(CeilingsKept, AnotherProcessReadsThem) {
  fs::create_directories(folder_ / "store");
  keep_ceilings(here_, knowledge(store::Mode::read_write), some_);
  // Makes the file of ceilings of another environment (a device with its libraries), for which this
  // process has measured nothing. The file has the ceilings that were measured for `here_`.
  const store::Json there = {{"device", "cpu"}, {"name", "another"}};
  std::ifstream stream(file());
  store::Json json = store::Json::parse(stream);
  const fs::path mine = file();
  json["environment"] = there;
  fs::remove(mine);
  keep_ceilings(there, Knowledge::of(store_), {});
  const fs::path theirs = file();
  std::ofstream(theirs) << json.dump();
  const Ceilings known = known_ceilings(there, Knowledge::of(store_));
  EXPECT_EQ(known.bytes_per_second, 20e9);
  EXPECT_EQ(known.flops_per_second.at("f32"), 1e12);
  // Changes the file of ceilings, as if the hashes of two environments (a device with its
  // libraries) were equal.
  json["environment"] = here_;
  std::ofstream(theirs) << json.dump();
  EXPECT_FALSE(known_ceilings(there, Knowledge::of(store_)).bytes_per_second);
  std::ofstream(theirs) << "{\"schema\":1,\"environment\":";
  EXPECT_FALSE(known_ceilings(there, Knowledge::of(store_)).bytes_per_second);
}

TEST_F(CeilingsKept, AStoreThatIsOnlyReadIsNotWritten) {
  fs::create_directories(folder_ / "store");
  keep_ceilings(here_, knowledge(store::Mode::read), some_);
  EXPECT_TRUE(file().empty());
  EXPECT_EQ(known_ceilings(here_, Knowledge::of(store_)).bytes_per_second, 20e9)
      << "the process forgot what it measured";
}

TEST_F(CeilingsKept, AnExplanationHasThoseOfItsProducts) {
  const Problem problem = problem_of(520);
  const PlanOptions options;
  EXPECT_FALSE(explain(problem, {}, options).roof.bytes_per_second);
  const auto environment = key_for(problem, request(problem)).environment;
  keep_ceilings(environment, Knowledge::of_process(), {20e9, {{"f32", 1e12}, {"bf16", 2e12}}});
  const Explanation told = explain(problem, {}, options);
  EXPECT_EQ(told.roof.bytes_per_second, 20e9);
  EXPECT_EQ(told.roof.flops_per_second, 1e12);
}

TEST(ProductsOf, AProblemCountsAsItsFormatUnlessEachChannelIsAGroup) {
  Problem problem = problem_of(3);
  Request request;
  EXPECT_EQ(products_of(problem, request), "f32");
  request.device = {DeviceType::cuda, 0};
  EXPECT_EQ(products_of(problem, request), "tf32");
  request.limits.allow_tf32 = false;
  EXPECT_EQ(products_of(problem, request), "f32");
  problem.x.dtype = problem.w.dtype = problem.y.dtype = Dtype::bf16;
  EXPECT_EQ(products_of(problem, request), "bf16");
  problem.groups = 3;
  EXPECT_EQ(products_of(problem, request), "f32");
}

// Tests least_seconds(), which returns a lower bound of the time that any candidate needs. A race
// ends when the time of its leader is close to this bound.
TEST(Roofline, TheBoundIsThatOfTheKnownRates) {
  test::Spec spec;
  spec.in = {9, 10, 1};
  spec.kernel = {1, 1, 1};
  const Problem pointwise = test::build(spec);
  spec.kernel = {3, 3, 1};
  const Problem wide = test::build(spec);
  const Request request = resolve({}, pointwise, {}, Settings{});
  const Work work = work_of(pointwise);
  const double bytes = 0.9 * static_cast<double>(work.bytes) / 1e9;
  EXPECT_EQ(least_seconds(pointwise, request, {}), 0);
  EXPECT_DOUBLE_EQ(least_seconds(pointwise, request, {1e9, {}}), bytes);
  EXPECT_DOUBLE_EQ(least_seconds(pointwise, request, {1e9, {{"f32", 1e3}}}),
                   0.9 * work.flops / 1e3);
  EXPECT_DOUBLE_EQ(least_seconds(pointwise, request, {1e9, {{"bf16", 1e3}}}), bytes);
  // For a 3x3 kernel the device's rate of operations gives no bound, because Winograd's method
  // needs fewer operations than the formula of the convolution has.
  EXPECT_EQ(least_seconds(wide, request, {1e9, {{"f32", 1e3}}}),
            least_seconds(wide, request, {1e9, {}}));
  EXPECT_EQ(least_seconds(pointwise, request, {0.0, {{"f32", 0.0}}}), 0);
}

}  // namespace
}  // namespace atc::conv
