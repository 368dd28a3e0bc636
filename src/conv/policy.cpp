#include "conv/policy.hpp"

#include <algorithm>
#include <cmath>

#include "conv/build.hpp"
#include "conv/contest.hpp"
#include "conv/field.hpp"
#include "conv/key.hpp"
#include "conv/memory.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "device/cuda/driver.hpp"
#include "engines/registry.hpp"
#include "store/in_use.hpp"

namespace atc::conv {

namespace {

using store::Json;

bool reads(const std::shared_ptr<store::Store>& store) {
  return store != nullptr && store->mode() != store::Mode::off;
}

bool writes(const std::shared_ptr<store::Store>& store) {
  return store != nullptr && store->mode() == store::Mode::read_write;
}

bool replay_only(const std::shared_ptr<store::Store>& store) {
  return store != nullptr && store->mode() == store::Mode::replay_only;
}

// The engine of a recorded candidate, where the caller may run it; null otherwise.
std::shared_ptr<const Engine> available(const Candidate& candidate, const Request& request) {
  if (!request.admits(candidate.choice.engine)) return nullptr;
  if (candidate.returns_output && !request.may_return_output(candidate.choice.engine))
    return nullptr;
  if (candidate.choice.engine == "reference" && !request.allow_reference) return nullptr;
  auto engine = EngineRegistry::instance().find(candidate.choice.engine);
  if (engine == nullptr || engine->version() != candidate.choice.version ||
      !engine->serves(request.device.type))
    return nullptr;
  return engine;
}

// The winner, or where its engine is not there for this caller the fastest candidate whose engine
// is.
std::optional<std::size_t> best_available(const Decision& decision, const Request& request) {
  if (decision.winner && available(decision.candidates[*decision.winner], request) != nullptr)
    return decision.winner;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    const Candidate& candidate = decision.candidates[i];
    if (!candidate.ran() || available(candidate, request) == nullptr) continue;
    if (!best || candidate.statistics.median < decision.candidates[*best].statistics.median)
      best = i;
  }
  return best;
}

// Prepares what a decision chose; empty when it cannot be built for this caller.
std::optional<Decided> prepare(Decision decision, const Problem& problem, const Request& request) {
  const auto best = best_available(decision, request);
  if (!best) return std::nullopt;
  const Candidate& candidate = decision.candidates[*best];
  if (best != decision.winner) decision.compiled.clear();
  Decided decided;
  decided.engine = available(candidate, request);
  try {
    decided.prepared = build_for_plan(*decided.engine, problem, request,
                                      candidate.choice.configuration, decision.compiled);
  } catch (const Error& error) {
    // Neither says anything of the choice.
    if (error.status() == Status::out_of_memory || error.status() == Status::device) throw;
    log_once(LogLevel::warning,
             fmt::format("the remembered choice {} cannot be built for {}: {}",
                         to_string(candidate.choice), describe(problem), error.what()));
    return std::nullopt;
  }
  decision.choice = candidate.choice;
  decision.winner = best;
  decided.decision = std::make_shared<const Decision>(std::move(decision));
  return decided;
}

// A decision of the store, or none where the record is missing, malformed or raced without the
// engine that would run by default here.
std::optional<Decision> usable_record(const store::Entry& entry, const Request& request,
                                      bool replaying) {
  try {
    Decision decision = decision_from_json(entry.value);
    const std::string expected = expected_default(request);
    if (!replaying && !expected.empty() && decision.engines.count(expected) == 0)
      return std::nullopt;
    return decision;
  } catch (const Error& error) {
    log_once(LogLevel::warning, fmt::format("a record is ignored: {}", error.what()));
    return std::nullopt;
  }
}

std::optional<Decided> from_record(const std::shared_ptr<store::Store>& store,
                                   const store::Key& key, const Problem& problem,
                                   const Request& request) {
  const auto entry = store->get(key);
  if (entry == nullptr) return std::nullopt;
  auto decision = usable_record(*entry, request, replay_only(store));
  if (!decision) return std::nullopt;
  return prepare(std::move(*decision), problem, request);
}

// How far apart the batches are, in powers of two; none for an entry that is not of the key's
// family, whatever it claims.
std::optional<double> batch_distance(const store::Entry& entry, const store::Key& key,
                                     const Problem& problem) {
  try {
    if (family_of(entry.key.problem) != key.family) return std::nullopt;
    const auto batch = entry.key.problem.at("x").at("shape").at(0).get<double>();
    if (!(batch >= 1)) return std::nullopt;
    return std::abs(std::log2(batch / static_cast<double>(problem.batch())));
  } catch (const Json::exception& error) {
    log_once(LogLevel::warning, fmt::format("a record is ignored: {}", error.what()));
    return std::nullopt;
  }
}

// The record of the nearest batch size within a factor of two, where only that is unknown.
std::optional<Decided> from_nearest_batch(const std::shared_ptr<store::Store>& store,
                                          const store::Key& key, const Problem& problem,
                                          const Request& request) {
  std::vector<std::pair<double, std::shared_ptr<const store::Entry>>> near;
  store->find(key.environment, key.family, [&](const store::Entry& entry) {
    const auto distance = batch_distance(entry, key, problem);
    if (distance && *distance <= 1.0)
      near.emplace_back(*distance, std::make_shared<const store::Entry>(entry));
    return false;
  });
  // Equally near: which comes first must not depend on the order of a directory.
  std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : a.second->key.problem.dump() < b.second->key.problem.dump();
  });
  for (const auto& [distance, entry] : near) {
    auto decision = usable_record(*entry, request, false);
    if (!decision) continue;
    decision->source = Source::inherited;
    decision->compiled.clear();  // for the other batch
    decision->stored = false;
    if (auto decided = prepare(std::move(*decision), problem, request)) return decided;
  }
  return std::nullopt;
}

