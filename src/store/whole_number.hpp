// Whole numbers in JSON that comes from outside. nlohmann's get<> converts a fraction, a negative
// number or a number beyond the type's range without an error, and its conversion of 5e95 to an
// integer is undefined.
#pragma once

#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json.hpp"

namespace atc::store {

// Returns the object's member as a Number. Throws Error(bad_record) unless the member is a whole
// number within Number's range. Throws Json's exception if there is no such member.
template <typename Number>
Number whole_number(const nlohmann::json& object, const char* name) {
  using Limits = std::numeric_limits<Number>;
  const nlohmann::json& value = object.at(name);
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(Limits::max())) return static_cast<Number>(number);
  } else if (value.is_number_integer() && Limits::is_signed) {
    const auto number = value.get<std::int64_t>();  // below 0: other integers are unsigned
    if (number >= static_cast<std::int64_t>(Limits::min())) return static_cast<Number>(number);
  }
  fail(Status::bad_record, "field '{}' is {}, which is no whole number from {} to {}", name,
       value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 40),
       Limits::min(), Limits::max());
}

// Like the function above, but returns `otherwise` if there is no such member.
template <typename Number>
Number whole_number(const nlohmann::json& object, const char* name, Number otherwise) {
  return object.contains(name) ? whole_number<Number>(object, name) : otherwise;
}

}  // namespace atc::store
