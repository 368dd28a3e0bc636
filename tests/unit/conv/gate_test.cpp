// Tests the correctness gate, which compares a candidate with the reference. Most tests are about
// one pass of the gate, which runs the candidate with Inf and NaN in single elements of an input.
// This pass must accept right results. It must refuse a candidate if an Inf or NaN reaches outputs
// that it does not reach in a direct convolution, unless the candidate is allowed to do so. Further
// tests are about candidates that are not precise enough or hopelessly slow.
#include "conv/race/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "conv/race/arena.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/half.hpp"
#include "engines/reference/reference_engine.hpp"
#include "spoiling.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using conv::Apart;
using conv::Imprecise;
using test::Spec;
using test::Spoiling;
using ::testing::HasSubstr;

constexpr std::array kDirections{Direction::forward, Direction::backward_data,
                                 Direction::backward_weight};

Spec layer(Direction direction, Dtype dtype) {
  Spec spec;
  spec.direction = direction;
  spec.batch = 2;
  spec.channels_in = 4;
  spec.channels_out = 6;
  spec.in = {9, 10, 1};
  spec.kernel = {3, 3, 1};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  spec.x = spec.w = spec.y = dtype;
  return spec;
}

tune::Verdict check(const Problem& problem, Apart apart, Spoiling::Change change = {},
                    Exactness exactness = Exactness::exact, bool constant_weights = false,
                    Imprecise imprecise = Imprecise::refused) {
  const auto site = conv::make_site({DeviceType::cpu, 0}, nullptr);
  conv::Arena arena(problem, *site, 1);
  conv::Gate gate(problem, *site, arena.operands(0), false, 1);
  Spoiling candidate(problem, std::move(change));
  arena.reserve_workspace(candidate.workspace_size());
  const auto run = [&] {
    return gate.check(candidate, arena.workspace(), exactness, constant_weights,
                      std::numeric_limits<double>::infinity(), apart, imprecise);
  };
  const tune::Verdict first = run();
  EXPECT_EQ(run().reason, first.reason) << "inputs are not what they were";
  return first;
}

// Calls `visit` for each element of `tensor` that is not finite, with the offset of the element.
void for_each_infinite(const Tensor& tensor, const void* data,
                       const std::function<void(std::int64_t)>& visit) {
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const std::int64_t offset = tensor.offset_of(tensor.index_of(i));
    if (!std::isfinite(load_element(data, tensor.dtype, offset))) visit(offset);
  }
}

// Rounds each element of the output to the 11 significant bits of f16.
void round_coarsely(const Problem& problem, const Operands& operands) {
  void* const output = output_of(problem, operands);
  const Tensor& tensor = problem.output();
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = load_element(output, tensor.dtype, i);
    store_element(output, tensor.dtype, i, round_to(Dtype::f16, value));
  }
}

// Computes the right result, and then writes one byte at `offset` bytes from the start of its
// workspace.
class Straying final : public Prepared {
 public:
  Straying(const Problem& problem, std::uint64_t size, std::int64_t offset)
      : rest_(make_reference_engine()->prepare(problem, {}, "direct")),
        size_(size),
        offset_(offset) {}
  std::uint64_t workspace_size() const override { return size_; }
  void set_weights(const void* w) override { rest_->set_weights(w); }
  void execute(const Operands& operands, void* workspace, Stream stream) override {
    rest_->execute(operands, nullptr, stream);
    static_cast<unsigned char*>(workspace)[offset_] = 1;
  }

 private:
  std::unique_ptr<Prepared> rest_;
  std::uint64_t size_;
  std::int64_t offset_;
};

