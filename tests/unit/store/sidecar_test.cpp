// Tests sidecars: files beside the file of an entry, which hold the entry's compiled texts. A
// sidecar is written before its entry, is used only if its hash is the one in the entry, and has no
// influence on the store's digest.
#include "store/sidecar.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <random>

#include "fixtures.hpp"
#include "store/base64.hpp"
#include "store/bundle.hpp"

namespace atc::store::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string long_text(char last = 'a') {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 10'007) + ',';
  return text + last;
}

Json value_with(const SidecarName& name, const std::string& configuration = "c") {
  Json made = value(configuration);
  made[kSidecar] = to_json(name);
  return made;
}

// Writes a sidecar (a file with compiled texts), and then an entry of the store that names the
// sidecar.
SidecarName put_with(Store& store, const Key& key, const std::string& text,
                     const std::string& configuration = "c") {
  const SidecarName name = store.put_sidecar(key, text);
  store.put(key, value_with(name, configuration));
  return name;
}

std::vector<fs::path> sidecar_files(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& item : fs::recursive_directory_iterator(directory))
    if (item.path().extension() == ".z") files.push_back(item.path());
  return files;
}

// Moves the file's time so far into the past that prune() may remove the file if no entry names it.
void age(const fs::path& file) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
}

// Returns a bundle (an exported store) that consists of a valid header and of these lines for
// entries and for sidecars (files with compiled texts).
std::string bundle_of(const std::vector<std::string>& entries,
                      const std::vector<std::string>& sidecars) {
  std::string body;
  for (const auto& line : entries) body += line + "\n";
  for (const auto& line : sidecars) body += line + "\n";
  return "{\"atc_bundle\":2,\"entries\":" + std::to_string(entries.size()) +
         ",\"sidecars\":" + std::to_string(sidecars.size()) + ",\"checksum\":\"" +
         hex64(hash64(body)) + "\"}\n" + body;
}

TEST(Base64, IsThatOfRfc4648) {
  const std::pair<std::string, std::string> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"},
                                                       {"\xff\xef", "/+8="}};
  for (const auto& [bytes, text] : known) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  for (const char* bad : {"Z", "Zg=", "Zg", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Z=g=",
                          "Zm9v\n", "Zm9\xff", "Zm-v"}) {
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
  }
}

TEST(Sidecar, ComesBackInThisAndAnotherOpening) {
  const Scratch scratch;
  for (const std::string& text :
       {std::string(), std::string("x"), long_text(), std::string(std::size_t{64} << 10, 'x'),
        std::string(kMaxSidecarBytes, 'x')}) {
    const auto store = open(scratch / "s");
    const SidecarName name = put_with(*store->store, key(1), text);
    EXPECT_EQ(name.bytes, text.size());
    EXPECT_EQ((*store)->sidecar(key(1), name), text);
    for (const Mode mode : {Mode::read, Mode::replay_only}) {
      const auto again = open(scratch / "s", mode);
      const auto named = sidecars_of((*again)->get(key(1))->value);
      ASSERT_THAT(named, ElementsAre(name));
      EXPECT_EQ((*again)->sidecar(key(1), named.front()), text);
      EXPECT_THAT((*again)->verify(), IsEmpty());
      EXPECT_THAT(again->warnings, IsEmpty());
    }
    EXPECT_THAT(store->warnings, IsEmpty());
  }
}

TEST(Sidecar, IsCompressed) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  put_with(*store->store, key(1), long_text());
  ASSERT_THAT(sidecar_files(scratch.path()), SizeIs(1));
  EXPECT_LT(fs::file_size(sidecar_files(scratch.path()).front()), long_text().size() / 2);
}

TEST(Sidecar, TooLargeOnesAreRefused) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  const auto put = [&](const std::string& text) {
    Status status{};
    EXPECT_THAT(error_of([&] { (*store)->put_sidecar(key(1), text); }, &status),
                HasSubstr("more than"));
    return status;
  };
  EXPECT_EQ(put(std::string(kMaxSidecarBytes + 1, 'x')), Status::bad_record);
  // Random text cannot be compressed. So its file would be longer than the text, and exceed the
  // limit.
  std::string noise(kMaxSidecarBytes, '\0');
  std::mt19937 random(1);
  for (char& c : noise) c = static_cast<char>(random());
  EXPECT_EQ(put(noise), Status::bad_record);
  EXPECT_THAT(sidecar_files(scratch.path()), IsEmpty());
}

