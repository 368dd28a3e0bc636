#include "conv/decision_log.hpp"

#include <array>
#include <optional>
#include <string>

#include "conv/memory.hpp"
#include "core/format.hpp"
#include "core/json.hpp"
#include "core/log.hpp"

namespace atc::conv {

namespace {

// In the order of Source; the words of the JSON that `atc tune` writes.
constexpr std::array kSources = {"given", "record",  "inherited", "memory",
                                 "tuned", "default", "reference", "pinned"};
static_assert(kSources.size() == static_cast<std::size_t>(Source::pinned));

// The median of an execution in seconds; 0: the candidate was not timed for this problem.
double median_of(const Decision& decision, std::optional<std::size_t> index) {
  // An inherited decision has the times of another batch size.
  if (!index || *index >= decision.candidates.size() || decision.source == Source::inherited)
    return 0;
  const tune::Statistics& statistics = decision.candidates[*index].statistics;
  return statistics.samples == 0 ? 0 : statistics.median;
}

void write(const Problem& problem, const Request& request, const Decision& decision,
           double seconds) {
  const auto store = request.knowledge_in_use().store();
  const char* const source = kSources[static_cast<std::size_t>(decision.source) - 1];
  const std::string choice = to_string(decision.choice);
  const double time = median_of(decision, decision.winner);
  const double before = median_of(decision, decision.default_candidate);

  nlohmann::ordered_json fields;
  fields["problem"] = describe(problem);
  fields["device"] = name_of(request.device);
  fields["choice"] = choice;
  fields["source"] = source;
  fields["provisional"] = decision.unstable;
  fields["time_ms"] = nullptr;
  fields["gain"] = nullptr;
  fields["decided_in_ms"] = 1e3 * seconds;
  fields["store"] = nullptr;
  fields["stored"] = decision.stored;
  std::string line =
      format("decided {} on {}: {} ({}{})", describe(problem), name_of(request.device), choice,
             source, decision.unstable ? ", provisional" : "");
  if (time > 0) {
    fields["time_ms"] = 1e3 * time;
    line += format(", {:.4g} ms", 1e3 * time);
    if (before > 0) {
      fields["gain"] = before / time;
      line += format(", {:.3g} times as fast as the default", before / time);
    }
  }
  line += format("; took {:.3g} ms", 1e3 * seconds);
  if (reads(store)) {
    fields["store"] = store->directory().string();
    line += format("; store '{}'", store->directory().string());
  }
  log_event(LogLevel::info, "decision", line, fields);
}

}  // namespace

void log_decision(const Problem& problem, const Request& request, const Decision& decision,
                  double seconds) noexcept {
  try {
    if (log_level() >= LogLevel::info) write(problem, request, decision, seconds);
  } catch (...) {  // the decision stands
  }
}

}  // namespace atc::conv