// The gate must notice writes outside of the workspace, because oneDNN is known to write up to
// 122,752 bytes behind its scratchpad.
TEST(GateAndWorkspace, RefusesWhatLeavesItsWorkspace) {
  constexpr std::uint64_t kSize = 1000;
  const Problem problem = test::build(layer(Direction::forward, Dtype::f32));
  const auto site = conv::make_site({DeviceType::cpu, 0}, nullptr);
  conv::Arena arena(problem, *site, 1);
  conv::Gate gate(problem, *site, arena.operands(0), false, 1);
  arena.reserve_workspace(kSize);
  const auto reason = [&](std::int64_t offset) {
    Straying candidate(problem, kSize, offset);
    return gate
        .check(candidate, arena.workspace(), Exactness::exact, false,
               std::numeric_limits<double>::infinity())
        .reason;
  };
  for (const std::int64_t inside : {0, 999}) EXPECT_EQ(reason(inside), "");
  for (const std::int64_t behind : {1000, 1063, 123751})
    EXPECT_EQ(reason(behind), "it wrote behind the end of its workspace of 1000 bytes") << behind;
  for (const std::int64_t before : {-1, -64, -122752})
    EXPECT_EQ(reason(before), "it wrote before the start of its workspace of 1000 bytes") << before;
  EXPECT_EQ(reason(0), "") << "the guards were not filled anew";
  // The workspace of the race may be larger than the candidate's workspace_size(). The candidate
  // must only write to the part that it has asked for.
  arena.reserve_workspace(100 * kSize);
  EXPECT_NE(reason(1000), "");
}

// Computes the right result. If the call passes weights, it also writes behind its workspace.
class StrayingWithWeights final : public Prepared {
 public:
  explicit StrayingWithWeights(const Problem& problem)
      : within_(problem, kSize, 0), behind_(problem, kSize, kSize) {}
  std::uint64_t workspace_size() const override { return kSize; }
  void set_weights(const void* w) override { within_.set_weights(w); }
  void execute(const Operands& operands, void* workspace, Stream stream) override {
    (operands.w == nullptr ? within_ : behind_).execute(operands, workspace, stream);
  }

 private:
  static constexpr std::uint64_t kSize = 1000;
  Straying within_, behind_;
};

// A program can promise that weights are constant, and still pass weights in a call, because it has
// not set the constant weights yet. So the gate must check calls that pass weights, too.
TEST(GateAndWorkspace, LooksAtCallsWithWeightsAlthoughTheyAreConstant) {
  const Problem problem = test::build(layer(Direction::forward, Dtype::f32));
  const auto site = conv::make_site({DeviceType::cpu, 0}, nullptr);
  conv::Arena arena(problem, *site, 1);
  conv::Gate gate(problem, *site, arena.operands(0), false, 1);
  StrayingWithWeights candidate(problem);
  arena.reserve_workspace(candidate.workspace_size());
  EXPECT_EQ(gate.check(candidate, arena.workspace(), Exactness::exact, true,
                       std::numeric_limits<double>::infinity())
                .reason,
            "it wrote behind the end of its workspace of 1000 bytes");
}

TEST(GateAndPrecision, MarksWhatIsAskedToBeMarked) {
  for (const Direction direction : kDirections) {
    const Problem problem = test::build(layer(direction, Dtype::f32));
    const auto coarse = [&](const Operands& operands) { round_coarsely(problem, operands); };
    const tune::Verdict refused = check(problem, Apart::unasked, coarse);
    EXPECT_FALSE(refused.passed);
    EXPECT_FALSE(refused.imprecise);
    const tune::Verdict marked =
        check(problem, Apart::unasked, coarse, Exactness::exact, false, Imprecise::marked);
    EXPECT_TRUE(marked.passed);
    EXPECT_TRUE(marked.imprecise);
    EXPECT_EQ(marked.reason, refused.reason);
    const tune::Verdict right =
        check(problem, Apart::unasked, {}, Exactness::exact, false, Imprecise::marked);
    EXPECT_TRUE(right.passed);
    EXPECT_FALSE(right.imprecise);
  }
}

