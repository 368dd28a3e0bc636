#include "core/nearest_name.hpp"

#include <algorithm>
#include <cstddef>

namespace atc {

namespace {

// The longest name, in characters, that is compared. A longer name counts as similar to no other.
constexpr std::size_t kLongest = 64;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Returns the smallest number of steps that turn `a` into `b`. A step adds, removes or replaces a
// letter, or exchanges two neighbouring letters. The case of letters is ignored.
std::size_t changes(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view given, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  if (given.size() > kLongest) return nearest;
  std::size_t fewest = given.size() / 3 + 1;
  for (const std::string_view name : known) {
    const std::size_t needed = changes(given, name);
    if (needed >= fewest) continue;
    fewest = needed;
    nearest = name;
  }
  return nearest;
}

}  // namespace atc
