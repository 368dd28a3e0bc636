// Tests the export, the import and the merge of bundles (files with the entries of a store).
#include "store/bundle.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include "fixtures.hpp"

namespace atc::store::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns a bundle that consists of a valid header and of these lines, each of which is the text of
// an entry.
std::string bundle_of(const std::vector<std::string>& lines) {
  std::string body;
  for (const auto& line : lines) body += line + "\n";
  return "{\"atc_bundle\":1,\"entries\":" + std::to_string(lines.size()) + ",\"checksum\":\"" +
         hex64(hash64(body)) + "\"}\n" + body;
}
std::string line(int channels, const std::string& configuration) {
  return entry_to_text({key(channels), value(configuration)});
}

Json provisional_value(const std::string& configuration) {
  Json made = value(configuration);
  made[kProvisional] = {{"risk", 0.05}, {"why", "noise"}};
  return made;
}
std::string provisional_line(int channels, const std::string& configuration) {
  return entry_to_text({key(channels), provisional_value(configuration)});
}

TEST(Bundle, CarriesAllEntriesToAnotherStore) {
  const Scratch scratch;
  const auto from = open(scratch / "from");
  for (int i = 0; i < 20; ++i) (*from)->put(key(i, 8, i % 2 ? "3.2" : "3.3"), value("c"));
  const std::string bundle = (*from)->export_bundle();
  const auto to = open(scratch / "to");
  const ImportReport report = (*to)->import_bundle(bundle);
  EXPECT_EQ(report.added, 20U);
  EXPECT_EQ(report.kept, 0U);
  EXPECT_EQ((*to)->digest(), (*from)->digest());
  EXPECT_EQ((*to)->export_bundle(), bundle);
  EXPECT_THAT((*to)->verify(), IsEmpty());
  EXPECT_EQ(open(scratch / "to")->store->digest(), (*from)->digest());
}

TEST(Bundle, BytesDoNotDependOnTheOrderOfPuts) {
  const Scratch scratch;
  const auto one = open(scratch / "1");
  const auto two = open(scratch / "2");
  for (int i = 0; i < 10; ++i) {
    (*one)->put(key(i), value("c"));
    (*two)->put(key(9 - i), value("c"));
  }
  EXPECT_EQ((*one)->export_bundle(), (*two)->export_bundle());
}

TEST(Bundle, EmptyOneIsFine) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  const ImportReport report = (*store)->import_bundle(open(scratch / "e")->store->export_bundle());
  EXPECT_EQ(report.added + report.kept, 0U);
}

TEST(Bundle, LocalEntriesStand) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), value("local"));
  const ImportReport report =
      (*store)->import_bundle(bundle_of({line(1, "imported"), line(2, "imported")}));
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(choice((*store)->get(key(1))), "local");
  EXPECT_EQ(choice((*store)->get(key(2))), "imported");
}

TEST(Bundle, AFirmEntryReplacesALocalProvisionalOne) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), provisional_value("local"));
  (*store)->put(key(2), provisional_value("local"));
  (*store)->put(key(3), value("local"));
  const ImportReport report = (*store)->import_bundle(bundle_of(
      {line(1, "imported"), provisional_line(2, "imported"), provisional_line(3, "imported")}));
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.kept, 2U);
  EXPECT_EQ(choice((*store)->get(key(1))), "imported");
  EXPECT_FALSE(is_provisional((*store)->get(key(1))->value));
  EXPECT_EQ(choice((*store)->get(key(2))), "local");
  EXPECT_EQ(choice((*store)->get(key(3))), "local");
}

ImportOptions replacing() {
  ImportOptions options;
  options.present = Present::replaced;
  return options;
}

