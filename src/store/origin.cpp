#include "store/origin.hpp"

#include "core/json.hpp"
#include "store/sidecar.hpp"

namespace atc::store {
namespace {

template <typename Value, typename Visit>
void for_each_decision(Value& value, Visit visit) {
  visit(value);
  const auto others = value.find(kOthers);
  if (others == value.end() || !others->is_array()) return;
  for (auto& other : *others)
    if (other.is_object()) visit(other);
}

}  // namespace

bool has_compiled(const nlohmann::json& value) {
  bool has = false;
  for_each_decision(value, [&](const nlohmann::json& decision) {
    has = has || decision.contains(kCompiled) || decision.contains(kSidecar);
  });
  return has;
}

void drop_compiled(nlohmann::json& value) {
  for_each_decision(value, [](nlohmann::json& decision) {
    decision.erase(kCompiled);
    decision.erase(kSidecar);
  });
}

void mark_received(nlohmann::json& value) {
  for_each_decision(value, [](nlohmann::json& decision) { decision[kReceived] = true; });
}

void drop_checked(nlohmann::json& value) {
  for_each_decision(value, [](nlohmann::json& decision) { decision.erase(kChecked); });
}

void name_compiled_texts(nlohmann::json& value) {
  for_each_decision(value, [](nlohmann::json& decision) {
    const auto text = decision.find(kCompiled);
    if (text == decision.end()) return;
    if (text->is_string() && !decision.contains(kSidecar))
      decision[kSidecar] = to_json(name_of_sidecar(text->get_ref<const std::string&>()));
    decision.erase(kCompiled);
  });
}

}  // namespace atc::store
