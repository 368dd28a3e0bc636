// A chain: the registered rewrites and the engine that a choice names. It is built into a Prepared
// within the limits of the caller.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conv/choice.hpp"
#include "conv/options.hpp"
#include "engines/engine.hpp"
#include "engines/rewrite.hpp"

namespace atc::conv {

// While a Chain exists, its engine cannot be unregistered.
struct Chain {
  std::vector<std::shared_ptr<const Rewrite>> rewrites;  // the outermost first
  std::shared_ptr<const Engine> engine;
};

// Looks up the rewrites and the engine of a choice (its links) in the registry. Returns nothing if
// a link is not registered, has another version or does not work on the device; then `why_not`
// names the link.
std::optional<Chain> find_chain(const Choice& choice, DeviceType device, std::string& why_not);

// The limits for the rest of the chain behind a rewriting: the workspace that the rewriting itself
// needs is subtracted. Throws Error(unsupported) if the rewriting alone needs more than the limit.
Limits limits_behind(const Rewriting& rewriting, const Limits& limits);

// Builds the chain. `compiled` is the text of Prepared::compiled for the same choice, problem and
// limits, or "". Throws Error(unsupported) if the chain needs more workspace than the limits allow,
// or if a rewrite does not know its configuration. Also throws what Engine::prepare throws.
std::unique_ptr<Prepared> build(const Chain& chain, const Choice& choice, const Problem& problem,
                                const Limits& limits, const std::string& compiled = "");

// Calls build and then require_output_for. (A configuration that leaves its result in a buffer of
// its engine's own may take part in a race, but only a plan for the engine's own front end can use
// it.)
std::unique_ptr<Prepared> build_for_plan(const Chain& chain, const Choice& choice,
                                         const Problem& problem, const Request& request,
                                         const std::string& compiled = "");
// Throws Error(unsupported) if `prepared` leaves its result in a buffer of its engine's own and the
// request does not come from that engine's front end.
void require_output_for(const Request& request, const Choice& choice, const Prepared& prepared);

}  // namespace atc::conv
