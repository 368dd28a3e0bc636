// Tests the functions of a store whose files are not damaged.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

#include "fixtures.hpp"
#include "store/files.hpp"

namespace atc::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Store, RemembersAcrossOpenings) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(64), value("a"));
  const auto again = open(scratch / "s");
  const auto entry = again->store->get(key(64));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->value, value("a"));
  EXPECT_EQ(entry->key.problem, key(64).problem);
  EXPECT_EQ(entry->key.environment, key(64).environment);
  EXPECT_EQ(entry->key.family, key(64).family);
  EXPECT_EQ((*again)->get(key(65)), nullptr);
  EXPECT_THAT(again->warnings, IsEmpty());
}

TEST(Store, NamesFilesByHashesAndWritesAManifest) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(64), value("a"));
  const Place place = CanonicalKey(key(64)).place();
  const fs::path folder = scratch / ("s/" + hex64(place.environment));
  EXPECT_EQ(place.environment, hash64(environment().dump()));
  EXPECT_TRUE(fs::exists(folder / (hex32(place.family) + "-" + hex128(place.key) + ".json")));
  EXPECT_EQ(Json::parse(read(folder / "manifest.json"))["environment"], environment());
}

TEST(Store, AnotherEnvironmentIsAMiss) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(64, 8, "3.2"), value("a"));
  EXPECT_EQ((*store)->get(key(64, 8, "3.3")), nullptr);
  (*store)->put(key(64, 8, "3.3"), value("b"));
  EXPECT_EQ(choice((*store)->get(key(64, 8, "3.2"))), "a");
  EXPECT_EQ(choice((*store)->get(key(64, 8, "3.3"))), "b");
}

TEST(Store, FamilyIsPartOfTheIdentity) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(64), value("a"));
  Key other = key(64);
  other.family = "";
  EXPECT_EQ((*store)->get(other), nullptr);
}

TEST(Store, LastPutWins) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(64), value("a"));
  (*store)->put(key(64), value("b"));
  EXPECT_EQ(choice((*store)->get(key(64))), "b");
  EXPECT_EQ(choice(open(scratch / "s")->store->get(key(64))), "b");
  EXPECT_EQ((*store)->size(), 1U);
}

TEST(Store, TwoObjectsSeeEachOther) {
  const Scratch scratch;
  const auto one = open(scratch / "s");
  const auto two = open(scratch / "s");
  (*one)->put(key(64), value("a"));
  EXPECT_EQ(choice((*two)->get(key(64))), "a");
  EXPECT_EQ((*two)->size(), 1U);
  (*two)->put(key(64), value("b"));
  EXPECT_EQ(choice((*one)->get(key(64))), "b") << "an entry in memory outlived the file";
  EXPECT_TRUE((*two)->remove(key(64)));
  EXPECT_EQ((*one)->get(key(64)), nullptr);
  EXPECT_EQ((*one)->size(), 0U);
}

TEST(Store, FindsByEnvironmentFamilyAndPredicate) {
  const Scratch scratch;
  const auto one = open(scratch / "s");
  const auto two = open(scratch / "s");
  for (const int batch : {2, 4, 16}) (*one)->put(key(64, batch), value(std::to_string(batch)));
  (*one)->put(key(32, 4), value("other family"));
  (*one)->put(key(64, 4, "3.3"), value("other environment"));
  for (const auto* store : {&one, &two}) {
    std::vector<std::string> found;
    for (const auto& entry : (**store)->find(environment(), key(64).family, [](const Entry& e) {
           return e.key.problem["x"][0] != 2;
         })) {
      found.push_back(choice(entry));
    }
    EXPECT_THAT(found, ::testing::UnorderedElementsAre("4", "16"));
  }
}

TEST(Store, FindReadsTheFamilyAlone) {
  const Scratch scratch;
  {
    const auto store = open(scratch / "s");
    (*store)->put(key(64), value("a"));
    (*store)->put(key(32), value("b"));
  }
  const Place other = CanonicalKey(key(32)).place();
  for (const fs::path& file : entry_files(scratch / "s")) {
    if (file.filename().string().rfind(hex32(other.family), 0) == 0) write(file, "broken");
  }
  const auto store = open(scratch / "s");
  EXPECT_THAT((*store)->find(environment(), key(64).family, [](const Entry&) { return true; }),
              SizeIs(1));
  EXPECT_THAT(store->warnings, IsEmpty()) << "a file of another family was opened";
}