[[noreturn]] void fail_unsupported(const Problem& problem, DeviceId device,
                                   const std::string& reasons,
                                   Status status = Status::unsupported) {
  const std::string on =
      device.type == DeviceType::cuda ? fmt::format("cuda:{}: ", device.index) : "";
  fail(status, "{}no engine can run {} ({})", on, describe(problem), reasons);
}

[[noreturn]] void fail_without_offers(const Problem& problem, DeviceId device, const Field& field) {
  fail_unsupported(problem, device, field.reasons,
                   field.library_missing ? Status::library : Status::unsupported);
}

// What a race has found wrong does not run because nothing else is left: why, or "".
std::string found_wrong(const Decision* raced, const Choice& choice) {
  constexpr auto kWrong = static_cast<std::int32_t>(tune::Outcome::wrong_result);
  if (raced != nullptr)
    for (const Candidate& candidate : raced->candidates)
      if (candidate.outcome == kWrong && candidate.choice == choice) return candidate.reason;
  return "";
}

// The first offer that can be built: engines may list what later turns out not to build. `raced`: a
// race that nobody has won, or null.
Decided from_default(const Problem& problem, const Request& request, const Decision* raced) {
  Field field = default_field(problem, request);
  if (!field.default_candidate) fail_without_offers(problem, request.device, field);
  Status trouble = Status::unsupported;
  const auto lose = [&](Candidate& candidate, tune::Outcome outcome, const std::string& reason) {
    candidate.outcome = static_cast<std::int32_t>(outcome);
    candidate.reason = reason;
    field.reasons += fmt::format("{}{}: {}", field.reasons.empty() ? "" : "; ",
                                 to_string(candidate.choice), reason);
  };
  const auto build_one = [&](std::size_t i) -> std::optional<Decided> {
    Candidate& candidate = field.candidates[i];
    if (const std::string wrong = found_wrong(raced, candidate.choice); !wrong.empty()) {
      lose(candidate, tune::Outcome::wrong_result, wrong);
      return std::nullopt;
    }
    try {
      Decided decided;
      decided.engine = field.owners[i];
      decided.prepared =
          build_for_plan(*decided.engine, problem, request, candidate.choice.configuration);
      Decision decision;
      decision.source =
          candidate.choice.engine == "reference" ? Source::reference : Source::default_engine;
      decision.engines = field.engines;
      decision.choice = candidate.choice;
      decision.winner = decision.default_candidate = i;
      decision.candidates = std::move(field.candidates);
      decided.decision = std::make_shared<const Decision>(std::move(decision));
      return decided;
    } catch (const Error& error) {
      if (error.status() == Status::out_of_memory) throw;
      // These say more than that an engine cannot.
      if (error.status() == Status::library || error.status() == Status::device)
        trouble = error.status();
      lose(candidate, tune::Outcome::not_prepared, error.what());
      return std::nullopt;
    }
  };
  for (std::size_t i = 0; i < field.candidates.size(); ++i)
    if (auto decided = build_one(i)) return std::move(*decided);
  const std::size_t tried = field.candidates.size();
  add_rest(field, problem, request);
  for (std::size_t i = tried; i < field.candidates.size(); ++i)
    if (auto decided = build_one(i)) return std::move(*decided);
  // The slow reference hides no broken library and no broken device.
  if (trouble == Status::unsupported && add_reference(field, problem, request))
    if (auto decided = build_one(field.candidates.size() - 1)) return std::move(*decided);
  fail_unsupported(problem, request.device, field.reasons, trouble);
}

std::string reasons_of(const Decision& decision) {
  std::string reasons = decision.why;
  for (const Candidate& candidate : decision.candidates)
    if (!candidate.reason.empty())
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", to_string(candidate.choice),
                             candidate.reason);
  return reasons;
}

// An entry need not have room for what was compiled: the decision is kept all the same.
void put(store::Store& store, const store::Key& key, const Decision& decision) {
  Json value = to_json(decision);
  try {
    store.put(key, value);
  } catch (const Error& error) {
    if (error.status() != Status::bad_record || value.erase("compiled") == 0) throw;
    store.put(key, value);
  }
}

void write_down(const std::shared_ptr<store::Store>& store, const store::Key& key,
                Decision& decision) {
  if (!decision.may_be_stored() || !writes(store)) return;
  try {
    put(*store, key, decision);
    decision.stored = true;
  } catch (const Error& error) {
    // The store has warned; the decision stands for this process.
    decision.why = error.what();
  }
}

