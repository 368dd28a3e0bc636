#include "store/directory_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json_object.hpp"
#include "core/log.hpp"
#include "store/origin.hpp"

namespace atc::store {
namespace {

// Parsed entries are kept in memory until their texts together have this number of bytes. (A parsed
// entry takes about ten times the bytes of its text.)
constexpr std::size_t kCacheBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxWarnings = 1000;
// The largest number of entries that are read to learn the environment of a folder. (A newer
// version of atc may have written all entries of a folder, so that none of them can be read.)
constexpr std::size_t kMostTries = 8;
// The word from which, among others, the seal of an entry is computed (seal.hpp). The seal of a
// sidecar (a large text that belongs to an entry) is computed from kSidecar instead. So the seal of
// an entry is not valid for a sidecar, nor the other way round.
constexpr const char* kEntryPart = "entry";
// Name of the file whose time is that of the newest entry.
constexpr const char* kNewest = "newest";

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

[[noreturn]] void cannot_use(const std::string& root, const std::string& reason,
                             std::string_view way_out) {
  fail(Status::io, "cannot use {} as a store: {}; {}", root, reason, way_out);
}

}  // namespace

DirectoryStore::DirectoryStore(std::string root, Options options)
    : Store(epoch_of(root)), root_(std::move(root)), options_(std::move(options)), index_(root_) {
  namespace fs = std::filesystem;
  const bool writes = options_.mode == Mode::read_write;
  std::error_code status_error;
  fs::file_status status = fs::status(root_, status_error);
  if (writes && !fs::exists(status)) {
    const int error = make_folders(root_, folder_mode(options_.sharing));
    status = fs::status(root_, status_error);
    if (!fs::exists(status)) cannot_use(root_, text_of(error), "name a folder that can be made");
  }
  if (!fs::exists(status)) {
    cannot_use(root_, "it does not exist",
               "check the path, or open it in read-write mode to begin a store");
  }
  if (!fs::is_directory(status)) cannot_use(root_, "it is no folder", "name a folder");
  if (faccessat(AT_FDCWD, root_.c_str(), R_OK | X_OK, AT_EACCESS) != 0) {
    cannot_use(root_, text_of(errno), "name a folder that this user may read");
  }
  if (writes && faccessat(AT_FDCWD, root_.c_str(), W_OK, AT_EACCESS) != 0) {
    cannot_use(root_, text_of(errno),
               "name a folder that this user may write, or open it in mode read");
  }
  for (const std::string& trouble :
       index_.scan(writes ? Index::Temps::remove_abandoned : Index::Temps::leave)) {
    warn(trouble);
  }
}

std::shared_ptr<const Entry> DirectoryStore::entry_of(const LoadedPtr& loaded) {
  return {loaded, &loaded->record.entry};
}

void DirectoryStore::require_writing(std::string_view what) const {
  if (options_.mode == Mode::read_write) return;
  fail(Status::io, "cannot {} in store {}: it is open in mode {}; open it in mode {}", what, root_,
       name_of(options_.mode), name_of(Mode::read_write));
}

void DirectoryStore::warn(const std::string& line) {
  {
    const std::lock_guard lock(mutex_);
    if (warned_.size() >= kMaxWarnings || !warned_.insert(line).second) return;
  }
  if (options_.warn) options_.warn(line);
}

bool DirectoryStore::trusts(const Place& place, const std::string& path,
                            const Ownership& ownership) {
  const std::string folder = index_.folder_of(place.environment);
  const auto of = [](const std::string& name) {
    Ownership found;
    return ownership_of(name, &found) == 0 ? found : Ownership{0, 0, S_IWOTH};
  };
  const std::pair<std::string, Ownership> parts[] = {
      {root_, of(root_ + "/.")}, {folder, of(folder)}, {path, ownership}};
  for (const auto& [name, owner] : parts) {
    const std::string reason = distrust(owner, options_.sharing);
    if (reason.empty()) continue;
    // With Sharing::owner_neither the user has asked that no file is trusted. So no warning is
    // needed.
    if (options_.sharing != Sharing::owner_neither && !told_foreign_.test_and_set())
      warn(
          format("{} {}: decisions are read from there, and no compiled parts; make it yours and "
                 "writable by you alone, or set ATC_STORE_TRUST=group where a group shares it",
                 name, reason));
    return false;
  }
  return true;
}

bool DirectoryStore::wrote(const Ownership& ownership, std::string_view message,
                           const std::string& seal) {
  // The seals of other users' files cannot be checked, because their secrets are not known. The
  // function trusts() decides whether these users are trusted.
  if (ownership.user != geteuid()) return true;
  if (options_.secret && seal == seal_of(*options_.secret, message)) return true;
  if (!told_elsewhere_.test_and_set())
    log_once(LogLevel::info,
             format("{} has files that were unpacked or copied, or that an older atc wrote: their "
                    "choices are checked before they run, and compiled parts are compiled anew",
                    root_));
  return false;
}

std::string DirectoryStore::sealed_text(const CanonicalKey& key, const Json& value) const {
  std::string plain = encode(key, value);
  // Room in bytes for the JSON member that contains the seal.
  constexpr std::size_t kRoom = kSealBytes + 16;
  if (!options_.secret || plain.size() + kRoom > kMaxEntryBytes) return plain;
  Json sealed = value;
  sealed.erase(kSeal);
  sealed[kSeal] = seal_of(*options_.secret, sealed_message(kEntryPart, key.text(), sealed.dump()));
  return encode(key, sealed);
}

std::string DirectoryStore::seal_of_sidecar(const CanonicalKey& key, std::string_view text) const {
  if (!options_.secret) return "";
  return seal_of(*options_.secret, sealed_message(kSidecar, key.text(), text));
}

bool DirectoryStore::may_use(const SidecarFile& sidecar, const std::string& key_text,
                             const Place& place, const std::string& path) {
  return trusts(place, path, sidecar.file.ownership) &&
         wrote(sidecar.file.ownership, sealed_message(kSidecar, key_text, sidecar.text),
               sidecar.seal);
}

DirectoryStore::Outcome DirectoryStore::load(const Place& place) {
  FileText file =
      read_file(index_.folder_of(place.environment), Index::file_name(place), kMaxEntryBytes);
  if (file.state == FileText::State::absent) return {};
  if (file.state == FileText::State::refused)
    return {nullptr, std::move(file.reason), file.error != 0};
  Decoded decoded = decode(file.text);
  if (!decoded.record) return {nullptr, std::move(decoded.reason), decoded.newer_schema};
  if (!(decoded.record->place == place)) return {nullptr, "holds the entry of another key", false};
  auto loaded = std::make_shared<Loaded>();
  loaded->record = std::move(*decoded.record);
  Entry& entry = loaded->record.entry;
  entry.foreign = !trusts(place, index_.path_of(place), file.ownership);
  if (entry.foreign) {
    drop_compiled(entry.value);
  } else {
    const Record& record = loaded->record;
    entry.elsewhere = !wrote(
        file.ownership, sealed_message(kEntryPart, record.key_text, decoded.unsealed), record.seal);
    if (entry.elsewhere) name_compiled_texts(entry.value);
  }
  loaded->id = file.id;
  loaded->bytes = file.text.size();
  return {std::move(loaded), {}, false};
}

DirectoryStore::LoadedPtr DirectoryStore::unsaved(const Place& place) const {
  const std::lock_guard lock(mutex_);
  const auto found = unsaved_.find(place.key);
  return found == unsaved_.end() ? nullptr : found->second;
}

void DirectoryStore::remember(const LoadedPtr& loaded) {
  const std::lock_guard lock(mutex_);
  if (cache_bytes_ > kCacheBytes) {
    cache_.clear();
    cache_bytes_ = 0;
  }
  LoadedPtr& slot = cache_[loaded->record.place.key];
  if (slot) cache_bytes_ -= slot->bytes;
  cache_bytes_ += loaded->bytes;
  slot = loaded;
}

DirectoryStore::LoadedPtr DirectoryStore::fetch(const Place& place) {
  LoadedPtr cached;
  {
    const std::lock_guard lock(mutex_);
    // An entry that could not be written to the disk is newer than the entry's file, so it is used
    // first.
    if (const auto found = unsaved_.find(place.key); found != unsaved_.end()) return found->second;
    if (const auto found = cache_.find(place.key); found != cache_.end()) cached = found->second;
  }
  if (cached) {
    FileId now;
    if (identify(index_.path_of(place), &now) == 0 && now == cached->id) return cached;
  }
  Outcome outcome = load(place);
  if (outcome.loaded) {
    remember(outcome.loaded);
  } else if (!outcome.reason.empty()) {
    warn(format("{} {}; it is taken for absent", index_.path_of(place), outcome.reason));
  }
  return outcome.loaded;
}

std::shared_ptr<const Entry> DirectoryStore::get(const CanonicalKey& key) {
  const LoadedPtr loaded = fetch(key.place());
  if (!loaded) return nullptr;
  if (loaded->record.key_text != key.text()) {
    warn(format("{} holds another key of the same hash; it is taken for absent",
                index_.path_of(key.place())));
    return nullptr;
  }
  return entry_of(loaded);
}

std::vector<std::shared_ptr<const Entry>> DirectoryStore::find(
    const Json& environment, std::string_view family,
    const std::function<bool(const Entry&)>& accept) {
  const CanonicalKey sample(Key{environment, Json::object(), std::string(family)});
  const Place& like = sample.place();
  index_.refresh(like.environment);
  std::vector<Place> places = index_.family(like.environment, like.family);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [hash, loaded] : unsaved_) {
      const Place& place = loaded->record.place;
      if (place.environment == like.environment && place.family == like.family &&
          std::find(places.begin(), places.end(), place) == places.end()) {
        places.push_back(place);
      }
    }
  }
  std::vector<std::shared_ptr<const Entry>> result;
  for (const Place& place : places) {
    const LoadedPtr loaded = fetch(place);
    if (!loaded) continue;
    const Entry& entry = loaded->record.entry;
    if (entry.key.family == family && entry.key.environment == environment && accept(entry)) {
      result.push_back(entry_of(loaded));
    }
  }
  return result;
}

