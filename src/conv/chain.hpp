// A choice's rewrites and engine at hand, and what it takes to make them ready: held to what the
// caller allows.
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

// Whoever holds one keeps its engine from being unregistered.
struct Chain {
  std::vector<std::shared_ptr<const Rewrite>> rewrites;  // the outermost first
  std::shared_ptr<const Engine> engine;
};

// Of the registry; none where a link is not there in this version or does not serve the device,
// `why_not` then says which.
std::optional<Chain> find_chain(const Choice& choice, DeviceType device, std::string& why_not);

// What the rest of a chain is allowed behind a rewriting, whose own memory comes out of the same
// limit. Error(unsupported) where that does not suffice.
Limits limits_behind(const Rewriting& rewriting, const Limits& limits);

// `compiled` is what Prepared::compiled gave for exactly this, or "". Throws Error(unsupported)
// when it needs more workspace than the limits allow, or a rewrite does not know its configuration;
// else what prepare throws.
std::unique_ptr<Prepared> build(const Chain& chain, const Choice& choice, const Problem& problem,
                                const Limits& limits, const std::string& compiled = "");

// The same for a plan: a configuration that leaves its result in a buffer of its engine's own takes
// part in races, but only the engine's own front end could see its output.
std::unique_ptr<Prepared> build_for_plan(const Chain& chain, const Choice& choice,
                                         const Problem& problem, const Request& request,
                                         const std::string& compiled = "");
// Throws Error(unsupported) where what was built is not for this caller.
void require_output_for(const Request& request, const Choice& choice, const Prepared& prepared);

}  // namespace atc::conv
