// Decisions that are kept on disk. The store knows keys and JSON, but nothing of convolutions.
//
// A store is a directory:
//   <dir>/<16 hex: environment>/manifest.json                      the environment, for people
//   <dir>/<16 hex: environment>/<8 hex: family>-<32 hex: key>.json one entry
//   <dir>/<16 hex: environment>/<8 hex: family>-<32 hex: key>-<32 hex: text>.z
//                                                                  a sidecar of that entry
//   <dir>/ceilings-<16 hex: environment>.json                      conv/race/ceilings.hpp's
//   <dir>/experience-<16 hex: environment>.json                    conv/race/experience.hpp's
//   <dir>/newest                                                   empty; its time is that of the
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

// Values equal `atc_store_mode` in include/atc/store.h.
enum class Mode : std::int32_t { off = 1, read = 2, read_write = 3, replay_only = 4 };
std::string_view name_of(Mode mode);  // as ATC_MODE spells it
std::optional<Mode> mode_from_name(std::string_view name);

struct Options {
  Mode mode = Mode::read_write;
  std::uint64_t max_entries =
      1'000'000;  // per store, at least 1; the oldest files are removed first
  Sharing sharing = Sharing::nobody;
  // The secret (secret.hpp) by which the store recognises files that this user's processes wrote.
  // Without it the store recognises none.
  std::optional<Secret> secret;
  std::function<void(const std::string&)>
      warn;  // called once for each distinct trouble, from any thread
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

// The hashes of keys.
using Seen = std::set<Hash128>;

// All members may be called from several threads at once. Members that write throw Error(io) unless
// the mode is read_write.
class Store {
 public:
  // Opens a store; reads only the names of its files. In read_write, makes the directory if
  // necessary, and removes temporary files that dead processes of this host left. Throws Error(io)
  // if the directory cannot be used. In mode off, does not touch the directory.
  static std::shared_ptr<Store> open(const std::filesystem::path& directory, Options options);
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // The identity of this object. No other store of the process has it or ever had it.
  std::uint64_t id() const { return id_; }
  // How often changed() was called, on any of this process's stores of the same directory.
  std::uint64_t epoch() const { return epoch_->load(std::memory_order_acquire); }
  // Must be called after each change of the contents that cached plans have to notice.
  void changed() { epoch_->fetch_add(1, std::memory_order_acq_rel); }

  virtual Mode mode() const = 0;
  virtual std::filesystem::path directory() const = 0;
  // Returns "" if the store can be used. Otherwise returns a sentence that says why the store of
  // the environment cannot be replayed, and what to do; then no decision can be made.
  virtual std::string trouble() const { return ""; }
  // Returns null if there is no valid entry. A bad entry also causes one warning.
  virtual std::shared_ptr<const Entry> get(const CanonicalKey& key) = 0;
  // Returns the entries of `environment` and `family` for which `accept` returns true. Reads the
  // files of that family only. In an environment of more than 4,096 entries, an entry that another
  // process adds is found within a second. `accept` may call the store.
  virtual std::vector<std::shared_ptr<const Entry>> find(
      const Json& environment, std::string_view family,
      const std::function<bool(const Entry&)>& accept) = 0;
  // Returns the entries of `environment` whose keys are not in `seen`, and adds these keys to it.
  virtual std::vector<std::shared_ptr<const Entry>> unseen(const Json& environment, Seen& seen) = 0;
  // Writes an entry. It is on the disk when put returns: it is synced, so that a full disk is
  // noticed here. If the disk refuses, keeps the entry in memory, warns once and throws Error(io).
  // If the value has no object "choice", or is too large, too deep or not UTF-8, throws
  // Error(bad_record) and keeps nothing. If the value is provisional and the present entry is firm,
  // returns false and writes nothing, unless `replaces_firm`.
  virtual bool put(const Key& key, const Json& value, bool replaces_firm = false) = 0;
  virtual bool remove(const CanonicalKey& key) = 0;  // false: there was none
  // Writes a sidecar for the entry of that key. The caller must then put the entry, with the
  // sidecar's name in it. The sidecar is on the disk when the function returns. Throws
  // Error(bad_record) if it is larger than kMaxSidecarBytes, and Error(io) if the disk refuses.
  virtual SidecarName put_sidecar(const Key& key, std::string_view text) = 0;
  // Reads a sidecar from the disk, at each call. Returns nullopt, with one warning, if the sidecar
  // is gone or damaged, or if other users may have written it. Returns nullopt without a warning if
  // it was written elsewhere.
  virtual std::optional<std::string> sidecar(const CanonicalKey& key, const SidecarName& name) = 0;
  virtual std::size_t
  size() = 0;  // counts files by their names, and entries that only memory holds
  virtual std::vector<std::shared_ptr<const Entry>> list() = 0;  // valid entries, ordered by key
  // Returns all entries, with the sidecars that they name. Equal entries and sidecars give equal
  // bytes.
  virtual std::string export_bundle() = 0;
  // Adds the entries of a bundle. `options` say what becomes of entries of the store with the same
  // keys. Throws Error(bad_record), which names the entry, or Error(io) if the bundle does not fit
  // into max_entries; in both cases nothing was changed. Also throws Error(io) if the disk refuses;
  // entries that were added before that are kept.
  virtual ImportReport import_bundle(std::string_view bytes, const ImportOptions& options = {}) = 0;
  // Returns a 64-bit hash over sorted (key, choices) pairs. Equal digests mean equal choices, firm
  // or not. Sidecars are not part of it.
  virtual std::uint64_t digest() = 0;
  // Reads and checks every file, and returns one line for each bad file. A missing sidecar does not
  // count as a bad file.
  virtual std::vector<std::string> verify() = 0;
  // Removes bad files, all but the newest `keep` entries, and sidecars that no entry names. Returns
  // the number of removed files, without the sidecars of removed entries. Entries of a newer schema
  // do not count as bad. Sidecars written within the last hour are kept, because their entry may be
  // about to be written.
  virtual std::size_t prune(std::uint64_t keep) = 0;

 protected:
  using Epoch = std::atomic<std::uint64_t>;
  explicit Store(std::shared_ptr<Epoch> epoch);
  // Returns the counter that all stores of this directory share.
  static std::shared_ptr<Epoch> epoch_of(const std::filesystem::path& directory);

 private:
  const std::uint64_t id_;
  const std::shared_ptr<Epoch> epoch_;
};

// Joins bundles without a store, entry by entry (join.hpp). Their order has no influence. Throws
// Error(bad_record) for a bad bundle.
std::string merge_bundles(const std::vector<std::string_view>& bundles,
                          bool drops_compiled = false);

// Whether decisions are looked up in `store`, which may be null.
inline bool reads(const std::shared_ptr<Store>& store) {
  return store != nullptr && store->mode() != Mode::off;
}

}  // namespace atc::store
