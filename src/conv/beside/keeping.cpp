#include "conv/beside/keeping.hpp"

#include <memory>
#include <utility>

#include "conv/decide/decision_log.hpp"
#include "conv/decide/from_records.hpp"
#include "conv/noted.hpp"

namespace atc::conv::beside {

bool keep_decision(Layer& layer) {
  auto decision = layer.decision();
  const auto knowledge = layer.knowledge().find();
  if (!decision || !knowledge) {
    layer.settle(nullptr);
    return false;
  }
  Request request = layer.request();
  request.knowledge = *knowledge;
  if (const auto& store = knowledge->store()) write_down(*store, layer.key(), request, *decision);
  remember_quietly(*knowledge, layer.key(), *decision);
  log_decision(layer.problem(), request, *decision, decision->seconds);
  layer.settle(std::make_shared<const Decision>(std::move(*decision)));
  settle_note(layer.id(), true);
  return true;
}

}  // namespace atc::conv::beside
