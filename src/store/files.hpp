// The store's access to the file system. No function blocks, and no function throws because of an
// error of the system. A symbolic link in place of a file is not followed. A symbolic link in place
// of a folder is not followed either: the result is ELOOP, unless the name of the folder ends in
// "/.". A function that returns int returns 0 or an errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace atc::store {

// Identifies a file and its state at one moment. Two objects are equal if the file was neither
// replaced nor written between their two moments.
struct FileId {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileId& other) const {
    return device == other.device && inode == other.inode && size == other.size &&
           changed_ns == other.changed_ns;
  }
};

// Returns the system's text for an errno: "No space left on device".
std::string text_of(int error);

// The owner of a file or a folder, and its permissions.
struct Ownership {
  std::uint32_t user = 0, group = 0, mode = 0;  // mode: the permission bits
};
// Sets `out` to the owner and the permissions of a file or folder. For a symbolic link, these are
// the owner and the permissions of the link itself.
int ownership_of(const std::string& path, Ownership* out);

struct FileText {
  enum class State { read, absent, refused } state = State::absent;
  std::string text;     // the contents of the file; set if the state is `read`
  FileId id;            // the identity of the file; set if the state is `read`
  Ownership ownership;  // the owner of the file; set if the state is `read`
  std::string reason;   // set if the state is `refused`: the reason, as a part of a sentence
  // If the system refused to read the file (because of its rights, or of too many open files): the
  // errno. Then the contents of the file are not known. Otherwise 0.
  int error = 0;
};
// Reads a regular file of at most `limit` bytes. Any other file is refused. Opening does not block,
// even if the file is a FIFO.
FileText read_file(const std::string& path, std::size_t limit);
// Reads the regular file `name` in a folder, of at most `limit` bytes. Any other file is refused.
// The folder must not be a symbolic link.
FileText read_file(const std::string& folder, const std::string& name, std::size_t limit);

// Sets `out` to the identity of a file. For a symbolic link, this is the identity of the link
// itself, not of its target.
int identify(const std::string& path, FileId* out);

enum class Sync { no, yes };
enum class Replace { no, yes };  // Replace::no: if a file of this name exists, the result is EEXIST
struct WriteOptions {
  Sync sync = Sync::no;
  Replace replace = Replace::yes;
  unsigned mode = 0666;      // permission bits, which the umask restricts further
  std::int64_t time_ns = 0;  // the time that the file gets; 0: the time at which it is written
  // Called after the new bytes are written to a temporary file and synced, before the rename. If it
  // returns true, the old file is kept, and write_file returns ECANCELED.
  std::function<bool()> unless = {};
};
// Writes a file so that readers see either the old file or the whole new file: the text is written
// to a temporary file in `directory`, which is then renamed to `name`. With `sync`, the bytes are
// synced to the disk before the rename. So a power loss leaves no empty file, and a full disk is
// reported here. The name is synced after the rename, so that a power loss does not restore the old
// file. If the function fails, no new file is left behind. Exception: if only the sync of the name
// fails, the new file remains.
int write_file(const std::string& directory, const std::string& name, std::string_view text,
               const WriteOptions& options, FileId* id);

// Makes a folder in an existing folder, and syncs the new name to the disk. Returns EEXIST if
// something has this name already. Even in this case the name is synced, because the process that
// made the folder may not have synced it yet.
int make_folder(const std::string& path, unsigned mode);
// Makes a folder and all missing parent folders, with the same mode, and syncs the new names to the
// disk. Returns EEXIST if something has the name of the folder already.
int make_folders(const std::string& path, unsigned mode);

// Sets the time of a file. If the path is a symbolic link, the time of the link itself is set.
int set_time_of(const std::string& path, std::int64_t time_ns);

int remove_file(const std::string& folder, const std::string& name);
// Calls `visit` for each name in the directory except "." and "..".
int for_each_name(const std::string& directory, const std::function<void(std::string_view)>& visit);

}  // namespace atc::store
