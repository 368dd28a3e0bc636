#include "conv/build.hpp"

#include "core/error.hpp"

namespace atc::conv {

std::unique_ptr<Prepared> build(const Engine& engine, const Problem& problem, const Limits& limits,
                                const std::string& configuration, const std::string& compiled) {
  auto prepared = compiled.empty() ? engine.prepare(problem, limits, configuration)
                                   : engine.prepare_from(problem, limits, configuration, compiled);
  if (prepared->workspace_size() > limits.workspace)
    fail(Status::unsupported, "needs {} bytes of workspace, {} are allowed",
         prepared->workspace_size(), limits.workspace);
  return prepared;
}

std::unique_ptr<Prepared> build_for_plan(const Engine& engine, const Problem& problem,
                                         const Request& request, const std::string& configuration,
                                         const std::string& compiled) {
  auto prepared = build(engine, problem, request.limits, configuration, compiled);
  if (prepared->returns_output() && !request.may_return_output(engine.name()))
    fail(Status::unsupported,
         "leaves its result in a buffer of its engine's own: it runs for calls of its engine's own "
         "front end alone");
  return prepared;
}

}  // namespace atc::conv
