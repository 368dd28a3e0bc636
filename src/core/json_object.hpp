// JSON objects from their members.
#pragma once

#include <initializer_list>
#include <utility>

#include "core/json.hpp"

namespace atc {

// Makes a JSON object from pairs. It is used in place of the library's constructor from braces,
// which leaks the existing members if memory for a further one is missing.
inline nlohmann::json json_object(
    std::initializer_list<std::pair<const char*, nlohmann::json>> members) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, value] : members) object.emplace(name, value);
  return object;
}

}  // namespace atc
