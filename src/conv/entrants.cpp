#include "conv/entrants.hpp"

#include <algorithm>
#include <string>

#include "engines/registry.hpp"

namespace atc::conv {

Entrants entrants(const Request& request) {
  const EngineRegistry& registry = EngineRegistry::instance();
  const DeviceType device = request.device.type;
  Entrants entrants;
  const std::vector<std::string> defaults = request.default_engines();
  for (const std::string& name : defaults) {
    const auto engine = registry.find(name);
    if (engine == nullptr || !engine->serves(device) || !request.admits(name)) continue;
    if (name != kReferenceEngine)
      entrants.defaults.push_back(engine);
    else
      entrants.may_use_reference = request.allow_reference;
  }
  for (const RegisteredEngine& entry : registry.all()) {
    const std::string name = entry.engine->name();
    const bool listed = std::find(defaults.begin(), defaults.end(), name) != defaults.end();
    if (!listed && name != kReferenceEngine && request.admits(name) && entry.engine->serves(device))
      entrants.others.push_back(entry.engine);
  }
  for (const auto& rewrite : registry.rewrites())
    if (request.admits(rewrite->name()) && rewrite->serves(device))
      entrants.rewrites.push_back(rewrite);
  return entrants;
}

Roster roster_of(const Entrants& entrants, const Request& request) {
  Roster roster;
  for (const auto& engine : entrants.defaults) roster.add(engine->name(), engine->version());
  for (const auto& engine : entrants.others) roster.add(engine->name(), engine->version());
  for (const auto& rewrite : entrants.rewrites) roster.add(rewrite->name(), rewrite->version());
  for (const Choice& choice : request.choices_barred)
    roster.remove({{choice.engine, choice.version}});
  return roster;
}

std::optional<Roster::Member> expected_default(const Entrants& entrants) {
  if (entrants.defaults.empty()) return std::nullopt;
  const Engine& engine = *entrants.defaults.front();
  return Roster::Member{engine.name(), engine.version()};
}

}  // namespace atc::conv
