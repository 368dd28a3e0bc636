// Tests the statuses, texts and handles of stores through the C ABI. The tests in tests/unit/store
// test the store itself.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

namespace fs = std::filesystem;
using atc_test::kCpu;
using testing::HasSubstr;
using testing::Not;

struct BytesDeleter {
  void operator()(atc_bytes* bytes) const { atc_bytes_destroy(bytes); }
};

// Returns the text in `bytes`, and frees `bytes`.
std::string text(atc_bytes* bytes) {
  const std::unique_ptr<atc_bytes, BytesDeleter> owner(bytes);
  const std::string copy(atc_bytes_data(bytes), atc_bytes_size(bytes));
  EXPECT_EQ(atc_bytes_data(bytes)[copy.size()], '\0');
  return copy;
}

struct StoreCloser {
  void operator()(atc_store* store) const { atc_store_close(store); }
};
using Store = std::unique_ptr<atc_store, StoreCloser>;

class Stores : public testing::Test {
 protected:
  ~Stores() override { EXPECT_DONE(atc_store_use(nullptr)); }

  Store open(const char* name, atc_store_mode mode = 0) const {
    atc_store* store = nullptr;
    EXPECT_DONE(atc_store_open(&store, (scratch_ / name).c_str(), mode));
    return Store(store);
  }

  static atc_store_info info(const Store& store) {
    atc_store_info out{};
    out.struct_size = sizeof(out);
    EXPECT_DONE(atc_store_describe(&out, store.get()));
    return out;
  }

  // Returns an entry in the form that atc_store_put takes. Entries with different `n` have
  // different keys.
  static std::string entry(int n, const char* choice = "a") {
    return R"({"key": {"environment": {"device": "test"}, "problem": {"n": )" + std::to_string(n) +
           R"(}}, "value": {"choice": {"engine": ")" + choice + R"("}}})";
  }
  static atc_status put(const Store& store, const std::string& entry) {
    return atc_store_put(store.get(), entry.data(), entry.size(), nullptr);
  }
  static std::string list(const Store& store) {
    atc_bytes* bytes = nullptr;
    EXPECT_DONE(atc_store_list(&bytes, store.get()));
    return text(bytes);
  }
  static std::string bundle(const Store& store) {
    atc_bytes* bytes = nullptr;
    EXPECT_DONE(atc_store_export(&bytes, store.get()));
    return text(bytes);
  }
  static std::uint64_t digest(const Store& store) {
    std::uint64_t out = 0;
    EXPECT_DONE(atc_store_digest(&out, store.get()));
    return out;
  }

  const atc::test::TempFolder scratch_;
};

TEST_F(Stores, OpensMakesAndDescribes) {
  const Store store = open("new");
  EXPECT_TRUE(fs::is_directory(scratch_ / "new"));
  EXPECT_EQ(info(store).mode, ATC_STORE_READ_WRITE);
  EXPECT_EQ(info(store).entries, 0U);
  EXPECT_EQ(info(store).directory, (scratch_ / "new").string());
  for (const atc_store_mode mode :
       {ATC_STORE_OFF, ATC_STORE_READ, ATC_STORE_READ_WRITE, ATC_STORE_REPLAY_ONLY})
    EXPECT_EQ(info(open("new", mode)).mode, mode);
}

