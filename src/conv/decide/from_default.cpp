#include "conv/decide/from_default.hpp"

#include <optional>
#include <utility>

#include "conv/decide/checked_once.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "engines/registry.hpp"

namespace atc::conv {

namespace {

[[noreturn]] void fail_unsupported(const Problem& problem, DeviceId device,
                                   const std::string& reasons,
                                   Status status = Status::unsupported) {
  const std::string on = device.type == DeviceType::cuda ? format("cuda:{}: ", device.index) : "";
  fail(status, "{}no engine can run {} ({})", on, describe(problem), reasons);
}

}  // namespace

void fail_without_offers(const Problem& problem, DeviceId device, const Lineup& lineup) {
  fail_unsupported(problem, device, lineup.reasons,
                   lineup.library_missing ? Status::library : Status::unsupported);
}

Decided from_default(const Problem& problem, const Request& request) {
  Lineup lineup = default_lineup(problem, request);
  if (!lineup.default_candidate) fail_without_offers(problem, request.device, lineup);
  Status trouble = Status::unsupported;
  const auto lose = [&](Candidate& candidate, tune::Outcome outcome, const std::string& reason) {
    candidate.outcome = outcome;
    candidate.reason = reason;
    lineup.reasons +=
        format("{}{}: {}", lineup.reasons.empty() ? "" : "; ", to_string(candidate.choice), reason);
  };
  const auto build_one = [&](std::size_t i) -> std::optional<Decided> {
    Candidate& candidate = lineup.candidates[i];
    try {
      Decided decided;
      decided.chain = lineup.chains[i];
      // A choice that the correctness gate is known to refuse is not built.
      Checked checked{known_refusal(candidate.choice, problem, request), false};
      if (checked.refusal.empty()) {
        decided.prepared = build_for_plan(decided.chain, candidate.choice, problem, request);
        checked =
            check_once_for_kind(candidate.choice, decided.chain, problem, request,
                                *decided.prepared, Asked::by_default, [&] { return candidate; });
      }
      if (!checked.refusal.empty()) {
        lose(candidate, tune::Outcome::wrong_result, checked.refusal);
        log_once(LogLevel::warning,
                 format("the default {} does not run for {}: the correctness gate refuses it ({})",
                        to_string(candidate.choice), describe(problem), checked.refusal));
        return std::nullopt;
      }
      Decision decision;
      if (checked.owed) decision.owed = Owed::check;
      decision.source =
          candidate.choice.engine == kReferenceEngine ? Source::reference : Source::default_engine;
      decision.roster = lineup.roster;
      decision.choice = candidate.choice;
      decision.winner = decision.default_candidate = i;
      decision.candidates = std::move(lineup.candidates);
      decided.decision = std::make_shared<const Decision>(std::move(decision));
      return decided;
    } catch (const Error& error) {
      if (error.status() == Status::out_of_memory) throw;
      // If a library or the device is broken, its status is remembered in `trouble`. If no
      // candidate can be built in the end, this status is reported to the caller in place of
      // `unsupported`.
      if (error.status() == Status::library || error.status() == Status::device)
        trouble = error.status();
      lose(candidate, tune::Outcome::not_prepared, error.what());
      return std::nullopt;
    }
  };
  for (std::size_t i = 0; i < lineup.candidates.size(); ++i)
    if (auto decided = build_one(i)) return std::move(*decided);
  const std::size_t tried = lineup.candidates.size();
  add_rest(lineup, problem, request);
  for (std::size_t i = tried; i < lineup.candidates.size(); ++i)
    if (auto decided = build_one(i)) return std::move(*decided);
  // The reference is tried only if no library and no device is broken. Otherwise the reference
  // would run slowly and hide the fault.
  if (trouble == Status::unsupported && add_reference(lineup, problem, request))
    if (auto decided = build_one(lineup.candidates.size() - 1)) return std::move(*decided);
  fail_unsupported(problem, request.device, lineup.reasons, trouble);
}

}  // namespace atc::conv
