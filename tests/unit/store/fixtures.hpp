// Fixtures for the tests of the store.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "store/entry.hpp"
#include "store/store.hpp"
#include "support/temp_folder.hpp"
#include "user_secret.hpp"

namespace atc::store::testing {

namespace fs = std::filesystem;

// A temporary folder that other users may read.
class Scratch : public test::TempFolder {
 public:
  Scratch() { fs::permissions(path(), static_cast<fs::perms>(0755)); }
};

inline Json environment(const std::string& version = "3.2") {
  return {{"schema", 1}, {"device", "cpu"}, {"isa", "avx2"}, {"threads", 2}, {"onednn", version}};
}

inline Key key(int channels, int batch = 8, const std::string& version = "3.2") {
  Key key;
  key.environment = environment(version);
  key.problem = {{"op", "forward"},
                 {"x", {batch, channels, 56, 56}},
                 {"w", {64, channels, 3, 3}},
                 {"dtype", "f32"},
                 {"groups", 1},
                 {"deterministic", false}};
  key.family = "forward c" + std::to_string(channels);
  return key;
}

inline Json value(const std::string& configuration) {
  return {{"choice", {{"engine", "reference"}, {"version", "1"}, {"configuration", configuration}}},
          {"candidates", {{{"engine", "reference"}, {"median", 0.00125}, {"samples", 30}}}},
          {"date", "2026-01-01"}};
}

// An open store, and the warnings that the store has given.
struct Opened {
  std::vector<std::string> warnings;
  std::shared_ptr<Store> store;
  Store* operator->() const { return store.get(); }
};
inline std::unique_ptr<Opened> open(const fs::path& directory, Mode mode = Mode::read_write,
                                    std::uint64_t max_entries = 1'000'000,
                                    std::optional<Secret> secret = kSecret) {
  auto opened = std::make_unique<Opened>();
  Options options;
  options.mode = mode;
  options.max_entries = max_entries;
  options.secret = secret;
  options.warn = [log = opened.get()](const std::string& line) { log->warnings.push_back(line); };
  opened->store = Store::open(directory, std::move(options));
  return opened;
}

// Returns the configuration of an entry's choice, or "" if there is no entry.
inline std::string choice(const std::shared_ptr<const Entry>& entry) {
  return entry ? entry->value["choice"]["configuration"].get<std::string>() : "";
}

inline std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  ASSERT_TRUE(file.flush()) << path;
}

// Returns the content of each file below `directory`, by path.
inline std::map<std::string, std::string> snapshot(const fs::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& item : fs::recursive_directory_iterator(directory)) {
    files[item.path().string()] = item.is_regular_file() ? read(item.path()) : "";
  }
  return files;
}

// Returns the files of a store's folder that contain entries. (The folder of each environment also
// has a file manifest.json.)
inline std::vector<fs::path> entry_files(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& item : fs::recursive_directory_iterator(directory)) {
    const std::string name = item.path().filename().string();
    if (item.path().extension() == ".json" && name != "manifest.json") files.push_back(item.path());
  }
  return files;
}

// While an object of this class exists, the process runs as a user without rights. Tests need this
// because root may access all files.
class WithoutRights {
 public:
  WithoutRights() {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0) dropped_ = seteuid(kNobody) == 0;
  }
  ~WithoutRights() {
    if (dropped_ && seteuid(0) != 0) std::abort();
  }
  bool works() const { return geteuid() != 0; }

 private:
  bool dropped_ = false;
};

// Returns "" if `action` throws nothing. Otherwise returns the text of the error. `status` gets the
// status of the error.
inline std::string error_of(const std::function<void()>& action, Status* status) {
  *status = Status::ok;
  try {
    action();
  } catch (const Error& error) {
    *status = error.status();
    return error.what();
  }
  return "";
}

}  // namespace atc::store::testing
