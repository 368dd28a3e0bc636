// The options of a decision, in two forms. PlanOptions has the options as the caller gives them.
// Request has the same options after the process's settings have replaced those that the caller
// left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conv/choice.hpp"
#include "conv/memory.hpp"
#include "conv/option_fields.hpp"
#include "core/allocator.hpp"
#include "core/device_type.hpp"
#include "core/settings.hpp"
#include "engines/engine.hpp"
#include "tune/options.hpp"

namespace atc::conv {

// Which recorded decisions are measured again. The values equal ATC_OFF, ATC_ON and
// ATC_RETUNE_PROVISIONAL.
enum class Retune : std::int32_t { none = 1, all = 2, provisional = 3 };

// The options as the caller gives them. If an option is absent, the value of the process's settings
// is used.
struct PlanOptions : PassedOptions, ResolvedOptions {
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> max_candidates;  // 0: all candidates
  Retune retune = Retune::none;
  double tie_margin = 0.01;
  // The number of calls of the problem that are expected in total, from all programs that will use
  // the decision.
  std::optional<double> expected_calls;
  // The engine of the front end that makes the request (such as LibTorch); "" if there is none.
  std::string front_end;
  // The store and the memory part in which the decision is looked up and kept (memory.hpp). Absent:
  // those that the process uses at the time of the decision.
  std::optional<Knowledge> knowledge;
  // Allocates the memory of races and of the plan. Null: the process's allocator is used.
  std::shared_ptr<Allocator> allocator;
};

// A request: the caller's options, completed by the process's settings, and everything else on
// which a decision depends.
struct Request : PassedOptions {
  DeviceId device;
  Limits limits;
  bool tune = false;
  bool notes_misses = false;  // a problem without a decision is noted, to be tuned later
  // True: as long as a problem has no decision, the calls of its cached plan try candidates and
  // time them (beside/layer.hpp).
  bool explores = false;
  bool predicts = false;  // a choice is predicted for a problem without a decision
  Retune retune = Retune::none;
  // The options of the race of this request. contest() sets the members operand_sets,
  // default_index, favourite and least_seconds.
  tune::Options race;
  std::vector<Choice> choices_barred;  // choices that pins bar
  std::string front_end;
  std::optional<Knowledge> knowledge;
  std::shared_ptr<Allocator> allocator;
  // the caller's stream, if the call is eager (not captured into a CUDA graph)
  Stream stream = nullptr;
  // The inputs of an eager call, with the alignment of `limits`, if the caller allows a race to
  // read these inputs in place of copies. Null: the caller does not allow this. The pointers are
  // valid until the decision is made.
  Operands lent;
  // The limit of a race's memory, in bytes. Empty: a quarter of the free memory is the limit.
  std::optional<std::uint64_t> race_memory;
  // Tuning was requested but is postponed, because the stream is being captured.
  bool put_off = false;
  // What happens if tuning is not possible now. True: the call fails. False: tuning is postponed.
  bool must_tune = false;
  // False: the decision is recorded for other callers, and no plan is returned.
  bool plan_wanted = true;
  // The largest number of cuDNN's candidates in a race (the setting benchmark_limit_cudnn). Empty:
  // there is no limit.
  std::optional<std::size_t> switched_limit;
  // Whether the record of a near size of the problem may be used (decide/near_records.hpp). Empty:
  // such a record may be used unless the store is replay-only.
  std::optional<bool> near_shapes;
  // Whether a record that was measured with other versions of the default engines may be used
  // (decide/from_other_versions.hpp). Empty: the environment variable ATC_OTHER_VERSIONS decides.
  std::optional<bool> other_versions;
  // Allows more candidates of cuDNN in a race than the setting benchmark_limit_cudnn
  // (`switched_limit`), if timing them is expected to pay.
  bool widen = false;
  // True if the decision is for all ranks of a distributed job, which have to agree on it first.
  // Then decisions that were agreed on earlier are not used, and the new decision is held back
  // until the ranks agree (memory.hpp).
  bool for_group = false;

  // Returns the knowledge (store and memory part) in which the decision is looked up and kept:
  // `knowledge` if it is set, else the knowledge of the process.
  Knowledge knowledge_in_use() const;
  // Whether the request admits the engine or rewrite of this name.
  bool admits(const std::string& name) const;
  // Whether the request admits the choice: its engine, each of its rewrites, and the choice as a
  // whole, which a pin may bar.
  bool admits(const Choice& choice) const;
  bool bars(const Choice& choice) const;  // whether a pin bars (excludes) the choice as a whole
  // Returns the engines that may run without tuning, in the order in which they are asked for
  // candidates: first the front end's own engine, then the device's default engines.
  std::vector<std::string> default_engines() const;
  // Some engines leave a result in a buffer of their own. Only the front end of such an engine can
  // use the result. may_return_output: whether the plan may use results of this kind.
  // races_output_of: whether candidates with results of this kind may be timed.
  bool may_return_output(const std::string& engine) const { return engine == front_end; }
  bool races_output_of(const std::string& engine) const {
    return !plan_wanted || may_return_output(engine);
  }
  // Returns the engines that the request does not admit because of a setting or of an option other
  // than `engines_barred`.
  std::vector<const char*> switched_off(const Settings& settings) const;
  // Returns the engine's number of places: the largest number of its candidates that are in a race.
  std::size_t places_of(const Engine& engine) const;
  // Whether a race may time more candidates of the engine than places_of() says, if that is
  // expected to pay.
  bool goes_beyond_places(const Engine& engine) const;
};

Request resolve(DeviceId device, const Problem& problem, const PlanOptions& options,
                const Settings& settings);

}  // namespace atc::conv