TEST(GateAndPrecision, RefusesWhatIsWrongAllTheSame) {
  for (const Direction direction : kDirections)
    for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
      const Problem problem = test::build(layer(direction, dtype));
      // Changes one element by the square root of the number of its summands, which is a usual
      // magnitude of the sum.
      const auto move_one = [&](const Operands& operands) {
        void* const output = output_of(problem, operands);
        const double value = load_element(output, dtype, 0);
        const auto terms = static_cast<double>(problem.reduction_length());
        store_element(output, dtype, 0, value + std::sqrt(terms));
      };
      EXPECT_FALSE(
          check(problem, Apart::unasked, move_one, Exactness::exact, false, Imprecise::marked)
              .passed);
    }
}

TEST(GateKeepingApart, PassesWhatIsRight) {
  for (const Direction direction : kDirections)
    for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
      Spec spec = layer(direction, dtype);
      EXPECT_EQ(check(test::build(spec), Apart::all).reason, "");
      spec.accumulate = true;
      EXPECT_EQ(check(test::build(spec), Apart::all).reason, "");
      if (direction != Direction::backward_weight) {
        spec.accumulate = false;
        spec.epilogue = Epilogue::bias_relu;
        const Problem problem = test::build(spec);
        EXPECT_EQ(check(problem, Apart::all, {}, Exactness::exact, true).reason, "");
      }
    }
}

TEST(GateKeepingApart, RefusesWhatDropsThem) {
  for (const Direction direction : kDirections) {
    const Problem problem = test::build(layer(direction, Dtype::f32));
    const auto drop = [&](const Operands& operands) {
      void* const output = output_of(problem, operands);
      for_each_infinite(problem.output(), output,
                        [&](std::int64_t offset) { store_element(output, Dtype::f32, offset, 0); });
    };
    EXPECT_EQ(check(problem, Apart::unasked, drop).reason, "");
    EXPECT_THAT(check(problem, Apart::padded, drop).reason, HasSubstr("not finite"));
    // A candidate that transforms its operands (such as Winograd) may spread Inf and NaN to further
    // outputs, unless its engine promises that it does not (Apart::all).
    EXPECT_EQ(check(problem, Apart::padded, drop, Exactness::transformed).reason, "");
    EXPECT_THAT(check(problem, Apart::all, drop, Exactness::transformed).reason,
                HasSubstr("not finite"));
  }
}

TEST(GateKeepingApart, RefusesWhatLetsThemThroughToANeighbour) {
  for (const Direction direction : kDirections) {
    const Problem problem = test::build(layer(direction, Dtype::f32));
    const std::int64_t last = problem.output().elements() - 1;
    const auto leak = [&](const Operands& operands) {
      auto* const output = static_cast<float*>(output_of(problem, operands));
      for (std::int64_t i = 0; i < last; ++i)
        if (!std::isfinite(output[i]) && std::isfinite(output[i + 1])) {
          output[++i] = std::numeric_limits<float>::quiet_NaN();
        }
    };
    EXPECT_EQ(check(problem, Apart::unasked, leak).reason, "");
    EXPECT_THAT(check(problem, Apart::padded, leak).reason, HasSubstr("is finite"));
  }
}

// The candidate multiplies the weights by the zeros of the padding, so an infinite weight gives
// NaN. Only candidates that are checked with Apart::all are refused for this.
TEST(GateKeepingApart, HoldsPaddingAgainstThoseAloneThatAreAskedForAll) {
  const Problem problem = test::build(layer(Direction::forward, Dtype::f32));
  const auto pad_by_zeros = [&](const Operands& operands) {
    for_each_infinite(problem.w, operands.w, [&](std::int64_t offset) {
      const std::int64_t plane = problem.out(0) * problem.out(1);
      const std::int64_t of_filter = problem.w.elements() / problem.channels_out();
      auto* const output = static_cast<float*>(operands.y) + offset / of_filter * plane;
      for (std::int64_t image = 0; image < problem.batch(); ++image)
        output[image * problem.channels_out() * plane] = std::numeric_limits<float>::quiet_NaN();
    });
  };
  EXPECT_EQ(check(problem, Apart::padded, pad_by_zeros).reason, "");
  EXPECT_THAT(check(problem, Apart::all, pad_by_zeros).reason, HasSubstr("is finite"));
}

