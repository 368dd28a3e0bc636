// Remembered decisions on disk. Knows keys and JSON, nothing of convolutions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace atc::store {

using Json = nlohmann::json;

// Both parts are JSON objects; equal keys have equal canonical dumps. The environment (device, library
// versions, schema) names the sub-directory, the problem names the file.
struct Key {
  Json environment;
  Json problem;
};

struct Entry {
  Key key;
  Json value;     // must hold an object "choice"; the rest is the caller's
};

// Values equal `atc_store_mode` in include/atc/store.h.
enum class Mode : std::int32_t { off = 1, read = 2, read_write = 3, replay_only = 4 };

struct Options {
  Mode mode = Mode::read_write;
  std::uint64_t max_entries = 1'000'000;              // per store; the oldest go first
  std::function<void(const std::string&)> warn;       // one line per distinct trouble
};

struct ImportReport {
  std::size_t added = 0, kept = 0;  // kept: the local entry stood and was not replaced
};

// All members may be called from several threads at once.
class Store {
 public:
  // Reads names only, removes temporary files that dead processes of this host left. Throws Error(io)
  // when `directory` cannot be used.
  static std::shared_ptr<Store> open(const std::filesystem::path& directory, Options options);
  virtual ~Store() = default;

  virtual Mode mode() const = 0;
  virtual std::filesystem::path directory() const = 0;
  // Null when there is no valid entry. A bad entry is a miss and one warning.
  virtual std::shared_ptr<const Entry> get(const Key& key) = 0;
  // Entries of `environment` for which `accept` holds (the inherited-batch look-up).
  virtual std::vector<std::shared_ptr<const Entry>> find(
      const Json& environment, const std::function<bool(const Entry&)>& accept) = 0;
  // Remembered in memory even when the disk refuses: then Error(io), and one warning. Error(io) also
  // when the mode does not write.
  virtual void put(const Key& key, const Json& value) = 0;
  virtual bool remove(const Key& key) = 0;  // false: there was none
  virtual std::size_t size() const = 0;
  virtual std::vector<std::shared_ptr<const Entry>> list() = 0;  // valid entries, ordered by key
  virtual std::string export_bundle() = 0;
  // Local entries stand. Error(bad_record) changes nothing.
  virtual ImportReport import_bundle(const std::string& bytes) = 0;
  // 64-bit hash over sorted (key, choice) pairs: equal digests, equal choices.
  virtual std::uint64_t digest() = 0;
  // Every file read and checked; one line per bad one.
  virtual std::vector<std::string> verify() = 0;
  // Removes bad entries and all but the newest `keep` entries; how many files went.
  virtual std::size_t prune(std::uint64_t keep) = 0;
};

// Joins bundles without a store; the first bundle that holds a key wins. Error(bad_record) on a bad one.
std::string merge_bundles(const std::vector<std::string>& bundles);

}  // namespace atc::store
