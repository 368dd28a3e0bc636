#include "store/strict_json.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "core/format.hpp"
#include "core/json.hpp"
#include "core/printable.hpp"

namespace atc::store {
namespace {

using Json = nlohmann::json;
using Event = Json::parse_event_t;

struct Refusal {
  std::string reason;
};

}  // namespace

bool parse_strictly(std::string_view text, Json* out, std::string* reason, std::size_t* byte) {
  if (byte != nullptr) *byte = 0;
  // A stack with one set for each object or array that is being read: the names of the members that
  // were read so far (for an array: none).
  std::vector<std::set<std::string>> open;
  // The parser calls this function at each event. The function throws at the first fault, so that
  // parsing stops: the document may have been made to do harm.
  const auto check = [&](int, Event event, const Json& parsed) {
    if (event == Event::object_start || event == Event::array_start) {
      if (open.size() == kMaxJsonDepth)
        throw Refusal{format("nests deeper than {} levels", kMaxJsonDepth)};
      open.emplace_back();
    } else if (event == Event::object_end || event == Event::array_end) {
      open.pop_back();
    } else if (event == Event::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!open.back().insert(name).second)
        throw Refusal{format("repeats the member \"{}\"", shown(name, 40))};
    }
    return true;
  };
  try {
    *out = Json::parse(text.begin(), text.end(), check);
    return true;
  } catch (const Refusal& refusal) {
    *reason = refusal.reason;
  } catch (const Json::out_of_range&) {
    *reason = "holds a number out of range";
  } catch (const Json::parse_error& error) {
    *reason = format("is not JSON at byte {}", error.byte);
    if (byte != nullptr) *byte = error.byte;
  }
  return false;
}

bool deeper_than(const Json& value, std::size_t depth) {
  if (!value.is_structured()) return false;
  if (depth == 0) return true;
  for (const Json& item : value) {
    if (deeper_than(item, depth - 1)) return true;
  }
  return false;
}

}  // namespace atc::store
