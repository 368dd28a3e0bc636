#include "store/in_use.hpp"

#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/log.hpp"

namespace atc::store {
namespace {

struct Slot {
  std::mutex mutex;
  bool decided = false;  // by a call, or by having read the environment
  std::shared_ptr<Store> store;
};

Slot& slot() {
  // Never destroyed: other threads may still convolve while the process exits.
  static Slot* const slot = new Slot;
  return *slot;
}

std::shared_ptr<Store> from_environment() {
  const char* directory = std::getenv("ATC_STORE");
  if (directory == nullptr || *directory == '\0') return nullptr;
  Options options;
  if (const char* text = std::getenv("ATC_MODE"); text != nullptr && *text != '\0') {
    if (const auto mode = mode_from_name(text)) {
      options.mode = *mode;
    } else {
      log_once(LogLevel::warning,
               fmt::format("ATC_MODE={} is ignored: it is none of off, read, read-write and "
                           "replay-only",
                           text));
    }
  }
  options.warn = [](const std::string& line) { log_once(LogLevel::warning, line); };
  try {
    return Store::open(directory, std::move(options));
  } catch (const Error& error) {
    log_once(LogLevel::warning,
             fmt::format("ATC_STORE={} is ignored: {}", directory, error.what()));
    return nullptr;
  }
}

}  // namespace

std::shared_ptr<Store> in_use() {
  Slot& here = slot();
  const std::lock_guard lock(here.mutex);
  if (!here.decided) {
    here.store = from_environment();
    here.decided = true;
  }
  return here.store;
}

void use(std::shared_ptr<Store> store) {
  Slot& here = slot();
  {
    const std::lock_guard lock(here.mutex);
    here.store.swap(store);
    here.decided = true;
  }  // the one before goes outside the lock
}

}  // namespace atc::store
