#include "conv/race/experience.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "conv/race/environment_file.hpp"
#include "conv/race/shipped_experience.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json_object.hpp"
#include "core/log.hpp"
#include "store/files.hpp"
#include "tune/outlook.hpp"
#include "tune/prospects.hpp"

namespace atc::conv {

namespace {

using store::Json;

constexpr int kSchema = 1;
constexpr EnvironmentFile kFile{"experience", std::size_t{1} << 20,
                                "; races begin without it, and nothing is predicted"};

constexpr double kMostCounted = 64;
// The candidates of earlier races are grouped into kinds: a wide kind has all candidates of an
// engine, a narrow kind has only similar kernels. If a narrow kind was timed seldom, little is
// known about it. So its expected value is a weighted mean of its own times and of the expected
// value of the wider kind, which has the weight of this many times.
constexpr double kWeightOfWider = 4;
// The smallest variance that is assumed for a kind.
constexpr double kLeastVariance = 0.02;
// An engine lists its candidates in its own order. The expected log(time) of a candidate grows by
// this factor times the logarithm of the candidate's place in this order. The factor was measured
// over cuDNN's candidates (docs/adr/0050-expected-benefit.md).
constexpr double kSlowerByPlace = 0.15;

// Returns the name of a chain, for example "nhwc>cudnn": the rewrites with their configurations and
// the engine, without versions.
std::string chain_of(const Choice& choice) {
  std::string text;
  for (const Link& link : choice.rewrites) {
    text += link.rewrite;
    if (!link.configuration.empty()) text += format("({})", link.configuration);
    text += '>';
  }
  return text + choice.engine;
}

// Returns the widest kind of a chain. The kind combines all layers with the same groups and the
// same kernel, such as "depthwise wide". Groups and kernel are the last two words of the name of a
// class of layers (layer_class()).
std::string widest_kind(std::string_view chain, std::string_view layer) {
  std::string_view::size_type at = layer.rfind(' ');
  if (at != std::string_view::npos && at > 0) at = layer.rfind(' ', at - 1);
  if (at == std::string_view::npos) return format("{}, any {}", chain, layer);
  return format("{}, any{}", chain, layer.substr(at));
}

// Returns the kinds to which a candidate belongs, from the widest to the narrowest. The widest kind
// occurs only in the result of Experience::widened().
std::vector<std::string> kinds_of(const Candidate& candidate, const std::string& layer) {
  const std::string chain = chain_of(candidate.choice);
  const std::string in_layer = format("{}, {}", chain, layer);
  if (candidate.kin.empty()) return {widest_kind(chain, layer), in_layer};
  return {widest_kind(chain, layer), in_layer, format("{}, {}", in_layer, candidate.kin)};
}

// Returns the kinds to which a candidate belongs with regard to one of its costs (time of its turn,
// or time of compiling), from the widest to the narrowest. The expected cost of the candidate is
// computed from the mean costs of these kinds. Costs are recorded without regard to the layer (the
// convolution problem).
std::vector<std::string> costs_of(const char* cost, const Candidate& candidate) {
  const std::string of_chain = format("{} of {}", cost, chain_of(candidate.choice));
  if (candidate.kin.empty()) return {of_chain};
  return {of_chain, format("{}, {}", of_chain, candidate.kin)};
}

// The names of the two costs of a candidate in a race: the time of its turn (preparing, checking,
// timing), and the time of compiling it.
constexpr char kTurn[] = "turn", kCompiling[] = "compiling";

void add_to(std::map<std::string, Moments>& kinds, const std::string& kind, double value) {
  if (kinds.size() >= Experience::kMostKinds && kinds.count(kind) == 0)
    kinds.erase(std::min_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
      return a.second.number < b.second.number;
    }));
  kinds[kind].add(value);
}

Json json_of(const std::map<std::string, Moments>& kinds) {
  Json json = Json::object();
  for (const auto& [kind, moments] : kinds)
    json[kind] = std::array<double, 3>{moments.number, moments.mean, moments.variance};
  return json;
}

std::map<std::string, Moments> kinds_from(const Json& json) {
  std::map<std::string, Moments> kinds;
  if (json.size() > Experience::kMostKinds)
    fail(Status::invalid_argument, "it has {} kinds, {} are the most", json.size(),
         Experience::kMostKinds);
  for (const auto& [kind, numbers] : json.items()) {
    const auto [number, mean, variance] = numbers.get<std::array<double, 3>>();
    const bool valid = number >= 1 && number <= kMostCounted && std::abs(mean) < 100 &&
                       variance >= 0 && variance < 1e4;
    if (!valid) fail(Status::invalid_argument, "\"{}\" has impossible numbers", kind);
    kinds[kind] = {number, mean, variance};
  }
  return kinds;
}

// The experiences (results of earlier races) in this process. There is one for each pair of an
// environment and a knowledge (a store and a part of the process's memory).
class OfProcess {
 public:
  static OfProcess& instance() {
    // This static object is never destroyed, because detached threads may still use it at the end
    // of the process.
    static auto* const of_process = new OfProcess;
    return *of_process;
  }