TEST(Sidecar, OnlyAStoreThatWritesTakesOne) {
  const Scratch scratch;
  open(scratch / "s");
  for (const Mode mode : {Mode::off, Mode::read, Mode::replay_only}) {
    const auto store = open(scratch / "s", mode);
    Status status{};
    EXPECT_NE(error_of([&] { (*store)->put_sidecar(key(1), "text"); }, &status), "");
    EXPECT_EQ(status, Status::io);
    EXPECT_EQ((*store)->sidecar(key(1), name_of_sidecar("text")), std::nullopt);
  }
}

TEST(Sidecar, IsOfItsEnvironmentAndKeyAlone) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  const SidecarName name = put_with(*store->store, key(1), "text");
  EXPECT_EQ((*store)->sidecar(key(1, 8, "3.3"), name), std::nullopt);
  EXPECT_EQ((*store)->sidecar(key(2), name), std::nullopt);
  EXPECT_EQ((*store)->sidecar(key(1), name), "text");
}

class DamagedSidecar : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto store = open(scratch_ / "s");
    name_ = put_with(*store->store, key(1), long_text());
    file_ = sidecar_files(scratch_.path()).front();
    bytes_ = read(file_);
  }

  // Expects that the entry is still found, that one line is logged, and that verify and prune
  // report the sidecar (the file with the entry's compiled texts).
  void expect_bad(const std::string& reason) {
    const auto store = open(scratch_ / "s");
    EXPECT_EQ(choice((*store)->get(key(1))), "c");
    EXPECT_EQ((*store)->sidecar(key(1), name_), std::nullopt) << reason;
    EXPECT_EQ((*store)->sidecar(key(1), name_), std::nullopt) << reason;
    EXPECT_THAT(store->warnings, ElementsAre(AllOf(HasSubstr(file_.string()), HasSubstr(reason))));
  }
  void expect_found_and_pruned(const std::string& reason) {
    const auto store = open(scratch_ / "s");
    EXPECT_THAT((*store)->verify(),
                ElementsAre(AllOf(HasSubstr(file_.string()), HasSubstr(reason))));
    EXPECT_THAT((*store)->export_bundle(), HasSubstr("\"atc_bundle\":1,"));
    EXPECT_EQ((*store)->prune(10), 1U);
    EXPECT_FALSE(fs::exists(file_));
    EXPECT_EQ(choice((*store)->get(key(1))), "c");
    EXPECT_THAT((*store)->verify(), IsEmpty());
  }

  const Scratch scratch_;
  SidecarName name_;
  fs::path file_;
  std::string bytes_;
};

TEST_F(DamagedSidecar, GoneItIsNone) {
  fs::remove(file_);
  expect_bad("is not there");
  EXPECT_THAT(open(scratch_ / "s")->store->verify(), IsEmpty());
}

TEST_F(DamagedSidecar, TruncatedItIsNone) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, bytes_.size() / 2, bytes_.size() - 4, bytes_.size() - 1}) {
    write(file_, bytes_.substr(0, size));
    expect_bad("is no whole zlib stream");
  }
  expect_found_and_pruned("is no whole zlib stream");
}

TEST_F(DamagedSidecar, WithAnythingBehindItIsNone) {
  write(file_, bytes_ + '\0');
  expect_bad("is no whole zlib stream");
  expect_found_and_pruned("is no whole zlib stream");
}

TEST_F(DamagedSidecar, WithAFlippedBitItIsNone) {
  for (std::size_t at = 0; at < bytes_.size(); at += 101) {
    std::string flipped = bytes_;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    write(file_, flipped);
    ASSERT_EQ(open(scratch_ / "s")->store->sidecar(key(1), name_), std::nullopt) << at;
  }
}

TEST_F(DamagedSidecar, WithAnotherTextItIsNone) {
  write(file_, pack(long_text('b')));
  expect_bad("does not match the hash in its name");
  expect_found_and_pruned("does not match the hash in its name");
}