// What this process measured, unless it broke off for want of time and there is more of it now.
std::shared_ptr<const Decision> recall_for(const store::Key& key, const Request& request) {
  auto known = recall(key);
  if (known != nullptr && known->uncompared && request.race.budget_seconds > known->budget_seconds)
    return nullptr;
  return known;
}

}  // namespace

Decided decide_given(const Problem& problem, const Request& request, const Choice& choice) {
  require_device(request.device);
  const auto engine = EngineRegistry::instance().find(choice.engine);
  if (engine == nullptr || !engine->serves(request.device.type))
    fail(Status::unsupported, "choice '{}': there is no engine '{}' for this device",
         to_string(choice), choice.engine);
  if (engine->version() != choice.version)
    fail(Status::unsupported, "choice '{}': engine '{}' has version {} here", to_string(choice),
         choice.engine, engine->version());
  Decided decided;
  decided.engine = engine;
  try {
    decided.prepared = build_for_plan(*engine, problem, request, choice.configuration);
  } catch (const Error& error) {
    if (error.status() == Status::out_of_memory) throw;
    const bool broken = error.status() == Status::library || error.status() == Status::device;
    fail(broken ? error.status() : Status::unsupported, "choice '{}' cannot be built: {}",
         to_string(choice), error.what());
  }
  Decision decision;
  decision.source = Source::given;
  decision.choice = choice;
  decision.winner = 0;
  decision.candidates.resize(1);
  decision.candidates[0].choice = choice;
  decision.candidates[0].workspace = decided.prepared->workspace_size();
  decided.decision = std::make_shared<const Decision>(std::move(decision));
  return decided;
}

Decided decide(const Problem& problem, const Request& asked, const tune::OnProgress& on_progress) {
  require_device(asked.device);
  Request request = asked;
  const bool put_off = request.tune && request.device.type == DeviceType::cuda &&
                       cuda::is_captured(request.device.index, request.stream);
  if (put_off) {
    if (request.must_tune)
      fail(Status::capturing,
           "{} would be measured, but a stream is being captured: tune before the capture",
           describe(problem));
    request.tune = false;
  }
  if (problem.batch() == 0) {
    // Nothing to compute but backward-weight's zeros: no engine's choice matters.
    const auto reference = EngineRegistry::instance().find("reference");
    std::string why_not;
    const auto offers = reference->offers(problem, request.limits, why_not);
    if (offers.empty()) fail_unsupported(problem, request.device, why_not);
    Decided decided = decide_given(
        problem, request, {"reference", reference->version(), offers.front().configuration});
    Decision decision = *decided.decision;
    decision.source = Source::default_engine;
    decided.decision = std::make_shared<const Decision>(std::move(decision));
    return decided;
  }

  const auto store = store::in_use();
  const bool replaying = replay_only(store);
  std::optional<store::Key> key;
  if (reads(store) || request.tune) key = key_for(problem, request);

  if (reads(store) && (!request.retune || replaying)) {
    if (auto decided = from_record(store, *key, problem, request)) return std::move(*decided);
    if (replaying)
      fail(Status::not_tuned,
           "no usable record for {} in the replay-only store '{}': tune it with the store open for "
           "writing, on this machine with these settings",
           describe(problem), store->directory().string());
  }
  std::optional<Decision> raced;  // that nobody has won
  if (request.tune) {
    if (!request.retune) {
      if (const auto known = recall_for(*key, request)) {
        Decision decision = *known;
        // Measured before this store was used: now it can be kept here, too.
        write_down(store, *key, decision);
        decision.source = Source::memory;
        if (auto decided = prepare(std::move(decision), problem, request))
          return std::move(*decided);
      }
    }
    Field field = full_field(problem, request);
    if (!field.default_candidate) fail_without_offers(problem, request.device, field);
    // A field of the slow reference alone is no race.
    if (!field.only_reference) {
      Decision decision = contest(problem, request, std::move(field), on_progress);
      if (decision.winner) {
        decision.source = Source::tuned;
        write_down(store, *key, decision);
        if (decision.may_be_remembered()) remember(*key, decision);
        if (auto decided = prepare(std::move(decision), problem, request))
          return std::move(*decided);
      } else if (decision.cancelled) {
        fail(Status::cancelled, "tuning of {} was cancelled", describe(problem));
      } else {
        log_once(LogLevel::warning, fmt::format("tuning of {} found nothing that runs: {}",
                                                describe(problem), reasons_of(decision)));
        raced = std::move(decision);
      }
    }
  } else if (reads(store)) {
    if (auto decided = from_nearest_batch(store, *key, problem, request))
      return std::move(*decided);
  }
  Decided decided = from_default(problem, request, raced ? &*raced : nullptr);
  if (put_off) {
    Decision decision = *decided.decision;
    decision.put_off = true;
    decided.decision = std::make_shared<const Decision>(std::move(decision));
  }
  if (decided.decision->source == Source::reference)
    log_once(LogLevel::warning,
             fmt::format("the slow reference runs {}: no other engine can", describe(problem)));
  return decided;
}

}  // namespace atc::conv
