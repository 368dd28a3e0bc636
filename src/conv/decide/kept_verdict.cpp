#include "conv/decide/kept_verdict.hpp"

#include "conv/race/gate.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "device/description.hpp"
#include "store/entry.hpp"
#include "store/origin.hpp"

namespace atc::conv {

namespace {

using store::Json;

// The largest number of bytes of a stored reason. A longer reason is cut, so that entries remain
// small.
constexpr std::size_t kMostReason = 200;

// Returns a text with the versions of the correctness gate and of the driver. A stored result of
// the gate holds only for these versions. (The versions of the engine and of the libraries are in
// the entry itself.)
std::string maker(DeviceId device) {
  const std::string driver = driver_version(device);
  return format("gate {}{}{}", kGateRevision, driver.empty() ? "" : ", driver ", driver);
}

// Calls `visit` for each decision in the value of the entry.
template <typename Visit>
void for_each_decision(Json& value, const Visit& visit) {
  visit(value);
  if (const auto others = value.find(store::kOthers); others != value.end() && others->is_array())
    for (Json& other : *others)
      if (other.is_object()) visit(other);
}

}  // namespace

std::optional<std::string> kept_verdict(const Decision& decision, const Request& request) {
  const GateResults& known = decision.checked;
  if (known.by.empty() || known.by != maker(request.device)) return std::nullopt;
  // Every choice that the gate refuses without strict_precision is also refused with
  // strict_precision. So a refusal without strict_precision also holds with it, and a pass with
  // strict_precision also holds without it.
  if (request.strict_precision)
    return known.lenient && !known.lenient->empty() ? known.lenient : known.strict;
  return known.strict && known.strict->empty() ? known.strict : known.lenient;
}

void keep_verdict(store::Store& store, const store::Key& key, const Decision& decision,
                  const Request& request, const std::string& refusal) {
  const auto entry = store.get(key);
  if (entry == nullptr || entry->foreign) return;
  const bool becomes_own = entry->elsewhere && refusal.empty();
  Json value = entry->value;
  if (entry->elsewhere) {
    store::drop_checked(value);
    if (!becomes_own) store::mark_received(value);
  }
  GateResults results = decision.checked;
  const std::string by = maker(request.device);
  if (results.by != by) results = {{}, {}, by};
  (request.strict_precision ? results.strict : results.lenient) = refusal.substr(0, kMostReason);
  const Json recorded = to_json(decision);
  const Json& choice = recorded.at("choice");
  bool has_choice = false;
  for_each_decision(value, [&](Json& one) {
    const auto its = one.find("choice");
    const bool same = its != one.end() && *its == choice;
    has_choice = has_choice || same;
    if (same && one.contains(store::kReceived))
      one[store::kChecked] = to_json(results);
    else if (!same && becomes_own)
      one[store::kReceived] = true;
  });
  if (!has_choice || (!entry->elsewhere && value == entry->value)) return;
  try {
    store.put(key, value);
  } catch (const Error& error) {
    log_once(LogLevel::info,
             format("a record is checked again by the next process: {}", error.what()));
  }
}

}  // namespace atc::conv
