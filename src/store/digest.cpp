#include "store/digest.hpp"

#include <string>

#include "store/origin.hpp"

namespace atc::store {
namespace {

// Returns all choices of an entry as one text. An entry has one decision and, in the member
// "others", further decisions for which other sets of engines were compared. The text has the
// choices of all of them.
std::string choices_of(const Json& value) {
  // A decision may have a separate choice for captured calls.
  const auto of_modes = [](const Json& decision) {
    std::string choices = decision.value("choice", Json()).dump();
    if (const auto captured = decision.find("captured"); captured != decision.end())
      choices += captured->dump();
    return choices;
  };
  std::string choices = of_modes(value);
  if (const auto others = value.find(kOthers); others != value.end() && others->is_array())
    for (const Json& other : *others)
      if (other.is_object()) choices += of_modes(other);
  return choices;
}

}  // namespace

void Digest::add(const Hash128& key, const Json& value) {
  value_ = hash64(hex64(value_) + hex128(key) + choices_of(value));
}

}  // namespace atc::store
