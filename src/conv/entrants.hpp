// The entrants of a request: the registered engines and rewrites that work on its device and whose
// names the caller admits.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "conv/options.hpp"
#include "conv/roster.hpp"
#include "engines/engine.hpp"
#include "engines/rewrite.hpp"

namespace atc::conv {

struct Entrants {
  std::vector<std::shared_ptr<const Engine>> defaults;  // run without tuning, in order
  std::vector<std::shared_ptr<const Engine>> others;
  std::vector<std::shared_ptr<const Rewrite>> rewrites;
  // Whether the engine `reference` may be used. It is the last default and in no roster. It races
  // only if no other default engine has an offer.
  bool may_use_reference = false;
};

Entrants entrants(const Request& request);
// The engines and rewrites, without the engines of barred choices. If an offer was barred from a
// race, the race does not speak for its engine, so the engine is not in the roster.
Roster roster_of(const Entrants& entrants, const Request& request);
// The first default engine that is registered and admitted, or nothing. If this engine did not take
// part in the race of a record, the record is not used.
std::optional<Roster::Member> expected_default(const Entrants& entrants);

}  // namespace atc::conv