// A site (a device with the stream of a race) on the CPU that works like a device with a stream:
// writes to memory are queued, and the queued writes are done before memory is read.
class QueuingSite : public conv::Site {
 public:
  DeviceId id() const override { return rest_->id(); }
  Stream stream() const override { return nullptr; }
  Device& device() override { return rest_->device(); }
  std::uint64_t cache_bytes() const override { return rest_->cache_bytes(); }
  bool has_tf32() const override { return false; }
  void wait() override {
    for (const auto& work : queue_) work();
    queue_.clear();
  }

  void set(void* to, unsigned char byte, std::uint64_t size) override {
    queue_.emplace_back([=] { rest_->set(to, byte, size); });
  }
  void copy(void* to, const void* from, std::uint64_t size) override {
    queue_.emplace_back([=] { rest_->copy(to, from, size); });
  }
  void fill(const Tensor& tensor, void* data, conv::Filling filling, std::uint64_t seed) override {
    queue_.emplace_back([=] { rest_->fill(tensor, data, filling, seed); });
  }
  std::uint64_t fingerprint(const void* data, std::uint64_t size) override {
    wait();
    return rest_->fingerprint(data, size);
  }
  std::unique_ptr<conv::WatchedOutput> make_output(const Tensor& tensor) override {
    return rest_->make_output(tensor);
  }
  std::vector<reference::ElementValue> values(
      const Problem& problem, const Operands& operands,
      const std::vector<reference::Index>& indices) override {
    wait();
    return rest_->values(problem, operands, indices);
  }
  std::unique_ptr<conv::WholeOutput> copy_of(const Tensor& tensor, const void* output) override {
    wait();
    return rest_->copy_of(tensor, output);
  }
  std::unique_ptr<conv::WholeOutput> evaluate(const Problem& problem,
                                              const Operands& operands) override {
    wait();
    return rest_->evaluate(problem, operands);
  }

 private:
  std::unique_ptr<Site> rest_ = conv::make_cpu_site();
  std::vector<std::function<void()>> queue_;
};

// A candidate on a QueuingSite, a simulated device whose writes to memory are queued. An execution
// of the candidate first does the queued writes. But set_weights() reads the weights at once. So
// the gate must wait for the queue before it calls set_weights().
class OnStreamOf final : public Prepared {
 public:
  OnStreamOf(QueuingSite& site, const Problem& problem)
      : site_(site), rest_(make_reference_engine()->prepare(problem, {}, "direct")) {}
  std::uint64_t workspace_size() const override { return rest_->workspace_size(); }
  void set_weights(const void* w) override { rest_->set_weights(w); }
  void execute(const Operands& operands, void* workspace, Stream stream) override {
    site_.wait();
    rest_->execute(operands, workspace, stream);
  }

 private:
  QueuingSite& site_;
  std::unique_ptr<Prepared> rest_;
};

TEST(Gate, SetsWeightsThatAreWritten) {
  for (const Direction direction : {Direction::forward, Direction::backward_data}) {
    const Problem problem = test::build(layer(direction, Dtype::f32));
    QueuingSite site;
    conv::Arena arena(problem, site, 1);
    conv::Gate gate(problem, site, arena.operands(0), false, 1);
    OnStreamOf candidate(site, problem);
    for (int turn = 0; turn < 2; ++turn)
      EXPECT_EQ(gate.check(candidate, nullptr, Exactness::exact, true,
                           std::numeric_limits<double>::infinity(), Apart::all)
                    .reason,
                "");
  }
}

class CountingSite final : public QueuingSite {
 public:
  std::vector<reference::ElementValue> values(
      const Problem& problem, const Operands& operands,
      const std::vector<reference::Index>& indices) override {
    ++evaluations;
    return QueuingSite::values(problem, operands, indices);
  }
  int evaluations = 0;
};