// A sidecar (a file with compiled texts) has a limit for the size of its file, and one for the size
// of the unpacked text. Bytes beyond a limit must not be read.
TEST_F(DamagedSidecar, TooLargeItIsNone) {
  write(file_, pack(std::string(kMaxSidecarBytes + 1, 'x')));
  expect_bad("holds more than");
  expect_found_and_pruned("holds more than");
  write(file_, "");
  fs::resize_file(file_, kMaxSidecarBytes + kSealBytes + 1);
  expect_bad("more than the 16777248 it may have");
}

TEST_F(DamagedSidecar, OfAnotherSizeThanItsEntrySaysItIsNone) {
  ++name_.bytes;
  expect_bad("its entry says");
}

TEST_F(DamagedSidecar, NoRegularFileIsNone) {
  fs::remove(file_);
  fs::create_symlink("/dev/zero", file_);
  expect_bad("is a symbolic link");
}

TEST_F(DamagedSidecar, IsMendedByPuttingItAgain) {
  write(file_, "broken");
  const auto store = open(scratch_ / "s");
  put_with(*store->store, key(1), long_text());
  EXPECT_EQ((*store)->sidecar(key(1), name_), long_text());
}

TEST(SidecarNames, AreReadStrictly) {
  const SidecarName name = name_of_sidecar("text");
  EXPECT_EQ(sidecar_from_json(to_json(name)), name);
  const auto changed = [&](const char* member, const Json& to) {
    Json json = to_json(name);
    json[member] = to;
    return json;
  };
  for (const Json& bad :
       {Json(), Json(1), Json::object(), changed("hash", 1), changed("hash", "00"),
        changed("hash", std::string(32, 'g')), changed("hash", "../../../../../../../../etc/pass"),
        changed("bytes", -1), changed("bytes", "1"), changed("bytes", 1.5),
        changed("bytes", kMaxSidecarBytes + 1)}) {
    EXPECT_EQ(sidecar_from_json(bad), std::nullopt) << bad;
  }
}

TEST(SidecarNames, OfOtherDecisionsCount) {
  Json made = value("c");
  made["others"] = {value_with(name_of_sidecar("one")), 7, value("d"),
                    value_with(name_of_sidecar("two"))};
  EXPECT_THAT(sidecars_of(made), ElementsAre(name_of_sidecar("one"), name_of_sidecar("two")));
}

TEST(Sidecars, AreNoPartOfTheDigest) {
  const Scratch scratch;
  const auto with = open(scratch / "with");
  const auto without = open(scratch / "without");
  put_with(*with->store, key(1), long_text());
  (*without)->put(key(1), value("c"));
  EXPECT_EQ((*with)->digest(), (*without)->digest());
  EXPECT_EQ((*with)->size(), 1U);
}

TEST(Sidecars, NoEntryNamesArePruned) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  const SidecarName named = put_with(*store->store, key(1), "named");
  (*store)->put_sidecar(key(1), "replaced");
  (*store)->put_sidecar(key(2), "of an entry that never came");
  for (const fs::path& file : sidecar_files(scratch.path())) age(file);
  EXPECT_THAT((*store)->verify(), IsEmpty());
  // prune() keeps files that were written through the same store object. So the store is opened a
  // second time.
  EXPECT_EQ(open(scratch / "s")->store->prune(10), 2U);
  EXPECT_THAT(sidecar_files(scratch.path()), SizeIs(1));
  EXPECT_EQ((*store)->sidecar(key(1), named), "named");
}

TEST(Sidecars, WhoseEntryMayBeOnItsWayStay) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  const SidecarName first = (*store)->put_sidecar(key(1), "first");
  EXPECT_EQ(open(scratch / "s")->store->prune(10), 0U);
  (*store)->put(key(1), value_with(first));
  EXPECT_EQ((*store)->sidecar(key(1), first), "first");
}

// A sidecar (a file with compiled texts) that no entry names any more must also be removed if
// nobody calls prune(). A later put removes the sidecar when it is old enough.
TEST(Sidecars, AReplacedOneGoesWithALaterPut) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  const SidecarName first = put_with(*store->store, key(1), "first");
  const SidecarName second = put_with(*store->store, key(1), "second");
  EXPECT_EQ((*store)->sidecar(key(1), first), "first") << "a reader of the first entry may want it";
  for (const fs::path& file : sidecar_files(scratch.path())) age(file);
  (*store)->put(key(1), value_with(second));
  EXPECT_THAT(sidecar_files(scratch.path()), SizeIs(1));
  EXPECT_EQ((*store)->sidecar(key(1), second), "second");
}

