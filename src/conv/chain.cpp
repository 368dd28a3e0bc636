#include "conv/chain.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/printable.hpp"
#include "engines/registry.hpp"

namespace atc::conv {

namespace {

// Returns "" if `part` (an engine or a rewrite) is registered with this version and works on the
// device. Otherwise returns the reason why it cannot be used, for a message.
template <typename Part>
std::string objection(const Part* part, const std::string& name, const std::string& version,
                      DeviceType device, const char* kind) {
  if (part == nullptr || !part->serves(device))
    return format("there is no {} '{}' for this device{}", kind, shown(name), meant_for(name));
  if (part->version() != version)
    return format("{} '{}' has version {} here", kind, name, part->version());
  return "";
}

// Builds the end of the chain: the engine, and before it the rewrites from number `link` on.
std::unique_ptr<Prepared> build_from(std::size_t link, const Chain& chain, const Choice& choice,
                                     const Problem& problem, const Limits& limits,
                                     const std::string& compiled) {
  if (link == chain.rewrites.size())
    return compiled.empty()
               ? chain.engine->prepare(problem, limits, choice.configuration)
               : chain.engine->prepare_from(problem, limits, choice.configuration, compiled);
  const Rewrite& rewrite = *chain.rewrites[link];
  const std::string& wanted = choice.rewrites[link].configuration;
  std::string why_not;
  const std::vector<Rewriting> known = rewrite.rewritings(problem, limits, why_not);
  const auto rewriting = std::find_if(known.begin(), known.end(), [&](const Rewriting& one) {
    return one.configuration == wanted;
  });
  if (rewriting == known.end())
    fail(Status::unsupported, "rewrite '{}' does not apply as '{}' here{}{}", rewrite.name(),
         wanted, why_not.empty() ? "" : ": ", why_not);
  auto rest = build_from(link + 1, chain, choice, rewriting->problem,
                         limits_behind(*rewriting, limits), compiled);
  if (rest->returns_output())
    fail(Status::unsupported, "{} leaves its result in a buffer of its own: no rewrite can take it",
         chain.engine->name());
  return rewrite.prepare(problem, limits, *rewriting, std::move(rest));
}

}  // namespace

std::optional<Chain> find_chain(const Choice& choice, DeviceType device, std::string& why_not) {
  const EngineRegistry& registry = EngineRegistry::instance();
  Chain chain;
  for (const Link& link : choice.rewrites) {
    chain.rewrites.push_back(registry.find_rewrite(link.rewrite));
    why_not = objection(chain.rewrites.back().get(), link.rewrite, link.version, device, "rewrite");
    if (!why_not.empty()) return std::nullopt;
  }
  chain.engine = registry.find(choice.engine);
  why_not = objection(chain.engine.get(), choice.engine, choice.version, device, "engine");
  if (!why_not.empty()) return std::nullopt;
  return chain;
}

Limits limits_behind(const Rewriting& rewriting, const Limits& limits) {
  if (rewriting.workspace > limits.workspace)
    fail(Status::unsupported, "needs {} bytes of workspace for its buffers, {} are allowed",
         rewriting.workspace, limits.workspace);
  Limits behind = limits;
  behind.workspace = limits.workspace - rewriting.workspace;
  behind.alignment = rewriting.alignment;
  return behind;
}

std::unique_ptr<Prepared> build(const Chain& chain, const Choice& choice, const Problem& problem,
                                const Limits& limits, const std::string& compiled) {
  auto prepared = build_from(0, chain, choice, problem, limits, compiled);
  if (prepared->workspace_size() > limits.workspace)
    fail(Status::unsupported, "needs {} bytes of workspace, {} are allowed",
         prepared->workspace_size(), limits.workspace);
  return prepared;
}

void require_output_for(const Request& request, const Choice& choice, const Prepared& prepared) {
  if (prepared.returns_output() && !request.may_return_output(choice.engine))
    fail(Status::unsupported,
         "returns a buffer of its engine's own, so it can be used only by calls of the front end "
         "of {}",
         choice.engine);
}

std::unique_ptr<Prepared> build_for_plan(const Chain& chain, const Choice& choice,
                                         const Problem& problem, const Request& request,
                                         const std::string& compiled) {
  auto prepared = build(chain, choice, problem, request.limits, compiled);
  require_output_for(request, choice, *prepared);
  return prepared;
}

}  // namespace atc::conv
