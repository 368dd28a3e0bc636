#include "convert_candidate.hpp"

#include "convert.hpp"

namespace atc::ffi {

void write_candidate(atc_candidate* out, const std::vector<conv::Candidate>& candidates,
                     std::size_t index) {
  if (index >= candidates.size())
    fail(Status::invalid_argument, "the candidate's index is {}, there are {}", index,
         candidates.size());
  const conv::Candidate& known = candidates[index];
  const tune::Statistics& times = known.statistics;
  atc_candidate candidate{};
  candidate.outcome = known.outcome;
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
  candidate.clock_hz = times.clock_hz.value_or(0);
  write_struct(out, candidate, sizeof(atc_candidate), "out");
}

}  // namespace atc::ffi
