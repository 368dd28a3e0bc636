#include "conv/checked_once.hpp"

#include <mutex>
#include <utility>

#include "conv/contest.hpp"
#include "conv/key.hpp"
#include "conv/memory.hpp"
#include "conv/recent_map.hpp"
#include "core/environment.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "device/cuda/driver.hpp"
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

struct Verdicts {
  std::mutex mutex;
  RecentMap<std::string> known{kMostRemembered};
};

Verdicts& verdicts() {
  static auto* const verdicts = new Verdicts;  // outlives detached threads
  return *verdicts;
}

std::string key_of(const Candidate& candidate, const Problem& problem, const Request& request) {
  return format("{} {} {}", request.strict_precision ? "strict" : "", to_string(candidate.choice),
                store::CanonicalKey(key_for(problem, request)).text());
}

std::optional<std::string> find(const std::string& key) {
  const std::lock_guard lock(verdicts().mutex);
  const std::string* const found = verdicts().known.find(key);
  return found == nullptr ? std::nullopt : std::optional(*found);
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

std::optional<std::string> known_verdict(const Candidate& candidate, const Problem& problem,
                                         const Request& request) {
  return find(key_of(candidate, problem, request));
}

std::string verdict(const Candidate& candidate, const Chain& chain, const Problem& problem,
                    const Request& request, const std::string& compiled) {
  const std::string key = key_of(candidate, problem, request);
  if (auto known = find(key)) return *known;
  const tune::Verdict found = check_alone(problem, request, candidate, chain, compiled);
  std::string wrong = found.passed ? "" : found.reason;
  const std::lock_guard lock(verdicts().mutex);
  return verdicts().known[key] = std::move(wrong);
}

}  // namespace atc::conv