TEST(Bundle, LocalEntriesAreReplacedOnDemandButNoFirmOneByAProvisionalOne) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), value("local"));
  (*store)->put(key(2), value("local"));
  (*store)->put(key(3), provisional_value("local"));
  (*store)->put(key(4), value("imported"));
  const ImportReport report = (*store)->import_bundle(
      bundle_of({line(1, "imported"), provisional_line(2, "imported"),
                 provisional_line(3, "imported"), line(4, "imported"), line(5, "imported")}),
      replacing());
  EXPECT_EQ(report.added, 3U);
  // two entries of the bundle were not imported: the one of key(4) is equal, and key(2) has a firm
  // one
  EXPECT_EQ(report.kept, 2U);
  EXPECT_EQ(choice((*store)->get(key(1))), "imported");
  EXPECT_EQ(choice((*store)->get(key(2))), "local");
  EXPECT_EQ(choice((*store)->get(key(3))), "imported");
  EXPECT_EQ(choice((*store)->get(key(5))), "imported");
}

TEST(Bundle, ABadLocalEntryIsReplaced) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), value("local"));
  write(entry_files(scratch / "s").front(), "broken");
  EXPECT_EQ((*store)->import_bundle(bundle_of({line(1, "imported")})).added, 1U);
  EXPECT_EQ(choice((*store)->get(key(1))), "imported");
}

