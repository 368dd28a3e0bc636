// Fuzzes environment variables. The input has lines NAME=VALUE. Either all values are applied, or
// all are refused. The process reads ATC_TRACE and some other variables only once. So their values
// are not set in the environment, but are passed to functions that parse them in the same way.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* kVariables[] = {"ATC_BENCHMARK", "ATC_DETERMINISTIC", "ATC_LIBRARY_PATH",
                                      "ATC_LOG",       "ATC_MODE",          "ATC_PINS",
                                      "ATC_STORE",     "ATC_TRACE"};

// Returns the folder in which the values of variables may create files.
const fs::path& folder() {
  static const atc::test::TempFolder folder;
  return folder.path();
}

// Returns a path that ends with the given text and lies below folder(), whatever the text is.
std::string inside(std::string path) {
  for (std::size_t at = path.find(".."); at != std::string::npos; at = path.find("..", at))
    path.replace(at, 2, "--");
  return (folder() / "made").string() + "/" + path;
}

void set(const std::string& name, std::string value) {
  if (name == "ATC_STORE" || name == "ATC_TRACE") value = inside(value);
  setenv(name.c_str(), value.c_str(), 1);
}

void set_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    for (const char* const name : kVariables) {
      const std::size_t length = std::strlen(name);
      if (line.substr(0, length) == name && line.substr(length, 1) == "=")
        set(name, std::string(line.substr(length + 1)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

atc_settings settings() {
  atc_settings settings{};
  settings.struct_size = sizeof settings;
  REQUIRE_CALL(atc_settings_get(&settings) == ATC_OK);
  return settings;
}

bool same(const atc_settings& a, const atc_settings& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Checks that the lines of the log have no control characters, because a terminal would execute
// control sequences.
void watch_log() {
  atc_log_sink sink{};
  sink.struct_size = sizeof sink;
  sink.write = [](void*, std::int32_t, const char* line) {
    for (; *line != '\0'; ++line) REQUIRE(static_cast<unsigned char>(*line) >= ' ');
  };
  REQUIRE_CALL(atc_log_sink_set(&sink) == ATC_OK);
}

void apply() {
  const atc_settings before = settings();
  std::int32_t level_before = 0, level = 0;
  REQUIRE_CALL(atc_log_level_get(&level_before) == ATC_OK);
  const bool refused = fuzz::refused(atc_settings_from_env(),
                                     {ATC_ERROR_INVALID_ARGUMENT, ATC_ERROR_IO, ATC_ERROR_BUSY});
  REQUIRE_CALL(atc_log_level_get(&level) == ATC_OK);
  if (refused) {
    REQUIRE(same(before, settings()));
    REQUIRE(level == level_before);
  }
  const char* path = nullptr;
  REQUIRE_CALL(atc_get_library_path(&path) == ATC_OK && path != nullptr);
}

void trace(const char* file) {
  atc_trace_options options{};
  options.struct_size = sizeof options;
  options.file = file;
  if (fuzz::refused(atc_trace_start(&options), {ATC_ERROR_INVALID_ARGUMENT, ATC_ERROR_IO})) return;
  fuzz::refused(atc_trace_stop(nullptr), {ATC_ERROR_IO});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const atc_settings at_start = settings();
  for (const char* const name : kVariables) unsetenv(name);
  watch_log();
  fs::create_directory(folder() / "made");
  set_lines({reinterpret_cast<const char*>(data), size});
  const char* const file = std::getenv("ATC_TRACE");
  const std::string name = file == nullptr ? "" : file;
  unsetenv("ATC_TRACE");
  if (file != nullptr) trace(name.c_str());
  apply();

  REQUIRE_CALL(atc_store_use(nullptr) == ATC_OK);
  REQUIRE_CALL(atc_set_pins(nullptr) == ATC_OK);
  REQUIRE_CALL(atc_settings_apply(&at_start) == ATC_OK);
  REQUIRE_CALL(atc_log_level_set(ATC_LOG_WARNING) == ATC_OK);
  std::error_code ignored;
  fs::remove_all(folder() / "made", ignored);
  return 0;
}
