#include "core/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <limits>
#include <locale>
#include <sstream>
#include <string_view>

#include "core/error.hpp"
#include "core/text.hpp"

namespace atc {

namespace {

// The names of the levels, in the order of LogLevel.
constexpr std::array<std::string_view, 5> kLevelNames = {"off", "error", "warning", "info",
                                                         "debug"};

// The working directory at the time when libatc was loaded. It is "" if the system could not name
// it.
class StartFolder {
 public:
  StartFolder() noexcept {
    if (getcwd(text_.data(), text_.size()) == nullptr) text_.front() = '\0';
  }
  std::string_view text() const { return text_.data(); }

 private:
  std::array<char, PATH_MAX> text_{};
};

const StartFolder start_folder;

}  // namespace

std::optional<std::string> environment_text(const char* name) {
  const char* const value = secure_getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::string from_start_folder(const std::string& path) {
  const std::string_view folder = start_folder.text();
  if (path.empty() || path.front() == '/' || folder.empty() || folder.front() != '/') return path;
  return std::string(folder).append("/").append(path);
}

std::optional<std::string> environment_path(const char* name) {
  auto path = environment_text(name);
  if (path) path = from_start_folder(*path);
  return path;
}

std::optional<std::string> environment_folders(const char* name) {
  const auto given = environment_text(name);
  if (!given) return std::nullopt;
  std::string folders;
  for (std::size_t from = 0;;) {
    const std::size_t to = std::min(given->find(':', from), given->size());
    folders += from_start_folder(given->substr(from, to - from));
    if (to == given->size()) return folders;
    folders += ':';
    from = to + 1;
  }
}

bool is_set_for_libraries(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

std::optional<bool> environment_flag(const char* name) {
  const auto value = environment_text(name);
  if (!value) return std::nullopt;
  if (*value == "0") return false;
  if (*value == "1") return true;
  fail(Status::invalid_argument, "{}={} in the environment: use 0 or 1", name, *value);
}

std::optional<double> environment_positive(const char* name) {
  const auto value = environment_text(name);
  if (!value) return std::nullopt;
  if (*value == "inf") return std::numeric_limits<double>::infinity();
  std::istringstream text(*value);
  text.imbue(std::locale::classic());
  double number = 0;
  if (!(text >> std::noskipws >> number) || text.peek() != std::istringstream::traits_type::eof() ||
      !(number > 0))
    fail(Status::invalid_argument, "{}={} in the environment: use a number above 0, or inf", name,
         *value);
  return number;
}

std::optional<std::uint64_t> environment_bytes(const char* name) {
  const auto value = environment_text(name);
  if (!value) return std::nullopt;
  if (*value == "unlimited") return std::numeric_limits<std::uint64_t>::max();
  constexpr std::string_view kUnits = "KMGT";
  std::string_view digits = *value;
  std::uint64_t unit = 1;
  if (const std::size_t power = kUnits.find(digits.back()); power != std::string_view::npos) {
    unit = std::uint64_t{1} << (10 * (power + 1));
    digits.remove_suffix(1);
  }
  std::uint64_t bytes = 0;
  bool valid = !digits.empty();
  for (const char digit : digits) {
    valid = valid && digit >= '0' && digit <= '9' &&
            !__builtin_mul_overflow(bytes, std::uint64_t{10}, &bytes) &&
            !__builtin_add_overflow(bytes, static_cast<std::uint64_t>(digit - '0'), &bytes);
  }
  if (!valid || bytes == 0 || __builtin_mul_overflow(bytes, unit, &bytes))
    fail(
        Status::invalid_argument,
        "{}={} in the environment: use a number of bytes above 0, such as 512M or 2G, or unlimited",
        name, *value);
  return bytes;
}

const char* name_of(LogLevel level) {
  return kLevelNames[static_cast<std::size_t>(level) - 1].data();
}

std::optional<LogChoice> environment_log(const char* name) {
  constexpr std::string_view kJson = ",json";
  const auto value = environment_text(name);
  if (!value) return std::nullopt;
  std::string_view level = *value;
  LogFormat format = LogFormat::text;
  if (ends_with(level, kJson)) {
    level.remove_suffix(kJson.size());
    format = LogFormat::json;
  }
  for (std::size_t i = 0; i < kLevelNames.size(); ++i)
    if (level == kLevelNames[i]) return LogChoice{static_cast<LogLevel>(i + 1), format};
  fail(Status::invalid_argument,
       "{}={} in the environment: use off, error, warning, info or debug, and add ,json for lines "
       "of JSON",
       name, *value);
}

}  // namespace atc