TEST(Store, TellsTheKeysOfAnEnvironmentOnce) {
  const Scratch scratch;
  const auto writer = open(scratch / "s");
  for (const int channels : {8, 16}) (*writer)->put(key(channels), value("a"));
  (*writer)->put(key(64, 8, "3.3"), value("a"));
  const auto store = open(scratch / "s");
  const auto channels_of = [](const std::vector<Key>& keys) {
    std::vector<int> channels;
    for (const Key& key : keys) channels.push_back(key.problem["x"][1].get<int>());
    std::sort(channels.begin(), channels.end());
    return channels;
  };
  Seen seen;
  EXPECT_THAT(channels_of((*store)->unseen_keys(environment(), seen)), ElementsAre(8, 16));
  (*writer)->put(key(32), value("a"));
  EXPECT_THAT(channels_of((*store)->unseen_keys(environment(), seen)), ElementsAre(32));
  EXPECT_THAT((*store)->unseen_keys(environment(), seen), IsEmpty());
  EXPECT_THAT(store->warnings, IsEmpty());
}

TEST(Store, EnvironmentsAreReadFromEntries) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  EXPECT_THAT((*store)->environments(), IsEmpty());
  (*store)->put(key(64, 8, "3.3"), value("a"));
  const std::vector<Json> one{environment("3.3")};
  EXPECT_EQ((*store)->environments(), one);
  // another process adds an environment
  (*open(scratch / "s"))->put(key(64, 8, "3.2"), value("b"));
  const std::vector<Json> both{environment("3.2"), environment("3.3")};
  EXPECT_EQ((*store)->environments(), both);
  EXPECT_EQ((*open(scratch / "s"))->environments(), both);
  // If the first entry of a folder is damaged, the next one is read.
  for (const int channels : {65, 66, 67}) (*store)->put(key(channels, 8, "3.2"), value("c"));
  const std::string folder = "s/" + hex64(CanonicalKey(key(64, 8, "3.2")).place().environment);
  std::vector<fs::path> files = entry_files(scratch / folder);
  std::sort(files.begin(), files.end());
  ASSERT_EQ(files.size(), 4U);
  write(files.front(), "damaged");
  EXPECT_EQ((*open(scratch / "s"))->environments(), both);
  for (const fs::path& file : files) write(file, "damaged");
  EXPECT_EQ((*open(scratch / "s"))->environments(), one);
}

TEST(Store, RemoveTellsWhetherThereWasOne) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  EXPECT_FALSE((*store)->remove(key(64)));
  (*store)->put(key(64), value("a"));
  EXPECT_TRUE((*store)->remove(key(64)));
  EXPECT_FALSE((*store)->remove(key(64)));
  EXPECT_EQ((*store)->get(key(64)), nullptr);
}

TEST(Store, ListsInTheOrderOfKeys) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  std::vector<std::string> keys;
  for (int i = 0; i < 20; ++i) {
    (*store)->put(key(i), value("v"));
    keys.push_back(CanonicalKey(key(i)).text());
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::string> listed;
  for (const auto& entry : (*store)->list()) listed.push_back(CanonicalKey(entry->key).text());
  EXPECT_EQ(listed, keys);
}

TEST(Store, OldestGoFirstAndTheNewestStays) {
  const Scratch scratch;
  const auto store = open(scratch / "s", Mode::read_write, 5);
  for (int i = 0; i < 12; ++i) {
    (*store)->put(key(i), value(std::to_string(i)));
    const Place place = CanonicalKey(key(i)).place();
    for (const fs::path& file : entry_files(scratch / "s")) {
      if (file.string().find(hex128(place.key)) == std::string::npos) continue;
      // Sets times in the past, in the order of the keys, so that the test does not depend on the
      // resolution of the file system's times.
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(100 - i));
    }
    ASSERT_TRUE((*store)->get(key(i))) << i;
    ASSERT_LE(entry_files(scratch / "s").size(), 5U) << i;
  }
  std::vector<std::string> left;
  for (int i = 0; i < 12; ++i) left.push_back(choice((*store)->get(key(i))));
  EXPECT_THAT(left, ElementsAre("", "", "", "", "", "", "", "7", "8", "9", "10", "11"));
}

TEST(Store, PruneKeepsTheNewestAndDropsTheBad) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  for (int i = 0; i < 6; ++i) (*store)->put(key(i), value(std::to_string(i)));
  for (int i = 0; i < 6; ++i) {
    const Place place = CanonicalKey(key(i)).place();
    for (const fs::path& file : entry_files(scratch / "s")) {
      if (file.string().find(hex128(place.key)) == std::string::npos) continue;
      if (i == 5) write(file, "{}");
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(100 - i));
    }
  }
  // prune(2) removes the damaged file, and the three oldest of the five valid entries.
  EXPECT_EQ((*store)->prune(2), 4U);
  std::vector<std::string> left;
  for (int i = 0; i < 6; ++i) left.push_back(choice((*store)->get(key(i))));
  EXPECT_THAT(left, ElementsAre("", "", "", "3", "4", ""));
  EXPECT_EQ((*store)->prune(2), 0U);
}

