// The store's access to the file system. No function blocks, reports an error of the system by an
// exception, or follows a symbolic link in place of a file. Functions that return int return 0 or
// an errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace atc::store {

// Identifies a file and its state: equal while the file is neither replaced nor written to.
struct FileId {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileId& other) const {
    return device == other.device && inode == other.inode && size == other.size &&
           changed_ns == other.changed_ns;
  }
};

std::string text_of(int error);  // "No space left on device"

struct FileText {
  enum class State { read, absent, refused } state = State::absent;
  std::string text;     // when read
  FileId id;            // when read
  std::string reason;   // when refused: a part of a sentence
  bool unseen = false;  // refused by the system (rights, open files): contents are unknown
};
// Reads a regular file of at most `limit` bytes and refuses any other. Opens without blocking, even
// a FIFO.
FileText read_file(const std::string& path, std::size_t limit);

int identify(const std::string& path, FileId* out);  // of a link itself, not of its target

enum class Sync { no, yes };
enum class Replace {
  no,
  yes
};  // no: EEXIST when the name is taken (where the file system can tell)
// Writes to a temporary file in `directory`, then renames it to `name`, so that readers see the old
// file or the whole new one. `sync` puts the bytes on the disk before the rename, so that a power
// loss leaves no empty file and a full disk is reported here. On failure no file is left behind.
int write_file(const std::string& directory, const std::string& name, std::string_view text,
               Sync sync, Replace replace, FileId* id);

int remove_file(const std::string& path);
// Each name in the directory but . and ..
int for_each_name(const std::string& directory, const std::function<void(std::string_view)>& visit);

}  // namespace atc::store