TEST_F(Stores, UnusablePlacesAndModes) {
  std::ofstream(scratch_ / "file") << "in the way";
  atc_store* untouched = reinterpret_cast<atc_store*>(this);
  atc_store* out = untouched;
  EXPECT_REFUSED(atc_store_open(&out, (scratch_ / "file").c_str(), 0), ATC_ERROR_IO,
                 (scratch_ / "file").c_str());
  EXPECT_REFUSED(atc_store_open(&out, (scratch_ / "missing").c_str(), ATC_STORE_READ), ATC_ERROR_IO,
                 (scratch_ / "missing").c_str());
  for (const atc_store_mode mode : {-1, 5})
    EXPECT_REFUSED(atc_store_open(&out, scratch_.c_str(), mode), ATC_ERROR_INVALID_ARGUMENT, "mode",
                   std::to_string(mode).c_str());
  EXPECT_REFUSED(atc_store_open(&out, "", 0), ATC_ERROR_INVALID_ARGUMENT, "directory");
  const std::string endless(std::size_t{9} << 20, 'a');
  EXPECT_REFUSED(atc_store_open(&out, endless.c_str(), 0), ATC_ERROR_INVALID_ARGUMENT,
                 "directory has 9437184 bytes", "at most 4095");
  EXPECT_LT(std::strlen(atc_last_error()), 100u);
  EXPECT_REFUSED(atc_store_open(&out, nullptr, 0), ATC_ERROR_INVALID_ARGUMENT, "directory",
                 "missing");
  EXPECT_REFUSED(atc_store_open(nullptr, scratch_.c_str(), 0), ATC_ERROR_INVALID_ARGUMENT, "out",
                 "missing");
  EXPECT_EQ(out, untouched);
}

TEST_F(Stores, KeepsListsAndRemovesEntries) {
  const Store store = open("s");
  ASSERT_DONE(put(store, entry(1)));
  ASSERT_DONE(put(store, entry(2)));
  EXPECT_EQ(info(store).entries, 2U);
  const std::string all = list(store);
  EXPECT_EQ(all.front(), '[');
  EXPECT_EQ(all.back(), ']');
  EXPECT_THAT(all, HasSubstr("\"n\":1"));
  EXPECT_THAT(all, HasSubstr("\"n\":2"));
  const std::string first = entry(1);
  std::int32_t removed = -1;
  EXPECT_DONE(atc_store_remove(&removed, store.get(), first.data(), first.size()));
  EXPECT_EQ(removed, 1);
  EXPECT_DONE(atc_store_remove(&removed, store.get(), first.data(), first.size()));
  EXPECT_EQ(removed, 0);
  EXPECT_DONE(atc_store_remove(nullptr, store.get(), first.data(), first.size()));
  EXPECT_EQ(info(store).entries, 1U);
}

TEST_F(Stores, BadEntriesAreRefusedAndChangeNothing) {
  const Store store = open("s");
  ASSERT_DONE(put(store, entry(1)));
  const std::uint64_t before = digest(store);
  for (const std::string& bad :
       {std::string("{"), std::string("[]"), std::string(R"({"key": {}, "value": {}})"),
        std::string(R"({"value": {"choice": {}}})"), entry(2).substr(0, 20), std::string("")})
    EXPECT_REFUSED(put(store, bad), ATC_ERROR_BAD_RECORD, "");
  EXPECT_REFUSED(atc_store_put(store.get(), nullptr, 5, nullptr), ATC_ERROR_INVALID_ARGUMENT,
                 "entry", "missing");
  EXPECT_REFUSED(atc_store_remove(nullptr, store.get(), "{", 1), ATC_ERROR_BAD_RECORD, "");
  EXPECT_EQ(digest(store), before);
  EXPECT_EQ(info(store).entries, 1U);
}