TEST(Store, AProvisionalEntryDoesNotReplaceAFirmOne) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  Json provisional = value("provisional");
  provisional[kProvisional] = {{"risk", 0.05}, {"why", "noise"}};
  EXPECT_TRUE((*store)->put(key(1), provisional));
  EXPECT_TRUE((*store)->put(key(1), provisional));
  EXPECT_TRUE((*store)->put(key(1), value("firm")));
  EXPECT_FALSE((*store)->put(key(1), provisional));
  EXPECT_FALSE(is_provisional((*store)->get(key(1))->value));
  EXPECT_FALSE(is_provisional((*open(scratch / "s"))->get(key(1))->value)) << "on the disk";
  EXPECT_TRUE((*store)->put(key(1), provisional, true));
  EXPECT_TRUE(is_provisional((*store)->get(key(1))->value)) << "on demand";
}

TEST(Store, DigestFollowsChoicesAndNothingElse) {
  const Scratch scratch;
  const auto one = open(scratch / "1");
  const auto two = open(scratch / "2");
  const std::uint64_t empty = (*one)->digest();
  EXPECT_EQ(empty, (*two)->digest());
  EXPECT_EQ(empty, open(scratch / "1", Mode::off)->store->digest());
  for (int i = 0; i < 10; ++i) {
    (*one)->put(key(i), value("c" + std::to_string(i)));
    Json other = value("c" + std::to_string(9 - i));
    other["date"] = "2027-12-31";
    (*two)->put(key(9 - i), other);
  }
  EXPECT_NE((*one)->digest(), empty);
  EXPECT_EQ((*one)->digest(), (*two)->digest());
  (*two)->put(key(3), value("other choice"));
  EXPECT_NE((*one)->digest(), (*two)->digest());
  (*two)->put(key(3), value("c3"));
  EXPECT_EQ((*one)->digest(), (*two)->digest());
  Json provisional = value("c4");
  (*two)->remove(key(4));
  provisional[kProvisional] = {{"risk", 0.05}, {"why", "noise"}};
  (*two)->put(key(4), provisional);
  EXPECT_EQ((*one)->digest(), (*two)->digest()) << "what is provisional chooses, too";
  Json captured = value("c3");
  captured["captured"] = captured["choice"];
  (*two)->put(key(3), captured);  // this entry has a further choice, for captured calls
  EXPECT_NE((*one)->digest(), (*two)->digest());
  (*one)->put(key(3), captured);
  EXPECT_EQ((*one)->digest(), (*two)->digest());
  (*two)->put(key(10), value("c3"));
  EXPECT_NE((*one)->digest(), (*two)->digest());
}

TEST(Store, ModesThatDoNotWriteChangeNoByte) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(64), value("a"));
  const std::string bundle = open(scratch / "s")->store->export_bundle();
  const fs::path folder = entry_files(scratch / "s").front().parent_path();
  write(folder / "tmp-left", "by somebody");
  const auto before = snapshot(scratch / "s");
  for (const Mode mode : {Mode::read, Mode::replay_only, Mode::off}) {
    const auto store = open(scratch / "s", mode);
    EXPECT_EQ((*store)->mode(), mode);
    EXPECT_EQ(choice((*store)->get(key(64))), mode == Mode::off ? "" : "a");
    const std::vector<std::function<void()>> writes = {
        [&] { (*store)->put(key(1), value("b")); }, [&] { (*store)->remove(key(64)); },
        [&] { (*store)->import_bundle(bundle); }, [&] { (*store)->prune(0); }};
    for (const auto& write : writes) {
      Status status{};
      EXPECT_THAT(error_of(write, &status), HasSubstr("read-write"));
      EXPECT_EQ(status, Status::io);
    }
    EXPECT_EQ((*store)->get(key(1)), nullptr) << "a refused put was remembered";
    (*store)->digest();
    (*store)->export_bundle();
    (*store)->verify();
    (*store)->find(environment(), "", [](const Entry&) { return true; });
    EXPECT_EQ(snapshot(scratch / "s"), before);
  }
}

TEST(Store, OffTouchesNothing) {
  const Scratch scratch;
  EXPECT_EQ(open(scratch / "s", Mode::off)->store->size(), 0U);
  EXPECT_FALSE(fs::exists(scratch / "s"));
}

TEST(Store, ModeNamesAreThoseOfTheEnvironment) {
  EXPECT_EQ(mode_from_name("off"), Mode::off);
  EXPECT_EQ(mode_from_name("read"), Mode::read);
  EXPECT_EQ(mode_from_name("read-write"), Mode::read_write);
  EXPECT_EQ(mode_from_name("replay-only"), Mode::replay_only);
  EXPECT_EQ(mode_from_name("READ"), std::nullopt);
  EXPECT_EQ(mode_from_name(""), std::nullopt);
}

}  // namespace
}  // namespace atc::store::testing