  template <typename Use>
  auto with(const Json& environment, const Knowledge& knowledge, const Use& use) {
    const std::lock_guard lock(mutex_);
    const auto key =
        std::pair(environment.dump(), std::pair(knowledge.memory_id(), knowledge.store_id()));
    auto found = all_.find(key);
    if (found == all_.end()) {
      Known known = begun(environment, knowledge);
      forget_closed();
      found = all_.emplace(key, std::move(known)).first;
    }
    return use(found->second);
  }

  struct Known {
    Experience experience;
    Experience first;  // the experience that the process had before its first race
    bool has_store = false;
    std::weak_ptr<store::Store> store;  // the store is not kept open
  };

 private:
  using Key = std::pair<std::string, std::pair<std::uint64_t, std::uint64_t>>;

  static Known begun(const Json& environment, const Knowledge& knowledge);

  // Removes the experience of stores that have been closed, because no race can use it.
  void forget_closed() {
    for (auto known = all_.begin(); known != all_.end();)
      known = known->second.has_store && known->second.store.expired() ? all_.erase(known)
                                                                       : std::next(known);
  }

  std::mutex mutex_;
  std::map<Key, Known> all_;
};

OfProcess::Known OfProcess::begun(const Json& environment, const Knowledge& knowledge) {
  Known known;
  std::optional<Experience> read;
  bool is_damaged = false;
  if (const auto& store = knowledge.store()) {
    known.has_store = true;
    known.store = store;
    is_damaged = reads(store) && !kFile.read(environment, *store, [&](const Json& json) {
      if (json.at("schema") != kSchema || json.at("environment") != environment)
        fail(Status::bad_record, "it is of another version of atc or of another device");
      read = Experience::from_json(json);
    });
  }
  known.experience = read ? std::move(*read) : built_in_experience(environment);
  if (!is_damaged) known.first = known.experience;
  return known;
}

}  // namespace

Experience built_in_experience(const Json& environment) {
  // If the name of the device does not begin with "NVIDIA", the device is simulated. Its times are
  // not comparable with those of a real device, so no experience is built in for it.
  if (environment.value("name", "").rfind("NVIDIA ", 0) != 0) return {};
  // The text is parsed once for each compute capability, because each prediction may need the
  // experience. These static objects are never destroyed, because detached threads may still use
  // them at the end of the process.
  static auto* const mutex = new std::mutex;
  static auto* const parsed = new std::map<std::string, Experience>;
  const std::string capability = environment.value("compute_capability", Json()).dump();
  const std::lock_guard lock(*mutex);
  if (const auto found = parsed->find(capability); found != parsed->end()) return found->second;
  const std::string text = shipped_experience(capability);
  return (*parsed)[capability] =
             text.empty() ? Experience() : Experience::from_json(Json::parse(text));
}

std::string layer_class(const Problem& problem, const Request& request) {
  bool one_element = true;
  for (int dim = 0; dim < problem.spatial; ++dim)
    one_element = one_element && problem.kernel(dim) == 1;
  const bool on_cuda = request.device.type == DeviceType::cuda;
  const Dtype dtype = problem.x.dtype;
  std::string_view number_format = name_of(dtype);
  if (on_cuda && dtype == Dtype::f32 && request.limits.allow_tf32) number_format = "tf32";
  // On CUDA f16 and bf16 have the same kernels, except for the operand type of their instructions.
  if (on_cuda && dtype == Dtype::f16) number_format = name_of(Dtype::bf16);
  return format("{} {} {}-D {} {} {}", name_of(problem.direction), number_format, problem.spatial,
                problem.x.channels_last() ? "channels last" : "channels first",
                problem.is_depthwise() ? "depthwise"
                : problem.groups > 1   ? "grouped"
                                       : "dense",
                one_element ? "1x1" : "wide");
}

void Moments::add(double value) {
  number = std::min(number + 1, kMostCounted);
  const double step = (value - mean) / number;
  variance = (1 - 1 / number) * (variance + step * (value - mean));
  mean += step;
}

void Moments::add(const Moments& others) {
  const double both = number + others.number;
  if (both <= 0) return;
  const double off = others.mean - mean;
  variance = (number * variance + others.number * others.variance +
              number * others.number / both * off * off) /
             both;
  mean += others.number / both * off;
  number = both;
}

Experience Experience::widened() const {
  std::map<std::string, Moments> widest;
  for (const auto& [kind, moments] : ratios_) {
    // The text of a kind is "chain, layer" or "chain, layer, kin". (The kin is a group of similar
    // kernels of an engine.) Kinds with a kin are skipped.
    const std::string::size_type comma = kind.find(", ");
    if (comma == std::string::npos || kind.find(", ", comma + 2) != std::string::npos) continue;
    const std::string_view text = kind;
    widest[widest_kind(text.substr(0, comma), text.substr(comma + 2))].add(moments);
  }
  Experience wider = *this;
  for (auto& [kind, moments] : widest) {
    moments.number = std::min(moments.number, kMostCounted);
    wider.ratios_[kind] = moments;
  }
  return wider;
}

