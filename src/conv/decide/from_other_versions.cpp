#include "conv/decide/from_other_versions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "conv/key.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "store/join.hpp"

namespace atc::conv {

namespace {

using store::Json;

bool read_environment() {
  try {
    return environment_flag("ATC_OTHER_VERSIONS").value_or(false);
  } catch (const Error& error) {
    log_once(LogLevel::warning, format("ignored: {}", error.what()));
    return false;
  }
}

// Returns the value of the environment variable ATC_OTHER_VERSIONS. The variable is read once.
bool adopts_by_environment() {
  static const bool adopts = read_environment();
  return adopts;
}

// Returns the keys of this problem in all environments that differ from the key's environment only
// in the versions of the default engines.
std::vector<store::Key> keys_of_other_versions(store::Store& store, const store::Key& key,
                                               DeviceType device) {
  const Json mine = without_versions(key.environment, device);
  std::vector<store::Key> keys;
  for (Json& environment : store.environments())
    if (environment != key.environment && without_versions(environment, device) == mine)
      keys.push_back({std::move(environment), key.problem, key.family});
  return keys;
}

// Returns the versions of the default engines with which the decision was recorded and that differ
// here, such as "cudnn 9.14.0".
std::string recorded_versions(const Decision& decision, const Entrants& entrants) {
  std::string text;
  for (const auto& engine : entrants.defaults) {
    const std::string version = decision.roster.version_of(engine->name());
    if (version.empty() || decision.roster.has(engine->name(), engine->version())) continue;
    text += format("{}{} {}", text.empty() ? "" : ", ", engine->name(), version);
  }
  return text;
}

}  // namespace

bool adopts(const Request& request, const std::shared_ptr<store::Store>& store) {
  if (!reads(store)) return false;
  const bool replaying = store->mode() == store::Mode::replay_only;
  if (!request.other_versions) return !replaying && adopts_by_environment();
  if (*request.other_versions && replaying)
    fail(
        Status::invalid_argument,
        "options.other_versions is 2 (on), but the store '{}' is replay-only, so only choices may "
        "run that were recorded with the versions in use: leave the option 0, or open the store in "
        "mode read",
        store->directory().string());
  return *request.other_versions;
}

std::vector<Adopted> decisions_of_other_versions(store::Store& store, const store::Key& key,
                                                 const Request& request, const Entrants& entrants) {
  const Roster admitted = roster_of(entrants, request);
  const auto expected = expected_default(entrants);
  std::vector<std::pair<std::string, Adopted>> found;
  const auto consider = [&](const store::Key& place, const Decision& decision) {
    if (decision.unstable && request.require_firm) return;
    if (expected && decision.roster.version_of(expected->first).empty()) return;
    auto match = best_match({decision}, request, admitted);
    if (!match) return;
    Decision& matched = match->decision;
    matched.source = Source::adopted;
    matched.received = true;
    matched.keeping = Keeping::unkept;
    // The compiled text is removed, because it was made with other versions of the libraries.
    matched.forget_compiled();
    if (const std::string versions = recorded_versions(decision, entrants); !versions.empty()) {
      std::string& notes = matched.candidates[*matched.winner].notes;
      notes += format("{}measured with {}", notes.empty() ? "" : "; ", versions);
    }
    found.emplace_back(store::place_in_order(to_json(decision)), Adopted{std::move(*match), place});
  };
  if (!request.tune && expected)
    for (const Decision& decision : recorded(store, key))
      if (!decision.roster.has(expected->first, expected->second)) consider(key, decision);
  for (const store::Key& place : keys_of_other_versions(store, key, request.device.type))
    for (const Decision& decision : recorded(store, place)) consider(place, decision);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<Adopted> result;
  result.reserve(found.size());
  for (auto& [place, adopted] : found) result.push_back(std::move(adopted));
  return result;
}

std::optional<Decided> from_other_versions(store::Store& store, const store::Key& key,
                                           const Problem& problem, const Request& request,
                                           const Entrants& entrants) {
  for (Adopted& adopted : decisions_of_other_versions(store, key, request, entrants))
    if (auto decided = prepare(std::move(adopted.match), problem, request, &store, adopted.key))
      return decided;
  return std::nullopt;
}

}  // namespace atc::conv
