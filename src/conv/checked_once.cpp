#include "conv/checked_once.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "conv/contest.hpp"
#include "conv/key.hpp"
#include "conv/kind.hpp"
#include "conv/memory.hpp"
#include "conv/recent_map.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "core/log.hpp"
#include "device/cuda/driver.hpp"
#include "engines/registry.hpp"
#include "store/entry.hpp"

namespace atc::conv {

namespace {

constexpr const char* kVariable = "ATC_CHECK_RECORDS";

CheckRecords read_environment() {
  const auto text = environment_text(kVariable);
  if (!text || *text == "foreign") return CheckRecords::foreign;
  if (*text == "always") return CheckRecords::always;
  if (*text == "never") return CheckRecords::never;
  // It may be a misspelt always.
  log_once(LogLevel::warning,
           format("{}={} in the environment: use always, foreign or never; every record is checked "
                  "until then",
                  kVariable, *text));
  return CheckRecords::always;
}

// What is known of a kind.
enum class Standing {
  unknown,
  passed,    // some problem of the kind, so that the others are believed
  doubtful,  // refused for some problem: each one is checked
};

struct Verdicts {
  std::mutex mutex;
  RecentMap<std::string> known{kMostRemembered};  // by problem and choice
  RecentMap<Standing> kinds{kMostRemembered};
  std::atomic<bool> any_refused = false;  // of `known`
};

Verdicts& verdicts() {
  static auto* const verdicts = new Verdicts;  // outlives detached threads
  return *verdicts;
}

std::string key_of(const Choice& choice, const Problem& problem, const Request& request) {
  return format("{} {} {}", request.strict_precision ? "strict" : "", to_string(choice),
                store::CanonicalKey(key_for(problem, request)).text());
}

std::optional<std::string> find(const std::string& key) {
  const std::lock_guard lock(verdicts().mutex);
  const std::string* const found = verdicts().known.find(key);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

void note(const std::string& key, const std::string& refusal) {
  Verdicts& all = verdicts();
  const std::lock_guard lock(all.mutex);
  all.known[key] = refusal;
  if (!refusal.empty()) all.any_refused = true;
}

Standing standing_of(const std::string& kind) {
  const std::lock_guard lock(verdicts().mutex);
  const Standing* const found = verdicts().kinds.find(kind);
  return found == nullptr ? Standing::unknown : *found;
}

// One refusal outweighs all that passed.
void note_kind(const std::string& kind, bool passed) {
  const std::lock_guard lock(verdicts().mutex);
  Standing& standing = verdicts().kinds[kind];
  if (!passed)
    standing = Standing::doubtful;
  else if (standing == Standing::unknown)
    standing = Standing::passed;
}

// Marks this thread as checking, for a scope. What a check itself calls back is not checked: an
// allocator that convolves would never return.
thread_local bool is_checking = false;

class CheckingScope {
 public:
  CheckingScope() { is_checking = true; }
  ~CheckingScope() { is_checking = false; }
  CheckingScope(const CheckingScope&) = delete;
  CheckingScope& operator=(const CheckingScope&) = delete;
};

// Why the gate refuses the candidate: for a cheap problem of its kind, or for the problem itself
// where the candidate cannot be built for the cheap one.
std::string refusal_for_kind(const Candidate& candidate, const Chain& chain, const Problem& problem,
                             const Request& request, const Prepared& built, Asked asked) {
  const CheckingScope scope;
  const bool lenient = asked == Asked::by_default;
  const Problem cheap = cheap_of_kind(problem, request.device);
  if (!(cheap == problem)) {
    try {
      const tune::Verdict found = check_beside(cheap, request, candidate, chain, "", lenient);
      return found.passed ? "" : format("{}, for {}", found.reason, describe(cheap));
    } catch (const Error& error) {
      if (error.status() != Status::unsupported) throw;
    }
  }
  const tune::Verdict found =
      check_beside(problem, request, candidate, chain, built.compiled(), lenient);
  return found.passed ? "" : found.reason;
}

}  // namespace

CheckRecords checks_of_process() {
  static const CheckRecords checks = read_environment();
  return checks;
}

bool is_captured(const Request& request) {
  return request.device.type == DeviceType::cuda &&
         cuda::is_captured(request.device.index, request.stream);
}

std::optional<std::string> known_verdict(const Choice& choice, const Problem& problem,
                                         const Request& request) {
  return find(key_of(choice, problem, request));
}

std::string known_refusal(const Choice& choice, const Problem& problem, const Request& request) {
  // The key opens libraries, which what runs by default may not need.
  if (!verdicts().any_refused) return "";
  return known_verdict(choice, problem, request).value_or("");
}

std::string verdict(const Candidate& candidate, const Chain& chain, const Problem& problem,
                    const Request& request, const std::string& compiled) {
  const std::string key = key_of(candidate.choice, problem, request);
  if (auto known = find(key)) return *known;
  const tune::Verdict found = check_alone(problem, request, candidate, chain, compiled);
  std::string refusal = found.passed ? "" : found.reason;
  note(key, refusal);
  return refusal;
}

Checked check_once_for_kind(const Choice& choice, const Chain& chain, const Problem& problem,
                            const Request& request, const Prepared& built, Asked asked,
                            const std::function<Candidate()>& candidate) {
  if (choice.engine == kReferenceEngine) return {};
  if (std::string refusal = known_refusal(choice, problem, request); !refusal.empty())
    return {std::move(refusal), false};
  if (checks_of_process() == CheckRecords::never || is_checking || is_inside_callback()) return {};
  // In a capture, too, where nothing else is kept: the candidate of a default is at hand.
  if (asked == Asked::by_default && candidate().original) return {};
  const std::string kind = kind_of(choice, chain, problem, request);
  const Standing standing = standing_of(kind);
  if (standing == Standing::passed) return {};
  if (standing == Standing::doubtful && known_verdict(choice, problem, request)) return {};
  if (is_captured(request)) return {"", true};
  const Candidate checked = candidate();
  if (checked.original) {
    note_kind(kind, true);
    return {};
  }
  std::string refusal;
  try {
    refusal = refusal_for_kind(checked, chain, problem, request, built, asked);
  } catch (const Error& error) {
    // A build without device kernels has no gate on CUDA.
    const bool no_gate = error.status() == Status::library;
    if (!no_gate && error.status() != Status::out_of_memory) throw;
    if (no_gate) note_kind(kind, true);
    log_once(
        no_gate ? LogLevel::info : LogLevel::warning,
        format("{} runs unchecked for {}: {}", to_string(choice), describe(problem), error.what()));
    return {};
  } catch (const std::bad_alloc&) {
    log_once(LogLevel::warning, format("{} runs unchecked for {}: there is no memory for the check",
                                       to_string(choice), describe(problem)));
    return {};
  }
  note_kind(kind, refusal.empty());
  if (!refusal.empty() || standing == Standing::doubtful)
    note(key_of(choice, problem, request), refusal);
  return {std::move(refusal), false};
}

void note_verdicts(const std::vector<Candidate>& candidates, const std::vector<Chain>& chains,
                   const Problem& problem, const Request& request) {
  constexpr auto kRefused = static_cast<std::int32_t>(tune::Outcome::wrong_result);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const Candidate& candidate = candidates[i];
    if (candidate.outcome == kRefused) {
      note(key_of(candidate.choice, problem, request), candidate.reason);
      note_kind(kind_of(candidate.choice, chains[i], problem, request), false);
    } else if (candidate.ran() && candidate.statistics.executions > 0) {
      note_kind(kind_of(candidate.choice, chains[i], problem, request), true);
      if (!known_refusal(candidate.choice, problem, request).empty())
        note(key_of(candidate.choice, problem, request), "");  // it has passed since
    }
  }
}

void forget_verdicts() {
  Verdicts& all = verdicts();
  const std::lock_guard lock(all.mutex);
  all.known.clear();
  all.kinds.clear();
  all.any_refused = false;
}

}  // namespace atc::conv
