#include "offers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>

#include "core/error.hpp"
#include "core/half.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/tensor_work.hpp"
#include "engines/reference/direct.hpp"
#include "support/grid.hpp"
#include "support/tensors.hpp"

namespace atc::test {

Limits cuda_limits(std::size_t alignment, bool allow_tf32) {
  Limits limits;
  limits.alignment = alignment;
  limits.allow_tf32 = allow_tf32;
  limits.device = {DeviceType::cuda, 0};
  return limits;
}

std::int64_t pick(Random& random, const std::vector<std::int64_t>& values) {
  return values[random() % values.size()];
}

Spec spec_of(const NetworkLayer& layer) {
  Spec spec;
  spec.batch = layer.batch;
  spec.channels_in = layer.channels_in;
  spec.channels_out = layer.channels_out;
  spec.groups = layer.groups;
  spec.in = {layer.height, layer.width, 1};
  spec.kernel = {layer.rows, layer.columns, 1};
  spec.stride = {layer.stride, layer.stride, 1};
  spec.dilation = {layer.dilation, layer.dilation, 1};
  spec.pad_low = spec.pad_high = {layer.pad_h, layer.pad_w, 0};
  return spec;
}

namespace {

std::vector<Problem> forms(Spec spec, const std::vector<Direction>& directions,
                           const std::vector<Dtype>& dtypes, const std::vector<Memory>& memories) {
  std::vector<Problem> problems;
  for (const Direction direction : directions)
    for (const Dtype dtype : dtypes)
      for (const Memory memory : memories) {
        spec.direction = direction;
        spec.x = spec.w = spec.y = dtype;
        spec.x_memory = spec.w_memory = spec.y_memory = memory;
        problems.push_back(build(spec));
      }
  return problems;
}

}  // namespace

std::vector<Problem> forms_of(const NetworkLayer& layer, const std::vector<Direction>& directions,
                              const std::vector<Dtype>& dtypes,
                              const std::vector<Memory>& memories) {
  return forms(spec_of(layer), directions, dtypes, memories);
}

std::vector<Problem> forms_of(const Spec& spec) {
  return forms(spec, {Direction::forward, Direction::backward_data, Direction::backward_weight},
               {Dtype::f32, Dtype::f16, Dtype::bf16}, {Memory::first, Memory::last});
}

std::vector<Problem> forms_of(const NetworkLayer& layer) { return forms_of(spec_of(layer)); }

namespace {

// Executes a prepared configuration on several sets of operands in turn, as a race (the timing of
// the candidates) does.
class Execution final : public Runnable {
 public:
  Execution(Prepared& prepared, const conv::Arena& arena, Stream stream)
      : prepared_(prepared), arena_(arena), stream_(stream) {}
  void run(std::size_t set) override {
    prepared_.execute(arena_.operands(set), arena_.workspace(), stream_);
  }

