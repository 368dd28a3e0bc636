#include "convert_candidate.hpp"

#include <cstdint>

#include "convert.hpp"
#include "guard.hpp"

namespace atc::ffi {

namespace {

std::uint32_t flags_of(const conv::Decision& decision, std::size_t index) {
  const tune::Statistics& times = decision.candidates[index].statistics;
  std::uint32_t flags = 0;
  if (times.in_graph) flags |= ATC_CANDIDATE_IN_GRAPH;
  if (times.host_bound()) flags |= ATC_CANDIDATE_HOST_BOUND;
  if (decision.captured == index) flags |= ATC_CANDIDATE_CAPTURED;
  if (decision.candidates[index].imprecise) flags |= ATC_CANDIDATE_IMPRECISE;
  return flags;
}

}  // namespace

void write_candidate(atc_candidate* out, const conv::Decision& decision, std::size_t index) {
  const conv::Candidate& known = checked_element(decision.candidates, index, "candidate");
  const tune::Statistics& times = known.statistics;
  atc_candidate candidate{};
  candidate.outcome =
      known.outcome ? static_cast<std::int32_t>(*known.outcome) : ATC_OUTCOME_OFFERED;
  candidate.engine = known.choice.engine.c_str();
  candidate.version = known.choice.version.c_str();
  candidate.configuration = known.choice.configuration.c_str();
  candidate.notes = known.notes.c_str();
  candidate.reason = known.reason.c_str();
  candidate.workspace = known.workspace;
  candidate.samples = times.samples;
  candidate.executions = times.executions;
  candidate.mean = times.mean;
  candidate.median = times.median;
  candidate.min = times.min;
  candidate.max = times.max;
  candidate.deviation = times.deviation;
  candidate.rewrites = known.rewrites.c_str();
  candidate.host = times.host;
  candidate.launches = times.launches;
  candidate.flags = flags_of(decision, index);
  candidate.clock_hz = times.clock_hz.value_or(0);
  write_struct(out, candidate, "out");
}

std::int64_t to_index(const std::optional<std::size_t>& index) {
  return index ? static_cast<std::int64_t>(*index) : -1;
}

}  // namespace atc::ffi
