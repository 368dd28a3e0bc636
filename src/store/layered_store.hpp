// A store in layers. The first layer is read and written. The other layers are only read; such a
// layer may be a folder that many machines share. A look-up joins the decisions of all layers
// (join.hpp). Each layer is judged separately: if other users may write it, or if its files were
// written elsewhere, its decisions count as received (not measured here), so their choices are
// checked before they run.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "store/entry.hpp"
#include "store/store.hpp"

namespace atc::store {

// Opens a store in layers. The first directory is opened as Store::open does. The other directories
// are opened for reading. If one of the other directories cannot be used, that directory is left
// out, with one warning. If the mode is replay_only, Error(io) is thrown instead, because without
// this directory other decisions might be replayed.
std::shared_ptr<Store> open_layers(const std::vector<std::filesystem::path>& directories,
                                   const Options& options);

// Functions that change entries change the first layer. `export_bundle`, `import_bundle`, `verify`
// and `prune` use only the first layer. All other functions use the joined entries.
class LayeredStore final : public Store {
 public:
  // There must be at least one layer. The first layer determines the mode and the directory.
  explicit LayeredStore(std::vector<std::shared_ptr<Store>> layers);

  Mode mode() const override { return first().mode(); }
  std::filesystem::path directory() const override { return first().directory(); }
  std::shared_ptr<const Entry> get(const CanonicalKey& key) override;
  std::vector<std::shared_ptr<const Entry>> find(
      const Json& environment, std::string_view family,
      const std::function<bool(const Entry&)>& accept) override;
  std::vector<Key> unseen_keys(const Json& environment, Seen& seen) override;
  std::vector<Json> environments() override;
  bool put(const Key& key, const Json& value, bool replaces_firm) override;
  // Removes the entry from the first layer. The entry is not removed from other layers. Also
  // returns true if only other layers have the entry.
  bool remove(const CanonicalKey& key) override;
  SidecarName put_sidecar(const Key& key, std::string_view text) override;
  std::optional<std::string> sidecar(const CanonicalKey& key, const SidecarName& name) override;
  std::size_t size() override;
  std::vector<std::shared_ptr<const Entry>> list() override;
  std::string export_bundle() override { return first().export_bundle(); }
  ImportReport import_bundle(std::string_view bytes, const ImportOptions& options) override;
  std::uint64_t digest() override;
  std::vector<std::string> verify() override { return first().verify(); }
  std::size_t prune(std::uint64_t keep) override { return first().prune(keep); }

 private:
  using Parts = std::vector<std::shared_ptr<const Entry>>;
  struct Joined {
    Parts parts;  // for each layer, its entry with this key; null if it has none
    std::shared_ptr<const Entry> entry;
  };

  Store& first() const { return *layers_.front(); }
  std::shared_ptr<const Entry> joined(const Hash128& key, Parts parts);

  const std::vector<std::shared_ptr<Store>> layers_;
  std::mutex mutex_;
  // The joined entries by the hashes of their keys, except entries that only the first layer has.
  std::unordered_map<Hash128, Joined, Hash128Hasher> cache_;
};

}  // namespace atc::store
