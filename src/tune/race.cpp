#include "tune/race.hpp"

#include <cmath>

#include "core/error.hpp"
#include "tune/field.hpp"
#include "tune/techniques.hpp"

namespace atc::tune {

namespace {

void validate(const std::vector<Contestant*>& contestants, const Options& options) {
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (contestants[i] == nullptr) fail(Status::invalid_argument, "contestant {} is null", i);
  }
  if (options.default_index >= contestants.size()) {
    fail(Status::invalid_argument, "default_index is {}, but there are {} contestants",
         options.default_index, contestants.size());
  }
  if (options.operand_sets == 0) {
    fail(Status::invalid_argument, "operand_sets is 0; an execution needs at least 1");
  }
  if (!(options.budget_seconds >= 0)) {
    fail(Status::invalid_argument, "budget_seconds is {}; give 0 or more, or infinity for none",
         options.budget_seconds);
  }
  if (!(options.expected_calls > 0)) {
    fail(Status::invalid_argument,
         "expected_calls is {}; give the number of calls in which the decision will be used, or "
         "infinity",
         options.expected_calls);
  }
  if (!(options.tie_margin >= 0 && options.tie_margin < 1)) {
    fail(Status::invalid_argument, "tie_margin is {}; give a part of 1, like 0.01 for 1 %",
         options.tie_margin);
  }
}

std::optional<std::size_t> run(Field& field) {
  switch (field.options().technique) {
    case Technique::once:
    case Technique::median_of_three:
    case Technique::till_stable:
      return race_in_turn(field);
    case Technique::interleaved:
      return race_interleaved(field);
    case Technique::sustained:
      return race_sustained(field);
  }
  fail(Status::invalid_argument, "technique {} is unknown; 1 to 5 are defined",
       static_cast<int>(field.options().technique));
}

}  // namespace

Result race(Device& device, const std::vector<Contestant*>& contestants, const Options& options,
            const OnProgress& on_progress) {
  if (contestants.empty()) {
    Result nobody;
    nobody.why = "there are no contestants";
    return nobody;
  }
  validate(contestants, options);
  Field field(device, contestants, options, on_progress);
  return field.finish(run(field));
}

}  // namespace atc::tune
