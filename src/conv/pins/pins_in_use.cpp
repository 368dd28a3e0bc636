#include "conv/pins/pins_in_use.hpp"

#include <mutex>
#include <optional>
#include <utility>

#include "conv/memory.hpp"
#include "conv/pins/pin_pattern.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "store/hash.hpp"

namespace atc::conv {

namespace {

constexpr const char* kVariable = "ATC_PINS";

struct State {
  std::mutex mutex;
  // True if it is known which pin file is in use: a call has set it, or the environment variable
  // ATC_PINS has been read.
  bool decided = false;
  std::shared_ptr<const PinFile> file;
  std::optional<Error> trouble;  // the error of reading the file that ATC_PINS names
};

State& state() {
  // This static object is never destroyed, because other threads may still convolve while the
  // process exits.
  static auto* const state = new State;
  return *state;
}

}  // namespace

std::shared_ptr<const PinFile> pins_from_environment() {
  const auto path = environment_text(kVariable);
  if (!path) return nullptr;
  PinFile file = read_pin_file(from_start_folder(*path));
  file.path = *path;  // Messages show the path of the pin file as the user wrote it.
  return std::make_shared<const PinFile>(std::move(file));
}

std::shared_ptr<const PinFile> pins_in_use() {
  State& here = state();
  const std::lock_guard lock(here.mutex);
  if (!here.decided) {
    try {
      here.file = pins_from_environment();
    } catch (const Error& error) {
      here.trouble = Error(
          error.status(),
          format("{} (named by {}; correct it, or unset the variable)", error.what(), kVariable));
    }
    here.decided = true;
  }
  if (here.trouble) throw Error(*here.trouble);
  return here.file;
}

PinsForProblem pins_for(const Problem& problem, const Request& request) {
  PinsForProblem pins;
  pins.file = pins_in_use();
  if (pins.file != nullptr)
    static_cast<MatchingPins&>(pins) = matching(*pins.file, pattern_fields(problem, request));
  return pins;
}

void use_pins(std::shared_ptr<const PinFile> file) {
  State& here = state();
  {
    const std::lock_guard lock(here.mutex);
    here.file.swap(file);
    here.trouble.reset();
    here.decided = true;
  }
  decisions_changed();
}

void use_pin_file(const std::string& path) {
  use_pins(path.empty() ? nullptr : std::make_shared<const PinFile>(read_pin_file(path)));
}

std::uint64_t with_pins(std::uint64_t store_digest) {
  const auto file = pins_in_use();
  if (file == nullptr) return store_digest;
  return store::hash64(store::hex64(store_digest) + store::hex64(file->hash));
}

}  // namespace atc::conv
