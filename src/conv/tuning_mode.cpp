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
  log_once(
      LogLevel::warning,
      format("ignored: {}={} in the environment: use off, on, later or beside", kVariable, *text));
  return std::nullopt;
}

}  // namespace

std::optional<TuningMode> tuning_mode_of_environment() {
  static const std::optional<TuningMode> mode = read_environment();
  return mode;
}

}  // namespace atc::conv
