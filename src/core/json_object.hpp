// JSON objects from their members.
#pragma once

#include <initializer_list>
#include <utility>

#include "core/json.hpp"

namespace atc {

// Replaces the library's constructor from braces, which leaks the existing members if there is no
// memory for a further one.
inline nlohmann::json json_object(
    std::initializer_list<std::pair<const char*, nlohmann::json>> members) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, value] : members) object.emplace(name, value);
  return object;
}

}  // namespace atc
