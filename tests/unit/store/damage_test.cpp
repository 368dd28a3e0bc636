// Tests that a damaged file of an entry counts as missing and is logged once. It must never cause a
// crash or give a wrong choice.
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "fixtures.hpp"
#include "store/record.hpp"

namespace atc::store::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    open(scratch_ / "s")->store->put(key(64), value("a"));
    file_ = entry_files(scratch_ / "s").front();
    text_ = read(file_);
  }

  // Expects that two look-ups find no entry, that one log line names the file and contains
  // `reason`, and that verify reports the file with the same reason.
  void expect_bad(const std::string& reason) {
    const auto store = open(scratch_ / "s");
    EXPECT_EQ((*store)->get(key(64)), nullptr) << reason;
    EXPECT_EQ((*store)->get(key(64)), nullptr) << reason;
    EXPECT_THAT((*store)->find(environment(), key(64).family, [](const Entry&) { return true; }),
                IsEmpty());
    EXPECT_THAT((*store)->list(), IsEmpty());
    EXPECT_THAT(store->warnings, ElementsAre(AllOf(HasSubstr(file_.string()), HasSubstr(reason))));
    EXPECT_THAT((*store)->verify(),
                ElementsAre(AllOf(HasSubstr(file_.string()), HasSubstr(reason))));
  }

  void expect_replaceable() {
    const auto store = open(scratch_ / "s");
    (*store)->put(key(64), value("new"));
    EXPECT_EQ(choice((*store)->get(key(64))), "new");
    EXPECT_THAT((*store)->verify(), IsEmpty());
  }

  const Scratch scratch_;
  fs::path file_;
  std::string text_;
};

TEST_F(Damage, EveryTruncationIsAMiss) {
  const auto store = open(scratch_ / "s");
  // The last byte of the file is the line end. Without the line end the entry is still complete, so
  // this length is not tested.
  for (std::size_t size = 0; size + 1 < text_.size(); ++size) {
    write(file_, text_.substr(0, size));
    ASSERT_EQ((*store)->get(key(64)), nullptr) << "cut after " << size << " bytes";
  }
  write(file_, text_);
  EXPECT_EQ(choice((*store)->get(key(64))), "a");
}

TEST_F(Damage, EveryFlippedBitIsAMissOrTheSameChoice) {
  std::size_t same = 0;
  for (std::size_t at = 0; at < text_.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text_;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      write(file_, flipped);
      // Each case opens the store anew. A store that is already open keeps what it has read until
      // the size, inode or time stamp of the file changes. A flipped bit may change none of them.
      const auto store = open(scratch_ / "s", Mode::read);
      const auto entry = (*store)->get(key(64));
      if (!entry) {
        ASSERT_EQ(store->warnings.size(), 1U) << at << ' ' << bit;
        continue;
      }
      ASSERT_EQ(entry->value, value("a")) << "byte " << at << " bit " << bit;
      ++same;
    }
  }
  // Every flipped bit must be noticed, also a bit of the line end (0x0a). With one flipped bit the
  // line end becomes 0x0b, 0x08, 0x0e, 0x02, 0x1a, 0x2a, 0x4a or 0x8a, none of which is white space
  // in JSON.
  EXPECT_EQ(same, 0U);
}

