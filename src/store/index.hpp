// An index of the names of the files in a store directory. The index never reads the contents of
// the files.
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

// The functions may be called from several threads at once. The index has the names that were found
// when the folders were last read, plus those that insert() has added since then, less those that
// erase() has removed. Files that other processes have added or removed since then are not known.
class Index {
 public:
  explicit Index(std::string root) : root_(std::move(root)) {}

  std::string folder_of(std::uint64_t environment) const;
  std::string path_of(const Place& place) const;
  static std::string file_name(const Place& place);
  // Returns the path of a sidecar (a large text that belongs to an entry) of the entry. `sidecar`
  // is the hash of the sidecar's text.
  std::string path_of(const Place& place, const Hash128& sidecar) const;
  static std::string file_name(const Place& place, const Hash128& sidecar);

  enum class Temps { leave, remove_abandoned };
  // Reads the names in all folders again. With Temps::remove_abandoned, also removes temporary
  // files of processes that no longer exist. Returns a line of text for each folder that could not
  // be read.
  std::vector<std::string> scan(Temps temps);
  // Reads the names of an environment's folder again if the folder has changed since the last
  // reading.
  void refresh(std::uint64_t environment);
  // Reads the names of each environment's folder again if the folder has changed.
  void refresh();

  void insert(const Place& place);
  void erase(const Place& place);
  void insert(const Place& place, const Hash128& sidecar);
  void erase(const Place& place, const Hash128& sidecar);
  bool contains(const Place& place) const;
  std::size_t size() const;
  std::vector<Place> all() const;  // returns all entries, ordered by the hash of the key
  std::vector<Place> all_of(std::uint64_t environment) const;
  std::vector<Place> family(std::uint64_t environment, std::uint32_t family) const;
  std::vector<std::uint64_t> environments() const;
  std::vector<Hash128> sidecars_of(const Place& place) const;
  // Returns the places for which there are sidecars (large texts that belong to entries), even if a
  // place has no entry any more.
  std::vector<Place> with_sidecars() const;
  // Returns the paths of files in environments' folders that are neither entries nor sidecars,
  // manifests or temporary files, judged by their names. `verify` reports these files.
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
    FileId seen;  // the state of the folder when its names were read
    // True if the folder's time stamp was old enough when the folder was read, so that every later
    // change of the folder changes the time stamp.
    bool settled = false;
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
