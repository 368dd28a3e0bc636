#include "group/folder.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "store/files.hpp"
#include "store/hash.hpp"

namespace atc::group {

namespace {

// Returns the name of the file for a key. The key itself cannot be the name, because it may be too
// long, or contain characters that a file name cannot contain.
std::string name_of(const std::string& key) { return "key-" + store::hex128(store::hash128(key)); }

}  // namespace

FolderTransport::FolderTransport(std::string path) : path_(std::move(path)) {
  constexpr unsigned kMode = 0777;  // permission bits, which the umask restricts further
  const int error = store::make_folders(path_, kMode);
  if (error != 0 && error != EEXIST)
    fail(Status::io, "the group's folder '{}' cannot be made: {}", path_, store::text_of(error));
}

std::optional<std::string> FolderTransport::read(const std::string& name) const {
  store::FileText file = store::read_file(path_, name, kMostValueBytes);
  switch (file.state) {
    case store::FileText::State::read:
      return std::move(file.text);
    case store::FileText::State::absent: {
      // If the folder itself is missing, no key can ever be found, and the rank would wait in vain.
      // So a missing folder is an error.
      store::FileId id;
      if (const int error = store::identify(path_, &id); error != 0)
        fail(Status::io, "the group's folder '{}' cannot be read: {}", path_,
             store::text_of(error));
      return std::nullopt;
    }
    case store::FileText::State::refused:
      break;
  }
  fail(Status::io, "the file '{}' of the group's folder '{}' cannot be read: it {}", name, path_,
       file.reason);
}

std::string FolderTransport::create(const std::string& key, const std::string& value) {
  const std::string name = name_of(key);
  store::WriteOptions options;
  options.replace = store::Replace::no;
  store::FileId id;
  const int error = store::write_file(path_, name, value, options, &id);
  if (error == 0) return value;
  if (error == EEXIST)
    if (auto standing = read(name)) return std::move(*standing);
  fail(Status::io, "the file '{}' of the group's folder '{}' cannot be written: {}", name, path_,
       store::text_of(error));
}

std::optional<std::string> FolderTransport::get(const std::string& key, double seconds) {
  // The shortest and the longest pause between two checks of the file, in seconds.
  constexpr double kShortest = 0.001, kLongest = 0.02;
  const std::string name = name_of(key);
  const double end = now() + seconds;
  for (double pause = kShortest;; pause = std::min(2 * pause, kLongest)) {
    if (auto value = read(name)) return value;
    const double left = end - now();
    if (left <= 0) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(pause, left)));
  }
}

double FolderTransport::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace atc::group