TEST_F(Damage, HostileContents) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is not JSON"},
      {std::string(4096, '\0'), "is not JSON"},
      {std::string(60'000, '['), "nests deeper"},
      {std::string(60'000, '9'), "number out of range"},
      {"{\"schema\":1e400}", "number out of range"},
      {text_ + text_, "is not JSON"},
      {"{\"schema\":18446744073709551616}", "has no schema number"},
      {"\xef\xbb\xbf{}", "has no schema number"},
  };
  for (const auto& [text, reason] : cases) {
    write(file_, text);
    expect_bad(reason);
  }
  expect_replaceable();
}

TEST_F(Damage, AnotherKeyUnderThisName) {
  write(file_, entry_to_text({key(32), value("of another problem")}) + "\n");
  expect_bad("holds the entry of another key");
  write(file_, entry_to_text({key(64, 8, "3.3"), value("of another library")}) + "\n");
  expect_bad("holds the entry of another key");
  expect_replaceable();
}

TEST_F(Damage, LargerFilesAreRefusedUnread) {
  // The file is sparse and has 1 TiB. If the store read all of it, the test would take far too
  // long.
  fs::resize_file(file_, std::uintmax_t{1} << 40);
  expect_bad("more than the 65536");
  expect_replaceable();
}

TEST_F(Damage, TheLargestEntryIsTakenAndOneByteMoreIsNot) {
  Json most = value("a");
  most["pad"] = "";
  // The file has a line end after the text. So the text must be one byte shorter than the limit of
  // the file.
  const std::size_t left = kMaxEntryBytes - 1 - entry_to_text({key(64), most}).size();
  const auto store = open(scratch_ / "s");
  most["pad"] = std::string(left, 'x');
  (*store)->put(key(64), most);
  EXPECT_EQ(fs::file_size(file_), kMaxEntryBytes);
  EXPECT_EQ(open(scratch_ / "s")->store->get(key(64))->value, most);
  most["pad"] = std::string(left + 1, 'x');
  Status status{};
  EXPECT_THAT(error_of([&] { (*store)->put(key(64), most); }, &status), HasSubstr("statistics"));
  EXPECT_EQ(status, Status::bad_record);
}

TEST_F(Damage, ThingsThatAreNoFiles) {
  fs::remove(file_);
  ASSERT_EQ(mkfifo(file_.c_str(), 0666), 0);
  expect_bad("no regular file");
  expect_replaceable();

  fs::remove(file_);
  write(scratch_ / "elsewhere", text_);
  fs::create_symlink(scratch_ / "elsewhere", file_);
  expect_bad("symbolic link");
  expect_replaceable();
  EXPECT_EQ(read(scratch_ / "elsewhere"), text_) << "a put wrote through a link";

  fs::remove(file_);
  fs::create_symlink("/dev/zero", file_);
  expect_bad("symbolic link");
  expect_replaceable();

  fs::remove(file_);
  fs::create_directory(file_);
  expect_bad("no regular file");
  Status status{};
  error_of([&] { open(scratch_ / "s")->store->put(key(64), value("b")); }, &status);
  EXPECT_EQ(status, Status::io);
}

TEST_F(Damage, AFileWhereAnEnvironmentsFolderBelongs) {
  fs::remove_all(file_.parent_path());
  write(file_.parent_path(), "a file");
  const auto store = open(scratch_ / "s");
  ASSERT_EQ(store->warnings.size(), 1U);
  EXPECT_THAT(store->warnings[0], HasSubstr(file_.parent_path().string()));
  EXPECT_EQ((*store)->get(key(64)), nullptr);
  Status status{};
  error_of([&] { (*store)->put(key(64), value("b")); }, &status);
  EXPECT_EQ(status, Status::io);
  EXPECT_EQ(choice((*store)->get(key(64))), "b");
}

TEST_F(Damage, NewerSchemaIsAMissThatPruneSpares) {
  std::string newer = text_;
  newer.replace(newer.find("\"schema\":1"), 10, "\"schema\":2");
  write(file_, newer);
  expect_bad("is of schema 2");
  EXPECT_EQ(open(scratch_ / "s")->store->prune(10), 0U);
  EXPECT_EQ(read(file_), newer);
}

TEST_F(Damage, StrayFilesAreLeftAloneAndNamedByVerify) {
  const fs::path folder = file_.parent_path();
  const std::vector<std::string> names = {
      "notes.txt", "x.json",        file_.filename().string() + "~",
      "tmp-",      "tmp-0-0-0-0-0", "tmp-0123456789abcdef-01234567-99999999999999999999-1-1"};
  for (const auto& name : names) write(folder / name, "");
  const auto store = open(scratch_ / "s");
  EXPECT_EQ((*store)->size(), 1U);
  EXPECT_EQ((*store)->verify().size(), names.size());
  (*store)->prune(10);
  for (const auto& name : names) EXPECT_TRUE(fs::exists(folder / name)) << name;
}

TEST_F(Damage, OneBadEntryHarmsNoOther) {
  const auto store = open(scratch_ / "s");
  (*store)->put(key(32), value("fine"));
  write(file_, "broken");
  EXPECT_EQ((*store)->get(key(64)), nullptr);
  EXPECT_EQ(choice((*store)->get(key(32))), "fine");
  EXPECT_EQ((*store)->list().size(), 1U);
}

}  // namespace
}  // namespace atc::store::testing
