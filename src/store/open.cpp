// Store::open, and the counter of changes that all stores of one directory share.
#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>

#include "core/error.hpp"
#include "store/directory_store.hpp"
#include "store/empty_store.hpp"

namespace atc::store {
namespace {

struct NamedMode {
  std::string_view name;
  Mode mode;
};
constexpr NamedMode kModes[] = {{"off", Mode::off},
                                {"read", Mode::read},
                                {"read-write", Mode::read_write},
                                {"replay-only", Mode::replay_only}};

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Returns the path without any "/" and "/." at its end, so that the last part of the path is the
// name of the folder.
std::filesystem::path ending_in_name(std::filesystem::path directory) {
  while (directory.has_relative_path() &&
         (!directory.has_filename() || directory.filename() == "."))
    directory = directory.parent_path();
  return directory;
}

// Returns the same text for all paths that mean the same directory. The directory need not exist
// yet.
std::string real_path(const std::filesystem::path& directory) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(directory, error);
  return error ? directory.string() : real.string();
}

}  // namespace

Store::Store(std::shared_ptr<Epoch> epoch) : id_(next_id()), epoch_(std::move(epoch)) {}

std::shared_ptr<Store::Epoch> Store::epoch_of(const std::filesystem::path& directory) {
  struct Epochs {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<Epoch>> of;
  };
  // This object is never destroyed, because detached threads may use it while the process exits.
  static auto* const known = new Epochs;
  const std::lock_guard lock(known->mutex);
  for (auto entry = known->of.begin(); entry != known->of.end();)
    entry = entry->second.expired() ? known->of.erase(entry) : std::next(entry);
  std::weak_ptr<Epoch>& kept = known->of[real_path(directory)];
  std::shared_ptr<Epoch> epoch = kept.lock();
  if (epoch == nullptr) kept = epoch = std::make_shared<Epoch>(0);
  return epoch;
}

std::string_view name_of(Mode mode) {
  const auto* found = std::find_if(std::begin(kModes), std::end(kModes),
                                   [&](const NamedMode& named) { return named.mode == mode; });
  return found == std::end(kModes) ? "?" : found->name;
}

std::optional<Mode> mode_from_name(std::string_view name) {
  const auto* found = std::find_if(std::begin(kModes), std::end(kModes),
                                   [&](const NamedMode& named) { return named.name == name; });
  return found == std::end(kModes) ? std::nullopt : std::optional(found->mode);
}

std::shared_ptr<Store> Store::open(const std::filesystem::path& directory, Options options) {
  if (name_of(options.mode) == "?") {
    fail(Status::invalid_argument, "store mode {} is none of off (1) to replay-only (4)",
         static_cast<std::int32_t>(options.mode));
  }
  if (options.mode == Mode::off) return std::make_shared<EmptyStore>(Mode::off, directory);
  if (directory.empty()) fail(Status::io, "cannot use \"\" as a store: name a folder");
  std::error_code error;
  // The path is made absolute, because the process may change its working directory later.
  const std::filesystem::path absolute = std::filesystem::absolute(directory, error);
  if (error) {
    fail(Status::io, "cannot use {} as a store: {}; name an absolute path", directory.string(),
         error.message());
  }
  return std::make_shared<DirectoryStore>(ending_in_name(absolute).string(), std::move(options));
}

}  // namespace atc::store
