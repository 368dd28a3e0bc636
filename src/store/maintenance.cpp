// The functions of a directory store that process all of its entries: export, import, digest,
// verify, prune.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "store/digest.hpp"
#include "store/directory_store.hpp"
#include "store/join.hpp"
#include "store/origin.hpp"

namespace atc::store {
namespace {

// If put() finds the store full, it removes max_entries / kRoomFraction entries at once. So only
// few calls of put() have to look at the times of all files.
constexpr std::uint64_t kRoomFraction = 16;
// A sidecar (a large text in a file of its own) is written before the entry that names it. If no
// entry names the sidecar this long after it was written, no entry will, and it can be removed.
constexpr std::chrono::hours kEntryFollows{1};

}  // namespace

std::string DirectoryStore::export_bundle() {
  std::map<Hash128, std::string> lines;
  BundleSidecars sidecars;
  for_each_valid([&](const LoadedPtr& loaded) {
    const Record& record = loaded->record;
    Entry entry = record.entry;
    drop_checked(entry.value);
    lines.emplace(record.place.key, entry_to_text(entry));
    for (const SidecarName& name : sidecars_of(record.entry.value)) {
      const std::string path = index_.path_of(record.place, name.hash);
      SidecarFile sidecar =
          read_sidecar(index_.folder_of(record.place.environment),
                       Index::file_name(record.place, name.hash), name.hash, name.bytes);
      FileText& file = sidecar.file;
      if (file.state == FileText::State::absent) continue;
      if (file.state == FileText::State::read) {
        if (may_use(sidecar, record.key_text, record.place, path))
          sidecars.emplace(std::pair(record.place.key, name.hash),
                           BundleSidecar{name, std::move(file.text)});
      } else {
        warn(format("{} {}; it is done without", path, file.reason));
      }
    }
  });
  return write_bundle(lines, sidecars);
}

namespace {

// Prepares a value that is imported: removes the compiled parts and adds the mark of received
// decisions, as `options` say, and removes results of checks, which only hold where they were made.
void receive(Json& value, const ImportOptions& options) {
  if (options.drops_compiled) drop_compiled(value);
  if (options.marks) mark_received(value);
  drop_checked(value);
}

Entry received(const BundleLine& line, const ImportOptions& options) {
  Entry entry = entry_from_text(line.text);
  receive(entry.value, options);
  if (options.present == Present::joined) entry.value = join(entry.value, entry.value);
  return entry;
}

// Returns the incoming entry joined with the decisions of the local entry. Returns nothing if the
// result is the local value, or if the result is too large for an entry.
std::optional<Entry> joined(const Entry& local, Entry incoming) {
  Json present = local.value;
  // If this user has not written the local entry, its decisions are marked as received. Without the
  // mark, the joined entry, which this user writes, would look as if this user had measured them.
  if (local.foreign || local.elsewhere) {
    mark_received(present);
    drop_checked(present);
  }
  incoming.value = join(present, incoming.value);
  if (incoming.value == present) return std::nullopt;
  try {
    entry_to_text(incoming);
  } catch (const Error& error) {
    if (error.status() != Status::bad_record) throw;
    return std::nullopt;
  }
  return incoming;
}

}  // namespace

ImportReport DirectoryStore::import_bundle(std::string_view bytes, const ImportOptions& options) {
  require_writing("import a bundle");
  const Bundle bundle =
      read_bundle(bytes, options.drops_compiled ? Sidecars::leave : Sidecars::take);
  // The marks that are added may make an entry too large. This is checked here, so that the error
  // is thrown before anything is changed.
  constexpr std::size_t kMarks = std::size_t{1} << 10;
  for (const BundleLine& line : bundle.lines)
    if (options.marks && line.text.size() + kMarks > kMaxEntryBytes)
      entry_to_text(received(line, options));
  ImportReport report;
  std::vector<BundleLine> wanted, better;
  const auto yields = [&](Json local, const BundleLine& line) {
    if (is_provisional(local) != line.provisional) return !line.provisional;
    // A decision that was exported from this store and comes back has lost its compiled parts. It
    // is still the same decision. So the compiled parts of the local decision are also removed
    // before the two decisions are compared.
    receive(local, options);
    return options.present == Present::replaced && received(line, options).value != local;
  };
  for (const BundleLine& line : bundle.lines) {
    const LoadedPtr local = fetch(line.place);
    if (!local) {
      wanted.push_back(line);
    } else if (options.present == Present::joined || yields(local->record.entry.value, line)) {
      better.push_back(line);
    } else {
      ++report.kept;
    }
  }
  // The entries of the store take precedence: if the new entries exceed max_entries, the import
  // fails, and does not displace entries of the store.
  const std::size_t now = size();
  if (now + wanted.size() > options_.max_entries) {
    fail(Status::io,
         "cannot import {} new entries into store {}: it has {} and may have {}; prune it first",
         wanted.size(), root_, now, options_.max_entries);
  }
  const ImportReport added = add(wanted, bundle.sidecars, options);
  report.added = added.added;
  report.kept += added.kept;
  for (const BundleLine& line : better) {
    Entry entry = received(line, options);
    if (options.present == Present::joined) {
      const LoadedPtr local = fetch(line.place);
      auto both = local ? joined(local->record.entry, std::move(entry)) : std::move(entry);
      if (!both) {
        ++report.kept;
        continue;
      }
      entry = std::move(*both);
    }
    // The result of this call is ignored: if the disk fails, the next put() reports the error.
    add_sidecars(line, entry.key, bundle.sidecars);
    const bool taken = put(entry.key, entry.value, false);
    ++(taken ? report.added : report.kept);
  }
  return report;
}

int DirectoryStore::add_sidecars(const BundleLine& line, const Key& key,
                                 const BundleSidecars& sidecars) {
  const CanonicalKey canonical(key);
  for (const SidecarName& name : line.sidecars) {
    const auto found = sidecars.find({line.place.key, name.hash});
    if (found == sidecars.end()) continue;
    const std::string& packed = found->second.packed;
    const Unpacked unpacked = unpack(packed, name.hash, name.bytes);
    if (const int error = write(key, line.place, Index::file_name(line.place, name.hash),
                                seal_of_sidecar(canonical, unpacked.text.value_or("")) + packed,
                                write_options(Sync::no, Replace::yes), nullptr);
        error != 0)
      return error;
    index_.insert(line.place, name.hash);
  }
  return 0;
}

ImportReport DirectoryStore::add(const std::vector<BundleLine>& lines,
                                 const BundleSidecars& sidecars, const ImportOptions& options) {
  ImportReport report;
  for (const BundleLine& line : lines) {
    const Entry entry = received(line, options);
    const std::string text = sealed_text(entry.key, entry.value) + "\n";
    // The files are not synced, because thousands of syncs take minutes. After a power failure the
    // bundle still exists and can be imported again.
    int error = add_sidecars(line, entry.key, sidecars);
    if (error == 0)
      error =
          write_entry(entry.key, line.place, text, write_options(Sync::no, Replace::no), nullptr);
    if (error == EEXIST) {
      // Another process has just made the file. Its entry is kept, like an entry that the store
      // already had.
      if (fetch(line.place)) {
        ++report.kept;
        continue;
      }
      // The existing file of the entry is bad, so it is replaced.
      error =
          write_entry(entry.key, line.place, text, write_options(Sync::no, Replace::yes), nullptr);
    }
    if (error != 0) {
      fail(Status::io, "cannot write {}: {}; {} of {} new entries were imported",
           index_.path_of(line.place), text_of(error), report.added, lines.size());
    }
    index_.insert(line.place);
    ++report.added;
  }
  return report;
}

namespace {}  // namespace

std::uint64_t DirectoryStore::digest() {
  Digest digest;
  for_each_valid([&](const LoadedPtr& loaded) {
    digest.add(loaded->record.place.key, loaded->record.entry.value);
  });
  return digest.value();
}

std::vector<std::string> DirectoryStore::verify() {
  std::vector<std::string> lines = index_.scan(Index::Temps::leave);
  for (const Place& place : index_.all()) {
    const Outcome outcome = load(place);
    if (!outcome.reason.empty()) {
      lines.push_back(index_.path_of(place) + " " + outcome.reason);
    }
  }
  for (const Place& place : index_.with_sidecars()) {
    for (const Hash128& hash : index_.sidecars_of(place)) {
      const std::string path = index_.path_of(place, hash);
      const FileText file = read_sidecar(index_.folder_of(place.environment),
                                         Index::file_name(place, hash), hash, std::nullopt)
                                .file;
      if (!file.reason.empty()) lines.push_back(path + " " + file.reason);
    }
  }
  for (const std::string& stray : index_.strays()) {
    lines.push_back(stray + " does not have the name of an entry or a sidecar");
  }
  return lines;
}

bool DirectoryStore::remove_entry(const Place& place) {
  const int error = remove_file(index_.folder_of(place.environment), Index::file_name(place));
  if (error != 0 && error != ENOENT) {
    warn(format("{} cannot be removed ({})", index_.path_of(place), text_of(error)));
    return false;
  }
  index_.erase(place);
  for (const Hash128& hash : index_.sidecars_of(place)) remove_sidecar(place, hash);
  return error == 0;
}

bool DirectoryStore::remove_sidecar(const Place& place, const Hash128& hash) {
  const int error = remove_file(index_.folder_of(place.environment), Index::file_name(place, hash));
  if (error != 0 && error != ENOENT) {
    warn(format("{} cannot be removed ({})", index_.path_of(place, hash), text_of(error)));
    return false;
  }
  index_.erase(place, hash);
  return error == 0;
}

std::size_t DirectoryStore::remove_unnamed(const Place& place,
                                           const std::vector<SidecarName>& named) {
  const auto just_now = std::chrono::system_clock::now() - kEntryFollows;
  const std::int64_t just_now_ns = std::chrono::nanoseconds(just_now.time_since_epoch()).count();
  std::size_t removed = 0;
  for (const Hash128& hash : index_.sidecars_of(place)) {
    const bool is_named = std::any_of(named.begin(), named.end(),
                                      [&](const SidecarName& name) { return name.hash == hash; });
    FileId id;
    if (is_named || identify(index_.path_of(place, hash), &id) != 0) continue;
    if (id.changed_ns < just_now_ns) removed += remove_sidecar(place, hash) ? 1U : 0U;
  }
  return removed;
}

std::size_t DirectoryStore::prune_sidecars() {
  std::size_t removed = 0;
  for (const Place& place : index_.with_sidecars()) {
    for (const Hash128& hash : index_.sidecars_of(place)) {
      const FileText file = read_sidecar(index_.folder_of(place.environment),
                                         Index::file_name(place, hash), hash, std::nullopt)
                                .file;
      if (!file.reason.empty() && file.error == 0) removed += remove_sidecar(place, hash) ? 1U : 0U;
    }
    const Outcome outcome = load(place);
    // If `outcome.spare` is true, this process cannot read the entry. So it does not know which
    // sidecars the entry names. So it deletes none of them.
    if (outcome.spare) continue;
    removed +=
        remove_unnamed(place, outcome.loaded ? sidecars_of(outcome.loaded->record.entry.value)
                                             : std::vector<SidecarName>());
  }
  return removed;
}

std::size_t DirectoryStore::prune(std::uint64_t keep) {
  require_writing("prune entries");
  for (const std::string& trouble : index_.scan(Index::Temps::remove_abandoned)) warn(trouble);
  std::size_t removed = 0;
  for (const Place& place : index_.all()) {
    const Outcome outcome = load(place);
    if (!outcome.reason.empty() && !outcome.spare) removed += remove_entry(place) ? 1U : 0U;
  }
  removed += keep_newest(keep, nullptr);
  return removed + prune_sidecars();
}

void DirectoryStore::make_room(const Place& newest) {
  const std::uint64_t most = std::max<std::uint64_t>(options_.max_entries, 1);
  if (index_.size() <= most) return;
  const std::unique_lock lock(making_room_, std::try_to_lock);
  if (!lock) return;  // another thread already removes old entries
  for (const std::string& trouble : index_.scan(Index::Temps::leave)) warn(trouble);
  if (index_.size() > most) keep_newest(most - most / kRoomFraction, &newest);
}

std::size_t DirectoryStore::keep_newest(std::uint64_t keep, const Place* spare) {
  struct Aged {
    std::int64_t changed_ns;
    Place place;
  };
  std::vector<Aged> files;
  for (const Place& place : index_.all()) {
    FileId id;
    if (identify(index_.path_of(place), &id) != 0) continue;
    files.push_back({spare != nullptr && place == *spare ? INT64_MAX : id.changed_ns, place});
  }
  if (files.size() <= keep) return 0;
  std::stable_sort(files.begin(), files.end(),
                   [](const Aged& a, const Aged& b) { return a.changed_ns < b.changed_ns; });
  files.resize(files.size() - keep);
  std::size_t removed = 0;
  for (const Aged& file : files) removed += remove_entry(file.place) ? 1U : 0U;
  return removed;
}

}  // namespace atc::store