TEST(Bundle, BadOnesChangeNothingAndSayWhy) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), value("local"));
  const auto before = snapshot(scratch.path());
  const std::string good = bundle_of({line(2, "a"), line(3, "b"), line(4, "c")});
  const std::size_t body = good.find('\n') + 1;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    EXPECT_NE(text.find(from), text.npos) << from;
    return text.replace(text.find(from), from.size(), to);
  };
  std::string flipped_body = bundle_of({line(2, "a"), line(3, "b")});
  flipped_body.replace(flipped_body.find("\"configuration\":\"b\""), 19, "\"configuration\":\"c\"");
  Json no_choice = Json::parse(line(3, "b"));
  no_choice["value"].erase("choice");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "header"},
      {"\n", "header"},
      {"not a bundle\n", "header"},
      {std::string(1 << 20, '['), "header"},
      {"[1,2]\n", "header"},
      {"{}\n", "header"},
      {line(2, "a") + "\n", "header"},
      {with("\"atc_bundle\":1", "\"atc_bundle\":3"), "schema 3"},
      {with("\"atc_bundle\":1", "\"atc_bundle\":2"), "header"},
      {with("\"entries\":3", "\"entries\":-3"), "header"},
      {with("\"entries\":3", "\"entries\":4"), "has 3 entries, its header says 4"},
      {with("\"checksum\":\"", "\"checksum\":\"0"), "checksum"},
      {good.substr(0, body), "has 0 entries"},
      {good.substr(0, good.size() - 1), "ends within entry 3"},
      {good.substr(0, body + 10), "ends within entry 1"},
      {good + line(5, "d") + "\n", "has 4 entries"},
      {good + "\n", "entry 4"},
      {good + std::string("\0", 1), "ends within entry 4"},
      {flipped_body, "entry 2 does not match its checksum"},
      {bundle_of({line(2, "a"), "{}"}), "entry 2 has no schema number"},
      {bundle_of({line(2, "a"), std::string(60'000, '[')}), "entry 2 nests deeper"},
      {bundle_of({line(2, "a"), std::string(70'000, ' ')}), "entry 2 has 70000 bytes"},
      {bundle_of({no_choice.dump()}), "entry 1 has no \"choice\""},
      {bundle_of({line(2, "a"), line(3, "b"), line(2, "c")}), "entry 3 has the key of entry 1"},
  };
  for (const auto& [bytes, reason] : cases) {
    Status status{};
    EXPECT_THAT(error_of([&] { (*store)->import_bundle(bytes); }, &status), HasSubstr(reason))
        << bytes.substr(0, 200);
    EXPECT_EQ(status, Status::bad_record) << reason;
    error_of([&] { merge_bundles({good, bytes}); }, &status);
    EXPECT_EQ(status, Status::bad_record) << reason;
  }
  EXPECT_EQ(snapshot(scratch.path()), before);
  EXPECT_EQ((*store)->import_bundle(good).added, 3U) << "the good one is good";
}

TEST(Bundle, EveryFlippedByteIsRefused) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  const std::string good = bundle_of({line(2, "a"), line(3, "b")});
  const auto before = snapshot(scratch.path());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int mask : {0x01, 0x20, 0x80}) {
      std::string flipped = good;
      flipped[at] = static_cast<char>(flipped[at] ^ mask);
      Status status{};
      error_of([&] { (*store)->import_bundle(flipped); }, &status);
      ASSERT_EQ(status, Status::bad_record) << "byte " << at << " mask " << mask;
    }
  }
  EXPECT_EQ(snapshot(scratch.path()), before);
}

TEST(Bundle, TextThatLooksLikeAPathStaysText) {
  const Scratch scratch;
  const fs::path store_folder = scratch / "a/b/s";
  const auto store = open(store_folder);
  std::vector<std::string> lines;
  for (const std::string& evil :
       {std::string("../../evil"), (scratch / "absolute").string(), std::string("..\\evil"),
        std::string("a/../../b"), std::string("nul\0byte", 8), std::string("~/evil")}) {
    Key k = key(64);
    k.environment[evil] = evil;
    k.problem["name"] = evil;
    k.family = evil;
    lines.push_back(entry_to_text({k, value(evil)}));
  }
  EXPECT_EQ((*store)->import_bundle(bundle_of(lines)).added, lines.size());
  for (const auto& item : fs::recursive_directory_iterator(scratch.path())) {
    const std::string path = item.path().string();
    const bool above = store_folder.string().rfind(path, 0) == 0;
    EXPECT_TRUE(above || path.rfind(store_folder.string() + "/", 0) == 0) << path;
  }
  EXPECT_EQ(entry_files(store_folder).size(), lines.size());
  EXPECT_THAT((*store)->verify(), IsEmpty());
}

TEST(Bundle, AnExtraPathInABundleIsRefused) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  Json with_path = Json::parse(line(2, "a"));
  with_path["path"] = "../../evil.json";
  Status status{};
  error_of([&] { (*store)->import_bundle(bundle_of({with_path.dump()})); }, &status);
  EXPECT_EQ(status, Status::bad_record);
}

TEST(Bundle, ImportDoesNotPushLocalEntriesOut) {
  const Scratch scratch;
  const auto store = open(scratch / "s", Mode::read_write, 3);
  (*store)->put(key(1), value("local"));
  (*store)->put(key(2), value("local"));
  Status status{};
  EXPECT_THAT(error_of(
                  [&] {
                    (*store)->import_bundle(bundle_of({line(2, "i"), line(3, "i"), line(4, "i")}));
                  },
                  &status),
              HasSubstr("prune"));
  EXPECT_EQ(status, Status::io);
  EXPECT_EQ((*store)->size(), 2U);
  EXPECT_EQ((*store)->import_bundle(bundle_of({line(2, "i"), line(3, "i")})).added, 1U);
}

TEST(Bundle, MergeTakesTheEntriesOfAllInAnyOrder) {
  const std::string one = bundle_of({line(1, "one"), line(2, "one")});
  const std::string two = bundle_of({line(2, "two"), line(3, "two")});
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->import_bundle(merge_bundles({one, two}));
  EXPECT_EQ(choice((*store)->get(key(1))), "one");
  EXPECT_THAT(choice((*store)->get(key(2))), AnyOf("one", "two"));
  EXPECT_EQ(choice((*store)->get(key(3))), "two");
  EXPECT_EQ(merge_bundles({one, one}), merge_bundles({one}));
  EXPECT_EQ(merge_bundles({one, two}), merge_bundles({two, one}));
  EXPECT_THAT(read_bundle(merge_bundles({})).lines, IsEmpty());
}

TEST(Bundle, MergePrefersFirmEntries) {
  const std::string one = bundle_of({provisional_line(1, "one"), provisional_line(2, "one")});
  const std::string two = bundle_of({line(1, "two"), provisional_line(2, "two")});
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->import_bundle(merge_bundles({one, two}));
  EXPECT_EQ(choice((*store)->get(key(1))), "two");
  EXPECT_TRUE(is_provisional((*store)->get(key(2))->value));
}

}  // namespace
}  // namespace atc::store::testing