TEST(Sidecars, GoWithTheirEntry) {
  const Scratch scratch;
  const auto store = open(scratch / "s", Mode::read_write, 16);
  put_with(*store->store, key(1), "one");
  EXPECT_TRUE((*store)->remove(key(1)));
  EXPECT_THAT(sidecar_files(scratch.path()), IsEmpty());
  put_with(*store->store, key(2), "two");
  put_with(*store->store, key(3), "three");
  EXPECT_EQ((*store)->prune(1), 1U) << "entries are counted";
  EXPECT_THAT(sidecar_files(scratch.path()), SizeIs(1));
  for (int i = 10; i < 30; ++i) put_with(*store->store, key(i), "many");
  EXPECT_EQ(sidecar_files(scratch.path()).size(), (*store)->size());
}

TEST(Sidecars, GoWithABundleToAnotherStore) {
  const Scratch scratch;
  const auto from = open(scratch / "from");
  const SidecarName name = put_with(*from->store, key(1), long_text());
  const SidecarName other = put_with(*from->store, key(2, 8, "3.3"), "short");
  (*from)->put(key(3), value("c"));
  (*from)->put_sidecar(key(3), "named by no entry");
  const std::string bundle = (*from)->export_bundle();
  const auto to = open(scratch / "to");
  EXPECT_EQ((*to)->import_bundle(bundle).added, 3U);
  EXPECT_EQ((*to)->sidecar(key(1), name), long_text());
  EXPECT_EQ((*to)->sidecar(key(2, 8, "3.3"), other), "short");
  EXPECT_THAT(sidecar_files(scratch / "to"), SizeIs(2));
  EXPECT_EQ((*to)->export_bundle(), bundle);
  EXPECT_EQ((*to)->digest(), (*from)->digest());
  EXPECT_THAT((*to)->verify(), IsEmpty());
}

TEST(Sidecars, ABundleWithoutThemIsAsItWas) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), value("c"));
  EXPECT_THAT((*store)->export_bundle(), HasSubstr("{\"atc_bundle\":1,\"entries\":1,\"checksum\""));
}

TEST(Sidecars, TheEntryOfABundleIsImportedWithoutOneThatIsNotThere) {
  const Scratch scratch;
  const auto from = open(scratch / "from");
  const SidecarName name = put_with(*from->store, key(1), "text");
  fs::remove(sidecar_files(scratch.path()).front());
  const auto to = open(scratch / "to");
  EXPECT_EQ((*to)->import_bundle((*from)->export_bundle()).added, 1U);
  EXPECT_EQ(choice((*to)->get(key(1))), "c");
  EXPECT_EQ((*to)->sidecar(key(1), name), std::nullopt);
}

TEST(Sidecars, LocalEntriesKeepTheirsAndProvisionalOnesAreReplacedWithTheirs) {
  const Scratch scratch;
  const auto from = open(scratch / "from");
  put_with(*from->store, key(1), "theirs");
  const SidecarName firm = put_with(*from->store, key(2), "firm");
  const auto to = open(scratch / "to");
  const SidecarName ours = put_with(*to->store, key(1), "ours");
  Json provisional = value("p");
  provisional[kProvisional] = {{"risk", 0.05}, {"why", "noise"}};
  (*to)->put(key(2), provisional);
  const ImportReport report = (*to)->import_bundle((*from)->export_bundle());
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.kept, 1U);
  EXPECT_THAT(sidecars_of((*to)->get(key(1))->value), ElementsAre(ours));
  EXPECT_EQ((*to)->sidecar(key(1), ours), "ours");
  EXPECT_EQ((*to)->sidecar(key(2), firm), "firm");
  EXPECT_THAT(sidecar_files(scratch / "to"), SizeIs(2));
}