TEST(Gate, EvaluatesEachFillingOnceForAllClasses) {
  const Problem problem = test::build(layer(Direction::forward, Dtype::f32));
  CountingSite site;
  conv::Arena arena(problem, site, 1);
  conv::Gate gate(problem, site, arena.operands(0), false, 1);
  OnStreamOf candidate(site, problem);
  for (const Exactness exactness : {Exactness::exact, Exactness::bounded, Exactness::transformed})
    EXPECT_EQ(
        gate.check(candidate, nullptr, exactness, false, std::numeric_limits<double>::infinity())
            .reason,
        "");
  EXPECT_EQ(site.evaluations, 2);
}

// Rounds the elements of an operand in place, as a kernel does that keeps the operand in fewer
// bits. Integers do not change.
void round_in_place(const Tensor& tensor, const void* data) {
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = load_element(data, tensor.dtype, i);
    store_element(const_cast<void*>(data), tensor.dtype, i, round_to(Dtype::bf16, value));
  }
}

// Checks three candidates: a right one, one that rounds an operand in place and must be refused,
// and a right one again. The last one passes only if the gate has refilled the operand.
void expect_refilled(const Spec& spec, const char* name,
                     const std::function<void(const Problem&, const Operands&)>& round) {
  const Problem problem = test::build(spec);
  const auto site = conv::make_cpu_site();
  conv::Arena arena(problem, *site, 1);
  conv::Gate gate(problem, *site, arena.operands(0), false, 1);
  const auto reason_of = [&](Spoiling::Change change) {
    Spoiling candidate(problem, std::move(change));
    arena.reserve_workspace(candidate.workspace_size());
    return gate
        .check(candidate, arena.workspace(), Exactness::exact, false,
               std::numeric_limits<double>::infinity())
        .reason;
  };
  EXPECT_EQ(reason_of({}), "") << name;
  EXPECT_EQ(reason_of([&](const Operands& operands) { round(problem, operands); }),
            format("it wrote into {}, which it may only read", name));
  EXPECT_EQ(reason_of({}), "") << name;
}

TEST(Gate, RefillsAnInputThatACandidateWroteInto) {
  const auto round_x = [](const Problem& problem, const Operands& operands) {
    round_in_place(problem.x, operands.x);
  };
  const auto round_w = [](const Problem& problem, const Operands& operands) {
    round_in_place(problem.w, operands.w);
  };
  const auto round_y = [](const Problem& problem, const Operands& operands) {
    round_in_place(problem.y, operands.y);
  };
  const auto round_bias = [](const Problem& problem, const Operands& operands) {
    round_in_place(problem.bias(), operands.bias);
  };
  Spec forward = layer(Direction::forward, Dtype::f32);
  forward.epilogue = Epilogue::bias;
  expect_refilled(forward, "x", round_x);
  expect_refilled(forward, "w", round_w);
  expect_refilled(forward, "bias", round_bias);
  const Spec data = layer(Direction::backward_data, Dtype::f32);
  expect_refilled(data, "w", round_w);
  expect_refilled(data, "y", round_y);
  const Spec weight = layer(Direction::backward_weight, Dtype::f32);
  expect_refilled(weight, "x", round_x);
  expect_refilled(weight, "y", round_y);
}

// A simulated device whose computation of the reference's values (of sampled elements) can fail.
// The `until_failure`-th of these computations from now on throws.
class FailingSite final : public QueuingSite {
 public:
  // The copy is not queued but made at once, because the test may free the operands before the
  // queue is worked off.
  void copy(void* to, const void* from, std::uint64_t size) override {
    QueuingSite::copy(to, from, size);
    wait();
  }
  std::vector<reference::ElementValue> values(
      const Problem& problem, const Operands& operands,
      const std::vector<reference::Index>& indices) override {
    if (--until_failure == 0) fail(Status::out_of_memory, "no memory for the samples");
    return QueuingSite::values(problem, operands, indices);
  }
  int until_failure = 0;
};