tune::Belief Experience::belief(const Candidate& candidate, const std::string& layer) const {
  tune::Belief belief;
  double mean =
      belief.log_ratio + kSlowerByPlace * std::log1p(static_cast<double>(candidate.place));
  double variance = belief.deviation * belief.deviation;
  for (const std::string& kind : kinds_of(candidate, layer)) {
    const auto found = ratios_.find(kind);
    if (found == ratios_.end()) continue;
    const Moments& seen = found->second;
    const double weight = kWeightOfWider + seen.number;
    const double shrunk = (kWeightOfWider * mean + seen.number * seen.mean) / weight;
    const double off = seen.mean - shrunk;
    variance = (kWeightOfWider * variance + seen.number * (seen.variance + off * off)) / weight;
    mean = shrunk;
  }
  belief.log_ratio = mean;
  belief.deviation = std::sqrt(std::max(variance, kLeastVariance));
  belief.seconds = cost(kTurn, candidate, belief.seconds);
  belief.compiling = cost(kCompiling, candidate, belief.compiling);
  return belief;
}

double Experience::cost(const char* name, const Candidate& candidate, double unknown) const {
  double mean = std::log(unknown), spread = 0;
  for (const std::string& kind : costs_of(name, candidate)) {
    const auto found = turns_.find(kind);
    if (found == turns_.end()) continue;
    const Moments& seen = found->second;
    const double weight = 1 + seen.number;
    const double shrunk = (mean + seen.number * seen.mean) / weight;
    const double off = seen.mean - shrunk;
    spread = (spread + seen.number * (seen.variance + off * off)) / weight;
    mean = shrunk;
  }
  // The mean of a log-normal distribution. `mean` and `spread` are the mean and the variance of the
  // logarithm.
  return std::exp(mean + spread / 2);
}

void Experience::add(const Decision& decision, const std::string& layer) {
  if (decision.unstable || decision.is_incomplete() || !decision.winner ||
      !decision.default_candidate)
    return;
  const Candidate& reference = decision.candidates[*decision.default_candidate];
  const double seconds = reference.statistics.median;
  const double best = decision.candidates[*decision.winner].statistics.median;
  if (!reference.ran() || seconds <= 0 || best <= 0) return;
  for (const Candidate& candidate : decision.candidates) {
    if (&candidate == &reference) continue;
    const tune::Spent& spent = candidate.spent;
    if (spent.checking > 0) {
      const double compiling = candidate.compiles ? spent.preparing : 0;
      const double turn = spent.preparing + spent.checking + spent.timing - compiling -
                          tune::kExecutionsOfTurn * candidate.statistics.median -
                          tune::kExecutionsOfHopeless * spent.hopeless;
      add_cost(kTurn, candidate, turn);
      if (compiling > 0) add_cost(kCompiling, candidate, compiling);
    }
    if (!candidate.ran()) continue;
    // A candidate without a time left the race in its check, because it was far too slow. A lower
    // bound of its time is used.
    const double time = candidate.statistics.median > 0
                            ? candidate.statistics.median
                            : std::max(tune::kHopeless * best, spent.hopeless);
    const std::vector<std::string> kinds = kinds_of(candidate, layer);
    for (std::size_t i = 1; i < kinds.size(); ++i)
      add_to(ratios_, kinds[i], std::log(time / seconds));
  }
}

void Experience::add_cost(const char* name, const Candidate& candidate, double seconds) {
  for (const std::string& kind : costs_of(name, candidate))
    add_to(turns_, kind, std::log(std::max(seconds, tune::kLeastCost)));
}

Json Experience::to_json() const {
  return json_object({{"ratios", json_of(ratios_)}, {"turns", json_of(turns_)}});
}

Experience Experience::from_json(const Json& json) {
  Experience experience;
  experience.ratios_ = kinds_from(json.at("ratios"));
  experience.turns_ = kinds_from(json.at("turns"));
  return experience;
}

Experience known_experience(const Json& environment, const Knowledge& knowledge) {
  return OfProcess::instance().with(environment, knowledge,
                                    [](const auto& known) { return known.experience; });
}

Experience first_experience(const Json& environment, const Knowledge& knowledge) {
  return OfProcess::instance().with(environment, knowledge,
                                    [](const auto& known) { return known.first; });
}

void add_experience(const Json& environment, const Knowledge& knowledge, const Decision& decision,
                    const std::string& layer) {
  const Experience all = OfProcess::instance().with(environment, knowledge, [&](auto& known) {
    known.experience.add(decision, layer);
    return known.experience;
  });
  const auto& store = knowledge.store();
  if (all.empty() || store == nullptr || store->mode() != store::Mode::read_write) return;
  Json json = all.to_json();
  json["schema"] = kSchema;
  json["environment"] = environment;
  const int error = kFile.write(environment, *store, json.dump() + "\n");
  if (error != 0)
    log_once(LogLevel::info, format("the experience of races is not kept in {}: {}",
                                    store->directory().string(), store::text_of(error)));
}

}  // namespace atc::conv