TEST(Sidecars, BadOnesInABundleChangeNothingAndSayWhy) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  const SidecarName name = name_of_sidecar("text");
  const std::string entry = entry_to_text({key(1), value_with(name)});
  const std::string plain = entry_to_text({key(2), value("c")});
  Json good = to_json(name);
  good["key"] = hex128(CanonicalKey(key(1)).place().key);
  good["zlib"] = to_base64(pack("text"));
  const auto with = [&](const char* member, const Json& to) {
    Json json = good;
    json[member] = to;
    return json.dump();
  };
  std::string no_count = bundle_of({entry}, {good.dump()});
  no_count.replace(no_count.find("\"sidecars\""), 10, "\"sidecats\"");
  std::string one_more = bundle_of({entry}, {good.dump()});
  one_more.replace(one_more.find("\"sidecars\":1"), 12, "\"sidecars\":2");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {bundle_of({entry}, {"{}"}), "sidecar 1 is not hash, bytes, key and zlib"},
      {bundle_of({entry}, {"[]"}), "sidecar 1 is not hash, bytes, key and zlib"},
      {bundle_of({entry}, {"{"}), "sidecar 1 is not JSON"},
      {bundle_of({entry}, {with("path", "../../evil")}), "is not hash, bytes, key and zlib"},
      {bundle_of({entry}, {with("key", "00")}), "sidecar 1 has no key"},
      {bundle_of({entry}, {with("key", 7)}), "sidecar 1 has no key"},
      {bundle_of({entry}, {with("zlib", "!!!!")}), "sidecar 1 is not base64"},
      {bundle_of({entry}, {with("zlib", to_base64("no zlib"))}), "is no whole zlib stream"},
      {bundle_of({entry}, {with("zlib", to_base64(pack("tent")))}),
       "does not match the hash in its name"},
      {bundle_of({entry}, {with("bytes", 5)}), "holds 4 bytes, its entry says 5"},
      {bundle_of({entry}, {with("bytes", kMaxSidecarBytes + 1)}), "is not hash, bytes"},
      {bundle_of({entry, plain}, {good.dump(), good.dump()}), "sidecar 2 is named by no entry"},
      {bundle_of({plain}, {good.dump()}), "sidecar 1 is named by no entry"},
      {bundle_of({good.dump()}, {entry}), "entry 1 has no schema number"},
      {bundle_of({entry}, {good.dump()}) + "x", "ends within sidecar 2"},
      {no_count, "header"},
      {one_more, "has 1 sidecars, its header says 2"},
  };
  const auto before = snapshot(scratch.path());
  const std::string whole = bundle_of({entry}, {good.dump()});
  for (const auto& [bytes, reason] : cases) {
    Status status{};
    EXPECT_THAT(error_of([&] { (*store)->import_bundle(bytes); }, &status), HasSubstr(reason));
    EXPECT_EQ(status, Status::bad_record) << reason;
    error_of([&] { merge_bundles({whole, bytes}); }, &status);
    EXPECT_EQ(status, Status::bad_record) << reason;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x01);
    Status status{};
    error_of([&] { (*store)->import_bundle(flipped); }, &status);
    ASSERT_EQ(status, Status::bad_record) << "byte " << at;
  }
  EXPECT_EQ(snapshot(scratch.path()), before);
  EXPECT_EQ((*store)->import_bundle(whole).added, 1U) << "the good one is good";
  EXPECT_EQ((*store)->sidecar(key(1), name), "text");
}

TEST(Sidecars, MergeTakesThoseOfTheEntriesThatItTakes) {
  const Scratch scratch;
  const auto one = open(scratch / "1");
  const auto two = open(scratch / "2");
  const SidecarName first = put_with(*one->store, key(1), "first");
  const SidecarName second = put_with(*two->store, key(1), "second");
  const SidecarName third = put_with(*two->store, key(2), "third");
  const auto merged = open(scratch / "m");
  (*merged)->import_bundle(merge_bundles({(*one)->export_bundle(), (*two)->export_bundle()}));
  // Both bundles (exported stores) have an entry with the key key(1). The merge keeps one of the
  // two entries, and keeps only the sidecar (the file with compiled texts) of this entry.
  EXPECT_NE((*merged)->sidecar(key(1), first), (*merged)->sidecar(key(1), second));
  EXPECT_EQ(sidecars_of((*merged)->get(key(1))->value).size(), 1U);
  EXPECT_TRUE((*merged)->sidecar(key(1), sidecars_of((*merged)->get(key(1))->value).front()));
  EXPECT_EQ((*merged)->sidecar(key(2), third), "third");
  EXPECT_THAT(sidecar_files(scratch / "m"), SizeIs(2));
  const std::string alone = (*one)->export_bundle();
  EXPECT_EQ(merge_bundles({alone, alone}), alone);
}

}  // namespace
}  // namespace atc::store::testing
