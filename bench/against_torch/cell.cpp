#include "cell.hpp"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>

#include "contenders.hpp"
#include "host_cost.hpp"
#include "operands.hpp"
#include "problems.hpp"
#include "statistics.hpp"

namespace {

using Json = nlohmann::json;

// The fractions of the time for one cell (a problem that is measured) that are spent on three
// things: on tuning, on calls whose operands are not in the cache (cold), and on calls whose
// operands may be in the cache (hot).
constexpr double kForTuning = 0.35, kForCold = 0.45, kForHot = 0.1;
// The least and the largest number of rounds in which a problem is measured. (In a round each
// contender, that is, each way to run the convolution, makes one call.) Fewer rounds than kFewest
// would prove nothing, and more than kMost would add nothing.
constexpr std::size_t kFewest = 7, kMost = 1000;
// The ratio atc / LibTorch is computed from the times of two contenders (ways to run the
// convolution). The other contenders take part only in every kAside-th round.
constexpr std::size_t kAside = 4;
// The regret tells how much slower atc's choice is than the best candidate. For the regret, a
// candidate of the race is measured again if its time in the race was at most kClose times the
// winner's time.
constexpr double kClose = 1.2;
constexpr std::size_t kRunnersUp = 2;

template <class Function>
double seconds_of(const Target& target, const Function& function) {
  target.synchronize();
  const double start = now();
  function();
  target.synchronize();
  return now() - start;
}

// Times single calls of the contenders in rounds. In a round each contender makes one call, and
// each round has another order. A round in which another process took a processor counts as
// disturbed. There are at least kFewest and at most kMost rounds. The rounds end after
// `seconds` if at least kFewest of them are undisturbed, and otherwise after 2 * `seconds`. The
// times of disturbed rounds are dropped only if at least kFewest other rounds remain. Returns the
// fraction of disturbed rounds.
double take_turns(std::vector<Contender>& contenders, Operands& operands, const Target& target,
                  double seconds, bool cold) {
  std::vector<bool> quiet;
  const auto samples = [&](Contender& contender) -> std::vector<double>& {
    return cold ? contender.cold : contender.hot;
  };
  const double start = now();
  std::size_t calm = 0;
  const auto enough = [&] {
    const double spent = now() - start;
    return quiet.size() >= kFewest &&
           (quiet.size() >= kMost || spent > 2 * seconds || (calm >= kFewest && spent > seconds));
  };
  while (!enough()) {
    const std::size_t round = quiet.size();
    bool disturbed = false;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Contender& contender = contenders[(i + round) % contenders.size()];
      const bool aside = contender.every > 1;
      if (round % contender.every != 0 || (!cold && aside)) continue;
      const Inputs& inputs = cold ? operands.next() : operands.first();
      at::Tensor output;
      const std::uint64_t before = interruptions();
      samples(contender).push_back(seconds_of(target, [&] { output = contender.run(inputs); }));
      disturbed = disturbed || (!aside && interruptions() != before);
      if (cold) operands.keep(std::move(output));
    }
    quiet.push_back(!disturbed);
    calm += disturbed ? 0 : 1;
  }
  if (calm >= kFewest)
    for (Contender& contender : contenders)
      if (contender.every == 1) {
        std::vector<double> kept;
        for (std::size_t i = 0; i < quiet.size(); ++i)
          if (quiet[i]) kept.push_back(samples(contender)[i]);
        samples(contender) = std::move(kept);
      }
  return 1 - static_cast<double>(calm) / static_cast<double>(quiet.size());
}

double cold_ms(const Contender& contender) { return median(contender.cold) * 1e3; }

}  // namespace

