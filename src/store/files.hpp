// The file system as the store needs it: nothing blocks, nothing throws, nothing follows a link
// that stands in place of a file. Functions that return int return 0 or an errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace atc::store {

// Tells whether a file is still the one that was read.
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
  bool unseen = false;  // refused by the system (rights, open files), whatever the file holds
};
// Opens without blocking (a FIFO stands still otherwise) and takes regular files of at most `limit`
// bytes alone.
FileText read_file(const std::string& path, std::size_t limit);

int identify(const std::string& path, FileId* out);  // of what stands there, links not followed

enum class Sync { no, yes };
enum class Replace {
  no,
  yes
};  // no: EEXIST when the name is taken (where the file system can tell)
// Writes to a temporary file in `directory`, then renames it to `name`; whoever looks sees the old
// file or the whole new one. `sync` puts the bytes on the disk before the rename, so that power
// loss leaves no empty file and a full disk is told here. Leaves nothing behind when it fails.
int write_file(const std::string& directory, const std::string& name, std::string_view text,
               Sync sync, Replace replace, FileId* id);

int remove_file(const std::string& path);
// Each name in the directory but . and ..
int for_each_name(const std::string& directory, const std::function<void(std::string_view)>& visit);

}  // namespace atc::store