TEST_F(Stores, WithoutAnEntryForAProblemThereIsNone) {
  const Store store = open("s");
  const atc_conv_problem problem = atc_test::small_problem();
  atc_bytes* out = nullptr;
  EXPECT_REFUSED(atc_store_get(&out, store.get(), kCpu, &problem, nullptr), ATC_ERROR_NOT_TUNED,
                 "no entry", "forward");
  atc_conv_problem bad = problem;
  bad.groups = 0;
  EXPECT_REFUSED(atc_store_get(&out, store.get(), kCpu, &bad, nullptr), ATC_ERROR_INVALID_ARGUMENT,
                 "groups");
  EXPECT_REFUSED(atc_store_get(&out, store.get(), {9, 0}, &problem, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "device.type");
  EXPECT_EQ(out, nullptr);
}

TEST_F(Stores, BundlesGoFromOneToAnother) {
  const Store from = open("from"), to = open("to");
  ASSERT_DONE(put(from, entry(1)));
  ASSERT_DONE(put(from, entry(2)));
  ASSERT_DONE(put(to, entry(2, "b")));
  const std::string exported = bundle(from);
  std::uint64_t added = 9, kept = 9;
  ASSERT_DONE(atc_store_import(&added, &kept, to.get(), exported.data(), exported.size(), nullptr));
  EXPECT_EQ(added, 1U);
  EXPECT_EQ(kept, 1U);
  EXPECT_NE(digest(from), digest(to));  // the stores differ in entry 2, which `to` has kept
  const std::string second = bundle(to);
  const void* const bundles[] = {exported.data(), second.data()};
  const std::size_t sizes[] = {exported.size(), second.size()};
  atc_bytes* out = nullptr;
  ASSERT_DONE(atc_store_merge(&out, bundles, sizes, 2, nullptr));
  EXPECT_EQ(text(out), exported);  // if several entries have the same key, the first one is kept
  ASSERT_DONE(atc_store_merge(&out, nullptr, nullptr, 0, nullptr));
  text(out);
  const Store third = open("third");
  ASSERT_DONE(
      atc_store_import(nullptr, nullptr, third.get(), exported.data(), exported.size(), nullptr));
  EXPECT_EQ(digest(third), digest(from));
}

TEST_F(Stores, OptionsSayWhatIsReplaced) {
  const Store store = open("s"), other = open("other");
  std::string provisional = entry(1, "b");
  provisional.insert(provisional.size() - 2, R"(, "provisional": {"risk": 0.5, "why": "noise"})");
  ASSERT_DONE(put(store, entry(1, "a")));
  ASSERT_DONE(put(store, provisional));
  EXPECT_THAT(list(store), HasSubstr(R"("engine":"a")"));
  atc_store_put_options putting = ATC_STORE_PUT_OPTIONS_INIT;
  putting.replace_firm = ATC_OFF;
  const auto put_provisional = [&] {
    return atc_store_put(store.get(), provisional.data(), provisional.size(), &putting);
  };
  ASSERT_DONE(put_provisional());
  EXPECT_THAT(list(store), HasSubstr(R"("engine":"a")"));
  putting.replace_firm = ATC_ON;
  ASSERT_DONE(put_provisional());
  EXPECT_THAT(list(store), HasSubstr(R"("engine":"b")"));
  putting.replace_firm = 3;
  EXPECT_REFUSED(put_provisional(), ATC_ERROR_INVALID_ARGUMENT, "options.replace_firm is 3");

  ASSERT_DONE(put(other, entry(1, "c")));
  const std::string firm = bundle(other);
  ASSERT_DONE(put(store, entry(1, "d")));
  atc_store_import_options importing = ATC_STORE_IMPORT_OPTIONS_INIT;
  std::uint64_t added = 9, kept = 9;
  const auto import = [&] {
    return atc_store_import(&added, &kept, store.get(), firm.data(), firm.size(), &importing);
  };
  ASSERT_DONE(import());
  EXPECT_EQ(added, 0U);
  EXPECT_EQ(kept, 1U);
  EXPECT_THAT(list(store), HasSubstr(R"("engine":"d")"));
  importing.replace = ATC_ON;
  ASSERT_DONE(import());
  EXPECT_EQ(added, 1U);
  EXPECT_EQ(kept, 0U);
  EXPECT_THAT(list(store), HasSubstr(R"("engine":"c")"));
  // After each store has imported the other's entries, both have the same decision. The order of
  // the imports must not matter.
  ASSERT_DONE(put(store, entry(1, "e")));
  const std::string theirs = bundle(store);
  importing.replace = ATC_REPLACE_JOIN;
  ASSERT_DONE(import());
  EXPECT_EQ(added + kept, 1U);
  ASSERT_DONE(
      atc_store_import(nullptr, nullptr, other.get(), theirs.data(), theirs.size(), &importing));
  std::uint64_t digests[2] = {1, 2};
  ASSERT_DONE(atc_store_digest(&digests[0], store.get()));
  ASSERT_DONE(atc_store_digest(&digests[1], other.get()));
  EXPECT_EQ(digests[0], digests[1]);
  importing.replace = 4;
  EXPECT_REFUSED(import(), ATC_ERROR_INVALID_ARGUMENT, "options.replace is 4");
  importing.replace = -1;
  EXPECT_REFUSED(import(), ATC_ERROR_INVALID_ARGUMENT, "options.replace is -1");

  const void* const bundles[] = {firm.data()};
  const std::size_t sizes[] = {firm.size()};
  atc_store_merge_options merging = ATC_STORE_MERGE_OPTIONS_INIT;
  atc_bytes* out = nullptr;
  ASSERT_DONE(atc_store_merge(&out, bundles, sizes, 1, &merging));
  EXPECT_EQ(text(out), firm);
  merging.trust_compiled = -1;
  out = nullptr;
  EXPECT_REFUSED(atc_store_merge(&out, bundles, sizes, 1, &merging), ATC_ERROR_INVALID_ARGUMENT,
                 "options.trust_compiled is -1");
  EXPECT_EQ(out, nullptr);
}

// A verdict is the stored result of the correctness gate (the check of a candidate against the
// reference). If an entry that is put contains a verdict, the verdict must be dropped: only this
// store's own gate may give one.
TEST_F(Stores, AnEntryThatIsPutBringsNoVerdict) {
  const Store store = open("s");
  std::string checked = entry(1, "a");
  checked.insert(checked.size() - 2, R"(, "checked": {"by": "gate 1", "lenient": ""})");
  ASSERT_DONE(put(store, checked));
  EXPECT_THAT(list(store), Not(HasSubstr("checked")));
  EXPECT_THAT(bundle(store), Not(HasSubstr("checked")));
}

TEST_F(Stores, BadBundlesChangeNothing) {
  const Store store = open("s");
  ASSERT_DONE(put(store, entry(1)));
  const std::uint64_t before = digest(store);
  std::string damaged = bundle(store);
  damaged[damaged.size() / 2] ^= 1;
  std::uint64_t added = 9, kept = 9;
  EXPECT_REFUSED(
      atc_store_import(&added, &kept, store.get(), damaged.data(), damaged.size(), nullptr),
      ATC_ERROR_BAD_RECORD, "");
  EXPECT_EQ(added, 9U);
  EXPECT_EQ(kept, 9U);
  EXPECT_EQ(digest(store), before);
  const void* const bundles[] = {damaged.data()};
  const std::size_t sizes[] = {damaged.size()};
  atc_bytes* out = nullptr;
  EXPECT_REFUSED(atc_store_merge(&out, bundles, sizes, 1, nullptr), ATC_ERROR_BAD_RECORD, "");
  EXPECT_REFUSED(atc_store_merge(&out, nullptr, sizes, 1, nullptr), ATC_ERROR_INVALID_ARGUMENT,
                 "bundles");
  EXPECT_REFUSED(atc_store_merge(&out, bundles, nullptr, 1, nullptr), ATC_ERROR_INVALID_ARGUMENT,
                 "sizes");
  EXPECT_EQ(out, nullptr);
}

TEST_F(Stores, VerifyTellsAndPruneRemoves) {
  const Store store = open("s");
  for (int i = 0; i < 4; ++i) ASSERT_DONE(put(store, entry(i)));
  atc_bytes* out = nullptr;
  ASSERT_DONE(atc_store_verify(&out, store.get()));
  EXPECT_EQ(text(out), "");
  for (const auto& file : fs::recursive_directory_iterator(scratch_ / "s")) {
    if (!file.is_regular_file() || file.path().filename() == "manifest.json") continue;
    std::ofstream(file.path()) << "damaged";
    break;
  }
  ASSERT_DONE(atc_store_verify(&out, store.get()));
  EXPECT_THAT(text(out), testing::MatchesRegex("[^\n]+\n"));
  std::uint64_t removed = 0;
  ASSERT_DONE(atc_store_prune(&removed, store.get(), 2));
  // The two removed files are the damaged entry and the oldest of the three entries.
  EXPECT_EQ(removed, 2U);
  EXPECT_EQ(info(store).entries, 2U);
  EXPECT_DONE(atc_store_prune(nullptr, store.get(), 0));
  EXPECT_EQ(info(store).entries, 0U);
}

TEST_F(Stores, ModesThatDoNotWriteRefuseTo) {
  { ASSERT_DONE(put(open("s"), entry(1))); }
  for (const atc_store_mode mode : {ATC_STORE_READ, ATC_STORE_REPLAY_ONLY, ATC_STORE_OFF}) {
    const Store store = open("s", mode);
    EXPECT_REFUSED(put(store, entry(2)), ATC_ERROR_IO, "");
    EXPECT_REFUSED(atc_store_prune(nullptr, store.get(), 0), ATC_ERROR_IO, "");
  }
  EXPECT_EQ(info(open("s")).entries, 1U);
}

TEST_F(Stores, TheOneInUseOutlivesItsHandle) {
  atc_store* out = reinterpret_cast<atc_store*>(this);
  ASSERT_DONE(atc_store_in_use(&out));
  EXPECT_EQ(out, nullptr);
  {
    const Store store = open("s");
    ASSERT_DONE(put(store, entry(1)));
    ASSERT_DONE(atc_store_use(store.get()));
  }
  ASSERT_DONE(atc_store_in_use(&out));
  const Store again(out);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(info(again).entries, 1U);
  EXPECT_EQ(info(again).directory, (scratch_ / "s").string());
  ASSERT_DONE(atc_store_use(nullptr));
  ASSERT_DONE(atc_store_in_use(&out));
  EXPECT_EQ(out, nullptr);
}

TEST_F(Stores, NullHandlesAndOuts) {
  const Store store = open("s");
  atc_store_info out{};
  out.struct_size = sizeof(out);
  std::uint64_t number = 0;
  atc_bytes* bytes = nullptr;
  const std::string given = entry(1);
  const atc_conv_problem problem = atc_test::small_problem();
  EXPECT_REFUSED(atc_store_describe(&out, nullptr), ATC_ERROR_INVALID_ARGUMENT, "store", "missing");
  EXPECT_REFUSED(atc_store_describe(nullptr, store.get()), ATC_ERROR_INVALID_ARGUMENT, "out",
                 "missing");
  EXPECT_REFUSED(atc_store_list(&bytes, nullptr), ATC_ERROR_INVALID_ARGUMENT, "store", "missing");
  EXPECT_REFUSED(atc_store_list(nullptr, store.get()), ATC_ERROR_INVALID_ARGUMENT, "out",
                 "missing");
  EXPECT_REFUSED(atc_store_get(&bytes, nullptr, kCpu, &problem, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "store", "missing");
  EXPECT_REFUSED(atc_store_put(nullptr, given.data(), given.size(), nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "store", "missing");
  EXPECT_REFUSED(atc_store_digest(&number, nullptr), ATC_ERROR_INVALID_ARGUMENT, "store",
                 "missing");
  EXPECT_REFUSED(atc_store_digest(nullptr, store.get()), ATC_ERROR_INVALID_ARGUMENT, "out",
                 "missing");
  EXPECT_REFUSED(atc_store_verify(&bytes, nullptr), ATC_ERROR_INVALID_ARGUMENT, "store", "missing");
  EXPECT_REFUSED(atc_store_prune(&number, nullptr, 1), ATC_ERROR_INVALID_ARGUMENT, "store",
                 "missing");
  EXPECT_REFUSED(atc_store_export(&bytes, nullptr), ATC_ERROR_INVALID_ARGUMENT, "store", "missing");
  EXPECT_REFUSED(atc_store_import(&number, &number, nullptr, "x", 1, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "store", "missing");
  EXPECT_REFUSED(atc_store_in_use(nullptr), ATC_ERROR_INVALID_ARGUMENT, "out", "missing");
  out.struct_size = 16;
  EXPECT_REFUSED(atc_store_describe(&out, store.get()), ATC_ERROR_INVALID_ARGUMENT,
                 "out.struct_size is 16");
}

}  // namespace
