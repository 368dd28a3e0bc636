// Reads the members of an object of JSON. If a member has a wrong type or value, each function
// throws Error(invalid_argument), whose message names the member as NAME.MEMBER.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace atc::ffi {

// Returns a value as text for a message. A long text is cut, so that the message remains readable.
std::string shown_value(const nlohmann::json& value);

// Returns the whole number in a member, or `absent` if the object does not have the member.
std::int64_t integer_from_json(const nlohmann::json& object, const char* member,
                               std::int64_t absent, const std::string& name);

// Returns the number in a member, or 0 if the object does not have the member. The number is
// finite.
float number_from_json(const nlohmann::json& object, const char* member, const std::string& name);

// Returns the boolean in a member, or false if the object does not have the member.
bool flag_from_json(const nlohmann::json& object, const char* member, const std::string& name);

// Returns the text in a member, or "" if the object does not have the member.
std::string text_from_json(const nlohmann::json& object, const char* member,
                           const std::string& name);

// The texts that are allowed as the value of a member. The object refers to the caller's array,
// which must live at least as long.
struct Names {
  template <std::size_t N>
  constexpr Names(const std::array<std::string_view, N>& names) : first(names.data()), count(N) {}

  const std::string_view* first;
  std::size_t count;
};

// Returns the position of the member's text in `names`, counted from 1, or `absent` if the object
// does not have the member.
std::int32_t place_from_json(const nlohmann::json& object, const char* member, std::int32_t absent,
                             Names names, const std::string& name);

}  // namespace atc::ffi
