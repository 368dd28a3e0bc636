// The store's access to the file system. No function blocks, throws for an error of the system, or
// follows a symbolic link in place of a file. If a folder is a symbolic link, the error is ELOOP,
// too, except for names that end in "/.". Functions that return int return 0 or an errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace atc::store {

// Identifies a file and its state. Two of them are equal if the file was neither replaced nor
// written to in between.
struct FileId {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileId& other) const {
    return device == other.device && inode == other.inode && size == other.size &&
           changed_ns == other.changed_ns;
  }
};

std::string text_of(int error);  // "No space left on device"

// The owner of a file or a folder, and its permissions.
struct Ownership {
  std::uint32_t user = 0, group = 0, mode = 0;  // mode: the permission bits
};
int ownership_of(const std::string& path, Ownership* out);  // of a link itself

struct FileText {
  enum class State { read, absent, refused } state = State::absent;
  std::string text;     // when read
  FileId id;            // when read
  Ownership ownership;  // when read
  std::string reason;   // when refused: a part of a sentence
  int error = 0;        // the errno if the system refused to read the file (rights, too many open
                        // files), so that its contents are unknown
};
// Reads a regular file of at most `limit` bytes, and refuses any other file. Opening does not
// block, even if the file is a FIFO.
FileText read_file(const std::string& path, std::size_t limit);
// Reads the file `name` in a folder in the same way. The folder must not be a symbolic link.
FileText read_file(const std::string& folder, const std::string& name, std::size_t limit);

int identify(const std::string& path, FileId* out);  // identifies a link itself and not its target

enum class Sync { no, yes };
enum class Replace { no, yes };  // no: if the name is taken, the result is EEXIST
struct WriteOptions {
  Sync sync = Sync::no;
  Replace replace = Replace::yes;
  unsigned mode = 0666;      // which the umask restricts
  std::int64_t time_ns = 0;  // the time of the file; 0: the time at which it is written
  // Called when the bytes are written and synced. If it returns true, the old file is kept, and the
  // result is ECANCELED.
  std::function<bool()> unless = {};
};
// Writes to a temporary file in `directory`, then renames it to `name`. So readers see the old file
// or the whole new one. With `sync`, the bytes are put on the disk before the rename: a power loss
// leaves no empty file, and a full disk is reported here. The name is put on the disk after the
// rename: a power loss does not bring back the old file. On failure no file is left behind, except
// if only the name could not be synced.
int write_file(const std::string& directory, const std::string& name, std::string_view text,
               const WriteOptions& options, FileId* id);

// Makes a folder in an existing folder, and syncs its name to the disk. Returns EEXIST if something
// has this name already. The name is synced in this case, too, because the process that made the
// folder may not have synced it yet.
int make_folder(const std::string& path, unsigned mode);
// Like make_folder, but also makes missing folders above it, with the same mode.
int make_folders(const std::string& path, unsigned mode);

// Sets the time of a file. If the path is a link, sets the time of the link itself.
int set_time_of(const std::string& path, std::int64_t time_ns);

int remove_file(const std::string& folder, const std::string& name);
// Visits each name in the directory except "." and "..".
int for_each_name(const std::string& directory, const std::function<void(std::string_view)>& visit);

}  // namespace atc::store
