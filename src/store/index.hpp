// The names of the files in a store directory. The index never reads their contents.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "store/entry.hpp"
#include "store/files.hpp"

namespace atc::store {

// All members may be called from several threads at once. The index holds the names that the last
// reading found, and the insertions and erasures since. Other processes may have added or removed
// files meanwhile.
class Index {
 public:
  explicit Index(std::string root) : root_(std::move(root)) {}

  std::string folder_of(std::uint64_t environment) const;
  std::string path_of(const Place& place) const;
  static std::string file_name(const Place& place);
  // The path of a sidecar; `sidecar` is the hash of its text.
  std::string path_of(const Place& place, const Hash128& sidecar) const;
  static std::string file_name(const Place& place, const Hash128& sidecar);

  enum class Temps { leave, remove_abandoned };
  // Reads all names anew. Returns a line for each folder that could not be read.
  std::vector<std::string> scan(Temps temps);
  // Reads the names of an environment anew if its folder changed since.
  void refresh(std::uint64_t environment);
  // The same for all environments.
  void refresh();

  void insert(const Place& place);
  void erase(const Place& place);
  void insert(const Place& place, const Hash128& sidecar);
  void erase(const Place& place, const Hash128& sidecar);
  bool contains(const Place& place) const;
  std::size_t size() const;
  std::vector<Place> all() const;  // ordered by key
  std::vector<Place> all_of(std::uint64_t environment) const;
  std::vector<Place> family(std::uint64_t environment, std::uint32_t family) const;
  std::vector<std::uint64_t> environments() const;
  std::vector<Hash128> sidecars_of(const Place& place) const;
  // Returns the places that have sidecars, with or without an entry.
  std::vector<Place> with_sidecars() const;
  // Returns the files in environments' folders whose names are not those of an entry, a sidecar, a
  // manifest or a temporary file. `verify` reports them.
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
    FileId seen;           // state of the folder when it was read
    bool settled = false;  // whether any later change will change the folder's time stamp
    std::chrono::steady_clock::time_point read_at;
  };

  int read_folder(std::uint64_t environment, Temps temps, Folder* out) const;
  int read_root(Temps temps, std::vector<std::uint64_t>* environments) const;
  bool current(std::uint64_t environment, bool may_wait) const;
  void adopt(std::uint64_t environment, Folder folder, int error);

  const std::string root_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Folder> folders_;
};

}  // namespace atc::store
