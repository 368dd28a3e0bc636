// The options of a decision, in two forms: as the caller gives them, and after the process's
// switches have filled in what the caller left out.
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

// The recorded decisions that are measured again. Values equal ATC_OFF, ATC_ON and
// ATC_RETUNE_PROVISIONAL.
enum class Retune : std::int32_t { none = 1, all = 2, provisional = 3 };

// The options as the caller gives them. An option that is absent is inherited from the process's
// switches.
struct PlanOptions : PassedOptions, ResolvedOptions {
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> max_candidates;  // 0: all
  Retune retune = Retune::none;
  double tie_margin = 0.01;
  std::optional<double> expected_calls;  // how often all users of the decision together will call
                                         // the problem
  std::string front_end;                 // the engine of the front end that makes the request; ""
                                         // if there is none
  std::optional<Knowledge> knowledge;    // absent: that of the process at the time of the decision
  // Allocates the memory of races and of the plan; null: the process's allocator.
  std::shared_ptr<Allocator> allocator;
};

// A request: the options after the process's switches have filled the gaps, and everything else
// that a decision depends on.
struct Request : PassedOptions {
  DeviceId device;
  Limits limits;
  bool tune = false;
  bool notes_misses = false;  // a problem without a decision is noted for later tuning
  bool explores = false;      // true if the calls of cached plans explore the problem
  Retune retune = Retune::none;
  tune::Options race;                  // contest() sets operand_sets, default_index, least_seconds
  std::vector<Choice> choices_barred;  // by pins
  std::string front_end;
  std::optional<Knowledge> knowledge;
  std::shared_ptr<Allocator> allocator;
  Stream stream = nullptr;  // the stream of the caller, if the call is eager
  // The inputs of an eager call, with the alignment of `limits`. A race reads them in place of
  // copies. Null: the caller lends no inputs. They are valid until the decision is made.
  Operands lent;
  // The limit of the memory of a race in bytes; empty: a part of the free memory.
  std::optional<std::uint64_t> race_memory;
  bool put_off = false;     // tuning was requested but postponed: the stream is being captured
  bool must_tune = false;   // if tuning is not possible now, fail instead of postponing it
  bool plan_wanted = true;  // off: the decision is recorded for others; no plan is returned
  // The number of candidates of cuDNN that take part in a race (the engine has a switch for it);
  // empty: all.
  std::optional<std::size_t> switched_limit;
  // Whether a record of another size may be used (decide/near_records.hpp). Empty: yes, unless the
  // store is replay-only.
  std::optional<bool> near_shapes;
  bool widen = false;  // allows candidates of cuDNN beyond its limit, if timing them is expected to
                       // pay
  // True if the decision is for all ranks of a job, which have to agree on it first. Then earlier
  // agreements do not answer the request, and the result is held back (memory.hpp).
  bool for_group = false;

  // Returns the memory in which the decision is looked up and kept: `knowledge` if it is set, else
  // the knowledge of the process.
  Knowledge knowledge_in_use() const;
  // Whether an engine or a rewrite of this name is admitted.
  bool admits(const std::string& name) const;
  // Whether the engine, each rewrite and the whole choice are admitted.
  bool admits(const Choice& choice) const;
  bool bars(const Choice& choice) const;  // the whole, by a pin
  // The engines that may run without tuning, in the order in which they are asked: the front end's
  // own engine, then the device's default engines.
  std::vector<std::string> default_engines() const;
  // Some engines leave a result in a buffer of their own. Only the front end of the engine can use
  // such a result.
  bool may_return_output(const std::string& engine) const { return engine == front_end; }
  bool races_output_of(const std::string& engine) const {
    return !plan_wanted || may_return_output(engine);
  }
  // The engines that a setting or an option other than `engines_barred` bars.
  std::vector<const char*> switched_off(const Settings& settings) const;
  // The largest number of the engine's offers that take part in a race.
  std::size_t places_of(const Engine& engine) const;
  // Whether the engine's offers beyond its places may take part in a race, too.
  bool goes_beyond_places(const Engine& engine) const;
};

Request resolve(DeviceId device, const Problem& problem, const PlanOptions& options,
                const Settings& settings);

}  // namespace atc::conv
