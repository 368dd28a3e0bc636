#include "conv/beside/refusal.hpp"

#include <cstdlib>

#include "core/environment.hpp"
#include "core/format.hpp"
#include "store/store.hpp"

namespace atc::conv::beside {

namespace {

// The number of ranks of this process's job, as launchers of PyTorch set it; 1 if it is not set.
long ranks_of_job() {
  const auto text = environment_text("WORLD_SIZE");
  return text ? std::strtol(text->c_str(), nullptr, 10) : 1;
}

}  // namespace

std::string refusal(const Request& request) {
  if (request.limits.deterministic)
    return "deterministic results are asked for, and exploring changes the last bits from call to "
           "call";
  const Knowledge knowledge = request.knowledge_in_use();
  if (knowledge.store() != nullptr && knowledge.store()->mode() == store::Mode::replay_only)
    return "the store is open for replay only";
  if (request.require_firm)
    return "only firm decisions are asked for, and calls of a program give provisional ones";
  if (request.limits.constant_weights) return "the weights are constant and may be packed";
  static const long ranks = ranks_of_job();
  if (ranks > 1)
    return format("WORLD_SIZE is {}, and the ranks of a job must run the same implementations",
                  ranks);
  return "";
}

}  // namespace atc::conv::beside
