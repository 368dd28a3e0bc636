// A store whose entries are files in a directory.
#pragma once

#include <mutex>
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
  DirectoryStore(std::string root, Options options);  // throws as Store::open does

  Mode mode() const override { return options_.mode; }
  std::filesystem::path directory() const override { return root_; }
  std::shared_ptr<const Entry> get(const CanonicalKey& key) override;
  std::vector<std::shared_ptr<const Entry>> find(
      const Json& environment, std::string_view family,
      const std::function<bool(const Entry&)>& accept) override;
  std::vector<std::shared_ptr<const Entry>> unseen(const Json& environment, Seen& seen) override;
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
    LoadedPtr loaded;    // null: the file is absent, or bad for `reason`
    std::string reason;  // empty: absent
    bool spare =
        false;  // the file may be good for other processes or versions: must not be deleted
  };

  static std::shared_ptr<const Entry> entry_of(const LoadedPtr& loaded);
  void require_writing(std::string_view what) const;
  void warn(const std::string& line);
  Outcome load(const Place& place);  // from the disk
  LoadedPtr fetch(
      const Place& place);  // from memory if the file is unchanged, else from disk; warns
  LoadedPtr unsaved(const Place& place) const;
  void remember(const LoadedPtr& loaded);
  // Writes a file in the folder of the key's environment, and makes the folder if need be. Returns
  // 0 or an errno.
  int write(const Key& key, const Place& place, const std::string& name, std::string_view bytes,
            const WriteOptions& options, FileId* id);
  int write_entry(const Key& key, const Place& place, std::string_view text, WriteOptions options,
                  FileId* id);
  // Writes a provisional entry. Returns ECANCELED if the file holds a firm entry by then.
  int write_provisional(const Key& key, const CanonicalKey& canonical, std::string_view text,
                        FileId* id);
  bool has_firm_file(const CanonicalKey& key);
  int make_folder(const Key& key, std::uint64_t environment);
  WriteOptions write_options(Sync sync, Replace replace) const;
  // The time of an entry that is written now. It is later than that of the newest entry, even if
  // the clock was set back, because entries are pruned in the order of their times.
  std::int64_t next_time() const;
  // Whether this process may use compiled parts of a file with this ownership in the place's
  // folder. A warning names the first file whose compiled parts it may not use.
  bool trusts(const Place& place, const std::string& path, const Ownership& ownership);
  // Whether this user's processes wrote a part of an entry. A log line reports the first part that
  // they did not write.
  bool wrote(const Ownership& ownership, std::string_view message, const std::string& seal);
  // Returns the text of an entry's file. The text has a seal, except if the user has no secret or
  // if the text with the seal would be larger than an entry may be.
  std::string sealed_text(const CanonicalKey& key, const Json& value) const;
  std::string seal_of_sidecar(const CanonicalKey& key, std::string_view text) const;
  // Whether a sidecar that was read may be used: both trusts() and wrote() must allow it.
  bool may_use(const SidecarFile& sidecar, const std::string& key_text, const Place& place,
               const std::string& path);
  void make_room(const Place& newest);
  // Removes all entries except the newest `keep`, and returns how many. If `spare` is given, it
  // counts as the newest.
  std::size_t keep_newest(std::uint64_t keep, const Place* spare);
  bool remove_entry(const Place& place);  // with its sidecars
  bool remove_sidecar(const Place& place, const Hash128& hash);
  // Removes the sidecars of a place that are not in `named`, and returns their number. Sidecars
  // written within the last hour are kept, because the entry that names them may be about to be
  // written.
  std::size_t remove_unnamed(const Place& place, const std::vector<SidecarName>& named);
  // Removes, in all places, bad sidecars and sidecars that no entry names. Returns how many.
  std::size_t prune_sidecars();
  // Visits all valid entries in the order of their key hashes, including entries that exist only in
  // memory.
  void for_each_valid(const std::function<void(const LoadedPtr&)>& visit);

  ImportReport add(const std::vector<BundleLine>& lines, const BundleSidecars& sidecars,
                   const ImportOptions& options);
  // Writes the sidecars that the line names and the bundle has. Returns 0 or an errno.
  int add_sidecars(const BundleLine& line, const Key& key, const BundleSidecars& sidecars);

  const std::string root_;
  const Options options_;
  Index index_;
  std::mutex making_room_;
  std::atomic_flag told_foreign_ = ATOMIC_FLAG_INIT, told_elsewhere_ = ATOMIC_FLAG_INIT;
  mutable std::mutex mutex_;  // guards all members below
  std::unordered_map<Hash128, LoadedPtr, Hash128Hasher> cache_;
  std::size_t cache_bytes_ = 0;
  std::unordered_map<Hash128, LoadedPtr, Hash128Hasher>
      unsaved_;  // entries that could not be written to disk
  std::set<std::uint64_t> has_manifest_;
  std::set<std::string> warned_;
};

}  // namespace atc::store
