// A store's folder that is filled, damaged as an input says, and emptied again.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "input.hpp"

namespace fuzz {

class Tree {
 public:
  // The contents of each file; the key is the path below the root.
  using Files = std::map<std::string, std::string>;

  explicit Tree(std::filesystem::path root) : root_(std::move(root)) {}
  // Returns the files of the folder. `fill` can write them again later.
  Files files() const;
  void fill(const Files& files) const;
  // Makes one change: a file, folder, link or pipe in place of another thing, or another size,
  // owner, time or name. Some of the links point to `outside`.
  void damage(Input& in, const std::filesystem::path& outside) const;
  void clear() const;

  const std::filesystem::path& root() const { return root_; }

 private:
  std::vector<std::string> names() const;
  std::string path_of(Input& in) const;

  const std::filesystem::path root_;
};

}  // namespace fuzz
