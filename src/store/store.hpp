// Remembered decisions on disk. Knows keys and JSON, nothing of convolutions.
//
// A store is a directory:
//   <dir>/<16 hex: environment>/manifest.json                      the environment, for people
//   <dir>/<16 hex: environment>/<8 hex: family>-<32 hex: key>.json one entry
//   <dir>/<16 hex: environment>/<8 hex: family>-<32 hex: key>-<32 hex: text>.z
//                                                                  a sidecar of that entry
// Names are hashes of what the entry itself spells out, and the entry is believed, never the name.
// Entries appear by rename, so a reader sees a whole entry or none, whichever process dies when;
// there are no locks. What is on disk counts: a change by another process is seen by the next call
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/hash.hpp"

namespace atc::store {

using Json = nlohmann::json;

constexpr std::size_t kMaxEntryBytes = std::size_t{64} << 10;    // larger files are refused unread
constexpr std::size_t kMaxSidecarBytes = std::size_t{16} << 20;  // of its text, and of its file
constexpr std::size_t kMaxBundleBytes = std::size_t{1} << 30;

// Both parts are JSON objects; equal keys have equal canonical dumps. The environment (device,
// library versions, schema) names the sub-directory, the rest names the file. `family` is what
// `find` looks for: problems that may stand in for one another carry the same text (say, all but
// the batch). It is part of the identity; empty is a family too.
struct Key {
  Json environment = Json::object();
  Json problem = Json::object();
  std::string family;
};

// Where an entry lives; made of hashes alone.
struct Place {
  std::uint64_t environment = 0;
  std::uint32_t family = 0;
  Hash128 key;
  bool operator==(const Place& other) const {
    return environment == other.environment && family == other.family && key == other.key;
  }
};

// A key written out and hashed: hold one where a look-up repeats. Throws Error(invalid_argument)
// when a part is no object or cannot be written as JSON.
class CanonicalKey {
 public:
  CanonicalKey(const Key& key);  // implicit on purpose: store->get(key)
  const std::string& text() const { return text_; }
  const Place& place() const { return place_; }

 private:
  std::string text_;
  Place place_;
};

struct Entry {
  Key key;
  Json value;  // holds an object "choice"; the rest is the caller's, but for kProvisional
};

// A value with this member is provisional: one without it, a firm one, replaces it by put, import
// and merge, and is not replaced by it.
inline constexpr const char* kProvisional = "provisional";
bool is_provisional(const Json& value);

// A text that is too large for an entry and not needed at each look-up: it is kept compressed in a
// file beside the entry, which names it in a member of its value, or of one of the value's
// "others". It is an accelerator: an entry whose sidecar is gone or damaged is as good an entry.
struct SidecarName {
  Hash128 hash;             // of the text
  std::uint64_t bytes = 0;  // likewise
  bool operator==(const SidecarName& other) const {
    return hash == other.hash && bytes == other.bytes;
  }
};
inline constexpr const char* kSidecar = "sidecar";
Json to_json(const SidecarName& name);
std::optional<SidecarName> sidecar_from_json(const Json& json);  // none: it is no name of one

// Entries as text: {"schema", "checksum", "key", "value"} when written by us. Reading takes an
// entry without schema and checksum too (what a caller hands in) and throws Error(bad_record) that
// says why.
std::string entry_to_text(const Entry& entry);
Entry entry_from_text(std::string_view text);

// Values equal `atc_store_mode` in include/atc/store.h.
enum class Mode : std::int32_t { off = 1, read = 2, read_write = 3, replay_only = 4 };
std::string_view name_of(Mode mode);  // as ATC_MODE spells it
std::optional<Mode> mode_from_name(std::string_view name);

struct Options {
  Mode mode = Mode::read_write;
  std::uint64_t max_entries = 1'000'000;         // per store, at least 1; the oldest files go first
  std::function<void(const std::string&)> warn;  // one line per distinct trouble, from any thread
};

struct ImportReport {
  std::size_t added = 0, kept = 0;  // kept: the local entry stood and was not replaced
};

// All members may be called from several threads at once. Members that write throw Error(io) when
// the mode does not write.
class Store {
 public:
  // Reads names only, removes temporary files that dead processes of this host left (in
  // read_write). read_write makes the directory. Throws Error(io) when it cannot be used; off
  // touches nothing.
  static std::shared_ptr<Store> open(const std::filesystem::path& directory, Options options);
  virtual ~Store() = default;

  virtual Mode mode() const = 0;
  virtual std::filesystem::path directory() const = 0;
  // Null when there is no valid entry. A bad entry is a miss and one warning.
  virtual std::shared_ptr<const Entry> get(const CanonicalKey& key) = 0;
  // Entries of `environment` and `family` for which `accept` holds. Reads the files of that family
  // only. In an environment of more than 4,096 entries, those that other processes add are found
  // within a second. `accept` may call the store.
  virtual std::vector<std::shared_ptr<const Entry>> find(
      const Json& environment, std::string_view family,
      const std::function<bool(const Entry&)>& accept) = 0;
  // On disk when it returns (synced, so a full disk shows here). When the disk refuses: remembered
  // in memory, one warning, Error(io). Error(bad_record), nothing remembered: no object "choice",
  // too large, too deep, not UTF-8. False, nothing written: the value is provisional, and the entry
  // that is there firm.
  virtual bool put(const Key& key, const Json& value) = 0;
  virtual bool remove(const CanonicalKey& key) = 0;  // false: there was none
  // Writes a sidecar for the entry of that key, which is then to be put with its name. On disk when
  // it returns. Error(bad_record): larger than kMaxSidecarBytes. Error(io) when the disk refuses.
  virtual SidecarName put_sidecar(const Key& key, std::string_view text) = 0;
  // Read anew at each call. One that is gone or damaged is none, and one warning.
  virtual std::optional<std::string> sidecar(const CanonicalKey& key, const SidecarName& name) = 0;
  virtual std::size_t size() = 0;  // files by name, and what only memory holds
  virtual std::vector<std::shared_ptr<const Entry>> list() = 0;  // valid entries, ordered by key
  // With the sidecars that entries name. Equal entries and sidecars, equal bytes.
  virtual std::string export_bundle() = 0;
  // Local entries stand, but for provisional ones where the bundle has a firm one.
  // Error(bad_record) names the entry and changes nothing; so does Error(io) when the bundle does
  // not fit into max_entries. Error(io) when the disk refuses: what was added stays.
  virtual ImportReport import_bundle(std::string_view bytes) = 0;
  // 64-bit hash over sorted (key, choice) pairs: equal digests, equal choices, firm or not.
  // Sidecars are no part of it.
  virtual std::uint64_t digest() = 0;
  // Every file read and checked; one line per bad one. A sidecar that is not there is no bad file.
  virtual std::vector<std::string> verify() = 0;
  // Removes bad files, all but the newest `keep` entries, and sidecars that no entry names; how
  // many files went, sidecars of removed entries aside. Entries of a newer schema are left alone,
  // as is for an hour a sidecar whose entry may be about to be written.
  virtual std::size_t prune(std::uint64_t keep) = 0;
};

// Joins bundles without a store; the first bundle that holds a key wins, or the first that holds a
// firm entry of it. Error(bad_record) on a bad one.
std::string merge_bundles(const std::vector<std::string_view>& bundles);

}  // namespace atc::store