 private:
  Prepared& prepared_;
  const conv::Arena& arena_;
  Stream stream_;
};

}  // namespace

Trial::Trial(const Problem& problem, const Limits& limits)
    : problem_(problem),
      site_(conv::make_site(limits.device, nullptr)),
      arena_(problem, *site_, 1),
      gate_(problem, *site_, arena_.operands(0), limits.allow_tf32, 1) {}

tune::Verdict Trial::check(Prepared& prepared, Exactness exactness, bool constant_weights,
                           conv::Apart apart) {
  arena_.reserve_workspace(prepared.workspace_size());
  return gate_.check(prepared, arena_.workspace(), exactness, constant_weights, kEndless, apart);
}

void Trial::expect_repeats(Prepared& prepared, const std::string& configuration) {
  Execution execution(prepared, arena_, site_->stream());
  Operands operands = arena_.operands(0);
  const void* const output = output_of(problem_, operands);
  std::set<std::uint64_t> prints;
  for (int i = 0; i < 2; ++i) {
    execution.run(0);
    prints.insert(site_->fingerprint(output, problem_.output().span_bytes()));
  }
  EXPECT_EQ(prints.size(), 1u) << configuration << " " << label(problem_);
}

double Trial::time(Prepared& prepared, std::size_t sets, std::size_t calls, int batches) {
  Execution execution(prepared, arena_, site_->stream());
  double seconds = kEndless;
  for (int i = 0; i < batches; ++i)
    seconds =
        std::min(seconds, site_->device().time_batch(execution, sets, calls).seconds_per_call);
  return seconds;
}

std::size_t check_each(const Engine& engine, const Problem& problem, const Limits& limits,
                       const std::vector<Offer>& offers, const Checks& checks) {
  const bool constant_weights =
      checks.constant_weights && problem.direction != Direction::backward_weight;
  Trial trial(problem, limits);
  std::size_t passed = 0;
  for (const Offer& offer : offers) {
    try {
      const auto prepared = engine.prepare(problem, limits, offer.configuration);
      EXPECT_EQ(prepared->workspace_size(), offer.workspace)
          << offer.configuration << " " << label(problem);
      const auto verdict = trial.check(*prepared, offer.exactness, constant_weights, checks.apart);
      EXPECT_TRUE(verdict.passed) << offer.configuration << " (" << offer.notes << ") "
                                  << label(problem) << ": " << verdict.reason;
      passed += verdict.passed;
      if (checks.also) checks.also(offer, *prepared, trial);
    } catch (const Error& error) {
      ADD_FAILURE() << offer.configuration << " " << label(problem) << ": " << error.what();
    }
  }
  return passed;
}

Checked check_offers(const Engine& engine, const Problem& problem, const Limits& limits,
                     const Checks& checks) {
  Checked checked;
  checked.offers = engine.offers(problem, limits, checked.why_not);
  EXPECT_NE(checked.offers.empty(), checked.why_not.empty())
      << label(problem) << ": " << checked.why_not;
  if (!checked.offers.empty())
    checked.passed = check_each(engine, problem, limits, checked.offers, checks);
  return checked;
}

void Tally::add(const Checked& checked) {
  ++problems;
  offers += checked.offers.size();
  passed += checked.passed;
  if (!checked.offers.empty()) return;
  ++unserved;
  ++reasons[checked.why_not];
}

std::ostream& operator<<(std::ostream& stream, const Tally& tally) {
  stream << tally.problems << " problems, " << tally.unserved << " unserved, " << tally.offers
         << " offers, " << tally.passed << " passed\n";
  for (const auto& [reason, count] : tally.reasons) stream << count << " x " << reason << "\n";
  return stream;
}

Tally check_served(const Engine& engine, const std::vector<Problem>& problems, const Limits& limits,
                   const Checks& checks) {
  Tally tally;
  for (const Problem& problem : problems) {
    const Checked checked = check_offers(engine, problem, limits, checks);
    EXPECT_GT(checked.passed, 0u) << label(problem) << ": " << checked.why_not;
    tally.add(checked);
  }
  return tally;
}

Tally check_grid(const Engine& engine) {
  Tally tally;
  for (const Problem& problem : make_grid(1, 9).problems)
    if (problem.batch() != 0)
      tally.add(check_offers(engine, problem, cuda_limits(16, tally.problems % 2 == 1)));
  return tally;
}

void put_infinities(const Tensor& tensor, void* data) {
  store_element(data, tensor.dtype, 0, kEndless);
  store_element(data, tensor.dtype, tensor.offset_of(tensor.index_of(tensor.elements() * 5 / 7)),
                -kEndless);
}

Direct::Direct(const Problem& problem, const Spoil& spoil) : problem_(problem) {
  Inputs inputs(problem, Fill::ternary, 11);
  Operands host = inputs.with_old();
  if (spoil) spoil(host);
  const Tensor& output = problem.output();
  Buffer expected(output);
  Operands direct = host;
  output_of(problem, direct) = expected.data();
  reference::convolve(problem, direct, nullptr);
  right_ = expected.values();
  for (std::int64_t i = 0; i < output.elements(); ++i)
    offsets_.push_back(output.offset_of(output.index_of(i)));
  device_ = std::make_unique<DeviceInputs>(problem, host);
}

void Direct::expect_of(Prepared& prepared, const std::string& configuration) const {
  constexpr DeviceId kDevice{DeviceType::cuda, 0};
  const cuda::ContextScope scope(kDevice.index);
  const Tensor& output = problem_.output();
  Operands operands = device_->operands();
  void* const written = output_of(problem_, operands);
  cuda::set_bytes(written, 0xff, output.span_bytes(), nullptr);  // NaN
  const Allocation workspace(prepared.workspace_size(), kDevice);
  prepared.execute(operands, workspace.data(), nullptr);
  const std::vector<double> got =
      cuda::TensorWork(kDevice, scope.context(), nullptr).gather(output, written, offsets_);
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  const auto [at, right] = std::mismatch(got.begin(), got.end(), right_.begin(), same);
  if (at != got.end())
    ADD_FAILURE() << configuration << " " << label(problem_) << " element " << at - got.begin()
                  << ": " << *at << ", not " << *right;
}

std::size_t expect_as_direct(const Engine& engine, const Problem& problem, const Limits& limits,
                             const Direct::Spoil& spoil) {
  const Direct direct(problem, spoil);
  std::string why_not;
  const auto offers = engine.offers(problem, limits, why_not);
  for (const Offer& offer : offers)
    direct.expect_of(*engine.prepare(problem, limits, offer.configuration), offer.configuration);
  return offers.size();
}

}  // namespace atc::test
