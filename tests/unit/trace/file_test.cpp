#include "trace/file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "support/temp_folder.hpp"
#include "trace/session.hpp"

namespace atc::trace {
namespace {

Status status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    return error.status();
  }
  return Status::ok;
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(TraceFile, NamesTheProcess) {
  EXPECT_EQ(path_of("/a/t.%p.json"), "/a/t." + std::to_string(getpid()) + ".json");
  EXPECT_EQ(path_of("%p%%p"), std::to_string(getpid()) + "%p");
  EXPECT_EQ(path_of("plain"), "plain");
}

TEST(TraceFile, RefusesOtherPatternsAndLongPaths) {
  for (const char* const pattern : {"a%", "%", "%s", "a%q.json", "%%%"})
    EXPECT_EQ(status_of([&] { path_of(pattern); }), Status::invalid_argument) << pattern;
  EXPECT_EQ(status_of([] { path_of(std::string(5000, 'a')); }), Status::invalid_argument);
}

TEST(TraceFile, RefusesWhatCannotBecomeAFile) {
  const test::TempFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  ASSERT_EQ(mkdir(path("folder").c_str(), 0700), 0);
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  std::ofstream(folder / "plain") << "kept";
  ASSERT_EQ(symlink("plain", path("link").c_str()), 0);
  for (const std::string& bad :
       {path("missing/t.json"), path("folder"), path("folder/"), path("fifo"), path("link"),
        path("plain/t.json"), path(std::string(300, 'n').c_str()), std::string("/dev/null"),
        std::string("/dev/stdout")})
    EXPECT_EQ(status_of([&] { check_path(bad); }), Status::io) << bad;
  EXPECT_EQ(status_of([&] { check_path(path("new.json")); }), Status::ok);
  EXPECT_EQ(status_of([&] { check_path("in-the-current-folder"); }), Status::ok);
  EXPECT_EQ(text_of(folder / "plain"), "kept");
}

TEST(TraceFile, IsATableOrJsonByItsName) {
  const test::TempFolder folder;
  Session session({});
  session.count(session.row({}, "p", "c"));
  const Results results = session.take(true);
  write((folder / "t.txt").string(), results);
  EXPECT_EQ(text_of(folder / "t.txt"), to_table(results));
  for (const char* const name : {"t.json", "t", "txt"}) {
    write((folder / name).string(), results);
    EXPECT_EQ(text_of(folder / name), to_json(results));
  }
  // writes t.txt a second time, which must replace the existing file
  write((folder / "t.txt").string(), results);
  EXPECT_EQ(status_of([&] { write((folder / "gone/t.txt").string(), results); }), Status::io);
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    (void)file;
    ++files;
  }
  EXPECT_EQ(files, 4u) << "nothing temporary is left";
}

}  // namespace
}  // namespace atc::trace