std::optional<Key> DirectoryStore::key_at(const Place& place) {
  const FileText file =
      read_file(index_.folder_of(place.environment), Index::file_name(place), kMaxEntryBytes);
  if (std::optional<Key> key = decode_key(file.text); key && CanonicalKey(*key).place() == place)
    return key;
  // The entry has another form, or it is not in a file. Warnings about a bad entry are given here.
  const LoadedPtr loaded = fetch(place);
  return loaded ? std::optional(loaded->record.entry.key) : std::nullopt;
}

std::vector<Key> DirectoryStore::unseen_keys(const Json& environment, Seen& seen) {
  const CanonicalKey sample(Key{environment, Json::object(), ""});
  const std::uint64_t folder = sample.place().environment;
  index_.refresh(folder);
  std::vector<Place> places = index_.all_of(folder);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [hash, loaded] : unsaved_)
      if (loaded->record.place.environment == folder) places.push_back(loaded->record.place);
  }
  std::vector<Key> result;
  for (const Place& place : places) {
    if (seen.count(place.key) != 0) continue;
    std::optional<Key> key = key_at(place);
    if (!key) continue;  // a damaged file may be repaired later
    seen.insert(place.key);
    if (key->environment == environment) result.push_back(std::move(*key));
  }
  return result;
}

