// Helpers for tests of engines on a CUDA device. They run an engine's offers (the configurations
// that the engine can run for a problem) and compare the results with the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "conv/race/arena.hpp"
#include "conv/race/gate.hpp"
#include "conv/race/site.hpp"
#include "cuda_test.hpp"
#include "engines/engine.hpp"
#include "support/problems.hpp"

namespace atc::test {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// Returns the limits (such as alignment and TF32) of an engine's configurations for the first CUDA
// device.
Limits cuda_limits(std::size_t alignment = 16, bool allow_tf32 = true);

using Random = std::mt19937;
std::int64_t pick(Random& random, const std::vector<std::int64_t>& values);

struct NetworkLayer {
  std::int64_t batch, channels_in, height, width, channels_out, rows, columns, pad_h, pad_w;
  std::int64_t stride = 1, groups = 1, dilation = 1;
};

Spec spec_of(const NetworkLayer& layer);

// Returns the layer as problems: one for each combination of these directions, dtypes and memory
// layouts.
std::vector<Problem> forms_of(const NetworkLayer& layer, const std::vector<Direction>& directions,
                              const std::vector<Dtype>& dtypes,
                              const std::vector<Memory>& memories);
// Returns the layer as problems in every direction and dtype, once with channels first and once
// with channels last.
std::vector<Problem> forms_of(const Spec& spec);
std::vector<Problem> forms_of(const NetworkLayer& layer);

// One problem on the device, with operands, a workspace and a gate (the check of a candidate
// against the reference).
class Trial {
 public:
  Trial(const Problem& problem, const Limits& limits);

  tune::Verdict check(Prepared& prepared, Exactness exactness, bool constant_weights = false,
                      conv::Apart apart = conv::Apart::unasked);
  // Executes the configuration twice. Fails the test if the bits of the outputs differ. check()
  // must be called before, because it allocates the workspace.
  void expect_repeats(Prepared& prepared, const std::string& configuration);
  // Times `batches` batches of `calls` executions each. Returns the seconds of one execution: the
  // mean of the batch with the least mean. The executions use `sets` sets of operands in turn, so
  // that they do not find their operands in the cache.
  double time(Prepared& prepared, std::size_t sets, std::size_t calls, int batches);

  std::size_t sets() const { return arena_.sets(); }

 private:
  Problem problem_;
  std::unique_ptr<conv::Site> site_;
  conv::Arena arena_;
  conv::Gate gate_;
};

struct Checks {
  conv::Apart apart = conv::Apart::unasked;
  // whether the weights are constant, if the direction reads weights
  bool constant_weights = false;
  // A function that is called after the check of each offer, whether the offer passed or not.
  std::function<void(const Offer&, Prepared&, Trial&)> also = nullptr;
};

struct Checked {
  std::vector<Offer> offers;
  std::size_t passed = 0;
  std::string why_not;  // if the engine has no offers (configurations): its reason
};

// Prepares and checks each of these offers for the problem. Fails the test if an offer gives wrong
// results, throws, or needs a workspace of another size than it states. Returns the number of
// offers that passed.
std::size_t check_each(const Engine& engine, const Problem& problem, const Limits& limits,
                       const std::vector<Offer>& offers, const Checks& checks = {});
// Checks all offers of the engine like check_each(). Fails the test if the engine gives neither an
// offer nor a reason why it has none.
Checked check_offers(const Engine& engine, const Problem& problem, const Limits& limits,
                     const Checks& checks = {});

// The counts of the results of check_offers(), added up over many problems.
struct Tally {
  std::size_t problems = 0, unserved = 0, offers = 0, passed = 0;
  // the number of problems without an offer, for each reason
  std::map<std::string, std::size_t> reasons;

  void add(const Checked& checked);
};
std::ostream& operator<<(std::ostream& stream, const Tally& tally);

// Checks the engine's offers for all of these problems. Fails the test if no offer of a problem
// passes.
Tally check_served(const Engine& engine, const std::vector<Problem>& problems, const Limits& limits,
                   const Checks& checks = {});
// Checks the engine's offers for a grid of problems of all kinds. TF32 is allowed for every other
// problem.
Tally check_grid(const Engine& engine);

// Writes Inf into the first element of the tensor, and -Inf into an inner element. The first
// element is in a corner, where windows also have elements of the padding.
void put_infinities(const Tensor& tensor, void* data);

// A problem with operands of small integers (or the values that `spoil` writes), and the result of
// a direct convolution on the host.
class Direct {
 public:
  // A function that replaces some integers of the operands, for example by Inf.
  using Spoil = std::function<void(Operands&)>;

  explicit Direct(const Problem& problem, const Spoil& spoil = nullptr);
  // Runs the convolution on the device, with operands in allocations of exactly their size. Fails
  // the test unless every element of the output equals the same element of the host's result. Two
  // NaNs count as equal.
  void expect_of(Prepared& prepared, const std::string& configuration) const;

 private:
  Problem problem_;
  std::unique_ptr<DeviceInputs> device_;
  std::vector<double> right_;          // the right result, computed on the host, in logical order
  std::vector<std::int64_t> offsets_;  // the offsets of the output's elements, in logical order
};

// Runs Direct::expect_of() on each offer of the engine. Returns the number of offers.
std::size_t expect_as_direct(const Engine& engine, const Problem& problem, const Limits& limits,
                             const Direct::Spoil& spoil);

}  // namespace atc::test
