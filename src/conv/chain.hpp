// A chain: the registered rewrites and the engine that a choice names. A rewrite turns a problem
// into another problem, which the next part of the chain computes. To build a chain is to make an
// executable convolution (a Prepared) of it, within the limits of the caller.
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

// A chain: the rewrites and the engine that a choice names. As long as a Chain exists, its engine
// cannot be unregistered.
struct Chain {
  std::vector<std::shared_ptr<const Rewrite>> rewrites;  // the outermost first
  std::shared_ptr<const Engine> engine;
};

// Looks up the rewrites and the engine of a choice in the registry. Returns nothing if one of them
// is not registered, is registered with another version than the choice names, or does not work on
// the device. Then `why_not` says which one, and why.
std::optional<Chain> find_chain(const Choice& choice, DeviceType device, std::string& why_not);

// Returns the limits for the part of the chain that computes the rewritten problem. They are the
// caller's limits, but with less workspace (the rewriting itself needs some of its bytes) and with
// the alignment of the rewriting's own buffers. Throws Error(unsupported) if the rewriting alone
// needs more workspace than the caller allows.
Limits limits_behind(const Rewriting& rewriting, const Limits& limits);

// Builds the chain. `compiled` is the compiled text (Prepared::compiled) of an earlier build for
// the same choice, problem and limits; "" if there is none. Throws Error(unsupported) if the chain
// needs more workspace than the limits allow, or if a rewrite does not know its configuration.
// Errors of Engine::prepare are passed on.
std::unique_ptr<Prepared> build(const Chain& chain, const Choice& choice, const Problem& problem,
                                const Limits& limits, const std::string& compiled = "");

// Calls build(), and then require_output_for(), because a plan must write its result to the
// caller's output. (A configuration that leaves its result in a buffer of its engine can be timed
// in a race. But only a plan for the engine's own front end, such as LibTorch, can use this
// result.)
std::unique_ptr<Prepared> build_for_plan(const Chain& chain, const Choice& choice,
                                         const Problem& problem, const Request& request,
                                         const std::string& compiled = "");
// Throws Error(unsupported) if `prepared` leaves its result in a buffer of its engine, and the
// request does not come from the front end of this engine (the library, such as LibTorch, that can
// read this buffer).
void require_output_for(const Request& request, const Choice& choice, const Prepared& prepared);

}  // namespace atc::conv
