// A store in layers: one that is read and written, and others that are only read, such as a folder
// of a fleet of machines. A look-up joins the decisions of all layers (join.hpp). Trust is judged
// for each layer: decisions of a layer that others may write, or that were written elsewhere, count
// as received.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "store/entry.hpp"
#include "store/store.hpp"

namespace atc::store {

// Opens a store in layers: the first directory as Store::open does, the others for reading. A
// further directory that cannot be used is left out, with one warning; if the mode is replay_only,
// it is an Error(io), because other decisions must not be replayed.
std::shared_ptr<Store> open_layers(const std::vector<std::filesystem::path>& directories,
                                   const Options& options);

// Functions that change entries work on the first layer. `export_bundle`, `import_bundle`, `verify`
// and `prune` know the first layer alone; all other functions know the joined entries.
class LayeredStore final : public Store {
 public:
  // At least one layer. The first gives the mode and the directory.
  explicit LayeredStore(std::vector<std::shared_ptr<Store>> layers);

  Mode mode() const override { return first().mode(); }
  std::filesystem::path directory() const override { return first().directory(); }
  std::shared_ptr<const Entry> get(const CanonicalKey& key) override;
  std::vector<std::shared_ptr<const Entry>> find(
      const Json& environment, std::string_view family,
      const std::function<bool(const Entry&)>& accept) override;
  std::vector<std::shared_ptr<const Entry>> unseen(const Json& environment, Seen& seen) override;
  bool put(const Key& key, const Json& value, bool replaces_firm) override;
  // Also returns true if only other layers have the entry, which stays there.
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
    Parts parts;  // null: the layer has no entry
    std::shared_ptr<const Entry> entry;
  };

  Store& first() const { return *layers_.front(); }
  std::shared_ptr<const Entry> joined(const Hash128& key, Parts parts);

  const std::vector<std::shared_ptr<Store>> layers_;
  std::mutex mutex_;
  std::unordered_map<Hash128, Joined, Hash128Hasher> cache_;  // entries that several layers have
};

}  // namespace atc::store
