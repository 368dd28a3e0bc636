#include "json_members.hpp"

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/printable.hpp"

namespace atc::ffi {

using Json = nlohmann::json;

std::string shown_value(const Json& value) {
  return shown(value.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
}

std::int64_t integer_from_json(const Json& object, const char* member, std::int64_t absent,
                               const std::string& name) {
  const auto found = object.find(member);
  if (found == object.end()) return absent;
  const bool fits = found->is_number_integer() &&
                    !(found->is_number_unsigned() && found->get<std::uint64_t>() > INT64_MAX);
  if (!fits)
    fail(Status::invalid_argument, "{}.{} is {}: use a whole number", name, member,
         shown_value(*found));
  return found->get<std::int64_t>();
}

float number_from_json(const Json& object, const char* member, const std::string& name) {
  const auto found = object.find(member);
  if (found == object.end()) return 0;
  const double value = found->is_number() ? found->get<double>() : INFINITY;
  if (!(std::fabs(value) <= std::numeric_limits<float>::max()))
    fail(Status::invalid_argument, "{}.{} is {}: use a number within the range of fp32", name,
         member, shown_value(*found));
  return static_cast<float>(value);
}

bool flag_from_json(const Json& object, const char* member, const std::string& name) {
  const auto found = object.find(member);
  if (found == object.end()) return false;
  if (!found->is_boolean())
    fail(Status::invalid_argument, "{}.{} is {}: use true or false", name, member,
         shown_value(*found));
  return found->get<bool>();
}

std::string text_from_json(const Json& object, const char* member, const std::string& name) {
  const auto found = object.find(member);
  if (found == object.end()) return "";
  if (!found->is_string())
    fail(Status::invalid_argument, "{}.{} is {}: use a text", name, member, shown_value(*found));
  return found->get<std::string>();
}

std::int32_t place_from_json(const Json& object, const char* member, std::int32_t absent,
                             Names names, const std::string& name) {
  const std::string value = text_from_json(object, member, name);
  if (value.empty() && !object.contains(member)) return absent;
  for (std::size_t i = 0; i < names.count; ++i)
    if (value == names.first[i]) return static_cast<std::int32_t>(i) + 1;
  std::string list;
  for (std::size_t i = 0; i < names.count; ++i)
    list.append(list.empty() ? "" : ", ").append("\"").append(names.first[i]).append("\"");
  fail(Status::invalid_argument, "{}.{} is \"{}\": use one of {}", name, member, shown(value, 60),
       list);
}

}  // namespace atc::ffi
