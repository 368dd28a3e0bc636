#include "store/index.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>

#include "core/format.hpp"
#include "core/text.hpp"
#include "store/temp_name.hpp"

namespace atc::store {
namespace {

constexpr std::string_view kManifest = "manifest.json";
constexpr std::string_view kExtension = ".json";
constexpr std::string_view kSidecarExtension = ".z";
constexpr std::size_t kFamilyDigits = 8, kHashDigits = 32, kEnvironmentDigits = 16;
// The number of characters of an entry's file name without the extension.
constexpr std::size_t kNameDigits = kFamilyDigits + 1 + kHashDigits;
// A folder with more than kLargeFolder files is read at most once per kLargeFolderPause, even if it
// changes more often.
constexpr std::size_t kLargeFolder = 4096;
constexpr std::chrono::seconds kLargeFolderPause{1};
// If the time stamp of a folder is older than this when the folder is read, every later change of
// the folder changes the time stamp. (Time stamps have a resolution of 10 ms or finer. On FAT the
// resolution is 2 s, but a store should not be on FAT.)
constexpr std::int64_t kSettleNanoseconds = 1'000'000'000;

std::optional<std::uint64_t> exact_hex(std::string_view digits, std::size_t count) {
  return digits.size() == count ? from_hex(digits) : std::nullopt;
}

struct Parsed {
  std::uint32_t family = 0;
  Hash128 key;
  std::optional<Hash128> sidecar;
};

// Splits the file name of an entry or a sidecar (a large text that belongs to an entry) into its
// parts. Returns nullopt for any other name.
std::optional<Parsed> parse(std::string_view file) {
  const bool entry = ends_with(file, kExtension);
  if (!entry && !ends_with(file, kSidecarExtension)) return std::nullopt;
  const std::string_view stem =
      file.substr(0, file.size() - (entry ? kExtension : kSidecarExtension).size());
  if (stem.size() != kNameDigits + (entry ? 0 : 1 + kHashDigits) || stem[kFamilyDigits] != '-')
    return std::nullopt;
  const auto family = exact_hex(stem.substr(0, kFamilyDigits), kFamilyDigits);
  const auto key = hash128_from_hex(stem.substr(kFamilyDigits + 1, kHashDigits));
  if (!family || !key) return std::nullopt;
  Parsed parsed{static_cast<std::uint32_t>(*family), *key, {}};
  if (entry) return parsed;
  parsed.sidecar = hash128_from_hex(stem.substr(kNameDigits + 1));
  if (stem[kNameDigits] != '-' || !parsed.sidecar) return std::nullopt;
  return parsed;
}

std::int64_t wall_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Removes a file if it is the temporary file of a process that no longer exists. If the file cannot
// be removed, the next opening of the store tries again.
void remove_if_abandoned(const std::string& folder, const std::string& file) {
  if (temp_state(file) == TempState::abandoned) remove_file(folder, file);
}

}  // namespace

std::string Index::folder_of(std::uint64_t environment) const {
  return root_ + "/" + hex64(environment);
}

std::string Index::file_name(const Place& place) {
  return hex32(place.family) + "-" + hex128(place.key) + std::string(kExtension);
}

std::string Index::path_of(const Place& place) const {
  return folder_of(place.environment) + "/" + file_name(place);
}

std::string Index::file_name(const Place& place, const Hash128& sidecar) {
  return hex32(place.family) + "-" + hex128(place.key) + "-" + hex128(sidecar) +
         std::string(kSidecarExtension);
}

std::string Index::path_of(const Place& place, const Hash128& sidecar) const {
  return folder_of(place.environment) + "/" + file_name(place, sidecar);
}

int Index::read_folder(std::uint64_t environment, Temps temps, Folder* out) const {
  const std::string path = folder_of(environment);
  out->read_at = std::chrono::steady_clock::now();
  const std::int64_t now = wall_clock_ns();
  if (const int error = identify(path, &out->seen); error != 0) return error;
  // Here the folder's time is not subtracted from `now`, because a folder may have any time, and
  // the difference could overflow.
  out->settled = out->seen.changed_ns < now - kSettleNanoseconds;
  std::vector<Name> names;
  const int error = for_each_name(path, [&](std::string_view file) {
    if (const auto parsed = parse(file)) {
      const Name name{parsed->family, parsed->key};
      if (parsed->sidecar) {
        out->sidecars[name].insert(*parsed->sidecar);
      } else {
        names.push_back(name);
      }
      return;
    }
    if (file == kManifest) return;
    if (temp_state(file) == TempState::not_temp) {
      out->strays.push_back(path + "/" + std::string(file));
    } else if (temps == Temps::remove_abandoned) {
      remove_if_abandoned(path, std::string(file));
    }
  });
  std::sort(names.begin(), names.end());
  for (const Name& name : names) out->names.insert(out->names.end(), name);
  return error;
}

int Index::read_root(Temps temps, std::vector<std::uint64_t>* environments) const {
  const std::string path = root_ + "/.";
  return for_each_name(path, [&](std::string_view name) {
    if (const auto environment = exact_hex(name, kEnvironmentDigits)) {
      environments->push_back(*environment);
    } else if (temps == Temps::remove_abandoned) {
      remove_if_abandoned(path, std::string(name));
    }
  });
}

void Index::adopt(std::uint64_t environment, Folder folder, int error) {
  const std::lock_guard lock(mutex_);
  if (error == 0) {
    folders_[environment] = std::move(folder);
  } else if (error == ENOENT) {
    folders_.erase(environment);
  }
}

std::vector<std::string> Index::scan(Temps temps) {
  std::vector<std::string> troubles;
  std::vector<std::uint64_t> present;
  if (const int error = read_root(temps, &present); error != 0) {
    troubles.push_back(format("{} cannot be read ({})", root_, text_of(error)));
    return troubles;
  }
  for (const std::uint64_t environment : present) {
    Folder folder;
    const int error = read_folder(environment, temps, &folder);
    if (error != 0 && error != ENOENT) {
      troubles.push_back(
          format("{} {}", folder_of(environment),
                 error == ELOOP ? "is a symbolic link; no entry is read from it or written there"
                                : format("cannot be read ({})", text_of(error))));
    }
    adopt(environment, std::move(folder), error);
  }
  std::sort(present.begin(), present.end());
  const std::lock_guard lock(mutex_);
  for (auto item = folders_.begin(); item != folders_.end();) {
    const bool there = std::binary_search(present.begin(), present.end(), item->first);
    item = there ? std::next(item) : folders_.erase(item);
  }
  return troubles;
}

bool Index::current(std::uint64_t environment, bool may_wait) const {
  FileId now;
  if (identify(folder_of(environment), &now) != 0) return false;
  const std::lock_guard lock(mutex_);
  const auto found = folders_.find(environment);
  if (found == folders_.end()) return false;
  const Folder& folder = found->second;
  if (folder.settled && folder.seen == now) return true;
  return may_wait && folder.names.size() > kLargeFolder &&
         std::chrono::steady_clock::now() - folder.read_at < kLargeFolderPause;
}

void Index::refresh(std::uint64_t environment) {
  if (current(environment, true)) return;
  Folder folder;
  const int error = read_folder(environment, Temps::leave, &folder);
  adopt(environment, std::move(folder), error);
}

void Index::refresh() {
  std::vector<std::uint64_t> present;
  // If the root folder does not exist (ENOENT), the whole store was removed. Then the known folders
  // are still looked at, so that the index notices that they no longer exist.
  if (const int error = read_root(Temps::leave, &present); error != 0 && error != ENOENT) return;
  for (const std::uint64_t environment : environments()) present.push_back(environment);
  std::sort(present.begin(), present.end());
  present.erase(std::unique(present.begin(), present.end()), present.end());
  for (const std::uint64_t environment : present) {
    if (current(environment, false)) continue;
    Folder folder;
    const int error = read_folder(environment, Temps::leave, &folder);
    adopt(environment, std::move(folder), error);
  }
}

void Index::insert(const Place& place) {
  const std::lock_guard lock(mutex_);
  folders_[place.environment].names.insert({place.family, place.key});
}

void Index::erase(const Place& place) {
  const std::lock_guard lock(mutex_);
  const auto found = folders_.find(place.environment);
  if (found != folders_.end()) found->second.names.erase({place.family, place.key});
}

void Index::insert(const Place& place, const Hash128& sidecar) {
  const std::lock_guard lock(mutex_);
  folders_[place.environment].sidecars[{place.family, place.key}].insert(sidecar);
}

void Index::erase(const Place& place, const Hash128& sidecar) {
  const std::lock_guard lock(mutex_);
  const auto folder = folders_.find(place.environment);
  if (folder == folders_.end()) return;
  auto& sidecars = folder->second.sidecars;
  const auto found = sidecars.find({place.family, place.key});
  if (found == sidecars.end()) return;
  found->second.erase(sidecar);
  if (found->second.empty()) sidecars.erase(found);
}

bool Index::contains(const Place& place) const {
  const std::lock_guard lock(mutex_);
  const auto found = folders_.find(place.environment);
  return found != folders_.end() && found->second.names.count({place.family, place.key}) > 0;
}

std::size_t Index::size() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [environment, folder] : folders_) count += folder.names.size();
  return count;
}

