#include "store/empty_store.hpp"

#include <utility>

#include "core/error.hpp"
#include "store/bundle.hpp"
#include "store/entry.hpp"

namespace atc::store {

EmptyStore::EmptyStore(Mode mode, std::filesystem::path directory, std::string trouble)
    : Store(std::make_shared<Epoch>(0)),
      mode_(mode),
      directory_(std::move(directory)),
      trouble_(std::move(trouble)) {}

std::shared_ptr<const Entry> EmptyStore::get(const CanonicalKey& /*key*/) { return nullptr; }

std::vector<std::shared_ptr<const Entry>> EmptyStore::find(
    const Json& /*environment*/, std::string_view /*family*/,
    const std::function<bool(const Entry&)>& /*accept*/) {
  return {};
}

std::vector<Key> EmptyStore::unseen_keys(const Json& /*environment*/, Seen& /*seen*/) { return {}; }

std::vector<Json> EmptyStore::environments() { return {}; }

bool EmptyStore::put(const Key& /*key*/, const Json& /*value*/, bool /*replaces_firm*/) {
  refuse();
}

bool EmptyStore::remove(const CanonicalKey& /*key*/) { refuse(); }

SidecarName EmptyStore::put_sidecar(const Key& /*key*/, std::string_view /*text*/) { refuse(); }

std::optional<std::string> EmptyStore::sidecar(const CanonicalKey& /*key*/,
                                               const SidecarName& /*name*/) {
  return std::nullopt;
}

std::vector<std::shared_ptr<const Entry>> EmptyStore::list() { return {}; }

// If this object replaces a store that cannot be used, the export fails. A bundle without entries
// would look like the export of an empty store.
std::string EmptyStore::export_bundle() {
  if (!trouble_.empty()) refuse();
  return write_bundle({}, {});
}

ImportReport EmptyStore::import_bundle(std::string_view /*bytes*/,
                                       const ImportOptions& /*options*/) {
  refuse();
}

std::uint64_t EmptyStore::digest() { return digest_of_nothing(); }

std::size_t EmptyStore::prune(std::uint64_t /*keep*/) { refuse(); }

void EmptyStore::refuse() const {
  if (!trouble_.empty()) fail(Status::io, "{}", trouble_);
  fail(Status::io, "store {} is {}; open it in mode {} to write", directory_.string(),
       name_of(mode_), name_of(Mode::read_write));
}

}  // namespace atc::store
