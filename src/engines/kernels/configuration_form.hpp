// Functions that write, read and compare the text of a configuration. A configuration (such as tile
// sizes) selects one of the ways in which a kernel can compute a problem. A list of fields
// describes the form of the text.
//
// atc stores this text with its decisions, to identify the configuration. So a configuration must
// have exactly one text: `read` refuses a text if `write` would return another text for the same
// configuration.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/configuration_text.hpp"

namespace atc::kernels {

// Says when a field is written into the text: always, only if a certain number of the configuration
// differs from its default value (where_set), or only if that number equals its default value
// (where_unset).
enum class Written { always, where_set, where_unset };

// A part of the text of a configuration. A field is either a word followed by a number ("_s4"), or
// a word alone. A word alone is a flag: it is written if the flag is true.
template <class Configuration>
struct Field {
  using Number = int Configuration::*;
  using Flag = bool Configuration::*;

  // `before` is the word and `number` the number of the field. `on` is the number of the
  // configuration that decides whether the field is written; `on` may differ from `number`.
  // where_set: the field is written if `*on` differs from its default value. where_unset: the field
  // is written if `*on` equals its default value. always: `on` is not read.
  constexpr Field(std::string_view before, Number number, Written when = Written::always,
                  Number on = nullptr)
      : word(before), number(number), written(when), on(on) {}
  constexpr Field(std::string_view text, Flag flag) : word(text), flag(flag) {}

  bool is_written(const Configuration& c) const {
    if (flag != nullptr) return c.*flag;
    return written == Written::always ||
           (c.*on != Configuration().*on) == (written == Written::where_set);
  }

  std::string_view word;
  Number number = nullptr;
  Flag flag = nullptr;
  Written written = Written::always;
  Number on = nullptr;
};

template <class Configuration, std::size_t kFields>
std::string write(const Field<Configuration> (&form)[kFields], const Configuration& c) {
  std::string text;
  for (const Field<Configuration>& field : form) {
    if (!field.is_written(c)) continue;
    text += field.word;
    if (field.number != nullptr) text += format("{}", c.*field.number);
  }
  return text;
}

// Returns the configuration whose text is `text`: the inverse of `write`. If no configuration has
// this text, `read` throws Error(unsupported). The error message names `engine` and shows
// `example`, the text of a valid configuration.
template <class Configuration, std::size_t kFields>
Configuration read(const Field<Configuration> (&form)[kFields], const std::string& text,
                   std::string_view engine, std::string_view example) {
  Configuration c;
  std::string_view left = text;
  // If a field is missing in `text`, this loop goes on to the next field. If the field is required,
  // `write` returns a text that differs from `text`, so the check after the loop refuses `text`.
  for (const Field<Configuration>& field : form) {
    std::string_view after = left;
    bool found = take_word(after, field.word);
    if (field.flag != nullptr)
      c.*field.flag = found;
    else
      found = found && take_number(after, "", c.*field.number);
    if (found) left = after;
  }
  if (!left.empty() || write(form, c) != text)
    fail(Status::unsupported, "engine {} has no configuration '{}': they look like {}", engine,
         text, example);
  return c;
}

template <class Configuration, std::size_t kFields>
bool equal(const Field<Configuration> (&form)[kFields], const Configuration& a,
           const Configuration& b) {
  return std::all_of(std::begin(form), std::end(form), [&](const Field<Configuration>& field) {
    return field.flag != nullptr ? a.*field.flag == b.*field.flag
                                 : a.*field.number == b.*field.number;
  });
}

}  // namespace atc::kernels
