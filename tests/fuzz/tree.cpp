#include "tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace fuzz {

namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Replaces the file. The old file is removed first, because it may be a link, a pipe or a file with
// a second name (a hard link). Writing into it could block, or could change another file.
void write(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
  std::ofstream(path, std::ios::binary) << text;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::regular;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::directory;
}

}  // namespace

Tree::Files Tree::files() const {
  Files files;
  for (const auto& item : fs::recursive_directory_iterator(root_))
    if (is_file(item.path()))
      files[item.path().lexically_relative(root_).string()] = read(item.path());
  return files;
}

void Tree::fill(const Files& files) const {
  for (const auto& [name, text] : files) {
    fs::create_directories((root_ / name).parent_path());
    write(root_ / name, text);
  }
}

std::vector<std::string> Tree::names() const {
  std::vector<std::string> names;
  std::error_code ignored;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  for (const auto& item : fs::recursive_directory_iterator(root_, kOptions, ignored))
    names.push_back(item.path().lexically_relative(root_).string());
  std::sort(names.begin(), names.end());
  return names;
}

// Returns the path of an existing file of the folder, or the path of a file that a store could
// have.
std::string Tree::path_of(Input& in) const {
  static const char* const kNames[] = {
      "newest",
      "manifest.json",
      "0123456789abcdef",
      "0123456789ABCDEF",
      "ceilings-0123456789abcdef.json",
      "01234567-0123456789abcdef0123456789abcdef.json",
      "01234567-0123456789abcdef0123456789abcdef-0123456789abcdef0123456789abcdef.z",
      "tmp-0123456789abcdef-01234567-1-1-0",
      "tmp-",
      "name\n\x1b[2J",
      "\xff"};
  const std::vector<std::string> here = names();
  const std::size_t which = in.below(here.size() + std::size(kNames));
  if (which < here.size()) return (root_ / here[which]).string();
  fs::path folder = root_;
  if (const std::size_t parent = in.below(here.size() + 1);
      parent < here.size() && is_folder(root_ / here[parent]))
    folder /= here[parent];
  return (folder / kNames[which - here.size()]).string();
}

void Tree::damage(Input& in, const fs::path& outside) const {
  const std::string path = path_of(in), other = path_of(in);
  std::error_code ignored;
  const bool folder = is_folder(path);
  switch (in.below(12)) {
    case 0:
      fs::remove_all(path, ignored);
      break;
    case 1:
      fs::rename(path, other, ignored);
      break;
    case 2: {
      const std::string targets[] = {
          outside.string(), (outside / "canary").string(), "/dev/zero", "missing", "..", other};
      fs::remove_all(path, ignored);
      fs::create_symlink(targets[in.below(std::size(targets))], path, ignored);
      break;
    }
    case 3:
      fs::remove_all(path, ignored);
      fs::create_directory(path, ignored);
      break;
    case 4:
      fs::remove_all(path, ignored);
      mkfifo(path.c_str(), 0600);
      break;
    case 5:
      if (folder || is_file(path)) chmod(path.c_str(), in.raw<std::uint16_t>() & 07777u);
      break;
    case 6:  // changes the owner of the file; fails unless the process runs as root
      if (lchown(path.c_str(), in.below(3) * 1000, in.below(3) * 1000) != 0) break;
      break;
    case 7: {
      const timespec times[2] = {{in.number(), 0}, {in.number(), 0}};
      utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
      break;
    }
    case 8:  // makes a large sparse file, which takes no disk space
      if (!folder) {
        write(path, "");
        if (truncate(path.c_str(), std::int64_t{1} << in.below(35)) != 0) break;
      }
      break;
    case 9:
      fs::remove_all(path, ignored);
      fs::create_hard_link(outside / "canary", path, ignored);
      break;
    case 10:
      if (!folder) write(path, in.text(128));
      break;
    default: {  // changes one byte of the file
      if (!is_file(path) || fs::file_size(path, ignored) > 1 << 20) break;
      std::string text = read(path);
      if (text.empty()) break;
      text[in.raw<std::uint16_t>() % text.size()] = in.raw<char>();
      write(path, text);
    }
  }
}

void Tree::clear() const {
  // An error of remove_all is ignored. A folder whose permissions were taken away may not be
  // emptied.
  std::error_code ignored;
  chmod(root_.c_str(), 0700);
  for (const std::string& name : names())
    if (is_folder(root_ / name)) chmod((root_ / name).c_str(), 0700);
  fs::remove_all(root_, ignored);
}

}  // namespace fuzz
