// Remembered decisions on disk. Knows keys and JSON, nothing of convolutions.
//
// A store is a directory:
//   <dir>/<16 hex: environment>/manifest.json                      the environment, for people
//   <dir>/<16 hex: environment>/<8 hex: family>-<32 hex: key>.json one entry
//   <dir>/<16 hex: environment>/<8 hex: family>-<32 hex: key>-<32 hex: text>.z
//                                                                  a sidecar of that entry
//   <dir>/ceilings-<16 hex: environment>.json                      conv/explain/ceilings.hpp's, no
//   entry <dir>/newest                                                   empty; its time is that of
//   the
//                                                                  newest entry
// Names are hashes of the key, which the entry itself spells out; a name that does not fit the key
// is never trusted. Entries appear by rename, so that a reader sees a whole entry or none, even if
// a process dies; there are no locks. The next call sees what other processes have changed on disk.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/seal.hpp"
#include "store/sidecar_name.hpp"
#include "store/trust.hpp"

namespace atc::store {

using Json = nlohmann::json;

constexpr std::size_t kMaxBundleBytes = std::size_t{1} << 30;

struct Key;
class CanonicalKey;
struct Entry;

// Values equal `atc_store_mode` in include/atc/store.h.
enum class Mode : std::int32_t { off = 1, read = 2, read_write = 3, replay_only = 4 };
std::string_view name_of(Mode mode);  // as ATC_MODE spells it
std::optional<Mode> mode_from_name(std::string_view name);

struct Options {
  Mode mode = Mode::read_write;
  std::uint64_t max_entries = 1'000'000;  // per store, at least 1; the oldest files go first
  Sharing sharing = Sharing::nobody;
  // By which files of this user that were written here are known (secret.hpp). None: of no file.
  std::optional<Secret> secret;
  std::function<void(const std::string&)> warn;  // one line per distinct trouble, from any thread
};

// What becomes of an entry of the store whose key the bundle has, too. Values equal ATC_OFF, ATC_ON
// and ATC_REPLACE_JOIN.
enum class Present : std::int32_t {
  stays = 1,     // but a firm entry replaces a provisional one
  replaced = 2,  // but no firm entry by a provisional one
  joined = 3,    // by the order of decisions (join.hpp)
};

struct ImportOptions {
  Present present = Present::stays;
  // Entries from outside lose their compiled parts and are marked (kReceived).
  bool drops_compiled = false, marks = false;
};

struct ImportReport {
  std::size_t added = 0, kept = 0;  // kept: entries not added, because a local one has their key
};

// All members may be called from several threads at once. Members that write throw Error(io) in any
// mode but read_write.
class Store {
 public:
  // Reads names only. In read_write, makes the directory and removes temporary files that dead
  // processes of this host left. Throws Error(io) when the directory cannot be used; off touches
  // nothing.
  static std::shared_ptr<Store> open(const std::filesystem::path& directory, Options options);
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // The identity of this object: no other store of the process has or had it.
  std::uint64_t id() const { return id_; }
  // How often changed() was called, by any of this process's stores of the same directory.
  std::uint64_t epoch() const { return epoch_->load(std::memory_order_acquire); }
  // To be called after a change of the contents that cached plans have to notice.
  void changed() { epoch_->fetch_add(1, std::memory_order_acq_rel); }

  virtual Mode mode() const = 0;
  virtual std::filesystem::path directory() const = 0;
  // Why the environment's store cannot be replayed, a sentence with a way out: no decision can be
  // made. "": it can.
  virtual std::string trouble() const { return ""; }
  // Null when there is no valid entry; a bad entry also causes one warning.
  virtual std::shared_ptr<const Entry> get(const CanonicalKey& key) = 0;
  // Entries of `environment` and `family` for which `accept` returns true. Reads the files of that
  // family only. In an environment of more than 4,096 entries, entries that other processes add are
  // found within a second. `accept` may call the store.
  virtual std::vector<std::shared_ptr<const Entry>> find(
      const Json& environment, std::string_view family,
      const std::function<bool(const Entry&)>& accept) = 0;
  // The entry is on disk when put returns (synced, so that a full disk is noticed here). When the
  // disk refuses, keeps the entry in memory, warns once and throws Error(io). Throws
  // Error(bad_record), and keeps nothing, when the value has no object "choice", is too large, too
  // deep or not UTF-8. Returns false, and writes nothing, when the value is provisional and the
  // present entry is firm, unless `replaces_firm`.
  virtual bool put(const Key& key, const Json& value, bool replaces_firm = false) = 0;
  virtual bool remove(const CanonicalKey& key) = 0;  // false: there was none
  // Writes a sidecar for the entry of that key; the caller then puts the entry, with the sidecar's
  // name in it. The sidecar is on disk when the function returns. Throws Error(bad_record) when it
  // is larger than kMaxSidecarBytes, Error(io) when the disk refuses.
  virtual SidecarName put_sidecar(const Key& key, std::string_view text) = 0;
  // Read from disk at each call. nullopt and one warning if the sidecar is gone or damaged, or if
  // other users may have written it; nullopt if it was written elsewhere.
  virtual std::optional<std::string> sidecar(const CanonicalKey& key, const SidecarName& name) = 0;
  virtual std::size_t size() = 0;  // files by name, and entries that only memory holds
  virtual std::vector<std::shared_ptr<const Entry>> list() = 0;  // valid entries, ordered by key
  // With the sidecars that entries name. Equal entries and sidecars give equal bytes.
  virtual std::string export_bundle() = 0;
  // Adds the bundle's entries; `options` say what becomes of local ones with the same keys. Changes
  // nothing when it throws Error(bad_record), which names the entry, or Error(io) because the
  // bundle does not fit into max_entries. Throws Error(io) when the disk refuses; entries added
  // before stay.
  virtual ImportReport import_bundle(std::string_view bytes, const ImportOptions& options = {}) = 0;
  // 64-bit hash over sorted (key, choices) pairs: equal digests mean equal choices, firm or not.
  // Sidecars are not part of it.
  virtual std::uint64_t digest() = 0;
  // Reads and checks every file; returns one line per bad file. A missing sidecar is no bad file.
  virtual std::vector<std::string> verify() = 0;
  // Removes bad files, all but the newest `keep` entries, and sidecars that no entry names; returns
  // how many files, sidecars of removed entries not counted. Entries of a newer schema are not bad.
  // Sidecars written within the last hour stay, because their entry may be about to be written.
  virtual std::size_t prune(std::uint64_t keep) = 0;

 protected:
  using Epoch = std::atomic<std::uint64_t>;
  explicit Store(std::shared_ptr<Epoch> epoch);
  // The counter that all stores of this directory share.
  static std::shared_ptr<Epoch> epoch_of(const std::filesystem::path& directory);

 private:
  const std::uint64_t id_;
  const std::shared_ptr<Epoch> epoch_;
};

// Joins bundles without a store, entry by entry (join.hpp). Their order has no influence. Throws
// Error(bad_record) for a bad bundle.
std::string merge_bundles(const std::vector<std::string_view>& bundles,
                          bool drops_compiled = false);

// Whether decisions are looked for in `store`, which may be null.
inline bool reads(const std::shared_ptr<Store>& store) {
  return store != nullptr && store->mode() != Mode::off;
}

}  // namespace atc::store
