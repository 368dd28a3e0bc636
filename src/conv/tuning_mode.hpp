// The tuning mode: whether, and when, calls measure candidates.
#pragma once

#include <cstdint>
#include <optional>

namespace atc::conv {

// The tuning modes. The values equal ATC_OFF, ATC_ON, ATC_TUNE_LATER, ATC_TUNE_BESIDE and
// ATC_TUNE_PREDICT.
enum class TuningMode : std::int32_t {
  off = 1,
  on = 2,
  later = 3,  // calls measure nothing; a problem without a decision is noted (noted.hpp)
  // Problems without a decision are noted, as in the mode `later`. In addition, the calls of cached
  // plans try candidates (beside/layer.hpp).
  beside = 4,
  // Calls measure nothing; a choice is predicted for a problem without a decision
  // (decide/from_prediction.hpp).
  predict = 5,
};

// Returns the mode of calls without the option `tune`, from the environment variable ATC_TUNE.
// Empty if the variable is not set. If its value is not a mode, the variable is ignored and one
// warning is logged. The variable is read once.
std::optional<TuningMode> tuning_mode_of_environment();

// Returns the mode that is used for calls that request `mode`. In a job of several ranks (the
// environment variable WORLD_SIZE, which torchrun and others set) `on` and `beside` become `later`,
// with one warning. There are three reasons: a race beside the work of the other ranks has no firm
// result, the other ranks would wait for it, and ranks that explore would run different candidates.
TuningMode mode_in_job(TuningMode mode);

// Whether this process is one of several ranks of a distributed job (WORLD_SIZE).
bool is_rank_of_job();

}  // namespace atc::conv
