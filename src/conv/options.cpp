#include "conv/options.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "core/memory_limits.hpp"
#include "engines/registry.hpp"

namespace atc::conv {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The default seed of the operands' values. It is a constant, so that races on two machines use the
// same data.
constexpr std::uint64_t kDefaultSeed = 0x617463;

// Returns the alignment, in bytes, that engines may rely on. On CUDA it is also part of the key. On
// the CPU it is the element size, for two reasons: a record can then be used for tensors at any
// address, and no CPU engine of atc needs a larger alignment.
std::size_t alignment_class(DeviceId device, const Problem& problem, std::size_t promised) {
  constexpr std::size_t kWidest = 16;  // the size of the widest memory access of a GPU, in bytes
  const std::size_t element =
      std::min({size_of(problem.x.dtype), size_of(problem.w.dtype), size_of(problem.y.dtype)});
  if (device.type != DeviceType::cuda) return element;
  return promised == 0 ? kWidest : std::clamp(promised, element, kWidest);
}

}  // namespace

bool Request::admits(const std::string& name) const {
  return (engines_allowed.empty() || contains(engines_allowed, name)) &&
         !contains(engines_barred, name);
}

Knowledge Request::knowledge_in_use() const {
  return knowledge ? *knowledge : Knowledge::of_process();
}

bool Request::admits(const Choice& choice) const {
  return admits(choice.engine) && !bars(choice) &&
         std::all_of(choice.rewrites.begin(), choice.rewrites.end(),
                     [&](const Link& link) { return admits(link.rewrite); });
}

bool Request::bars(const Choice& choice) const {
  return std::find(choices_barred.begin(), choices_barred.end(), choice) != choices_barred.end();
}

std::vector<std::string> Request::default_engines() const {
  std::vector<std::string> names = atc::default_engines(device.type);
  if (!front_end.empty()) names.insert(names.begin(), front_end);
  return names;
}

std::size_t Request::places_of(const Engine& engine) const {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  const std::string name = engine.name();
  if (name == kSwitchedEngine) return switched_limit.value_or(kAll);
  const std::vector<std::string> defaults = default_engines();
  const bool is_default = std::find(defaults.begin(), defaults.end(), name) != defaults.end();
  return is_default ? kAll : engine.places();
}

std::vector<const char*> Request::switched_off(const Settings& settings) const {
  std::vector<const char*> names;
  if (device.type == DeviceType::cuda && !settings.user_enabled_cudnn)
    names.push_back(kSwitchedEngine);
  if (strict_precision) names.push_back(kTransformingEngine);
  return names;
}

bool Request::goes_beyond_places(const Engine& engine) const {
  return widen && engine.name() == kSwitchedEngine;
}

Request resolve(DeviceId device, const Problem& problem, const PlanOptions& options,
                const Settings& settings) {
  const bool cuda = device.type == DeviceType::cuda;
  Request request;
  static_cast<PassedOptions&>(request) = options;
  request.device = device;
  // The process's workspace limit applies to device memory. The C interface promises that it has no
  // effect on the CPU. So on the CPU only a limit that the call gives is used.
  const std::uint64_t inherited = cuda ? settings.workspace_limit : Settings{}.workspace_limit;
  request.limits.workspace = workspace_class(options.workspace.value_or(inherited));
  request.limits.deterministic = options.deterministic.value_or(settings.wants_deterministic());
  // CPU engines cannot use TF32. So on the CPU the switch is ignored, and cannot change the
  // candidates.
  request.limits.allow_tf32 = cuda && options.allow_tf32.value_or(settings.allow_tf32_cudnn);
  request.limits.constant_weights =
      options.constant_weights && problem.direction != Direction::backward_weight;
  request.limits.alignment = alignment_class(device, problem, options.alignment);
  request.limits.device = device;

  const TuningMode inherited_mode = tuning_mode_of_environment().value_or(
      cuda && settings.benchmark_cudnn ? TuningMode::on : TuningMode::off);
  const TuningMode mode = mode_in_job(options.tune.value_or(inherited_mode));
  request.tune = mode == TuningMode::on;
  request.notes_misses = mode == TuningMode::later || mode == TuningMode::beside;
  request.explores = mode == TuningMode::beside;
  request.predicts = mode == TuningMode::predict;
  request.retune = options.retune;
  request.race.technique =
      options.technique.value_or(static_cast<tune::Technique>(settings.benchmark_technique));
  request.race.budget_seconds = options.budget_seconds;
  request.race.max_candidates = options.max_candidates.value_or(0);
  // The setting benchmark_limit_cudnn of the process is ignored if the call itself limits the
  // number of candidates.
  if (!options.max_candidates && settings.benchmark_limit_cudnn != 0)
    request.switched_limit = static_cast<std::size_t>(settings.benchmark_limit_cudnn);
  // The option `widen` may exceed the limit benchmark_limit_cudnn only if the limit has its default
  // value. A limit that the user has set is never exceeded.
  request.widen = options.widen && request.switched_limit &&
                  settings.benchmark_limit_cudnn == Settings{}.benchmark_limit_cudnn;
  request.race.tie_margin = options.tie_margin;
  request.race.expected_calls = options.expected_calls.value_or(settings.expected_calls);
  request.race.seed = options.seed.value_or(last_seed().value_or(kDefaultSeed));
  request.race_memory = options.race_memory ? options.race_memory : race_memory_limit();
  request.near_shapes = options.near_shapes;
  request.other_versions = options.other_versions;
  request.front_end = options.front_end;
  request.knowledge = options.knowledge;
  request.allocator = options.allocator;
  for (const char* name : request.switched_off(settings)) request.engines_barred.emplace_back(name);
  return request;
}

}  // namespace atc::conv
