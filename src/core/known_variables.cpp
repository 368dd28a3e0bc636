#include "core/known_variables.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "core/format.hpp"
#include "core/log.hpp"
#include "core/nearest_name.hpp"
#include "core/text.hpp"

namespace atc {

namespace {

constexpr std::string_view kPrefix = "ATC_";

constexpr std::string_view kLibrary = "libatc", kBuild = "builds", kScripts = "scripts",
                           kTests = "tests";

bool is(const KnownVariable& known, std::string_view name) {
  if (!ends_with(known.name, "*")) return known.name == name;
  const std::string_view beginning = known.name.substr(0, known.name.size() - 1);
  return name.substr(0, beginning.size()) == beginning;
}

std::string warning_of(std::string_view name) {
  constexpr std::size_t kMostShown = 64;
  // the names of the known variables without the common prefix ATC_
  std::vector<std::string_view> names;
  for (const KnownVariable& known : known_variables())
    if (!ends_with(known.name, "*")) names.push_back(known.name.substr(kPrefix.size()));
  const std::string_view nearest = nearest_name(name.substr(kPrefix.size()), names);
  return format(
      "{}{} in the environment is not known to atc and is ignored{}; docs/environment.md "
      "lists all variables",
      name.substr(0, kMostShown), name.size() > kMostShown ? "…" : "",
      nearest.empty() ? "" : format(" (did you mean {}{}?)", kPrefix, nearest));
}

}  // namespace

const std::vector<KnownVariable>& known_variables() {
  static const auto* const variables = new std::vector<KnownVariable>{
      {"ATC_BENCHMARK", kLibrary, "`0` or `1`: the switch `benchmark_cudnn`"},
      {"ATC_CHECK_RECORDS", kLibrary,
       "`foreign` (default), `always` or `never`: which choices have to pass the "
       "correctness gate (the check of results against a reference) before their first use "
       "([trust](trust.md#what-arrives-from-outside))"},
      {"ATC_DETERMINISTIC", kLibrary, "`0` or `1`: the switch `deterministic_cudnn`"},
      {"ATC_EXPECTED_CALLS", kLibrary,
       "a number above 0 (default 30000) or `inf`: the number of calls in which a decision "
       "is expected to be used. A candidate is timed if it is expected to save more time in "
       "these calls than timing it takes ([tuning](tuning.md#which-candidates-get-a-turn))"},
      {"ATC_LIBRARY_PATH", kLibrary,
       "folders, separated by `:`, in which libcuda, cuDNN, cuBLASLt and NVML are looked for "
       "first"},
      {"ATC_LOG", kLibrary,
       "`off`, `error`, `warning` (default), `info` or `debug`: which log lines are written "
       "to standard error. If `,json` follows, each line is a JSON object"},
      {"ATC_MODE", kLibrary,
       "`off`, `read`, `read-write` (default) or `replay-only`: the mode in which the store of "
       "`ATC_STORE` is opened"},
      {"ATC_OTHER_VERSIONS", kLibrary,
       "`0` (default) or `1`: the value of the option `other_versions` for calls that do not set "
       "it ([tuning](tuning.md#records-of-other-versions))"},
      {"ATC_PINS", kLibrary, "a pin file ([pins](pins.md))"},
      {"ATC_PLAN_MEMORY_LIMIT", kLibrary,
       "bytes, such as `512M` or `2G` (default), or `unlimited`: the host memory that kept plans "
       "may "
       "take ([threading](threading.md#kept-plans))"},
      {"ATC_RACE_MEMORY_LIMIT", kLibrary,
       "bytes, such as `512M` or `2G`, or `unlimited`: the memory that a race may allocate "
       "beyond the memory that the program holds. Default: a quarter of the free memory "
       "([tuning](tuning.md#the-memory-of-a-race))"},
      {"ATC_STORE", kLibrary,
       "the folder of the store in use, or several folders separated by colons: "
       "[layers](tuning.md#layers)"},
      {"ATC_STORE_TRUST", kLibrary,
       "`owner` (default): compiled parts of a store are loaded only from files that nobody "
       "except the user and root may write. `group`: members of the process's groups may "
       "write them, too. `none`: no compiled parts are loaded "
       "([trust](trust.md#hostile-stores))"},
      {"ATC_TRACE", kLibrary,
       "a file, to which a trace of the process is written when the process ends "
       "([tracing](tracing.md))"},
      {"ATC_TUNE", kLibrary,
       "`off`, `on`, `later`, `beside` or `predict`: the value of the option `tune` for "
       "calls that do not set it ([when to tune](when-to-tune.md#which-value-of-tune))"},
      {"ATC_RECORD", "libatc_torch, atc-candle",
       "a file, to which the convolutions of the process are recorded ([libtorch](libtorch.md), "
       "[candle](candle.md))"},
      {"ATC_LIBRARY", "Python package", "the file `libatc.so.1` that the package opens"},
      {"ATC_CMAKE_ARGS", kBuild,
       "arguments for CMake, separated by spaces, used when cargo builds libatc"},
      {"ATC_DEPS_DIR", kBuild,
       "the folder in which `scripts/setup` installs dependencies and in which CMake looks "
       "for them"},
      {"ATC_DOWNLOAD_CACHE", kBuild, "the folder in which `scripts/setup` keeps what it downloads"},
      {"ATC_LIB_DIR", kBuild, "the folder of an installed `libatc.so`, which cargo links"},
      {"ATC_RUNTIME_DIR", kBuild,
       "the folder in which programs built by cargo look for libatc at run time"},
      {"ATC_TORCH_PYTHON", kScripts,
       "`scripts/release-check wheel`: a Python with torch, where the package is tested"},
      {"ATC_TORCH_VERSIONS_DIR", kScripts, "`scripts/torch-versions`: its build tree"},
      {"ATC_WHEEL_BUILD", kScripts, "`scripts/release-check wheel`: the build tree of the wheel"},
      {"ATC_FUZZ_SECONDS", kTests, "how long the command line's fuzz targets run"},
      {"ATC_FUZZ_SEED", kTests,
       "the seed by which the command line's fuzz targets change their inputs"},
      {"ATC_STORE_STRESS_SECONDS", kTests,
       "how long the stress test runs in which several processes share a store"},
      {"ATC_STUB_*", kTests, "values that the stand-ins for CUDA's libraries return"},
      {"ATC_TEST_*", kTests,
       "files that the process of one test passes to the process of the next"},
  };
  return *variables;
}

void warn_of_unknown_variables() {
  // If the process has more rights than its caller, libatc reads no variable.
  if (environ == nullptr || getauxval(AT_SECURE) != 0) return;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.substr(0, kPrefix.size()) != kPrefix) continue;
    const std::size_t end = text.find('=');
    if (end == std::string_view::npos || end + 1 == text.size()) continue;
    const std::string_view name = text.substr(0, end);
    const auto& known = known_variables();
    if (std::any_of(known.begin(), known.end(),
                    [&](const KnownVariable& one) { return is(one, name); }))
      continue;
    log_once(LogLevel::warning, warning_of(name));
  }
}

}  // namespace atc
