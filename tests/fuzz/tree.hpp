// The folder of a store. Functions fill the folder, damage it as the fuzzer's input says, and empty
// it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "input.hpp"

namespace fuzz {

class Tree {
 public:
  // The content of each file. The key is the file's path relative to the folder.
  using Files = std::map<std::string, std::string>;

  explicit Tree(std::filesystem::path root) : root_(std::move(root)) {}
  // Returns the paths and contents of the files of the folder. `fill` can write them again later.
  Files files() const;
  void fill(const Files& files) const;
  // Makes one change: replaces a file by a folder, link or pipe, or changes the content, size,
  // owner, times, permissions or name of a file. Some of the links point into the folder `outside`.
  void damage(Input& in, const std::filesystem::path& outside) const;
  void clear() const;

  const std::filesystem::path& root() const { return root_; }

 private:
  std::vector<std::string> names() const;
  std::string path_of(Input& in) const;

  const std::filesystem::path root_;
};

}  // namespace fuzz
