#include "store/in_use.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "store/empty_store.hpp"
#include "store/layered_store.hpp"
#include "store/secret.hpp"

namespace atc::store {
namespace {

constexpr const char *kStore = "ATC_STORE", *kMode = "ATC_MODE";

struct State {
  std::mutex mutex;
  bool decided = false;  // true if use() was called, or if the environment was read
  std::shared_ptr<Store> store;
};

State& state() {
  // The state is never destroyed, because other threads may still run convolutions while the
  // process exits.
  static auto* const state = new State;
  return *state;
}

std::optional<Mode> mode_from_environment() {
  const auto text = environment_text(kMode);
  if (!text) return std::nullopt;
  if (const auto mode = mode_from_name(*text)) return mode;
  fail(Status::invalid_argument,
       "{}={} in the environment: use off, read, read-write or replay-only", kMode, *text);
}

// Returns the folders that the value of ATC_STORE names. If the whole value is an existing folder,
// it is the only one. Otherwise the value is a list of folders separated by ':'.
std::vector<std::filesystem::path> layers_of(const std::string& value) {
  std::error_code error;
  if (std::filesystem::is_directory(value, error)) return {value};
  std::vector<std::filesystem::path> folders;
  const std::string all = environment_folders(kStore).value_or(value);
  for (std::size_t from = 0; from <= all.size();) {
    const std::size_t to = std::min(all.find(':', from), all.size());
    if (to == from)
      fail(Status::io, "{}={} has an empty name between its colons: name a folder there", kStore,
           value);
    folders.emplace_back(all.substr(from, to - from));
    from = to + 1;
  }
  return folders;
}

std::shared_ptr<Store> open(const std::string& directory, Mode mode) {
  Options options;
  options.mode = mode;
  options.warn = [](const std::string& line) { log_once(LogLevel::warning, line); };
  options.sharing = sharing_of_process();
  options.secret = secret_of_process(mode == Mode::read_write);
  return open_layers(layers_of(directory), options);
}

// Opens a store for writing. If it cannot be written, opens it for reading. So a store in a
// read-only container image works without ATC_MODE=read.
std::shared_ptr<Store> open_for_writing(const std::string& directory) {
  try {
    return open(directory, Mode::read_write);
  } catch (const Error& error) {
    std::shared_ptr<Store> store;
    try {
      store = open(directory, Mode::read);
    } catch (const Error&) {
      // The error of opening for writing is thrown, because it says more than that of opening for
      // reading: for example, that the folder could not be made.
      throw Error(error);
    }
    log_once(LogLevel::warning,
             format("{}={} cannot be written, so that decisions are read from there and new ones "
                    "are not kept ({}); set {}=read if that is meant",
                    kStore, directory, error.what(), kMode));
    return store;
  }
}

// Opens the store that the environment names. Returns null if the environment names none.
std::shared_ptr<Store> open_named(std::optional<Mode> mode) {
  const auto directory = environment_path(kStore);
  if (!directory && mode == Mode::replay_only)
    fail(Status::io, "{} names no store to replay, which {}=replay-only needs", kStore, kMode);
  if (!directory) return nullptr;
  if (mode.value_or(Mode::read_write) == Mode::read_write) return open_for_writing(*directory);
  return open(*directory, *mode);
}

// Returns a store that takes the place of a store that cannot be used, if ATC_MODE is replay-only
// or malformed. With it every decision fails: in replay-only mode all choices must come from the
// real store, and other choices must not be made silently. Functions that need no decision, such as
// setters, work.
std::shared_ptr<Store> nothing_to_replay(const std::string& trouble) {
  return std::make_shared<EmptyStore>(
      Mode::replay_only, environment_path(kStore).value_or(""),
      format("{}; correct {} and {}, or unset {}", trouble, kMode, kStore, kMode));
}

std::shared_ptr<Store> from_environment() {
  std::optional<Mode> mode;
  try {
    mode = mode_from_environment();
  } catch (const Error& error) {
    // ATC_MODE may be a misspelt "replay-only", so nothing may be measured.
    return nothing_to_replay(error.what());
  }
  try {
    return open_named(mode);
  } catch (const Error& error) {
    if (mode == Mode::replay_only)
      return nothing_to_replay(
          format("{}=replay-only in the environment: {}", kMode, error.what()));
    log_once(LogLevel::warning, format("{} is ignored: {}", kStore, error.what()));
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

std::shared_ptr<Store> open_from_environment() { return open_named(mode_from_environment()); }

void use(std::shared_ptr<Store> store) {
  State& here = state();
  {
    const std::lock_guard lock(here.mutex);
    here.store.swap(store);
    here.decided = true;
  }  // The previous store is released here, outside of the lock.
}

}  // namespace atc::store
