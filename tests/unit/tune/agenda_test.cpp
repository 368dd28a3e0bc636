// Tests the agenda, by which a worker thread tries candidates while the program runs (the
// exploration). The program is simulated. The tests are about the order in which its layers are
// explored, and about the time that this costs the program.
#include "tune/agenda.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "core/random.hpp"
#include "tune/exploration.hpp"
#include "tune/picks.hpp"
#include "tune/prospects.hpp"

namespace atc::tune {
namespace {

constexpr double kMostCalls = 30'000;  // the number of calls of each layer that the user expects
// A check tests a candidate's results. kOnDevice[0]: the seconds for which a check uses the device,
// without the executions of the candidate. kOnDevice[1]: the seconds that are added for the first
// check of a layer. kUntilEnd: the seconds until a check ends (a check waits for the program's
// work). kUntilEnd[1] is for the first check of a layer, kUntilEnd[0] for all others.
constexpr double kOnDevice[] = {3e-3, 6e-3}, kUntilEnd[] = {8e-3, 24e-3};
// the seconds for which the worker looks at a layer before it explores the layer
constexpr double kForeseeing = 3e-3;
// the seconds of a step of the program, without its convolutions
constexpr double kOtherWork = 25e-3;

struct Layer {
  double seconds = 0;  // the seconds of one call of the layer with the default candidate
  int calls = 1;       // the number of calls of the layer in one step of the program
  // the times of the candidates, as multiples of the time of the default
  std::vector<double> ratios;
  std::vector<Belief> beliefs;
};

double best_of(const Layer& layer) {
  return std::min(1.0, *std::min_element(layer.ratios.begin(), layer.ratios.end()));
}

// A simulated program with its worker thread. It does the same as src/conv/beside, but without
// threads, engines and devices.
class Program {
 public:
  explicit Program(std::vector<Layer> layers) : account_(0) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      ExplorationOptions options;
      options.seed = i;
      states_.emplace_back(std::move(layers[i]), options);
    }
  }

  // Runs one step of the simulated program. Returns the time of the step in seconds.
  double step() {
    double seconds = kOtherWork + work_until(now_);
    for (State& state : states_)
      for (int call = 0; call < state.layer.calls; ++call) seconds += run(state);
    now_ += seconds;
    return seconds;
  }

  std::size_t checks() const { return checks_; }
  std::size_t decided() const {
    return static_cast<std::size_t>(std::count_if(
        states_.begin(), states_.end(), [](const State& state) { return is_decided(state); }));
  }
  // Returns the layers, in the order in which the worker thread explored them.
  std::vector<std::size_t> explored() const { return explored_; }
  // Returns the seconds that the convolutions of one step take with the decisions that were made so
  // far.
  double convolving() const {
    double seconds = 0;
    for (const State& state : states_)
      seconds += state.layer.calls * state.layer.seconds *
                 (is_decided(state) ? ratio(state, state.exploration.winner()) : 1);
    return seconds;
  }

 private:
  struct State {
    State(Layer of, const ExplorationOptions& options)
        : layer(std::move(of)), exploration(options) {}
    Layer layer;
    Exploration exploration;
    std::unique_ptr<Picks> picks;
    std::optional<Pick> first;
    // the number of the candidate that each arm (an alternative of the exploration) runs
    std::vector<std::size_t> arms;
    double calls = 0;
    bool is_open = false, has_saved = false;
  };

  static double ratio(const State& state, std::size_t arm) {
    return arm == 0 ? 1 : state.layer.ratios[state.arms[arm - 1]];
  }
  static bool is_decided(const State& state) {
    return state.is_open && state.exploration.decided();
  }

  double run(State& state) {
    ++state.calls;
    const Exploration::Turn turn = state.exploration.next();
    random_ = mix(random_, 1);
    const double noise = static_cast<double>(random_ % 1000) / 1000;
    const double seconds =
        state.layer.seconds * ratio(state, turn.arm) * (1 + 0.04 * (noise - 0.5));
    if (turn.measured) state.exploration.ran(turn.arm, seconds);
    return seconds;
  }

