// For tests of engines on a CUDA device: runs an engine's offers and compares them with the
// reference.
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

// Of the first CUDA device.
Limits cuda_limits(std::size_t alignment = 16, bool allow_tf32 = true);

using Random = std::mt19937;
std::int64_t pick(Random& random, const std::vector<std::int64_t>& values);

struct NetworkLayer {
  std::int64_t batch, channels_in, height, width, channels_out, rows, columns, pad_h, pad_w;
  std::int64_t stride = 1, groups = 1, dilation = 1;
};

Spec spec_of(const NetworkLayer& layer);

// Returns the layer in each of these directions, dtypes and memory layouts.
std::vector<Problem> forms_of(const NetworkLayer& layer, const std::vector<Direction>& directions,
                              const std::vector<Dtype>& dtypes,
                              const std::vector<Memory>& memories);
// Returns the layer in every direction and dtype, with channels first and with channels last.
std::vector<Problem> forms_of(const Spec& spec);
std::vector<Problem> forms_of(const NetworkLayer& layer);

// One problem on the device, with operands, a workspace and the gate of a race.
class Trial {
 public:
  Trial(const Problem& problem, const Limits& limits);

  tune::Verdict check(Prepared& prepared, Exactness exactness, bool constant_weights = false,
                      conv::Apart apart = conv::Apart::unasked);
  // After a check: fails unless a second execution gives the same bits as the first.
  void expect_repeats(Prepared& prepared, const std::string& configuration);
  // Returns the seconds of an execution: the least of several batches over `sets` of the operands.
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
  bool constant_weights = false;  // where the direction reads them
  // A function that is called for each offer that has passed the check.
  std::function<void(const Offer&, Prepared&, Trial&)> also = nullptr;
};

struct Checked {
  std::vector<Offer> offers;
  std::size_t passed = 0;
  std::string why_not;  // where there are no offers
};

// Prepares and checks each of these offers for the problem. An offer that is wrong, needs another
// workspace than it said or throws fails the test. Returns how many passed.
std::size_t check_each(const Engine& engine, const Problem& problem, const Limits& limits,
                       const std::vector<Offer>& offers, const Checks& checks = {});
// Checks all offers of the engine in the same way. The test fails if there is neither an offer nor
// a reason.
Checked check_offers(const Engine& engine, const Problem& problem, const Limits& limits,
                     const Checks& checks = {});

// Of many problems.
struct Tally {
  std::size_t problems = 0, unserved = 0, offers = 0, passed = 0;
  std::map<std::string, std::size_t> reasons;  // why nothing was offered

  void add(const Checked& checked);
};
std::ostream& operator<<(std::ostream& stream, const Tally& tally);

// Checks all of these problems. If the engine does not support one of them, the test fails.
Tally check_served(const Engine& engine, const std::vector<Problem>& problems, const Limits& limits,
                   const Checks& checks = {});
// Checks the engine's offers for a grid of problems of all kinds, every other one with TF32.
Tally check_grid(const Engine& engine);

// Writes Inf into the first element, a corner that meets padding, and -Inf into an inner element.
void put_infinities(const Tensor& tensor, void* data);

// Operands of small integers for a problem that does not accumulate, and the result of a direct
// convolution on the host.
class Direct {
 public:
  // Replaces some integers in the operands, for example by Inf.
  using Spoil = std::function<void(Operands&)>;

  explicit Direct(const Problem& problem, const Spoil& spoil = nullptr);
  // Runs the convolution on the device, in memory of no more than the operands' size. Fails unless
  // every element of the output is that of the host, NaN for NaN.
  void expect_of(Prepared& prepared, const std::string& configuration) const;

 private:
  Problem problem_;
  std::unique_ptr<DeviceInputs> device_;
  std::vector<double> right_;          // in logical order
  std::vector<std::int64_t> offsets_;  // likewise
};

// Runs each offer of the engine as Direct::expect_of() does. Returns the number of offers.
std::size_t expect_as_direct(const Engine& engine, const Problem& problem, const Limits& limits,
                             const Direct::Spoil& spoil);

}  // namespace atc::test
