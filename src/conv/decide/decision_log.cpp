#include "conv/decide/decision_log.hpp"

#include <array>
#include <optional>
#include <string>

#include "conv/decide/rule.hpp"
#include "conv/memory.hpp"
#include "core/format.hpp"
#include "core/json.hpp"
#include "core/log.hpp"
#include "core/quantity.hpp"

namespace atc::conv {

namespace {

// The names of the sources of decisions, in the order of the enum Source. The JSON that `atc tune`
// writes uses the same names.
constexpr std::array kSources = {"given",  "record",  "inherited", "memory",
                                 "tuned",  "default", "reference", "pinned",
                                 "agreed", "beside",  "predicted", "adopted"};
static_assert(kSources.size() == static_cast<std::size_t>(Source::adopted));

// Returns the median time of an execution of the candidate, in seconds. Returns 0 if the candidate
// was not timed for this problem.
double median_of(const Decision& decision, std::optional<std::size_t> index) {
  // An inherited decision was recorded for another size of the problem, and an adopted decision was
  // recorded with other versions of libraries. So their times are not those of this problem here.
  if (!index || *index >= decision.candidates.size() || decision.source == Source::inherited ||
      decision.source == Source::adopted)
    return 0;
  const tune::Statistics& statistics = decision.candidates[*index].statistics;
  return statistics.samples == 0 ? 0 : statistics.median;
}

// If the default's time divided by the choice's time is below this number, the choice is not logged
// as faster.
constexpr double kLeastGain = 1.005;

// Returns, for example, "8.2 ms (default 3.6 ms)". If the default's time is not known, there is no
// parenthesis.
std::string beside_default(double seconds, double by_default) {
  std::string text = time_text(seconds);
  if (by_default > 0) text += format(" (default {})", time_text(by_default));
  return text;
}

// Returns the part of the log line that compares the choice's time `time` with the default's time
// `before`. Both are in seconds. `before` is 0 if the default was not timed.
std::string told_times(const Decision& decision, double time, double before) {
  std::string line = ", " + time_text(time);
  if (before <= 0) return line;
  const double gain = before / time;
  if (decision.winner == decision.default_candidate) return line + ", the default";
  if (gain >= kLeastGain)
    return line + format(", {} times as fast as the default", ratio_text(gain));
  if (ruling_of(decision).rule != Rule::host)
    return line + format(", takes {} the default", compared_text(time / before));
  // The choice is slower on the device than the default. It was chosen because the host needs less
  // time to issue it. So the times of the device and of the host are logged.
  const tune::Statistics& choice = decision.candidates[*decision.winner].statistics;
  const tune::Statistics& other = decision.candidates[*decision.default_candidate].statistics;
  line = ", device " + beside_default(time, before);
  if (choice.host > 0) line += ", host " + beside_default(choice.host, other.host);
  return line;
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
  fields["stored"] = decision.keeping == Keeping::stored;
  std::string line =
      format("decided {} on {}: {} ({}{})", describe(problem), name_of(request.device), choice,
             source, decision.unstable ? ", provisional" : "");
  if (time > 0) {
    fields["time_ms"] = 1e3 * time;
    if (before > 0) fields["gain"] = before / time;
    line += told_times(decision, time, before);
  }
  line += format("; took {}", time_text(seconds));
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
  } catch (...) {  // an error of the log must not undo the decision
  }
}

}  // namespace atc::conv
