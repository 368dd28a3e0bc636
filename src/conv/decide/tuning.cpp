#include "conv/decide/tuning.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "conv/decide/policy.hpp"
#include "conv/race/race_lock.hpp"
#include "conv/race/verdicts.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "core/quantity.hpp"

namespace atc::conv {

namespace {

// Decides one problem of a list. Returns false if the remaining problems must not be decided,
// because the time is spent or the list was cancelled.
bool tune_one(TunedProblem& tuned, const TuningTask& task, double total_seconds, double began,
              Telling& telling) {
  const double left = total_seconds - began;
  if (!telling.tell(0)) {
    tuned.status = Status::cancelled;
    tuned.why = "cancelled before this problem";
    return false;
  }
  if (left <= 0) {
    tuned.status = Status::not_tuned;
    tuned.why =
        format("the budget of {} in all was spent before this problem", time_text(total_seconds));
    return false;
  }
  if (!task.refusal.empty()) {
    tuned.status = Status::not_tuned;
    tuned.why = task.refusal;
    return true;
  }
  try {
    PlanOptions options = task.options;
    const double budget = options.budget_seconds;
    // The option `tune` says whether calls of a program measure. This function always measures, so
    // it ignores the option and sets Request::tune below.
    options.tune = TuningMode::off;
    options.budget_seconds = std::min(budget, left);
    Request request = resolve(task.device, task.problem, options, current_settings());
    request.race.usual_budget = budget;
    request.tune = true;
    request.must_tune = true;
    request.plan_wanted = false;
    const Decided decided =
        decide(task.problem, request, [&](double fraction, const std::string& candidate) {
          return telling.tell(fraction, candidate);
        });
    tuned.decision = *decided.decision;
    tuned.choice = to_string(tuned.decision.choice);
    tuned.why = tuned.decision.why;
  } catch (const Error& error) {
    // If the stream is being captured, no other problem can be measured either. So the error ends
    // the whole list.
    if (error.status() == Status::capturing) throw;
    tuned.status = error.status();
    tuned.why = error.what();
  } catch (const std::bad_alloc&) {
    tuned.status = Status::out_of_memory;
    tuned.why = "out of host memory";
  } catch (const std::exception& error) {
    tuned.status = Status::internal;
    tuned.why = error.what();
  }
  return true;
}

}  // namespace

PlanOptions with_terms(const PlanOptions& terms, const PlanOptions& how) {
  PlanOptions options = how;
  options.allow_reference = terms.allow_reference && how.allow_reference;
  options.require_firm = terms.require_firm || how.require_firm;
  options.strict_precision = terms.strict_precision || how.strict_precision;
  options.reduced_reduction = terms.reduced_reduction || how.reduced_reduction;
  options.constant_weights = terms.constant_weights || how.constant_weights;
  if (terms.deterministic) options.deterministic = terms.deterministic;
  if (terms.allow_tf32) options.allow_tf32 = terms.allow_tf32;
  if (terms.alignment != 0) options.alignment = terms.alignment;
  if (terms.workspace) options.workspace = terms.workspace;
  if (terms.knowledge) options.knowledge = terms.knowledge;
  options.front_end = terms.front_end;
  return options;
}

TuningTask task_of(const NotedProblem& noted, const PlanOptions& how) {
  auto knowledge = noted.knowledge.find();
  PlanOptions terms = noted.terms;
  terms.knowledge = knowledge;
  TuningTask task{noted.device, noted.problem, with_terms(terms, how), noted.id, ""};
  if (!knowledge)
    task.refusal = "the store of the calls that noted it is closed: nobody can use a decision";
  // A call looks up its decision under a key that contains the options constant_weights and
  // reduced_reduction. So both options must have the values of the call that noted the problem,
  // even if `how` has other values.
  task.options.constant_weights = terms.constant_weights;
  task.options.reduced_reduction = terms.reduced_reduction;
  return task;
}

void refuse(const Problem& problem, DeviceId device, const PlanOptions& options,
            const Choice& choice, const std::string& reason) {
  give_refusal(choice, problem, resolve(device, problem, options, current_settings()), reason);
}

TuningReport tune_all(const std::vector<TuningTask>& tasks, double total_seconds,
                      const OnTuning& on_progress) {
  require_outside_callbacks(kRacesTakeTurns);
  Telling telling(on_progress, tasks.size());
  TuningReport report;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    TunedProblem tuned;
    tuned.description = describe(tasks[i].problem);
    telling.begin(i, tuned.description);
    const double began = telling.seconds();
    const bool reached = tune_one(tuned, tasks[i], total_seconds, began, telling);
    tuned.seconds = telling.seconds() - began;
    telling.tell(1);
    if (reached && !telling.cancelled() && !tasks[i].note.empty()) {
      const bool decided = tuned.status == Status::ok && !tuned.decision.is_incomplete();
      const bool had_its_time = total_seconds - began >= tasks[i].options.budget_seconds;
      if (decided || had_its_time) settle_note(tasks[i].note, decided);
    }
    report.problems.push_back(std::move(tuned));
  }
  report.cancelled = telling.cancelled();
  return report;
}

TuningReport tune_all(DeviceId device, const std::vector<Problem>& problems,
                      const PlanOptions& options, double total_seconds,
                      const OnTuning& on_progress) {
  std::vector<TuningTask> tasks;
  tasks.reserve(problems.size());
  for (const Problem& problem : problems) tasks.push_back({device, problem, options, "", ""});
  return tune_all(tasks, total_seconds, on_progress);
}

}  // namespace atc::conv
