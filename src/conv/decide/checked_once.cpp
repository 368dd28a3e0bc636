#include "conv/decide/checked_once.hpp"

#include <new>
#include <utility>

#include "conv/race/examination.hpp"
#include "conv/race/kind.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "core/log.hpp"
#include "device/stream.hpp"
#include "engines/registry.hpp"

namespace atc::conv {

namespace {

constexpr const char* kVariable = "ATC_CHECK_RECORDS";

CheckRecords read_environment() {
  const auto text = environment_text(kVariable);
  if (!text || *text == "foreign") return CheckRecords::foreign;
  if (*text == "always") return CheckRecords::always;
  if (*text == "never") return CheckRecords::never;
  // ATC_CHECK_RECORDS has an unknown value. It may be a misspelt "always", so the safest value is
  // used: every recorded choice is checked.
  log_once(LogLevel::warning,
           format("{}={} in the environment: use always, foreign or never; every record is checked "
                  "until then",
                  kVariable, *text));
  return CheckRecords::always;
}

// True while this thread checks a choice. Plans that are made during a check are not checked
// themselves. Otherwise an allocator that calls a convolution would cause an endless recursion.
thread_local bool is_checking = false;

class CheckingScope {
 public:
  CheckingScope() { is_checking = true; }
  ~CheckingScope() { is_checking = false; }
  CheckingScope(const CheckingScope&) = delete;
  CheckingScope& operator=(const CheckingScope&) = delete;
};

// Returns the reason why the correctness gate refuses the candidate; "" if the candidate passes. To
// save time, the check uses a smaller problem that the same kernel computes (cheap_of_kind() in
// race/kind.hpp). If the candidate cannot be built for the smaller problem, the check uses
// `problem` itself.
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

std::string verdict(const Candidate& candidate, const Chain& chain, const Problem& problem,
                    const Request& request, const std::string& compiled) {
  if (auto known = known_verdict(candidate.choice, problem, request)) return *known;
  const tune::Verdict found = check_alone(problem, request, candidate, chain, compiled);
  std::string refusal = found.passed ? "" : found.reason;
  note_verdict(candidate.choice, problem, request, refusal);
  return refusal;
}

Checked check_once_for_kind(const Choice& choice, const Chain& chain, const Problem& problem,
                            const Request& request, const Prepared& built, Asked asked,
                            const std::function<Candidate()>& candidate) {
  if (choice.engine == kReferenceEngine) return {};
  if (std::string refusal = known_refusal(choice, problem, request); !refusal.empty())
    return {std::move(refusal), false};
  if (checks_of_process() == CheckRecords::never || is_checking || is_inside_callback()) return {};
  // The program's own convolution is not checked if it is the default, because the program would
  // run it without atc, too. This also holds if a stream is being captured.
  if (asked == Asked::by_default && candidate().original) return {};
  const std::string kind = kind_of(choice, chain, problem, request);
  const Standing standing = standing_of(kind);
  if (standing == Standing::passed) return {};
  if (standing == Standing::doubtful && known_verdict(choice, problem, request)) return {};
  if (is_captured(request.device, request.stream)) return {"", true};
  const Candidate checked = candidate();
  if (checked.original) {
    note_kind(kind, true);
    return {};
  }
  std::string refusal;
  try {
    refusal = refusal_for_kind(checked, chain, problem, request, built, asked);
  } catch (const Error& error) {
    // A build without device kernels has no correctness gate on CUDA. In such a build the choice
    // runs unchecked.
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
    note_verdict(choice, problem, request, refusal);
  return {std::move(refusal), false};
}

}  // namespace atc::conv
