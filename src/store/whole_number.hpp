// Reads whole numbers from JSON of untrusted sources. nlohmann's get<> is not used alone: it
// converts a fraction, a negative number or a number out of range without an error, and its
// conversion of 5e95 to an integer is undefined behaviour.
#pragma once

#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json.hpp"

namespace atc::store {

// Returns the object's member `name` as a Number. Throws Error(bad_record) unless the member is a
// whole number in the range of Number. Throws Json's exception if there is no such member.
template <typename Number>
Number whole_number(const nlohmann::json& object, const char* name) {
  using Limits = std::numeric_limits<Number>;
  const nlohmann::json& value = object.at(name);
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(Limits::max())) return static_cast<Number>(number);
  } else if (value.is_number_integer() && Limits::is_signed) {
    // The number is negative: nlohmann's parser stores other integers as unsigned numbers.
    const auto number = value.get<std::int64_t>();
    if (number >= static_cast<std::int64_t>(Limits::min())) return static_cast<Number>(number);
  }
  fail(Status::bad_record, "field '{}' is {}, which is no whole number from {} to {}", name,
       value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 40),
       Limits::min(), Limits::max());
}

// Returns the object's member `name` as a Number, or `otherwise` if there is no such member. Throws
// Error(bad_record) if the member is no whole number in the range of Number.
template <typename Number>
Number whole_number(const nlohmann::json& object, const char* name, Number otherwise) {
  return object.contains(name) ? whole_number<Number>(object, name) : otherwise;
}

}  // namespace atc::store
