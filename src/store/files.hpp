// The store's access to the file system. No function blocks, reports an error of the system by an
// exception, or follows a symbolic link in place of a file. A folder that is a link is ELOOP, too,
// except for names that end in "/.". Functions that return int return 0 or an errno.
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

// To whom a file or a folder belongs, and who may write it.
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
  bool unseen = false;  // refused by the system (rights, open files): contents are unknown
};
// Reads a regular file of at most `limit` bytes and refuses any other. Opens without blocking, even
// a FIFO.
FileText read_file(const std::string& path, std::size_t limit);
// The same for a file of a folder that must be no link.
FileText read_file(const std::string& folder, const std::string& name, std::size_t limit);

int identify(const std::string& path, FileId* out);  // of a link itself, not of its target

enum class Sync { no, yes };
enum class Replace { no, yes };  // no: EEXIST when the name is taken
struct WriteOptions {
  Sync sync = Sync::no;
  Replace replace = Replace::yes;
  unsigned mode = 0666;      // which the umask restricts
  std::int64_t time_ns = 0;  // of the file; 0: the time of the writing
  // Called once the bytes are written and synced. If it returns true, the result is ECANCELED, and
  // the old file is kept.
  std::function<bool()> unless = {};
};
// Writes to a temporary file in `directory`, then renames it to `name`, so that readers see the old
// file or the whole new one. `sync` puts the bytes on the disk before the rename, so that a power
// loss leaves no empty file and a full disk is reported here, and the name after it, so that a
// power loss does not bring back the old file. On failure no file is left behind, but where only
// the name could not be synced.
int write_file(const std::string& directory, const std::string& name, std::string_view text,
               const WriteOptions& options, FileId* id);

// Makes a folder in an existing folder and syncs its name to the disk. EEXIST: something has this
// name already. The name is synced in this case, too, because the process that made the folder may
// not have synced it yet.
int make_folder(const std::string& path, unsigned mode);
// The same, and also makes missing folders above it, which get the same mode.
int make_folders(const std::string& path, unsigned mode);

// Gives a file, or a link itself, this time.
int set_time_of(const std::string& path, std::int64_t time_ns);

int remove_file(const std::string& folder, const std::string& name);
// Each name in the directory but . and ..
int for_each_name(const std::string& directory, const std::function<void(std::string_view)>& visit);

}  // namespace atc::store