Json DirectoryStore::environment_of(std::uint64_t folder) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = environments_.find(folder);
    if (known != environments_.end()) return known->second;
  }
  const std::vector<Place> places = index_.all_of(folder);
  for (std::size_t i = 0; i < std::min(places.size(), kMostTries); ++i) {
    const LoadedPtr loaded = fetch(places[i]);
    if (!loaded) continue;
    const Json& environment = loaded->record.entry.key.environment;
    const std::lock_guard lock(mutex_);
    environments_.emplace(folder, environment);
    return environment;
  }
  return nullptr;
}

std::vector<Json> DirectoryStore::environments() {
  index_.refresh();
  std::map<std::string, Json> found;
  for (const std::uint64_t folder : index_.environments())
    if (Json environment = environment_of(folder); !environment.is_null())
      found.emplace(environment.dump(), std::move(environment));
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [hash, loaded] : unsaved_) {
      const Json& environment = loaded->record.entry.key.environment;
      found.emplace(environment.dump(), environment);
    }
  }
  std::vector<Json> result;
  result.reserve(found.size());
  for (auto& [text, environment] : found) result.push_back(std::move(environment));
  return result;
}

int DirectoryStore::make_folder(const Key& key, std::uint64_t environment) {
  // The result of this call is ignored: if the root folder is missing, the next make_folder fails.
  make_folders(root_, folder_mode(options_.sharing));
  const std::string folder = index_.folder_of(environment);
  const int error = store::make_folder(folder, folder_mode(options_.sharing));
  if (error != 0 && error != EEXIST) return error;
  // The manifest is only for people to read. No code reads it, so it does not matter if it cannot
  // be written.
  const Json manifest = json_object({{"schema", 1}, {"environment", key.environment}});
  write_file(folder, "manifest.json", manifest.dump(2) + "\n", write_options(Sync::no, Replace::no),
             nullptr);
  return 0;
}

