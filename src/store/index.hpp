// The names in a store directory. Contents are never read here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "store/files.hpp"
#include "store/store.hpp"

namespace atc::store {

// All members may be called from several threads at once. The index is what was seen at the last
// scan and done here since; a file may be gone or new by the time it is opened.
class Index {
 public:
  explicit Index(std::string root) : root_(std::move(root)) {}

  std::string folder_of(std::uint64_t environment) const;
  std::string path_of(const Place& place) const;
  static std::string file_name(const Place& place);
  // Of a sidecar, by the hash of its text.
  std::string path_of(const Place& place, const Hash128& sidecar) const;
  static std::string file_name(const Place& place, const Hash128& sidecar);

  enum class Temps { leave, remove_abandoned };
  // Reads all names anew. What could not be read comes back, a line per folder.
  std::vector<std::string> scan(Temps temps);
  // Reads the names of an environment anew if its folder changed since.
  void refresh(std::uint64_t environment);
  // All of it, each folder only if it changed.
  void refresh();

  void insert(const Place& place);
  void erase(const Place& place);
  void insert(const Place& place, const Hash128& sidecar);
  void erase(const Place& place, const Hash128& sidecar);
  bool contains(const Place& place) const;
  std::size_t size() const;
  std::vector<Place> all() const;  // ordered by key
  std::vector<Place> family(std::uint64_t environment, std::uint32_t family) const;
  std::vector<std::uint64_t> environments() const;
  std::vector<Hash128> sidecars_of(const Place& place) const;
  // Those who have sidecars, whether or not there is an entry.
  std::vector<Place> with_sidecars() const;
  // Files where an entry, a sidecar or a manifest could be that are none; for `verify`.
  std::vector<std::string> strays() const;

 private:
  struct Name {
    std::uint32_t family = 0;
    Hash128 key;
    bool operator<(const Name& other) const {
      return family != other.family ? family < other.family : key < other.key;
    }
  };
  struct Folder {
    std::set<Name> names;
    std::map<Name, std::set<Hash128>> sidecars;
    std::vector<std::string> strays;
    FileId seen;           // of the folder when it was read
    bool settled = false;  // no change after the reading can hide behind the same time stamp
    std::chrono::steady_clock::time_point read_at;
  };

  int read_folder(std::uint64_t environment, Temps temps, Folder* out) const;
  int read_root(std::vector<std::uint64_t>* environments) const;
  bool current(std::uint64_t environment, bool may_wait) const;
  void adopt(std::uint64_t environment, Folder folder, int error);

  const std::string root_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Folder> folders_;
};

}  // namespace atc::store
