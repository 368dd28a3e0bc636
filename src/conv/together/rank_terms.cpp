#include "conv/together/rank_terms.hpp"

#include <set>

#include "conv/entrants.hpp"
#include "conv/key.hpp"
#include "conv/pins/pins_in_use.hpp"
#include "core/format.hpp"
#include "core/json.hpp"
#include "core/json_object.hpp"
#include "core/printable.hpp"
#include "core/settings.hpp"
#include "store/hash.hpp"
#include "store/strict_json.hpp"

namespace atc::conv {

namespace {

using Json = nlohmann::json;

// The largest number of differences that a text lists.
constexpr std::size_t kMostDifferences = 8;

Json roster_json(const Roster& roster) {
  Json json = Json::object();
  for (const auto& [name, version] : roster) json[name] = version;
  return json;
}

std::string value_text(const Json& flat, const std::string& path) {
  const auto found = flat.find(path);
  return found == flat.end()
             ? "absent"
             : shown(found->dump(-1, ' ', false, Json::error_handler_t::replace), 60);
}

}  // namespace

std::string environment_text(DeviceId device, const PlanOptions& how) {
  Problem any;
  any.spatial = 2;
  const Request request = resolve(device, any, how, current_settings());
  const Json terms = json_object({{"deterministic", request.limits.deterministic},
                                  {"allow_tf32", request.limits.allow_tf32},
                                  {"workspace", request.limits.workspace},
                                  {"alignment", how.alignment},
                                  {"constant_weights", how.constant_weights},
                                  {"allow_reference", how.allow_reference},
                                  {"require_firm", how.require_firm},
                                  {"strict_precision", how.strict_precision},
                                  {"reduced_precision_reduction", how.reduced_reduction}});
  return json_object({{"environment", environment_of(device)},
                      {"roster", roster_json(roster_of(entrants(request), request))},
                      {"terms", terms}})
      .dump();
}

std::string pins_text() {
  const auto file = pins_in_use();
  return file == nullptr ? "no pins" : "pins " + store::hex64(file->hash);
}

std::string differences(const std::string& environment, const std::string& first) {
  Json mine, theirs;
  std::string reason;
  if (!store::parse_strictly(environment, &mine, &reason) ||
      !store::parse_strictly(first, &theirs, &reason))
    return "unknown: an environment cannot be read";
  const Json flat = mine.flatten(), other = theirs.flatten();
  std::set<std::string> paths;
  for (const Json* const side : {&flat, &other})
    for (const auto& member : side->items())
      if (value_text(flat, member.key()) != value_text(other, member.key()))
        paths.insert(member.key());
  std::string text;
  std::size_t count = 0;
  for (const std::string& path : paths) {
    if (++count > kMostDifferences) {
      text += format("; {} more", paths.size() - kMostDifferences);
      break;
    }
    text += format("{}{} is {} (first class: {})", text.empty() ? "" : "; ",
                   shown(path.substr(1), 60), value_text(flat, path), value_text(other, path));
  }
  return text;
}

}  // namespace atc::conv
