#include "atc/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "conv/decide/tuning.hpp"
#include "convert.hpp"
#include "convert_candidate.hpp"
#include "convert_own.hpp"
#include "group_transport.hpp"
#include "guard.hpp"
#include "problem_list.hpp"
#include "progress.hpp"
#include "read_option.hpp"
#include "tune_report.hpp"

namespace {

using namespace atc;
using namespace atc::ffi;

conv::Retune to_retune(std::int32_t value) {
  if (value < 0 || value > ATC_RETUNE_PROVISIONAL)
    fail(Status::invalid_argument,
         "options.retune is {}: use 0 or 1 (off), 2 (on) or {} (provisional decisions alone)",
         value, static_cast<int>(ATC_RETUNE_PROVISIONAL));
  return value == 0 ? conv::Retune::none : static_cast<conv::Retune>(value);
}

double total_budget(const atc_tune_options& options) {
  return to_seconds(options.total_budget_seconds, std::numeric_limits<double>::infinity(),
                    "options.total_budget_seconds");
}

conv::PlanOptions to_tune_options(const atc_tune_options& known) {
  conv::PlanOptions options;
  read_plain_options(options, known);
  check_race_memory(options);
  options.retune = to_retune(known.retune);
  options.knowledge = to_knowledge(known.store, known.use_store);
  options.allocator = to_allocator(known.allocator);
  if (known.max_candidates == ATC_NONE)
    fail(Status::invalid_argument,
         "options.max_candidates allows no candidate: a race needs one at least");
  if (known.max_candidates != 0)
    options.max_candidates = known.max_candidates == ATC_UNLIMITED ? 0 : known.max_candidates;
  if (known.seed != 0) options.seed = known.seed;
  if (!(known.tie_margin >= 0 && known.tie_margin < 1))
    fail(Status::invalid_argument, "options.tie_margin is {}: use a share from 0 to below 1",
         known.tie_margin);
  if (known.tie_margin != 0) options.tie_margin = known.tie_margin;
  if (known.expected_calls != 0 || std::signbit(known.expected_calls)) {
    if (!(known.expected_calls > 0))
      fail(Status::invalid_argument,
           "options.expected_calls is {}: use a number above 0, or infinity", known.expected_calls);
    options.expected_calls = known.expected_calls;
  }
  return options;
}

// Tunes the tasks (problems) together with the other ranks (processes) of the group `asked.group`.
atc_tune_report tuned_together(DeviceId device, const std::vector<conv::TuningTask>& tasks,
                               const atc_tune_options& asked, const conv::PlanOptions& options,
                               double budget, const conv::OnTuning& on_tuning) {
  CallbackTransport transport(asked.group);
  std::vector<conv::SharedTask> shared;
  for (const conv::TuningTask& task : tasks) {
    const std::size_t array = asked.problems == nullptr
                                  ? tasks.size()
                                  : tasks.size() - asked.problems->list.rows().size();
    const std::size_t index = shared.size();
    shared.push_back({task, index < array ? ProblemList::text_of(task.problem)
                                          : asked.problems->list.text_of(index - array)});
  }
  const conv::ReadTask read = [&](const std::string& text) {
    return ProblemList::task_from(text, device, options);
  };
  conv::TogetherReport report = conv::tune_together(device, options, shared, read, transport.job(),
                                                    transport, budget, on_tuning);
  return {std::move(report.tuning), std::move(report.group)};
}

// Returns the reason why the ranks have not agreed on one set of decisions, or "" if they have
// agreed.
std::string refusal_of(const conv::GroupReport& group) {
  if (group.agreed) return "";
  return format("the ranks have not agreed, and nothing new is used: rank {}: {}", group.rank,
                group.reason);
}

}  // namespace

