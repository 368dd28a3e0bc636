#include "store/in_use.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"

namespace atc::store {
namespace {

struct State {
  std::mutex mutex;
  bool decided = false;  // by a call, or by having read the environment
  std::shared_ptr<Store> store;
};

State& state() {
  // Never destroyed: other threads may still convolve while the process exits.
  static auto* const state = new State;
  return *state;
}

std::optional<Mode> mode_from_environment() {
  const auto text = environment_text("ATC_MODE");
  if (!text) return std::nullopt;
  if (const auto mode = mode_from_name(*text)) return mode;
  fail(Status::invalid_argument,
       "ATC_MODE={} in the environment: use off, read, read-write or replay-only", *text);
}

std::shared_ptr<Store> open(const std::string& directory, std::optional<Mode> mode) {
  Options options;
  if (mode) options.mode = *mode;
  options.warn = [](const std::string& line) { log_once(LogLevel::warning, line); };
  options.sharing = sharing_of_process();
  return Store::open(directory, std::move(options));
}

// A malformed ATC_MODE is told in a warning when the environment is first read, because the program
// may never have asked for a store. The store is then read alone: a misspelt read or replay-only
// must not change it. Not a part of from_environment: g++ 12 warns of an uninitialized value where
// the optional is assigned to inside the try block.
std::optional<Mode> usable_mode() {
  try {
    return mode_from_environment();
  } catch (const Error& error) {
    log_once(LogLevel::warning, format("{}; the store is opened for reading alone", error.what()));
    return Mode::read;
  }
}

std::shared_ptr<Store> from_environment() {
  const auto directory = environment_text("ATC_STORE");
  if (!directory) return nullptr;
  const std::optional<Mode> mode = usable_mode();
  try {
    return open(*directory, mode);
  } catch (const Error& error) {
    log_once(LogLevel::warning, format("ATC_STORE={} is ignored: {}", *directory, error.what()));
    return nullptr;
  }
}

}  // namespace

std::shared_ptr<Store> in_use() {
  State& here = state();
  const std::lock_guard lock(here.mutex);
  if (!here.decided) {
    here.store = from_environment();
    here.decided = true;
  }
  return here.store;
}

std::shared_ptr<Store> open_from_environment() {
  const auto mode = mode_from_environment();
  const auto directory = environment_text("ATC_STORE");
  return directory ? open(*directory, mode) : nullptr;
}

void use(std::shared_ptr<Store> store) {
  State& here = state();
  {
    const std::lock_guard lock(here.mutex);
    here.store.swap(store);
    here.decided = true;
  }  // the previous store is released outside the lock
}

}  // namespace atc::store
