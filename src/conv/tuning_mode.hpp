// Whether calls measure.
#pragma once

#include <cstdint>
#include <optional>

namespace atc::conv {

// Values equal ATC_OFF, ATC_ON, ATC_TUNE_LATER, ATC_TUNE_BESIDE and ATC_TUNE_PREDICT.
enum class TuningMode : std::int32_t {
  off = 1,
  on = 2,
  later = 3,    // calls measure nothing; a problem without a decision is noted (noted.hpp)
  beside = 4,   // as later, and cached calls are the measurements (beside/layer.hpp)
  predict = 5,  // calls measure nothing; a problem without a decision is predicted
                // (decide/from_prediction.hpp)
};

// The mode of calls without the option `tune`: the environment variable ATC_TUNE. It is read once.
// If its value is no mode, it is ignored, with one warning.
std::optional<TuningMode> tuning_mode_of_environment();

// The mode of calls that ask for `mode`. In a job of several ranks (the environment variable
// WORLD_SIZE, which torchrun and others set) calls do not measure: `on` and
// `beside` become `later`, with one warning. A race beside the other ranks' work has no firm
// result, and the others would wait for it. Ranks that explore would run different candidates.
TuningMode mode_in_job(TuningMode mode);

// Whether this process is one of several ranks (WORLD_SIZE).
bool is_rank_of_job();

}  // namespace atc::conv
