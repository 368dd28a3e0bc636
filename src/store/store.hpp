// Stores decisions on disk. The code uses keys and JSON values; it does not depend on convolutions.
//
// A store is a directory:
//   <dir>/<16 hex: environment>/manifest.json                      the environment, for people
//   <dir>/<16 hex: environment>/<8 hex: family>-<32 hex: key>.json one entry
//   <dir>/<16 hex: environment>/<8 hex: family>-<32 hex: key>-<32 hex: text>.z
//                                                                  a sidecar of that entry
//   <dir>/ceilings-<16 hex: environment>.json                      see conv/race/ceilings.hpp
//   <dir>/experience-<16 hex: environment>.json                    see conv/race/experience.hpp
//   <dir>/newest                                                   empty; the time of this file is
//                                                                  that of the newest entry
// File names are hashes of the key. The entry also contains its whole key; if the key does not fit
// the file's name, the entry is not used. Entries are written by renaming a complete file, so that
// a reader sees a whole entry or none, even if the writing process dies. There are no locks. If
// another process has changed the files, the next call of a function uses the new files.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/hash.hpp"
#include "store/seal.hpp"
#include "store/sidecar_name.hpp"
#include "store/trust.hpp"

namespace atc::store {

using Json = nlohmann::json;

constexpr std::size_t kMaxBundleBytes = std::size_t{1} << 30;

struct Key;
class CanonicalKey;
struct Entry;

// The mode of a store. The values are those of `atc_store_mode` in include/atc/store.h.
enum class Mode : std::int32_t { off = 1, read = 2, read_write = 3, replay_only = 4 };
std::string_view name_of(Mode mode);  // Returns the name of the mode, as it is written in ATC_MODE.
std::optional<Mode> mode_from_name(std::string_view name);

struct Options {
  Mode mode = Mode::read_write;
  // The largest number of entries in the store, at least 1. If there are more entries, the oldest
  // entries are removed.
  std::uint64_t max_entries = 1'000'000;
  Sharing sharing = Sharing::nobody;
  // The secret (secret.hpp) by which the store recognises files that this user's processes wrote.
  // Without a secret, each of this user's files counts as written elsewhere.
  std::optional<Secret> secret;
  // Called with a warning if there is trouble with the store or a file, once for each different
  // text, from any thread.
  std::function<void(const std::string&)> warn;
};

// The ways in which an import can treat an entry of the store if the bundle has an entry with the
// same key. The values are those of ATC_OFF, ATC_ON and ATC_REPLACE_JOIN.
enum class Present : std::int32_t {
  // The entry of the store is kept. Exception: a firm entry of the bundle replaces a provisional
  // entry of the store.
  stays = 1,
  // The entry of the store is replaced. Exception: a provisional entry of the bundle does not
  // replace a firm entry of the store.
  replaced = 2,
  // The entry of the store and the entry of the bundle are joined to one entry (join.hpp).
  joined = 3,
};

struct ImportOptions {
  Present present = Present::stays;
  // `drops_compiled`: the compiled parts of the bundle's entries are removed. `marks`: the entries
  // are marked as received (kReceived).
  bool drops_compiled = false, marks = false;
};

struct ImportReport {
  // `kept` is the number of entries of the bundle that were not added, because the store already
  // has an entry with the same key.
  std::size_t added = 0, kept = 0;
};

// A set of the hashes of keys.
using Seen = std::set<Hash128>;

// The functions may be called from several threads at once. Functions that write throw Error(io)
// unless the mode is read_write.
class Store {
 public:
  // Opens a store. Only the names of its files are read. If the mode is read_write, the directory
  // is made if it does not exist, and temporary files of dead processes of this host are removed.
  // Throws Error(io) if the directory cannot be used. If the mode is off, the directory is not
  // accessed.
  static std::shared_ptr<Store> open(const std::filesystem::path& directory, Options options);
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Returns a number that identifies this object. No other store of this process has or ever had
  // this number.
  std::uint64_t id() const { return id_; }
  // Returns how often changed() was called, on all stores of this process that use the same
  // directory.
  std::uint64_t epoch() const { return epoch_->load(std::memory_order_acquire); }
  // Counts a change of the store's contents. Must be called after each change after which cached
  // plans have to look up their decisions again.
  void changed() { epoch_->fetch_add(1, std::memory_order_acq_rel); }

