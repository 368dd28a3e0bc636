#include "conv/field.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "engines/registry.hpp"

namespace atc::conv {

namespace {

constexpr const char* kReference = "reference";

bool allowed(const Request& request, const std::string& engine) {
  return request.admits(engine) && (engine != kReference || request.allow_reference);
}

enum class Wanted { all, first };

// Appends the engine's offers; true when there were any.
bool ask(Field& field, const std::shared_ptr<const Engine>& engine, const Problem& problem,
         const Request& request, Wanted wanted) {
  field.engines[engine->name()] = engine->version();
  std::string why_not;
  bool any = false;
  std::vector<Offer> offers;
  try {
    offers = wanted == Wanted::all ? engine->offers(problem, request.limits, why_not)
                                   : engine->first_offers(problem, request.limits, 1, why_not);
  } catch (const Error& error) {
    if (error.status() != Status::library) throw;
    field.library_missing = true;
    why_not = error.what();
  }
  for (const Offer& offer : offers) {
    if (offer.workspace > request.limits.workspace) {
      why_not = fmt::format("every configuration needs more than {} bytes of workspace",
                            request.limits.workspace);
      continue;
    }
    if (request.limits.deterministic && !offer.deterministic) {
      why_not = "no configuration is deterministic";
      continue;
    }
    any = true;
    Candidate candidate;
    candidate.choice = {engine->name(), engine->version(), offer.configuration};
    candidate.notes = offer.notes;
    candidate.workspace = offer.workspace;
    candidate.exactness = offer.exactness;
    candidate.compiles = offer.compiles;
    candidate.returns_output = offer.returns_output;
    field.candidates.push_back(std::move(candidate));
    field.owners.push_back(engine);
  }
  if (!any) {
    if (!field.reasons.empty()) field.reasons += "; ";
    field.reasons += fmt::format("{}: {}", engine->name(),
                                 why_not.empty() ? "offers nothing for this problem" : why_not);
  }
  return any;
}

// Asks the default engines in order until one offers.
void ask_defaults(Field& field, const Problem& problem, const Request& request, Wanted wanted) {
  for (const std::string& name : request.default_engines()) {
    const auto engine = EngineRegistry::instance().find(name);
    if (engine == nullptr || !engine->serves(request.device.type)) continue;
    if (!allowed(request, name)) {
      if (!field.reasons.empty()) field.reasons += "; ";
      field.reasons += fmt::format("{}: not allowed by the options", name);
      continue;
    }
    // The slow reference hides no missing library.
    if (name == kReference && field.library_missing) continue;
    if (!ask(field, engine, problem, request, wanted)) continue;
    field.default_candidate = 0;
    field.only_reference = name == kReference;
    return;
  }
}

}  // namespace

Field default_field(const Problem& problem, const Request& request) {
  Field field;
  ask_defaults(field, problem, request, Wanted::first);
  return field;
}

Field full_field(const Problem& problem, const Request& request) {
  Field field;
  ask_defaults(field, problem, request, Wanted::all);
  const std::size_t defaults = field.candidates.size();
  for (const RegisteredEngine& entry : EngineRegistry::instance().all()) {
    const std::string name = entry.engine->name();
    // A front end's engine offers before the built-in ones are asked: those race with it. The
    // reference races with nothing.
    const bool asked = field.engines.count(name) != 0;
    if (asked || name == kReference || !request.admits(name) ||
        !entry.engine->serves(request.device.type))
      continue;
    ask(field, entry.engine, problem, request, Wanted::all);
  }
  if (field.candidates.size() > defaults) {
    field.only_reference = false;
    if (!field.default_candidate) field.default_candidate = 0;
  }
  return field;
}

void add_rest(Field& field, const Problem& problem, const Request& request) {
  Field whole;
  ask_defaults(whole, problem, request, Wanted::all);
  for (std::size_t i = 0; i < whole.candidates.size(); ++i) {
    const Candidate& candidate = whole.candidates[i];
    const bool known =
        std::any_of(field.candidates.begin(), field.candidates.end(),
                    [&](const Candidate& one) { return one.choice == candidate.choice; });
    if (known) continue;
    field.candidates.push_back(candidate);
    field.owners.push_back(whole.owners[i]);
  }
}

bool add_reference(Field& field, const Problem& problem, const Request& request) {
  const auto reference = EngineRegistry::instance().find(kReference);
  if (field.only_reference || !allowed(request, kReference)) return false;
  return ask(field, reference, problem, request, Wanted::all);
}

std::string expected_default(const Request& request) {
  for (const std::string& name : request.default_engines())
    if (EngineRegistry::instance().find(name) != nullptr && allowed(request, name)) return name;
  return "";
}

}  // namespace atc::conv
