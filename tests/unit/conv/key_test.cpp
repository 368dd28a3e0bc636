#include "conv/key.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>
#include <vector>

#include "core/error.hpp"
#include "engines/registry.hpp"
#include "fake_engine.hpp"
#include "store/entry.hpp"

namespace atc::conv {
namespace {

using atc_test::problem_of;

std::string text(const Problem& problem, const PlanOptions& options,
                 const Settings& settings = {}) {
  return store::CanonicalKey(key_for(problem, resolve({}, problem, options, settings))).text();
}

// ONEDNN_MAX_CPU_ISA limits the instruction sets that oneDNN may use. The limit is a part of the
// key, so that processes with and without AVX-512, for example, do not use each other's records.
TEST(Key, HasWhatTheEnvironmentLeavesToOneDnn) {
  if (!EngineRegistry::instance().find("onednn")) GTEST_SKIP() << "this build has no oneDNN";
  ASSERT_EQ(setenv("ONEDNN_MAX_CPU_ISA", "SSE41", 1), 0);
  EXPECT_NE(text(problem_of(7), {}).find(R"("instruction_sets_left":"0x1")"), std::string::npos);
}

TEST(Key, LeavesOutALimitThatIsNotSet) {
  unsetenv("ONEDNN_MAX_CPU_ISA");
  EXPECT_EQ(text(problem_of(7), {}).find("instruction_sets_left"), std::string::npos);
}

TEST(Key, EveryFieldThatChangesTheProblemChangesIt) {
  const Problem base = problem_of(7);
  const std::vector<std::function<void(Problem&)>> changes = {
      [](Problem& p) { p.direction = Direction::backward_data; },
      [](Problem& p) { p.x.dtype = Dtype::bf16; },
      [](Problem& p) { p.w.dtype = Dtype::f16; },
      [](Problem& p) { p.y.dtype = Dtype::bf16; },
      [](Problem& p) { p.x.shape[0] = 9; },
      [](Problem& p) { p.x.strides[1] = 99; },
      [](Problem& p) { p.y.shape[3] = 6; },
      [](Problem& p) { p.w.strides[0] = 5; },
      [](Problem& p) { p.stride[1] = 2; },
      [](Problem& p) { p.dilation[0] = 2; },
      [](Problem& p) { p.pad_low[0] = 1; },
      [](Problem& p) { p.pad_high[0] = 1; },
      [](Problem& p) { p.epilogue = Epilogue::bias; },
      [](Problem& p) { p.post_ops.scale = true; },
      [](Problem& p) { p.post_ops.residual = true; },
      [](Problem& p) { p.post_ops.activation = {Function::relu}; },
      [](Problem& p) { p.post_ops.activation = {Function::gelu}; },
      [](Problem& p) { p.post_ops.activation = {Function::gelu_tanh}; },
      [](Problem& p) {
        p.post_ops.activation = {Function::clamp, 0, 6};
      },
      [](Problem& p) {
        p.post_ops.activation = {Function::clamp, -1, 6};
      },
      [](Problem& p) {
        p.post_ops.activation = {Function::leaky_relu, 0, 0, 0.1F};
      },
      [](Problem& p) {
        p.post_ops.activation = {Function::leaky_relu, 0, 0, 0.2F};
      },
      [](Problem& p) { p.accumulate = true; },
      [](Problem& p) { p.groups = 2; }};
  std::set<std::string> texts = {text(base, {})};
  for (const auto& change : changes) {
    Problem changed = base;
    change(changed);
    texts.insert(text(changed, {}));
  }
  EXPECT_EQ(texts.size(), changes.size() + 1);
}

TEST(Key, GivesThePostOpsBack) {
  Problem problem = problem_of(7);
  EXPECT_EQ(text(problem, {}).find("post_ops"), std::string::npos);
  for (const PostOps& post_ops :
       {PostOps{}, PostOps{true, false, {Function::silu}}, PostOps{false, true, {}},
        PostOps{true, true, {Function::clamp, -0.1F, 0.3F}},
        PostOps{false, false, {Function::leaky_relu, 0, 0, 0.01F}}}) {
    problem.post_ops = post_ops;
    const store::Key key = key_for({}, problem, {});
    EXPECT_EQ(problem_from_key(store::Json::parse(key.problem.dump())).post_ops, post_ops)
        << describe(post_ops);
  }
}

TEST(Key, RefusesPostOpsThatItDoesNotKnow) {
  Problem problem = problem_of(7);
  problem.post_ops.activation = {Function::leaky_relu, 0, 0, 0.5F};
  store::Json key = key_for({}, problem, {}).problem;
  EXPECT_EQ(problem_from_key(key).post_ops, problem.post_ops);
  store::Json other = key;
  other["post_ops"]["activation"] = "mish";
  EXPECT_THROW(problem_from_key(other), Error);
  other = key;
  other["post_ops"]["slope"] = 1e300;
  EXPECT_THROW(problem_from_key(other), Error);
  other["post_ops"]["slope"] = "steep";
  EXPECT_THROW(problem_from_key(other), Error);
}

// The stride of a dimension of extent 1 has no meaning, so it must not change the key. For example,
// the batch stride of a single image may have any value, and a 1x1 filter is both channels first
// and channels last.
TEST(Key, TheStrideOfAnExtentOfOneDoesNotChangeIt) {
  Problem problem = problem_of(7, 1);
  const std::string base = text(problem, {});
  problem.x.strides[0] = problem.y.strides[0] = 12345;
  EXPECT_EQ(text(problem, {}), base);
}

TEST(Key, OptionsThatChangeWhatIsAllowedChangeItAndOthersDoNot) {
  const Problem problem = problem_of(7);
  const std::string base = text(problem, {});
  PlanOptions options;
  options.deterministic = true;
  EXPECT_NE(text(problem, options), base);
  options = {};
  options.workspace = 0;
  EXPECT_NE(text(problem, options), base);
  options = {};
  options.constant_weights = true;
  EXPECT_NE(text(problem, options), base);
  options = {};
  options.tune = TuningMode::on;
  options.budget_seconds = 9;
  options.seed = 5;
  options.technique = tune::Technique::once;
  EXPECT_EQ(text(problem, options), base);
}

// The key of a problem on the CPU must not contain the process's switches for CUDA.
TEST(Key, CudaSettingsLeaveItAloneOnTheCpu) {
  const Problem problem = problem_of(7);
  Settings settings;
  settings.benchmark_cudnn = true;
  settings.benchmark_limit_cudnn = 3;
  settings.allow_tf32_cudnn = false;
  settings.user_enabled_cudnn = false;
  settings.workspace_limit = 0;
  EXPECT_EQ(text(problem, {}, settings), text(problem, {}));
  // This switch is a part of the key also on the CPU, because registered engines may be
  // nondeterministic.
  settings.deterministic_cudnn = true;
  EXPECT_NE(text(problem, {}, settings), text(problem, {}));
}

TEST(Key, ATransposedConvolutionSharesTheRecordOfItsAdjoint) {
  Problem problem = problem_of(7);
  const std::string direct = text(problem, {});
  problem.from_transposed = true;
  EXPECT_EQ(text(problem, {}), direct);
}

TEST(Key, TheFamilyIsEverythingButTheBatch) {
  const Problem two = problem_of(7, 2), three = problem_of(7, 3), wider = problem_of(8, 2);
  const auto family = [](const Problem& problem) {
    return key_for(problem, resolve({}, problem, {}, {})).family;
  };
  EXPECT_EQ(family(two), family(three));
  EXPECT_NE(family(two), family(wider));
}

TEST(Key, WorkspaceIsRoundedDownToAClass) {
  const Problem problem = problem_of(7);
  const auto limit = [&](std::uint64_t bytes) {
    PlanOptions options;
    options.workspace = bytes;
    return resolve({}, problem, options, {}).limits.workspace;
  };
  EXPECT_EQ(limit(0), 0u);
  EXPECT_EQ(limit((std::uint64_t{32} << 20) - 1), 0u);
  EXPECT_EQ(limit(std::uint64_t{32} << 20), std::uint64_t{32} << 20);
  EXPECT_EQ(limit(std::uint64_t{300} << 20), std::uint64_t{256} << 20);
  EXPECT_EQ(limit(std::uint64_t{2} << 30), std::uint64_t{1} << 30);
  EXPECT_EQ(limit(~std::uint64_t{0}), std::uint64_t{4} << 30);
}

}  // namespace
}  // namespace atc::conv