// If the problem has a ReLU, the gate computes values of the output of a trusted candidate, to know
// where Inf and NaN must arrive. Here this computation fails. The gate must nevertheless restore
// the input that it has changed.
TEST(GateKeepingApart, PutsTheInputBackWhereTheTrustedOutputFails) {
  Spec spec = layer(Direction::forward, Dtype::f32);
  spec.epilogue = Epilogue::bias_relu;
  const Problem problem = test::build(spec);
  FailingSite site;
  conv::Arena arena(problem, site, 1);
  conv::Gate gate(problem, site, arena.operands(0), false, 1);
  OnStreamOf candidate(site, problem);
  const auto reason = [&](Apart apart) {
    return gate
        .check(candidate, nullptr, Exactness::exact, false, std::numeric_limits<double>::infinity(),
               apart)
        .reason;
  };
  EXPECT_EQ(reason(Apart::unasked), "");
  site.until_failure = 1;
  EXPECT_THROW(reason(Apart::padded), Error);
  EXPECT_EQ(reason(Apart::padded), "");
}

// A device with a simulated clock, which only advances while a candidate is executed, by the time
// that the test has given to the execution.
class Clock final : public Device {
 public:
  BatchTime time_batch(Runnable& runnable, std::size_t, std::size_t calls) override {
    const double began = seconds;
    for (std::size_t call = 0; call < calls; ++call) runnable.run(0);
    BatchTime time;
    time.seconds_per_call = (seconds - began) / static_cast<double>(calls);
    return time;
  }
  double now() override { return seconds; }

  double seconds = 0;
};

class ClockedSite final : public QueuingSite {
 public:
  Device& device() override { return clock; }
  Clock clock;
};

// Checks a candidate whose n-th execution (n begins at 1) takes seconds(n). Returns the number of
// executions in the check, and whether the verdict is "hopeless": so slow that the candidate is not
// timed any further.
std::pair<int, bool> runs_of(const std::function<double(int)>& seconds) {
  const Problem problem = test::build(layer(Direction::forward, Dtype::f32));
  ClockedSite site;
  conv::Arena arena(problem, site, 1);
  conv::Gate gate(problem, site, arena.operands(0), false, 1);
  int runs = 0;
  Spoiling candidate(problem, [&](const Operands&) { site.clock.seconds += seconds(++runs); });
  constexpr double kPatience = 1e-3;
  const bool hopeless =
      gate.check(candidate, arena.workspace(), Exactness::exact, false, kPatience).hopeless;
  return {runs, hopeless};
}

// If an execution takes longer than the allowed time (the patience), the candidate is executed
// again: the first execution may have loaded kernels, and a later one may have been disturbed by
// other work. The candidate is hopeless if two executions take longer than allowed and similarly
// long.
TEST(Gate, ExecutesWhatIsHopelessUntilTwoAreAlike) {
  EXPECT_EQ(runs_of([](int) { return 0.02; }), std::pair(2, true));
  EXPECT_EQ(runs_of([](int run) { return run == 1 ? 0.1 : 0.02; }), std::pair(3, true));
  // An execution of less than 10 ms is timed by the device's clock, in one batch.
  EXPECT_EQ(runs_of([](int run) { return run == 1 ? 0.02 : 5e-3; }), std::pair(3, true));
  // A candidate that is not hopeless (far too slow) is executed once more, because the check of its
  // results uses two sets of input data.
  EXPECT_EQ(runs_of([](int run) { return run == 1 ? 0.02 : 0; }), std::pair(4, false));
  EXPECT_EQ(runs_of([](int run) { return run == 1   ? 0.1
                                         : run == 2 ? 0.02
                                                    : 0; }),
            std::pair(5, false));
}

}  // namespace
}  // namespace atc
