// A function that makes JSON objects.
#pragma once

#include <initializer_list>
#include <utility>

#include "core/json.hpp"

namespace atc {

// Makes a JSON object from pairs of names and values. It is used in place of nlohmann's constructor
// from a braced list, because that constructor leaks the members that it has already made if memory
// runs out.
inline nlohmann::json json_object(
    std::initializer_list<std::pair<const char*, nlohmann::json>> members) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, value] : members) object.emplace(name, value);
  return object;
}

}  // namespace atc
