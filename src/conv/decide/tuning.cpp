#include "conv/decide/tuning.hpp"

#include <algorithm>
#include <new>

#include "conv/decide/policy.hpp"
#include "conv/race/contest.hpp"
#include "core/inside.hpp"
#include "core/quantity.hpp"

namespace atc::conv {

TuningReport tune_all(DeviceId device, const std::vector<Problem>& problems, PlanOptions options,
                      double total_seconds, const OnTuning& on_progress) {
  require_outside_callbacks(kRacesTakeTurns);
  const double budget = options.budget_seconds;
  options.tune = true;
  Telling telling(on_progress, problems.size());
  TuningReport report;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    TunedProblem tuned;
    tuned.description = describe(problems[i]);
    telling.begin(i, tuned.description);
    const double began = telling.seconds();
    const double left = total_seconds - began;
    try {
      if (!telling.tell(0)) fail(Status::cancelled, "cancelled before this problem");
      if (left <= 0)
        fail(Status::not_tuned, "the budget of {} in all was spent before this problem",
             time_text(total_seconds));
      options.budget_seconds = std::min(budget, left);
      Request request = resolve(device, problems[i], options, current_settings());
      request.race.usual_budget = budget;
      request.must_tune = true;
      request.plan_wanted = false;
      const Decided decided =
          decide(problems[i], request, [&](double fraction) { return telling.tell(fraction); });
      tuned.decision = *decided.decision;
      tuned.choice = to_string(tuned.decision.choice);
      tuned.why = tuned.decision.why;
    } catch (const Error& error) {
      if (error.status() == Status::capturing) throw;  // nor can the others be measured
      tuned.status = error.status();
      tuned.why = error.what();
    } catch (const std::bad_alloc&) {
      tuned.status = Status::out_of_memory;
      tuned.why = "out of host memory";
    } catch (const std::exception& error) {
      tuned.status = Status::internal;
      tuned.why = error.what();
    }
    tuned.seconds = telling.seconds() - began;
    telling.tell(1);
    report.problems.push_back(std::move(tuned));
  }
  report.cancelled = telling.cancelled();
  return report;
}

}  // namespace atc::conv