  // Does the worker's work until `moment`. Returns the seconds for which the work has used the
  // device.
  double work_until(double moment) {
    double used = 0;
    while (free_ <= moment) {
      if (open_ == nullptr && !choose(moment)) return used;
      if (open_ != nullptr) used += check();
    }
    return used;
  }

  // Chooses what the worker thread does next. Returns false if it has nothing to do before the
  // program's next calls.
  bool choose(double moment) {
    double most_urgent = 0;
    for (State& state : states_) {
      if (is_decided(state) && !state.has_saved) {
        state.has_saved = true;
        const std::size_t winner = state.exploration.winner();
        account_.saves(free_,
                       state.layer.seconds * (1 - ratio(state, winner)) * state.calls / now_);
      }
    }
    for (State& state : states_) {
      const double seconds = state.exploration.default_seconds();
      if (seconds == 0 || state.picks != nullptr) continue;
      state.picks = std::make_unique<Picks>(state.layer.beliefs, seconds, kOnDevice[1]);
      state.first = state.picks->next(kMostCalls);
      free_ += kForeseeing;
      return true;
    }
    for (State& state : states_) {
      if (state.is_open || !state.first) continue;
      const double urgent =
          urgency(*state.first, state.calls, calls_to_come(state.calls, kMostCalls));
      if (urgent <= most_urgent) continue;
      most_urgent = urgent;
      open_ = &state;
    }
    if (open_ == nullptr || account_.next_work(moment) > moment) {
      open_ = nullptr;
      free_ = moment;
      return false;
    }
    open_->is_open = true;
    explored_.push_back(static_cast<std::size_t>(open_ - states_.data()));
    return true;
  }

  double check() {
    State& state = *open_;
    const auto pick = state.picks->next(calls_to_come(state.calls, kMostCalls));
    if (!pick || state.arms.size() == kMostPicks) {
      state.exploration.close();
      open_ = nullptr;
      return 0;
    }
    const bool is_first = state.arms.empty();
    const double seconds = state.layer.seconds * state.layer.ratios[pick->candidate];
    const double used = kOnDevice[0] + (is_first ? kOnDevice[1] : 0) + kExecutionsOfTurn * seconds;
    state.picks->checked(pick->candidate, seconds);
    state.arms.push_back(pick->candidate);
    state.exploration.add(seconds);
    ++checks_;
    free_ += std::max(used, is_first ? kUntilEnd[1] : kUntilEnd[0]);
    account_.worked(free_, used);
    free_ = account_.next_work(free_);
    return used;
  }

  std::vector<State> states_;
  Account account_;
  State* open_ = nullptr;
  double now_ = 0, free_ = 0;
  std::size_t checks_ = 0;
  std::vector<std::size_t> explored_;
  std::uint64_t random_ = 1;
};

// Returns 60 layers of 20 to 90 us, like most layers of a ResNet-50 in bf16 on an H200. Each layer
// has ten candidates, about which nothing is known. No candidate is faster than the default.
std::vector<Layer> network(std::uint64_t seed) {
  std::vector<Layer> layers(60);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto part = [&](std::uint64_t which) {
      return static_cast<double>(mix(mix(seed, i), which) % 1000) / 1000;
    };
    layers[i].seconds = 20e-6 * std::exp(part(0) * std::log(4.5));
    layers[i].calls = 1 + static_cast<int>(3 * part(1));
    for (std::uint64_t candidate = 0; candidate < 10; ++candidate) {
      Belief belief;
      belief.compiling = 0;
      layers[i].beliefs.push_back(belief);
      layers[i].ratios.push_back(std::exp(0.8 * part(2 + candidate)));
    }
  }
  return layers;
}

double seconds_of_default(const std::vector<Layer>& layers) {
  double seconds = kOtherWork;
  for (const Layer& layer : layers) seconds += layer.calls * layer.seconds;
  return seconds;
}

double seconds_of(Program& program, int steps) {
  double seconds = 0;
  for (int i = 0; i < steps; ++i) seconds += program.step();
  return seconds;
}

