#include "conv/build.hpp"

#include "core/error.hpp"

namespace atc::conv {

std::unique_ptr<Prepared> build(const Engine& engine, const Problem& problem, const Limits& limits,
                                const std::string& configuration) {
  auto prepared = engine.prepare(problem, limits, configuration);
  if (prepared->workspace_size() > limits.workspace)
    fail(Status::unsupported, "needs {} bytes of workspace, {} are allowed",
         prepared->workspace_size(), limits.workspace);
  return prepared;
}

std::unique_ptr<Prepared> build_for_plan(const Engine& engine, const Problem& problem,
                                         const Request& request, const std::string& configuration) {
  auto prepared = build(engine, problem, request.limits, configuration);
  if (prepared->returns_output() && !request.may_return_output(engine.name()))
    fail(Status::unsupported,
         "leaves its result in a buffer of its engine's own: it runs for calls of its engine's own "
         "front end alone");
  return prepared;
}

}  // namespace atc::conv
