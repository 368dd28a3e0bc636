// A store that has no entries and keeps none. It is used in two cases: the mode is off, or the mode
// is replay-only but the real store cannot be used.
#pragma once

#include <filesystem>
#include <string>

#include "store/store.hpp"

namespace atc::store {

// A store that has no entries and accepts none.
class EmptyStore final : public Store {
 public:
  EmptyStore(Mode mode, std::filesystem::path directory, std::string trouble = "");

  Mode mode() const override { return mode_; }
  std::filesystem::path directory() const override { return directory_; }
  std::string trouble() const override { return trouble_; }
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
  std::size_t size() override { return 0; }
  std::vector<std::shared_ptr<const Entry>> list() override;
  std::string export_bundle() override;
  ImportReport import_bundle(std::string_view bytes, const ImportOptions& options) override;
  std::uint64_t digest() override;
  std::vector<std::string> verify() override { return {}; }
  std::size_t prune(std::uint64_t keep) override;

 private:
  [[noreturn]] void refuse() const;

  const Mode mode_;
  const std::filesystem::path directory_;
  const std::string trouble_;
};

}  // namespace atc::store
