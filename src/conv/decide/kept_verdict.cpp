#include "conv/decide/kept_verdict.hpp"

#include "conv/key.hpp"
#include "conv/race/gate.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "device/description.hpp"
#include "store/entry.hpp"
#include "store/hash.hpp"
#include "store/origin.hpp"

namespace atc::conv {

namespace {

using store::Json;

// The largest number of bytes of a stored reason. A longer reason is cut, so that entries remain
// small.
constexpr std::size_t kMostReason = 200;

// Returns a text with the versions of the correctness gate and of the driver. A stored result of
// the gate holds only for these versions. (The versions of the engine and of the libraries are in
// the entry itself.) The entry of an adopted decision is for other versions of libraries than those
// of the process. So the text then also has a hash of the process's environment.
std::string maker(const Decision& decision, DeviceId device) {
  const std::string driver = driver_version(device);
  const std::string environment = decision.source == Source::adopted
                                      ? store::hex64(store::hash64(environment_of(device).dump()))
                                      : "";
  return format("gate {}{}{}{}{}", kGateRevision, driver.empty() ? "" : ", driver ", driver,
                environment.empty() ? "" : ", environment ", environment);
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
  if (known.by.empty() || known.by != maker(decision, request.device)) return std::nullopt;
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
  // A record of other versions (Source::adopted) need not be marked as received: it may have been
  // measured here, before the versions changed. If it was written elsewhere, it remains received,
  // because its choice was not checked with the versions of its own environment.
  const bool adopted = decision.source == Source::adopted;
  const bool becomes_own = entry->elsewhere && refusal.empty() && !adopted;
  Json value = entry->value;
  if (entry->elsewhere) {
    store::drop_checked(value);
    if (!becomes_own) store::mark_received(value);
  }
  GateResults results = decision.checked;
  const std::string by = maker(decision, request.device);
  if (results.by != by) results = {{}, {}, by};
  (request.strict_precision ? results.strict : results.lenient) = refusal.substr(0, kMostReason);
  const Json recorded = to_json(decision);
  const Json& choice = recorded.at("choice");
  bool has_choice = false;
  for_each_decision(value, [&](Json& one) {
    const auto its = one.find("choice");
    const bool same = its != one.end() && *its == choice;
    has_choice = has_choice || same;
    if (same && (adopted || one.contains(store::kReceived)))
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
