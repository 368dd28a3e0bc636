// A store whose entries are files in a directory.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/bundle.hpp"
#include "store/files.hpp"
#include "store/index.hpp"
#include "store/record.hpp"
#include "store/sidecar.hpp"
#include "store/store.hpp"

namespace atc::store {

class DirectoryStore final : public Store {
 public:
  DirectoryStore(std::string root, Options options);  // throws like Store::open

  Mode mode() const override { return options_.mode; }
  std::filesystem::path directory() const override { return root_; }
  std::shared_ptr<const Entry> get(const CanonicalKey& key) override;
  std::vector<std::shared_ptr<const Entry>> find(
      const Json& environment, std::string_view family,
      const std::function<bool(const Entry&)>& accept) override;
  std::vector<Key> unseen_keys(const Json& environment, Seen& seen) override;
  std::vector<Json> environments() override;
  bool put(const Key& key, const Json& value, bool replaces_firm) override;
  bool remove(const CanonicalKey& key) override;
  SidecarName put_sidecar(const Key& key, std::string_view text) override;
  std::optional<std::string> sidecar(const CanonicalKey& key, const SidecarName& name) override;
  std::size_t size() override;
  std::vector<std::shared_ptr<const Entry>> list() override;
  std::string export_bundle() override;
  ImportReport import_bundle(std::string_view bytes, const ImportOptions& options) override;
  std::uint64_t digest() override;
  std::vector<std::string> verify() override;
  std::size_t prune(std::uint64_t keep) override;

 private:
  struct Loaded {
    Record record;
    FileId id;
    std::size_t bytes = 0;
  };
  using LoadedPtr = std::shared_ptr<const Loaded>;
  struct Outcome {
    LoadedPtr loaded;    // the entry in the file; null if the file is absent or bad
    std::string reason;  // why the file is bad; "" if it is absent
    // True if the file is bad for this process only: another process (with more rights) or a newer
    // version of atc may be able to read it. Such a file must not be deleted.
    bool spare = false;
  };

  static std::shared_ptr<const Entry> entry_of(const LoadedPtr& loaded);
  void require_writing(std::string_view what) const;
  void warn(const std::string& line);
  Outcome load(const Place& place);  // reads the entry's file from the disk
  // Returns the entry from memory if its file is unchanged. Otherwise reads it from the disk. Logs
  // a warning if the file is bad.
  LoadedPtr fetch(const Place& place);
  // Returns the key of the entry at the place. Parses no more of its file than the key, if
  // possible.
  std::optional<Key> key_at(const Place& place);
  LoadedPtr unsaved(const Place& place) const;
  // Returns the environment of a folder, from one of the folder's first entries. Returns null if
  // none of these entries can be read.
  Json environment_of(std::uint64_t folder);
  void remember(const LoadedPtr& loaded);
  // Writes a file into the folder of the key's environment. Makes the folder if it does not exist.
  // Returns 0 or an errno.
  int write(const Key& key, const Place& place, const std::string& name, std::string_view bytes,
            const WriteOptions& options, FileId* id);
  int write_entry(const Key& key, const Place& place, std::string_view text, WriteOptions options,
                  FileId* id);
  // Writes a provisional entry. Returns ECANCELED, and writes nothing, if another process has put a
  // firm entry into the file in the meantime.
  int write_provisional(const Key& key, const CanonicalKey& canonical, std::string_view text,
                        FileId* id);
  bool has_firm_file(const CanonicalKey& key);
  int make_folder(const Key& key, std::uint64_t environment);
  WriteOptions write_options(Sync sync, Replace replace) const;
  // Returns the file time for an entry that is written now. It is later than the time of the newest
  // entry, even if the clock was set back: if there are too many entries, those with the earliest
  // times are removed.
  std::int64_t next_time() const;
  // Returns whether this process may use the compiled parts of the file `path` (compiled parts are
  // run as they are). Only trusted users may own, or be able to write, the file (`ownership`), its
  // folder and the store's folder. The first time that this is not so, a warning is logged.
  bool trusts(const Place& place, const std::string& path, const Ownership& ownership);
  // Returns whether a file was written by a process of this user, as its seal shows: `seal` must be
  // the seal of `message` (seal.hpp). The result is also true if the file belongs to another user,
  // because the seals of other users cannot be checked. The first time that a seal is not valid,
  // this is logged.
  bool wrote(const Ownership& ownership, std::string_view message, const std::string& seal);
  // Returns the text of an entry's file. The text contains a seal (seal.hpp), except in two cases:
  // there is no secret, or the text with the seal would be larger than an entry may be.
  std::string sealed_text(const CanonicalKey& key, const Json& value) const;
  std::string seal_of_sidecar(const CanonicalKey& key, std::string_view text) const;
  // Returns whether a sidecar (a large text that belongs to an entry) that was read may be used:
  // true if both trusts() and wrote() return true for it.
  bool may_use(const SidecarFile& sidecar, const std::string& key_text, const Place& place,
               const std::string& path);
  void make_room(const Place& newest);
  // Removes all entries except the newest `keep`. Returns the number of removed entries. If `spare`
  // is not null, the entry at the place `spare` counts as the newest.
  std::size_t keep_newest(std::uint64_t keep, const Place* spare);
  // Removes the file of the entry and the files of its sidecars (large texts that belong to
  // entries).
  bool remove_entry(const Place& place);
  bool remove_sidecar(const Place& place, const Hash128& hash);
  // Removes the sidecars (large texts that belong to entries) of the entry at `place` that are not
  // in `named` (the sidecars that the entry names). Returns the number of removed files. Sidecars
  // that were written within the last hour remain, because the entry that names them may be about
  // to be written.
  std::size_t remove_unnamed(const Place& place, const std::vector<SidecarName>& named);
  // Removes, in all places, bad sidecars (large texts that belong to entries) and sidecars that no
  // entry names. Returns the number of removed files.
  std::size_t prune_sidecars();
  // Calls `visit` for each valid entry, in the order of the hashes of the keys. Entries that exist
  // only in memory are included.
  void for_each_valid(const std::function<void(const LoadedPtr&)>& visit);

  ImportReport add(const std::vector<BundleLine>& lines, const BundleSidecars& sidecars,
                   const ImportOptions& options);
  // Writes those sidecars (large texts that belong to entries) that the entry of the bundle's line
  // `line` names and that the bundle contains (`sidecars`). Returns 0 or an errno.
  int add_sidecars(const BundleLine& line, const Key& key, const BundleSidecars& sidecars);

  const std::string root_;
  const Options options_;
  Index index_;
  std::mutex making_room_;
  std::atomic_flag told_foreign_ = ATOMIC_FLAG_INIT, told_elsewhere_ = ATOMIC_FLAG_INIT;
  mutable std::mutex mutex_;  // guards all members that are declared after this mutex
  std::unordered_map<Hash128, LoadedPtr, Hash128Hasher> cache_;
  std::size_t cache_bytes_ = 0;
  // Entries that could not be written to the disk. They exist only in the memory of this process.
  std::unordered_map<Hash128, LoadedPtr, Hash128Hasher> unsaved_;
  std::set<std::uint64_t> has_manifest_;
  // The environments that were read so far, by the names of their folders.
  std::unordered_map<std::uint64_t, Json> environments_;
  std::set<std::string> warned_;
};

}  // namespace atc::store