TEST(Agenda, AProgramThatGainsNothingPaysAtMostOnePercentOf300Steps) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Layer> layers = network(seed);
    Program program(layers);
    EXPECT_LE(seconds_of(program, 300), 1.01 * 300 * seconds_of_default(layers)) << seed;
    EXPECT_GE(program.checks(), 5u) << seed;
    EXPECT_LE(program.checks(), 30u) << "1 % of 9 s, in checks of 3 ms";
  }
}

// Two layers have nearly all of the possible gain, as in a ResNet-50 in bf16, where these are the
// forward and the backward pass of the first layer.
TEST(Agenda, TheLayersThatMaySaveMostAreDecidedWithin150Steps) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<Layer> layers = network(seed);
    for (const auto& [index, seconds, ratio] :
         {std::tuple(std::size_t{57}, 0.9e-3, 0.17), std::tuple(std::size_t{31}, 0.6e-3, 0.33)}) {
      layers[index].seconds = seconds;
      layers[index].calls = 1;
      layers[index].ratios[1] = ratio;
    }
    double least = 0;
    for (const Layer& layer : layers) least += layer.calls * layer.seconds * best_of(layer);
    Program program(layers);
    const double standard = seconds_of_default(layers);
    double seconds = seconds_of(program, 150);
    const auto explored = program.explored();
    ASSERT_GE(explored.size(), 2u);
    EXPECT_EQ(explored[0], 57u) << "the layer that takes most of the time";
    EXPECT_EQ(explored[1], 31u);
    const double possible = standard - kOtherWork - least;
    EXPECT_GE(standard - kOtherWork - program.convolving(), 0.95 * possible) << seed;
    seconds += seconds_of(program, 150);
    EXPECT_LE(seconds, 300 * standard) << seed;
  }
}

TEST(Agenda, SavingsPayForFurtherLayers) {
  std::vector<Layer> gains = network(1);
  for (Layer& layer : gains)
    for (double& ratio : layer.ratios) ratio = 0.5;
  Program slow(network(1)), fast(gains);
  seconds_of(slow, 300);
  seconds_of(fast, 300);
  EXPECT_GT(fast.explored().size(), 2 * slow.explored().size());
}

TEST(Agenda, ALayerIsExploredOnceItPaysWithinAsManyCallsAsWereMade) {
  // the check costs 3 ms and saves 1 us in each call, so it pays after 3,000 calls
  const Pick pick{0, 1e-6, 3e-3};
  const auto urgent = [&](double calls, double most) {
    return urgency(pick, calls, calls_to_come(calls, most)) > 0;
  };
  EXPECT_FALSE(urgent(10, kMostCalls));
  EXPECT_FALSE(urgent(2900, kMostCalls));
  EXPECT_TRUE(urgent(3100, kMostCalls));
  EXPECT_FALSE(urgent(3100, 2000)) << "the user expects fewer calls";
  const Pick soon{0, 1e-6, 0.9e-6 * kCallsToPay};
  EXPECT_GT(urgency(soon, 10, calls_to_come(10, kMostCalls)), 0);
}

TEST(Account, ItBeginsWithACreditAndThenGrowsSlowly) {
  Account account(100);
  EXPECT_EQ(account.next_work(100), 100);
  account.worked(100, 1);
  const double next = account.next_work(100);
  EXPECT_GT(next, 100 + 50) << "a second of work is at most 2 % of the time";
  EXPECT_EQ(account.next_work(next + 1), next + 1);
}

TEST(Account, ItGrowsByWhatIsSaved) {
  Account poor(0), rich(0);
  rich.saves(0, 0.1);
  poor.worked(0, 1);
  rich.worked(0, 1);
  EXPECT_LT(rich.next_work(0), poor.next_work(0) / 5);
  EXPECT_GT(rich.next_work(0), 0.9 / 0.1) << "a part of the savings remains";
  rich.saves(0, 10);
  EXPECT_GE(rich.next_work(0), 0.9 / 0.5) << "but work never takes most of the time";
}

TEST(Account, AnIdleTimeIsNotCollected) {
  Account account(0);
  account.worked(1e6, 1);
  EXPECT_GT(account.next_work(1e6), 1e6 + 50);
}

}  // namespace
}  // namespace atc::tune
