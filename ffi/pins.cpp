// The functions atc_conv_pins and atc_conv_pins_effect, which return the pins that match a problem.
// A pin is a rule in a file of the user: it prescribes the implementation for some problems, or
// forbids implementations.

#include "atc/conv.h"
#include "bytes.hpp"
#include "conv/pins/pins_in_use.hpp"
#include "convert.hpp"
#include "core/json_object.hpp"
#include "engines/registry.hpp"
#include "guard.hpp"

using namespace atc;
using namespace atc::ffi;

namespace {

using Json = nlohmann::json;

Json to_json(const conv::Pin& pin) {
  Json json = atc::json_object({{"number", pin.number}, {"line", pin.line}, {"name", pin.name}});
  if (pin.choice) {
    json["choice"] = to_string(*pin.choice);
    return json;
  }
  json["bar"] = pin.barred_names;
  for (const std::string& name : pin.barred_names)
    if (!is_known_name(name)) json["unknown"][name] = nearest_known_name(name);
  for (const conv::Choice& choice : pin.barred_choices) json["bar"].push_back(to_string(choice));
  return json;
}

// Returns the pins that a plan for the problem obeys. If the options contain a choice (the
// implementation that must run), a plan does not obey pins, so none are returned.
conv::PinsForProblem obeyed_pins(atc_device device, const atc_conv_problem* problem,
                                 const atc_conv_options* options) {
  const DeviceId id = to_device(device);
  const Problem known = to_problem(problem);
  const atc_conv_options given = read_plan_options(options);
  const conv::Request request =
      conv::resolve(id, known, to_plan_options(given), current_settings());
  const bool is_given = given.choice != nullptr && *given.choice != '\0';
  return is_given ? conv::PinsForProblem{} : conv::pins_for(known, request);
}

}  // namespace

extern "C" {

atc_status atc_conv_pins(atc_bytes** out, atc_device device, const atc_conv_problem* problem,
                         const atc_conv_options* options) noexcept {
  return guard([&] {
    atc_bytes*& target = required(out, "out");
    const conv::PinsForProblem found = obeyed_pins(device, problem, options);
    Json pins = Json::array();
    if (found.choice != nullptr) pins.push_back(to_json(*found.choice));
    for (const conv::Pin* const bar : found.bars) pins.push_back(to_json(*bar));
    target = make_bytes(pins.dump());
  });
}

atc_status atc_conv_pins_effect(int32_t* out, atc_device device, const atc_conv_problem* problem,
                                const atc_conv_options* options) noexcept {
  return guard([&] {
    int32_t& target = required(out, "out");
    const conv::PinsForProblem found = obeyed_pins(device, problem, options);
    if (found.choice != nullptr)
      target = ATC_PINS_CHOOSE;
    else
      target = found.bars.empty() ? 0 : ATC_PINS_BAR;
  });
}

}  // extern "C"
