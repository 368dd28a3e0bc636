// The text of a configuration. Its form is described once, by a list of fields, for writing,
// reading and comparing.
//
// A text identifies a configuration in records. So each configuration has only one text: `read`
// accepts only a text that `write` returns.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/configuration_text.hpp"

namespace atc::kernels {

// When a field of a configuration's text is written: if a number differs from its default value, or
// if it does not.
enum class Written { always, where_set, where_unset };

// A field is a word and the number after it. A flag is a word alone, which is written if the flag
// is set.
template <class Configuration>
struct Field {
  using Number = int Configuration::*;
  using Flag = bool Configuration::*;

  // `on` decides whether the field is written. With `where_set` it is written only if this number
  // differs from its default; with `where_unset` only if this number is its default.
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

// The inverse of `write`. Throws Error(unsupported) for any other text; the error names `example`.
template <class Configuration, std::size_t kFields>
Configuration read(const Field<Configuration> (&form)[kFields], const std::string& text,
                   std::string_view engine, std::string_view example) {
  Configuration c;
  std::string_view left = text;
  // If a field is missing that must be there, `write` returns another text than the given one, so
  // the text is refused.
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