// Returns the options for writing a file. The file gets the time of this machine's clock, because
// the clock of a file server may be wrong.
WriteOptions DirectoryStore::write_options(Sync sync, Replace replace) const {
  return {sync, replace, file_mode(options_.sharing), now_ns()};
}

std::int64_t DirectoryStore::next_time() const {
  const std::int64_t now = now_ns();
  const std::string path = root_ + "/" + kNewest;
  FileId newest;
  const bool known = identify(path, &newest) == 0;
  const std::int64_t time = known ? std::max(now, newest.changed_ns + 1) : now;
  // If the file belongs to another user, its time cannot be set. In this case the file is replaced
  // by a new file. If the replacement also fails, the order of entries is determined by the clock
  // alone.
  if (known && set_time_of(path, time) == 0) return time;
  WriteOptions options = write_options(Sync::no, Replace::yes);
  options.time_ns = time;
  write_file(root_ + "/.", kNewest, "", options, nullptr);
  return time;
}

int DirectoryStore::write(const Key& key, const Place& place, const std::string& name,
                          std::string_view bytes, const WriteOptions& options, FileId* id) {
  const std::string folder = index_.folder_of(place.environment);
  int error = 0;
  bool looked = false;
  {
    const std::lock_guard lock(mutex_);
    looked = !has_manifest_.insert(place.environment).second;
  }
  if (!looked && access((folder + "/manifest.json").c_str(), F_OK) != 0) {
    error = make_folder(key, place.environment);
  }
  if (error == 0) error = write_file(folder, name, bytes, options, id);
  // ENOENT: another process has removed the folder since this process found it.
  if (error == ENOENT) {
    error = make_folder(key, place.environment);
    if (error == 0) error = write_file(folder, name, bytes, options, id);
  }
  if (error != 0) {
    const std::lock_guard lock(mutex_);
    has_manifest_.erase(place.environment);
  }
  return error;
}

int DirectoryStore::write_entry(const Key& key, const Place& place, std::string_view text,
                                WriteOptions options, FileId* id) {
  options.time_ns = next_time();
  return write(key, place, Index::file_name(place), text, options, id);
}

bool DirectoryStore::has_firm_file(const CanonicalKey& key) {
  const LoadedPtr there = load(key.place()).loaded;
  return there && there->record.key_text == key.text() &&
         !is_provisional(there->record.entry.value);
}

int DirectoryStore::write_provisional(const Key& key, const CanonicalKey& canonical,
                                      std::string_view text, FileId* id) {
  const Place& place = canonical.place();
  FileId there;
  const bool is_there = identify(index_.path_of(place), &there) == 0;
  WriteOptions options = write_options(Sync::yes, is_there ? Replace::yes : Replace::no);
  options.unless = [&] { return has_firm_file(canonical); };
  int error = write_entry(key, place, text, options, id);
  if (error == EEXIST) {  // another process has made the file in the meantime
    options.replace = Replace::yes;
    error = write_entry(key, place, text, options, id);
  }
  return error;
}

bool DirectoryStore::put(const Key& key, const Json& value, bool replaces_firm) {
  require_writing("put an entry");
  const CanonicalKey canonical(key);
  const std::string text = sealed_text(canonical, value);
  const bool yields = is_provisional(value) && !replaces_firm;
  if (yields) {
    const auto there = get(canonical);
    if (there != nullptr && !is_provisional(there->value)) return false;
  }
  // The text is decoded again, so that the entry in memory is exactly the entry that a reader of
  // the file gets.
  Decoded decoded = decode(text);
  if (!decoded.record) fail(Status::bad_record, "the entry {}", decoded.reason);
  auto loaded = std::make_shared<Loaded>();
  loaded->record = std::move(*decoded.record);
  loaded->bytes = text.size();
  const Place place = loaded->record.place;
  const int error = yields ? write_provisional(key, canonical, text + "\n", &loaded->id)
                           : write_entry(key, place, text + "\n",
                                         write_options(Sync::yes, Replace::yes), &loaded->id);
  if (yields && error == ECANCELED) {
    const std::lock_guard lock(mutex_);
    unsaved_.erase(place.key);
    return false;
  }
  if (error != 0) {
    loaded->record.entry.unsaved = true;
    {
      const std::lock_guard lock(mutex_);
      if (unsaved_.size() < options_.max_entries) unsaved_[place.key] = loaded;
    }
    warn(format("store {} cannot be written ({}); decisions are kept in memory alone", root_,
                text_of(error)));
    fail(Status::io,
         "cannot write {}: {}; the entry is kept in memory until the store is closed, so make room "
         "or name another folder",
         index_.path_of(place), text_of(error));
  }
  {
    const std::lock_guard lock(mutex_);
    unsaved_.erase(place.key);
  }
  remember(loaded);
  index_.insert(place);
  remove_unnamed(place, sidecars_of(value));
  make_room(place);
  return true;
}

