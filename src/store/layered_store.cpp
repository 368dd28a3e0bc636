#include "store/layered_store.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "store/digest.hpp"
#include "store/hash.hpp"
#include "store/join.hpp"
#include "store/origin.hpp"
#include "store/sidecar.hpp"

namespace atc::store {
namespace {

// The largest number of joined entries that are kept. If there are more, all are discarded and
// joined again when they are looked up.
constexpr std::size_t kMostJoinedEntries = 8192;

// Returns the value of a layer's entry. If this user did not write the entry, its decisions are
// marked as received.
Json marked(const Entry& entry) {
  Json value = entry.value;
  if (entry.foreign || entry.elsewhere) {
    drop_checked(value);
    mark_received(value);
  }
  return value;
}

std::shared_ptr<const Entry> join_entries(const std::vector<std::shared_ptr<const Entry>>& parts) {
  auto entry = std::make_shared<Entry>();
  for (const auto& part : parts) {
    if (part == nullptr) continue;
    entry->unsaved = entry->unsaved || part->unsaved;
    if (entry->value.is_null()) {
      entry->key = part->key;
      entry->value = marked(*part);
    } else {
      entry->value = join(entry->value, marked(*part));
    }
  }
  return entry;
}

// Returns the key of the entries. At least one of them must not be null; all have the same key.
const Key& key_of(const std::vector<std::shared_ptr<const Entry>>& parts) {
  return (*std::find_if(parts.begin(), parts.end(),
                        [](const auto& part) { return part != nullptr; }))
      ->key;
}

}  // namespace

std::shared_ptr<Store> open_layers(const std::vector<std::filesystem::path>& directories,
                                   const Options& options) {
  if (directories.empty()) fail(Status::invalid_argument, "a store in layers needs a directory");
  std::vector<std::shared_ptr<Store>> layers{Store::open(directories.front(), options)};
  if (options.mode == Mode::off) return layers.front();
  Options reading = options;
  if (options.mode != Mode::replay_only) reading.mode = Mode::read;
  for (auto directory = directories.begin() + 1; directory != directories.end(); ++directory) {
    try {
      layers.push_back(Store::open(*directory, reading));
    } catch (const Error& error) {
      if (options.mode == Mode::replay_only) throw;
      if (options.warn) options.warn(format("a layer of the store is left out: {}", error.what()));
    }
  }
  if (layers.size() == 1) return layers.front();
  return std::make_shared<LayeredStore>(std::move(layers));
}

LayeredStore::LayeredStore(std::vector<std::shared_ptr<Store>> layers)
    : Store(epoch_of(layers.front()->directory())), layers_(std::move(layers)) {}

std::shared_ptr<const Entry> LayeredStore::joined(const Hash128& key, Parts parts) {
  const auto has = [](const auto& part) { return part != nullptr; };
  const auto count = std::count_if(parts.begin(), parts.end(), has);
  if (count == 0) return nullptr;
  // If only the first layer has an entry, it is returned unchanged. If only another layer has one,
  // its decisions may have to be marked as received (not measured by this user), so it passes
  // through join_entries(). Then their choices are checked before they run, and the first layer
  // keeps the results of these checks.
  if (count == 1 && has(parts.front())) return parts.front();
  {
    const std::lock_guard lock(mutex_);
    const auto known = cache_.find(key);
    if (known != cache_.end() && known->second.parts == parts) return known->second.entry;
  }
  auto entry = join_entries(parts);
  const std::lock_guard lock(mutex_);
  if (cache_.size() >= kMostJoinedEntries) cache_.clear();
  cache_[key] = {std::move(parts), entry};
  return entry;
}

std::shared_ptr<const Entry> LayeredStore::get(const CanonicalKey& key) {
  Parts parts;
  for (const auto& layer : layers_) parts.push_back(layer->get(key));
  return joined(key.place().key, std::move(parts));
}

std::vector<std::shared_ptr<const Entry>> LayeredStore::find(
    const Json& environment, std::string_view family,
    const std::function<bool(const Entry&)>& accept) {
  std::map<std::string, Parts> found;  // the key of the map is the text of the entry's key
  for (std::size_t i = 0; i < layers_.size(); ++i)
    for (auto& entry : layers_[i]->find(environment, family, [](const Entry&) { return true; })) {
      Parts& parts = found[CanonicalKey(entry->key).text()];
      parts.resize(layers_.size());
      parts[i] = std::move(entry);
    }
  std::vector<std::shared_ptr<const Entry>> result;
  for (auto& [text, parts] : found) {
    const Hash128 key = CanonicalKey(key_of(parts)).place().key;
    auto entry = joined(key, std::move(parts));
    if (accept(*entry)) result.push_back(std::move(entry));
  }
  return result;
}

std::vector<Key> LayeredStore::unseen_keys(const Json& environment, Seen& seen) {
  std::vector<Key> result;
  for (const auto& layer : layers_)
    for (Key& key : layer->unseen_keys(environment, seen)) result.push_back(std::move(key));
  return result;
}

std::vector<Json> LayeredStore::environments() {
  std::map<std::string, Json> found;  // the key of the map is the text of the environment
  for (const auto& layer : layers_)
    for (Json& environment : layer->environments()) {
      std::string text = environment.dump();
      found.emplace(std::move(text), std::move(environment));
    }
  std::vector<Json> result;
  result.reserve(found.size());
  for (auto& [text, environment] : found) result.push_back(std::move(environment));
  return result;
}

bool LayeredStore::put(const Key& key, const Json& value, bool replaces_firm) {
  return first().put(key, value, replaces_firm);
}

bool LayeredStore::remove(const CanonicalKey& key) {
  const bool removed = first().remove(key);
  return removed || get(key) != nullptr;
}

SidecarName LayeredStore::put_sidecar(const Key& key, std::string_view text) {
  return first().put_sidecar(key, text);
}

std::optional<std::string> LayeredStore::sidecar(const CanonicalKey& key, const SidecarName& name) {
  // The sidecar (a large text that belongs to an entry) is only read from layers whose entry names
  // it. Any other layer would log a warning, because it does not have the sidecar.
  for (const auto& layer : layers_) {
    const auto entry = layer->get(key);
    if (entry == nullptr || entry->foreign) continue;
    const auto names = sidecars_of(entry->value);
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    if (auto text = layer->sidecar(key, name)) return text;
  }
  return std::nullopt;
}

std::size_t LayeredStore::size() { return list().size(); }

std::vector<std::shared_ptr<const Entry>> LayeredStore::list() {
  std::map<std::string, Parts> found;  // the key of the map is the text of the entry's key
  for (std::size_t i = 0; i < layers_.size(); ++i)
    for (auto& entry : layers_[i]->list()) {
      Parts& parts = found[CanonicalKey(entry->key).text()];
      parts.resize(layers_.size());
      parts[i] = std::move(entry);
    }
  std::vector<std::shared_ptr<const Entry>> result;
  for (auto& [text, parts] : found) {
    const Hash128 key = CanonicalKey(key_of(parts)).place().key;
    result.push_back(joined(key, std::move(parts)));
  }
  return result;
}

ImportReport LayeredStore::import_bundle(std::string_view bytes, const ImportOptions& options) {
  return first().import_bundle(bytes, options);
}

std::uint64_t LayeredStore::digest() {
  std::map<Hash128, std::shared_ptr<const Entry>> ordered;
  for (auto& entry : list()) ordered[CanonicalKey(entry->key).place().key] = std::move(entry);
  Digest digest;
  for (const auto& [key, entry] : ordered) digest.add(key, entry->value);
  return digest.value();
}

}  // namespace atc::store