Json measure_cell(const atc_conv_problem& problem, const Target& target, const CellOptions& options,
                  std::mt19937& random) {
  const std::uint64_t size = Operands::size(problem);
  if (size > options.largest)
    return {{"skipped", fmt::format("operands of {} MiB, the limit is {} MiB", size >> 20,
                                    options.largest >> 20)}};
  // The measurement needs six times the memory of the operands, because LibTorch, atc and the race
  // hold copies of the operands in other layouts.
  const std::uint64_t needed = 6 * size + 2 * target.cache_size();
  if (needed > target.free_memory())
    return {{"skipped", fmt::format("needs about {} MiB of memory, {} MiB are free", needed >> 20,
                                    target.free_memory() >> 20)}};
  Operands operands(problem, options.constant_weights, target);
  const auto torch = torch_convolution(problem);
  const double torch_first = seconds_of(target, [&] { torch(operands.next()); });
  const double torch_call = seconds_of(target, [&] { torch(operands.next()); });
  if (torch_call > options.longest_call)
    return {{"skipped", fmt::format("one call of LibTorch's takes {:.2f} s, the limit is {} s",
                                    torch_call, options.longest_call)}};

  // Measures the time from the creation of a plan to its first result, twice: first while there is
  // no decision yet, so that a race has to make it, and then with the decision of this race.
  std::unique_ptr<Plan> plan;
  const auto first_use = [&](double budget) {
    plan = std::make_unique<Plan>(problem, target, options.constant_weights, budget);
    const Inputs& inputs = operands.next();
    plan->set_weights(inputs.w);
    plan->is_torchs_own() ? torch(inputs) : plan->run(inputs);
  };
  const double first = seconds_of(target, [&] { first_use(options.seconds * kForTuning); });
  const bool raced = plan->source() == ATC_SOURCE_TUNED;
  std::unique_ptr<Plan> decided = std::move(plan);
  const double again = seconds_of(target, [&] { first_use(0); });
  const bool kept = plan->source() == ATC_SOURCE_MEMORY || plan->source() == ATC_SOURCE_RECORD;
  plan = std::move(decided);
  const bool own = plan->is_torchs_own();

  std::vector<Contender> contenders;
  const auto enter = [&](const std::string& name, std::function<at::Tensor(const Inputs&)> run,
                         std::size_t every) {
    contenders.push_back({name, std::move(run), every, {}, {}});
  };
  enter("torch", torch, 1);
  if (own)
    enter("atc", torch, 1);
  else
    enter(
        "atc", [&](const Inputs& inputs) { return plan->run(inputs); }, 1);
  enter("torch again", torch, 1);
  enter("eager", eager_convolution(problem, target), kAside);
  at::Tensor output = new_output(problem, target);
  const at::Tensor workspace =
      at::empty({static_cast<std::int64_t>(plan->workspace_size())},
                at::TensorOptions().dtype(at::kByte).device(target.torch()));
  if (!own)
    enter(
        "into",
        [&](const Inputs& inputs) {
          plan->run_into(inputs, output, workspace);
          return at::Tensor();
        },
        kAside);
  const std::size_t before_runners_up = contenders.size();
  std::vector<std::unique_ptr<Plan>> others;
  for (const std::string& choice : plan->runners_up(kClose)) {
    if (others.size() == kRunnersUp) break;
    others.push_back(std::make_unique<Plan>(problem, target, options.constant_weights, 0, choice));
    Plan& other = *others.back();
    other.set_weights(operands.first().w);
    enter(
        choice, [&other](const Inputs& inputs) { return other.run(inputs); }, kAside);
  }

  for (Contender& contender : contenders) contender.run(operands.next());
  const double disturbed =
      take_turns(contenders, operands, target, options.seconds * kForCold, true);
  take_turns(contenders, operands, target, options.seconds * kForHot, false);
  const HostCost host = measure_host_cost(problem, target, options.constant_weights);

  const Contender &plain = contenders[0], &atc = contenders[1], &same = contenders[2];
  const Contender* best = &atc;
  for (const Contender& contender : contenders)
    if (contender.name != "into" && cold_ms(contender) < cold_ms(*best)) best = &contender;
  const double floor = cold_ms(*best);
  const Interval ratio = ratio_interval(atc.cold, plain.cold, random);
  const Interval noise = ratio_interval(same.cold, plain.cold, random);
  Json cell{{"torch_heuristic_ms", cold_ms(plain)},
            {"torch_benchmark_ms", nullptr},
            {"atc_ms", cold_ms(atc)},
            {"ratio", cold_ms(atc) / cold_ms(plain)},
            {"ratio_low", ratio.low},
            {"ratio_high", ratio.high},
            {"level", kLevel},
            {"aa_ratio", cold_ms(same) / cold_ms(plain)},
            {"aa_low", noise.low},
            {"aa_high", noise.high},
            {"floor_ms", floor},
            {"regret", cold_ms(atc) / floor},
            {"choice", plan->choice()},
            {"best_choice", best == &plain || best == &same ? "LibTorch"
                            : best == &atc                  ? plan->choice()
                                                            : best->name},
            {"torch_hot_ms", median(plain.hot) * 1e3},
            {"atc_hot_ms", median(atc.hot) * 1e3},
            {"torch_first_ms", torch_first * 1e3},
            {"atc_cold_first_ms", nullptr},
            {"atc_warm_first_ms", nullptr},
            {"torch_host_us", host.torch},
            {"atc_host_us", host.eager},
            {"atc_plan_host_us", host.plan},
            {"engine_host_us", host.engine},
            {"atc_eager_ms", cold_ms(contenders[3])},
            {"atc_eager_choice", default_choice(problem, target)},
            {"atc_into_ms", nullptr},
            {"torch_spread", spread(plain.cold)},
            {"atc_spread", spread(atc.cold)},
            {"samples", atc.cold.size()},
            {"disturbed", disturbed},
            {"sets", operands.sets()},
            {"gflops", operations(problem) / 1e9}};
  if (kept) cell["atc_warm_first_ms"] = again * 1e3;
  if (raced) cell["atc_cold_first_ms"] = first * 1e3;
  if (!own) cell["atc_into_ms"] = cold_ms(contenders[before_runners_up - 1]);
  return cell;
}