std::vector<Place> Index::all() const {
  std::vector<Place> places;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [environment, folder] : folders_) {
      for (const Name& name : folder.names) places.push_back({environment, name.family, name.key});
    }
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.key < b.key; });
  return places;
}

std::vector<Place> Index::all_of(std::uint64_t environment) const {
  const std::lock_guard lock(mutex_);
  const auto found = folders_.find(environment);
  if (found == folders_.end()) return {};
  std::vector<Place> places;
  for (const Name& name : found->second.names)
    places.push_back({environment, name.family, name.key});
  return places;
}

std::vector<Place> Index::family(std::uint64_t environment, std::uint32_t family) const {
  const std::lock_guard lock(mutex_);
  const auto found = folders_.find(environment);
  if (found == folders_.end()) return {};
  std::vector<Place> places;
  const std::set<Name>& names = found->second.names;
  for (auto name = names.lower_bound({family, {}}); name != names.end() && name->family == family;
       ++name) {
    places.push_back({environment, family, name->key});
  }
  return places;
}

std::vector<std::uint64_t> Index::environments() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> result;
  result.reserve(folders_.size());
  for (const auto& [environment, folder] : folders_) result.push_back(environment);
  return result;
}

std::vector<Hash128> Index::sidecars_of(const Place& place) const {
  const std::lock_guard lock(mutex_);
  const auto folder = folders_.find(place.environment);
  if (folder == folders_.end()) return {};
  const auto found = folder->second.sidecars.find({place.family, place.key});
  if (found == folder->second.sidecars.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<Place> Index::with_sidecars() const {
  const std::lock_guard lock(mutex_);
  std::vector<Place> places;
  for (const auto& [environment, folder] : folders_)
    for (const auto& [name, sidecars] : folder.sidecars)
      places.push_back({environment, name.family, name.key});
  return places;
}

std::vector<std::string> Index::strays() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> result;
  for (const auto& [environment, folder] : folders_) {
    result.insert(result.end(), folder.strays.begin(), folder.strays.end());
  }
  return result;
}

}  // namespace atc::store
