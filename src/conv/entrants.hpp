// The entrants of a request: the registered engines and rewrites that work on the request's device
// and are admitted by the caller.
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
  // The default engines (those that may run without tuning), in the order in which they are asked.
  std::vector<std::shared_ptr<const Engine>> defaults;
  std::vector<std::shared_ptr<const Engine>> others;
  std::vector<std::shared_ptr<const Rewrite>> rewrites;
  // Whether the engine `reference` may be used. If so, the reference is the last engine of
  // `defaults`. The reference is timed only if no other default engine can run the problem. No
  // roster (list of the engines and rewrites of a race) contains the reference.
  bool may_use_reference = false;
};

Entrants entrants(const Request& request);
// Returns the roster (the list of the engines and rewrites that were asked for candidates) of a
// race. It contains all entrants except engines of which the user has barred a choice: such a race
// does not show how fast the whole engine is.
Roster roster_of(const Entrants& entrants, const Request& request);
// Returns the first default engine that is registered and admitted, and its version; nothing if
// there is none. A request that measures nothing uses a record only if this engine took part in the
// record's race.
std::optional<Roster::Member> expected_default(const Entrants& entrants);

}  // namespace atc::conv
