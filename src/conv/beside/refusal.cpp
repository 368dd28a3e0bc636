#include "conv/beside/refusal.hpp"

#include "store/store.hpp"

namespace atc::conv::beside {

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
  return "";
}

}  // namespace atc::conv::beside