  virtual Mode mode() const = 0;
  virtual std::filesystem::path directory() const = 0;
  // Returns "" if the store can be used. Otherwise returns a sentence that says why the store
  // cannot be replayed, and how to correct this. In this case no decision can be made.
  virtual std::string trouble() const { return ""; }
  // Returns the entry with this key. Returns null if there is no valid entry. A bad entry also
  // causes one warning.
  virtual std::shared_ptr<const Entry> get(const CanonicalKey& key) = 0;
  // Returns the entries of `environment` and `family` (problems that may use each other's entries)
  // for which `accept` returns true. Only the files of this family are read. If the environment has
  // more than 4,096 entries, an entry that another process adds may be found up to a second later.
  // `accept` may call the store.
  virtual std::vector<std::shared_ptr<const Entry>> find(
      const Json& environment, std::string_view family,
      const std::function<bool(const Entry&)>& accept) = 0;
  // Returns the keys of those entries of `environment` that are not in `seen`, and adds them to
  // `seen`. The entries themselves are not checked: get() may find that an entry is bad.
  virtual std::vector<Key> unseen_keys(const Json& environment, Seen& seen) = 0;
  // Returns the environments (device and library versions) of the entries, in the order of their
  // texts. Each environment is read from one of its entries. If the first eight entries of an
  // environment cannot be read, it is left out. If an environment has lost its last entry, it may
  // still be in the list.
  virtual std::vector<Json> environments() = 0;
  // Writes an entry and syncs it, so that the entry is on the disk when the function returns, and a
  // full disk is noticed. If the entry cannot be written, it is kept in memory, one warning is
  // given, and Error(io) is thrown. If the value has no object "choice", or is too large, too deep
  // or not UTF-8, Error(bad_record) is thrown and nothing is kept. If the value is provisional and
  // the present entry is firm, the function writes nothing and returns false, unless
  // `replaces_firm` is true.
  virtual bool put(const Key& key, const Json& value, bool replaces_firm = false) = 0;
  // Removes the entry with this key. Returns false if there was no such entry.
  virtual bool remove(const CanonicalKey& key) = 0;
  // Writes a sidecar (a large text that belongs to an entry) for the entry of this key. After that,
  // the caller must put the entry, with the sidecar's name in its value. The sidecar is on the disk
  // when the function returns. Throws Error(bad_record) if the sidecar is larger than
  // kMaxSidecarBytes, and Error(io) if it cannot be written.
  virtual SidecarName put_sidecar(const Key& key, std::string_view text) = 0;
  // Reads a sidecar (a large text that belongs to an entry). Each call reads the disk. If the
  // sidecar is missing or damaged, or if other users may have written it, returns nullopt, with one
  // warning. If the sidecar was written elsewhere, returns nullopt without a warning.
  virtual std::optional<std::string> sidecar(const CanonicalKey& key, const SidecarName& name) = 0;
  // Returns the number of entries, including those that exist only in memory.
  virtual std::size_t size() = 0;
  // Returns the valid entries, ordered by their keys.
  virtual std::vector<std::shared_ptr<const Entry>> list() = 0;
  // Returns all entries with the sidecars (large texts that belong to entries) that they name, as a
  // bundle. The same entries and sidecars give the same bytes.
  virtual std::string export_bundle() = 0;
  // Adds the entries of a bundle. `options` determine what happens to entries of the store with the
  // same keys. Throws Error(bad_record), whose text names the bad entry, or Error(io) if the store
  // would have more than max_entries; in both cases nothing was changed. If an entry cannot be
  // written, also throws Error(io); entries that were added before are kept.
  virtual ImportReport import_bundle(std::string_view bytes, const ImportOptions& options = {}) = 0;
  // Returns a 64-bit hash of the sorted pairs (key, choices). If two digests are equal, the stores
  // have the same choices, whether the entries are firm or provisional. Sidecars (large texts that
  // belong to entries) are not part of the digest.
  virtual std::uint64_t digest() = 0;
  // Reads and checks every file. Returns one line of text for each bad file. A missing sidecar (a
  // large text that belongs to an entry) is not reported.
  virtual std::vector<std::string> verify() = 0;
  // Removes bad files, all entries except the newest `keep`, and sidecars (large texts that belong
  // to entries) that no entry names. Returns the number of removed files; the sidecars of removed
  // entries are not counted. Entries of a newer schema do not count as bad. Sidecars that were
  // written within the last hour remain, because their entry may be about to be written.
  virtual std::size_t prune(std::uint64_t keep) = 0;

 protected:
  using Epoch = std::atomic<std::uint64_t>;
  explicit Store(std::shared_ptr<Epoch> epoch);
  // Returns the counter of changes that all stores of this directory share.
  static std::shared_ptr<Epoch> epoch_of(const std::filesystem::path& directory);

 private:
  const std::uint64_t id_;
  const std::shared_ptr<Epoch> epoch_;
};

// Joins bundles without a store: entries with the same key are joined (join.hpp). The order of the
// bundles does not matter. Throws Error(bad_record) if a bundle is bad.
std::string merge_bundles(const std::vector<std::string_view>& bundles,
                          bool drops_compiled = false);

// Returns whether decisions are looked up in `store`. `store` may be null.
inline bool reads(const std::shared_ptr<Store>& store) {
  return store != nullptr && store->mode() != Mode::off;
}

}  // namespace atc::store
