#include "conv/tuning_mode.hpp"

#include "core/environment.hpp"
#include "core/format.hpp"
#include "core/log.hpp"

namespace atc::conv {

namespace {

std::optional<TuningMode> read_environment() {
  constexpr const char* kVariable = "ATC_TUNE";
  const auto text = environment_text(kVariable);
  if (!text) return std::nullopt;
  if (*text == "off") return TuningMode::off;
  if (*text == "on") return TuningMode::on;
  if (*text == "later") return TuningMode::later;
  if (*text == "beside") return TuningMode::beside;
  if (*text == "predict") return TuningMode::predict;
  log_once(LogLevel::warning,
           format("ignored: {}={} in the environment: use off, on, later, beside or predict",
                  kVariable, *text));
  return std::nullopt;
}

// Returns the number of ranks of the distributed job, from the environment variable WORLD_SIZE.
// Returns 1 if the variable is not set or is not a number.
std::uint64_t ranks_of_environment() {
  const auto text = environment_text("WORLD_SIZE");
  if (!text || text->empty() || text->size() > 9) return 1;
  std::uint64_t ranks = 0;
  for (const char digit : *text) {
    if (digit < '0' || digit > '9') return 1;
    ranks = 10 * ranks + static_cast<std::uint64_t>(digit - '0');
  }
  return ranks;
}

// Returns the number of ranks of the distributed job. The environment is read once.
std::uint64_t ranks_of_job() {
  static const std::uint64_t ranks = ranks_of_environment();
  return ranks;
}

}  // namespace

bool is_rank_of_job() { return ranks_of_job() > 1; }

TuningMode mode_in_job(TuningMode mode) {
  const bool measures = mode == TuningMode::on || mode == TuningMode::beside;
  if (!measures || !is_rank_of_job()) return mode;
  log_once(LogLevel::warning,
           format("this process is one of {} ranks (WORLD_SIZE), so its calls measure nothing and "
                  "note what they miss: let all ranks tune together between two steps "
                  "(docs/distributed.md)",
                  ranks_of_job()));
  return TuningMode::later;
}

std::optional<TuningMode> tuning_mode_of_environment() {
  static const std::optional<TuningMode> mode = read_environment();
  return mode;
}

}  // namespace atc::conv