extern "C" {

atc_status atc_tune(atc_tune_report** out, atc_device device, const atc_conv_problem* problems,
                    size_t count, const atc_tune_options* options, atc_tune_callback callback,
                    void* payload) noexcept {
  return guard([&] {
    const DeviceId id = to_device(device);
    atc_tune_options asked{};
    if (options != nullptr) asked = read_struct(options, "options");
    const conv::PlanOptions plan_options = to_tune_options(asked);
    const double budget = total_budget(asked);
    std::vector<conv::TuningTask> tasks;
    for (Problem& problem : to_problems(problems, count))
      tasks.push_back({id, std::move(problem), plan_options, "", ""});
    if (asked.problems != nullptr)
      for (conv::TuningTask& task : asked.problems->list.tasks(id, plan_options))
        tasks.push_back(std::move(task));
    const conv::OnTuning on_tuning = to_on_tuning(callback, payload);
    auto report = std::make_unique<atc_tune_report>(
        asked.group == nullptr
            ? atc_tune_report{conv::tune_all(tasks, budget, on_tuning), std::nullopt}
            : tuned_together(id, tasks, asked, plan_options, budget, on_tuning));
    const bool cancelled = report->report.cancelled;
    const std::string refusal = report->group ? refusal_of(*report->group) : "";
    if (out != nullptr) *out = report.release();
    if (!refusal.empty()) fail(Status::not_agreed, "{}", refusal);
    if (cancelled)
      fail(Status::cancelled, "the progress callback cancelled; decisions made before are kept");
  });
}

atc_status atc_tune_refuse(atc_device device, const atc_conv_problem* problem,
                           const atc_tune_options* options, const char* choice,
                           const char* reason) noexcept {
  return guard([&] {
    const DeviceId id = to_device(device);
    const Problem known = to_problem(problem);
    atc_tune_options asked{};
    if (options != nullptr) asked = read_struct(options, "options");
    const std::string text = &required(reason, "reason");
    if (text.empty())
      fail(Status::invalid_argument, "reason is empty: say why the choice is refused");
    conv::refuse(known, id, to_tune_options(asked), conv::parse_choice(&required(choice, "choice")),
                 text);
  });
}

void atc_tune_report_destroy(atc_tune_report* report) noexcept {
  guard_void([&] { delete report; });
}

atc_status atc_tune_report_count(size_t* out, const atc_tune_report* report) noexcept {
  return guard([&] { required(out, "out") = required(report, "report").report.problems.size(); });
}

atc_status atc_tune_report_provisional(size_t* out, const atc_tune_report* report) noexcept {
  return guard([&] {
    const auto& problems = required(report, "report").report.problems;
    required(out, "out") = static_cast<std::size_t>(
        std::count_if(problems.begin(), problems.end(), [](const conv::TunedProblem& problem) {
          // Counts provisional (uncertain) decisions. A decision whose race (the timing of
          // candidates) was not completed is not counted.
          const conv::Decision& decision = problem.decision;
          return problem.status == Status::ok && decision.unstable && !decision.is_incomplete();
        }));
  });
}

atc_status atc_tune_report_problem(atc_tuned_problem* out, const atc_tune_report* report,
                                   size_t index) noexcept {
  return guard([&] {
    const conv::TunedProblem& known = required(report, "report").at(index);
    const conv::Decision& decision = known.decision;
    const bool decided = known.status == Status::ok;
    atc_tuned_problem problem{};
    problem.status = static_cast<atc_status>(known.status);
    problem.source = decided ? static_cast<int32_t>(decision.source) : 0;
    problem.flags =
        (decision.unstable ? ATC_TUNED_UNSTABLE : 0) |
        (decision.is_incomplete() ? ATC_TUNED_INCOMPLETE : 0) |
        (decision.keeping == conv::Keeping::stored ? ATC_TUNED_STORED : 0) |
        (decision.completeness == conv::Completeness::cancelled ? ATC_TUNED_CANCELLED : 0) |
        (decision.keeping == conv::Keeping::refused ? ATC_TUNED_UNWRITTEN : 0);
    problem.winner = to_index(decision.winner);
    problem.default_candidate = to_index(decision.default_candidate);
    problem.candidates = decision.candidates.size();
    // The number of executions of candidates during this call: 0 if the decision comes from the
    // store. The store's entry has the number of executions with which the decision was made.
    problem.executions = decision.source == conv::Source::tuned ? decision.executions : 0;
    problem.seconds = known.seconds;
    problem.risk = decision.unstable ? decision.risk : 0;
    problem.memory_bytes = decision.source == conv::Source::tuned ? decision.memory_bytes : 0;
    problem.description = known.description.c_str();
    problem.choice = known.choice.c_str();
    problem.why = known.why.c_str();
    write_struct(out, problem, "out");
  });
}

atc_status atc_tune_report_candidate(atc_candidate* out, const atc_tune_report* report,
                                     size_t problem, size_t candidate) noexcept {
  return guard(
      [&] { write_candidate(out, required(report, "report").at(problem).decision, candidate); });
}

}  // extern "C"
