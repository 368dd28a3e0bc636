// JSON objects from their members.
#pragma once

#include <initializer_list>
#include <utility>

#include "core/json.hpp"

namespace atc {

// In place of the library's constructor from braces, which loses the members that it has where
// there is no memory for another one.
inline nlohmann::json json_object(
    std::initializer_list<std::pair<const char*, nlohmann::json>> members) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, value] : members) object.emplace(name, value);
  return object;
}

}  // namespace atc