bool DirectoryStore::remove(const CanonicalKey& key) {
  require_writing("remove an entry");
  bool removed = false;
  {
    const std::lock_guard lock(mutex_);
    removed = unsaved_.erase(key.place().key) > 0;
  }
  const Place& place = key.place();
  const int error = remove_file(index_.folder_of(place.environment), Index::file_name(place));
  if (error != 0 && error != ENOENT) {
    fail(Status::io, "cannot remove {}: {}", index_.path_of(place), text_of(error));
  }
  index_.erase(key.place());
  for (const Hash128& hash : index_.sidecars_of(key.place())) remove_sidecar(key.place(), hash);
  return removed || error == 0;
}

SidecarName DirectoryStore::put_sidecar(const Key& key, std::string_view text) {
  require_writing("put a sidecar");
  const CanonicalKey canonical(key);
  const Place place = canonical.place();
  const std::string packed = text.size() > kMaxSidecarBytes ? std::string() : pack(text);
  if (std::max(text.size(), packed.size()) > kMaxSidecarBytes) {
    fail(Status::bad_record, "a sidecar has {} bytes, more than the {} it may have", text.size(),
         kMaxSidecarBytes);
  }
  const SidecarName name = name_of_sidecar(text);
  const std::string file = Index::file_name(place, name.hash);
  // The sidecar (a large text that belongs to an entry) is written even if its file exists: the
  // existing file may be damaged, or so old that it will be pruned.
  if (const int error = write(key, place, file, seal_of_sidecar(canonical, text) + packed,
                              write_options(Sync::yes, Replace::yes), nullptr);
      error != 0) {
    fail(Status::io, "cannot write {}: {}", index_.path_of(place, name.hash), text_of(error));
  }
  index_.insert(place, name.hash);
  return name;
}

std::optional<std::string> DirectoryStore::sidecar(const CanonicalKey& key,
                                                   const SidecarName& name) {
  const Place& place = key.place();
  const std::string path = index_.path_of(place, name.hash);
  SidecarFile sidecar = read_sidecar(index_.folder_of(place.environment),
                                     Index::file_name(place, name.hash), name.hash, name.bytes);
  const FileText& file = sidecar.file;
  if (file.state == FileText::State::read) {
    if (!may_use(sidecar, key.text(), place, path)) return std::nullopt;
    return std::move(sidecar.text);
  }
  const bool absent = file.state == FileText::State::absent;
  warn(format("{} {}; it is done without", path, absent ? "is not there" : file.reason));
  return std::nullopt;
}

std::size_t DirectoryStore::size() {
  index_.refresh();
  std::size_t count = index_.size();
  const std::lock_guard lock(mutex_);
  for (const auto& [hash, loaded] : unsaved_) {
    count += index_.contains(loaded->record.place) ? 0U : 1U;
  }
  return count;
}

void DirectoryStore::for_each_valid(const std::function<void(const LoadedPtr&)>& visit) {
  for (const std::string& trouble : index_.scan(Index::Temps::leave)) warn(trouble);
  std::map<Hash128, Place> places;
  for (const Place& place : index_.all()) places.emplace(place.key, place);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [hash, loaded] : unsaved_) places[hash] = loaded->record.place;
  }
  for (const auto& [hash, place] : places) {
    LoadedPtr loaded = unsaved(place);
    if (!loaded) {
      // The cache is not used here: a visit of all entries would displace the entries that look-ups
      // need.
      Outcome outcome = load(place);
      if (!outcome.reason.empty()) {
        warn(format("{} {}; it is taken for absent", index_.path_of(place), outcome.reason));
      }
      loaded = std::move(outcome.loaded);
    }
    if (loaded) visit(loaded);
  }
}

std::vector<std::shared_ptr<const Entry>> DirectoryStore::list() {
  std::vector<LoadedPtr> all;
  for_each_valid([&](const LoadedPtr& loaded) { all.push_back(loaded); });
  std::sort(all.begin(), all.end(), [](const LoadedPtr& a, const LoadedPtr& b) {
    return a->record.key_text < b->record.key_text;
  });
  std::vector<std::shared_ptr<const Entry>> result;
  result.reserve(all.size());
  for (const LoadedPtr& loaded : all) result.push_back(entry_of(loaded));
  return result;
}

}  // namespace atc::store
