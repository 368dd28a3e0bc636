// Tests that a program which has more rights than its caller ignores the caller's environment
// variables. The test makes a set-group-ID program, which always has more rights than its caller.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/temp_folder.hpp"

namespace {

namespace fs = std::filesystem;

// Runs `program`, whose path may contain spaces, and returns its standard output.
std::string said_by(const fs::path& program) {
  const std::string command = "'" + program.string() + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "re"), pclose);
  std::array<char, 4096> line{};
  return pipe != nullptr && std::fgets(line.data(), line.size(), pipe.get()) != nullptr
             ? line.data()
             : "";
}

// Returns a group to which the process may give its files, and which is not the process's own
// group. Returns nothing if there is no such group.
std::optional<gid_t> other_group() {
  if (geteuid() == 0) return 65534;
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, getgroups(0, nullptr))));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  for (int i = 0; i < count; ++i)
    if (groups[static_cast<std::size_t>(i)] != getegid())
      return groups[static_cast<std::size_t>(i)];
  return std::nullopt;
}

TEST(Privileged, ReadsNoVariable) {
  const atc::test::TempFolder folder;
  fs::permissions(folder.path(), fs::perms(0755));
  std::ofstream(folder / "pins.json") << R"({"schema": 1, "pins": []})";
  setenv("ATC_BENCHMARK", "1", 1);
  setenv("ATC_LIBRARY_PATH", "/opt/one", 1);
  setenv("ATC_PINS", (folder / "pins.json").c_str(), 1);
  setenv("ATC_STORE", (folder / "store").c_str(), 1);
  setenv("ATC_UNKNOWN", "1", 1);
  EXPECT_EQ(said_by(ATC_TEST_PROGRAM),
            "secure 0, decided 1, benchmark 1, store 1, library path '/opt/one', pins '" +
                (folder / "pins.json").string() + "'\n");
  EXPECT_TRUE(fs::remove_all(folder / "store") > 0);

  setenv("ATC_MODE", "replayonly", 1);
  const auto group = other_group();
  if (!group) GTEST_SKIP() << "this user is in one group alone";
  const fs::path program = folder / "program";
  fs::copy_file(ATC_TEST_PROGRAM, program);
  ASSERT_EQ(chown(program.c_str(), static_cast<uid_t>(-1), *group), 0);
  ASSERT_EQ(chmod(program.c_str(), 02755), 0);
  const std::string said = said_by(program);
  if (said.rfind("secure 0", 0) == 0)
    GTEST_SKIP() << "the temporary folder, or this container, gives programs no more rights";
  EXPECT_EQ(said, "secure 1, decided 1, benchmark 0, store 0, library path '', pins ''\n");
  EXPECT_FALSE(fs::exists(folder / "store"));
}

}  // namespace
