// Tests files of a store that other users may have written, and entries that come from other
// stores. The decisions in them are used, but not the compiled parts.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "fixtures.hpp"
#include "store/bundle.hpp"
#include "store/hash.hpp"
#include "store/origin.hpp"
#include "store/sidecar.hpp"
#include "store/trust.hpp"
#include "support/child.hpp"

namespace atc::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uid_t kOther = 65534;
constexpr const char* kText = "compiled";

// Returns the value of an entry with compiled parts in both forms. The first decision names a
// sidecar (a file with compiled texts), and a further decision contains a compiled text.
Json compiled(const SidecarName& name) {
  Json result = value("a");
  result[kSidecar] = to_json(name);
  result["others"] = {value("b")};
  result["others"][0][kCompiled] = "text";
  return result;
}

class Trust : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto store = open(path());
    name_ = (*store)->put_sidecar(key(64), kText);
    (*store)->put(key(64), compiled(name_));
    entry_ = entry_files(path()).front();
    for (const auto& item : fs::directory_iterator(entry_.parent_path()))
      if (item.path().extension() == ".z") sidecar_ = item.path();
  }
  fs::path path() const { return scratch_ / "s"; }

  std::unique_ptr<Opened> shared() const {
    auto opened = std::make_unique<Opened>();
    Options options;
    options.sharing = Sharing::group;
    options.secret = kSecret;
    options.warn = [log = opened.get()](const std::string& line) { log->warnings.push_back(line); };
    opened->store = Store::open(path(), std::move(options));
    return opened;
  }
  void expect_compiled(Opened& store) {
    const auto entry = store->get(key(64));
    ASSERT_NE(entry, nullptr);
    EXPECT_FALSE(entry->foreign);
    EXPECT_TRUE(has_compiled(entry->value));
    EXPECT_EQ(store->sidecar(key(64), name_), kText);
    EXPECT_THAT(store.warnings, IsEmpty());
  }
  void expect_decisions_only(const std::string& reason) {
    const auto store = open(path());
    const auto entry = (*store)->get(key(64));
    ASSERT_NE(entry, nullptr) << reason;
    EXPECT_EQ(choice(entry), "a");
    EXPECT_TRUE(entry->foreign) << reason;
    EXPECT_FALSE(has_compiled(entry->value)) << entry->value;
    EXPECT_THAT((*store)->list(), SizeIs(1));
    EXPECT_THAT(read_bundle((*store)->export_bundle()).sidecars, IsEmpty());
    EXPECT_THAT(store->warnings, ElementsAre(HasSubstr(reason)));
  }

  const Scratch scratch_;
  SidecarName name_;
  fs::path entry_, sidecar_;
};

TEST_F(Trust, FilesOfOneselfGiveCompiledParts) { expect_compiled(*open(path())); }

TEST_F(Trust, AStoreThatIsNotTrustedGivesDecisionsOnly) {
  Options options;
  options.sharing = Sharing::owner_neither;
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& line) { warnings.push_back(line); };
  const auto store = Store::open(path(), std::move(options));
  const auto entry = store->get(key(64));
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(choice(entry), "a");
  EXPECT_TRUE(entry->foreign);
  EXPECT_FALSE(has_compiled(entry->value)) << entry->value;
  EXPECT_EQ(store->sidecar(key(64), name_), std::nullopt);
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(distrust({0, 0, 0644}, Sharing::owner_neither), HasSubstr("ATC_STORE_TRUST=none"));
}

TEST_F(Trust, WhatEveryUserMayWriteGivesDecisionsOnly) {
  for (const fs::path& part : {path(), entry_.parent_path(), entry_}) {
    const fs::perms before = fs::status(part).permissions();
    fs::permissions(part, before | fs::perms::others_write);
    expect_decisions_only(part.string() + " may be written by every user");
    fs::permissions(part, before);
  }
  expect_compiled(*open(path()));
}

TEST_F(Trust, WhatAGroupMayWriteGivesDecisionsOnlyUnlessTheGroupShares) {
  for (const fs::path& part : {path(), entry_.parent_path(), entry_}) {
    const fs::perms before = fs::status(part).permissions();
    fs::permissions(part, before | fs::perms::group_write);
    expect_decisions_only(part.string() + " may be written by group");
    expect_compiled(*shared());
    fs::permissions(part, before);
  }
}

TEST_F(Trust, WhatAnotherUserOwnsGivesDecisionsOnlyUnlessTheGroupShares) {
  for (const fs::path& part : {path(), entry_.parent_path(), entry_}) {
    if (chown(part.c_str(), kOther, getegid()) != 0)
      GTEST_SKIP() << "only root gives files away: " << std::strerror(errno);
    expect_decisions_only(part.string() + " belongs to user 65534");
    expect_compiled(*shared());
    ASSERT_EQ(chown(part.c_str(), geteuid(), getegid()), 0);
  }
}

// This process has written the entry that names the sidecar (a file with compiled texts). So only
// the permissions of the sidecar show that other users may have written the sidecar.
TEST_F(Trust, ASidecarThatOthersMayWriteIsNotRead) {
  for (const fs::path& part : {path(), entry_.parent_path(), sidecar_}) {
    const auto store = open(path());
    EXPECT_FALSE((*store)->get(key(64))->foreign);
    const fs::perms before = fs::status(part).permissions();
    fs::permissions(part, before | fs::perms::others_write);
    EXPECT_EQ((*store)->sidecar(key(64), name_), std::nullopt);
    EXPECT_THAT(store->warnings, ElementsAre(HasSubstr(part.string())));
    fs::permissions(part, before);
  }
}

void expect_own(const fs::path& path) {
  EXPECT_EQ(fs::status(path).permissions() & (fs::perms::group_write | fs::perms::others_write),
            fs::perms::none)
      << path;
}

TEST(Trusted, NewFilesAreWritableByTheirOwnerAlone) {
  for (const char* const name : {"s", "s/", "s//", "s/.", "s/./"}) {
    const Scratch scratch;
    const mode_t before = umask(0);
    open(scratch / "a" / name)->store->put(key(64), value("a"));
    umask(before);
    SCOPED_TRACE(name);
    expect_own(scratch / "a");
    expect_own(scratch / "a/s");
    for (const auto& item : fs::recursive_directory_iterator(scratch / "a/s"))
      expect_own(item.path());
  }
}

TEST(Files, ALimitOnTheSizeOfFilesIsAnErrorAndNoSignal) {
  const Scratch scratch;
  fs::create_directory(scratch / "a");
  test::in_child([&] {
    // The default action of the signal SIGXFSZ ends the process, so the store must prevent the
    // signal.
    signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{1000, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const std::string folder = (scratch / "a").string();
    EXPECT_EQ(write_file(folder, "large", std::string(5000, 'x'), {}, nullptr), EFBIG);
    EXPECT_TRUE(fs::is_empty(scratch / "a"));
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGXFSZ), 0);
    EXPECT_EQ(write_file(folder, "small", "x", {}, nullptr), 0);
  });
}

TEST(Trusted, RootIsTrustedAndOthersAreNot) {
  EXPECT_EQ(distrust({0, 0, 0644}, Sharing::nobody), "");
  EXPECT_EQ(distrust({geteuid(), getegid(), 0755}, Sharing::nobody), "");
  EXPECT_THAT(distrust({kOther, kOther, 0644}, Sharing::nobody), HasSubstr("user 65534"));
  EXPECT_THAT(distrust({kOther, kOther, 0644}, Sharing::group), HasSubstr("user 65534"))
      << "this process is not in that group";
  EXPECT_THAT(distrust({0, 0, 0646}, Sharing::group), HasSubstr("every user"));
}

TEST_F(Trust, ABundleThatIsReceivedLosesItsCompiledPartsAndIsMarked) {
  const std::string bundle = open(path())->store->export_bundle();
  const auto to = open(scratch_ / "to");
  ImportOptions options;
  options.drops_compiled = options.marks = true;
  EXPECT_EQ((*to)->import_bundle(bundle, options).added, 1U);
  const Json taken = (*to)->get(key(64))->value;
  EXPECT_FALSE(has_compiled(taken)) << taken;
  EXPECT_TRUE(taken.at(kReceived) && taken.at("others").at(0).at(kReceived)) << taken;
  EXPECT_EQ((*to)->sidecar(key(64), name_), std::nullopt);
  options.present = Present::replaced;
  EXPECT_EQ((*to)->import_bundle(bundle, options).kept, 1U) << "it is the same decision";
  options.drops_compiled = false;
  EXPECT_EQ((*to)->import_bundle(bundle, options).added, 1U);
  EXPECT_EQ((*to)->sidecar(key(64), name_), kText);
}

// An import may drop sidecars (files with compiled texts). It must not unpack the dropped sidecars,
// because a sidecar of 4 MB may unpack to gigabytes. So their contents may be invalid.
TEST_F(Trust, SidecarsThatAreDroppedAreNotUnpacked) {
  const std::string bundle = open(path())->store->export_bundle();
  const std::size_t header = bundle.find('\n') + 1;
  const std::string good = "\"zlib\":\"";
  std::string body = bundle.substr(header);
  body.insert(body.find(good) + good.size(), "AAAA");
  const auto with_header = [&](const std::string& text, int sidecars) {
    return R"({"atc_bundle":2,"entries":1,"sidecars":)" + std::to_string(sidecars) +
           R"(,"checksum":")" + hex64(hash64(text)) + "\"}\n" + text;
  };
  ImportOptions options;
  Status status{};
  const auto to = open(scratch_ / "to");
  error_of([&] { (*to)->import_bundle(with_header(body, 1), options); }, &status);
  EXPECT_EQ(status, Status::bad_record);
  error_of([&] { merge_bundles({with_header(body, 1)}); }, &status);
  EXPECT_EQ(status, Status::bad_record);

  options.drops_compiled = true;
  for (const auto& [bad, reason] : {std::pair(with_header(body, 2), "1 sidecars"),
                                    std::pair(with_header(body + "x", 1), "within sidecar 2"),
                                    std::pair(with_header(body, 1) + "\n", "sidecars")}) {
    EXPECT_THAT(error_of([&] { (*to)->import_bundle(bad, options); }, &status), HasSubstr(reason));
    EXPECT_EQ(status, Status::bad_record);
  }
  EXPECT_EQ((*to)->size(), 0U);
  EXPECT_EQ((*to)->import_bundle(with_header(body, 1), options).added, 1U);
  EXPECT_EQ(merge_bundles({with_header(body, 1)}, true), merge_bundles({bundle}, true));
}

// An import with the option `marks` marks each entry as received. With this mark, the large entry
// would exceed the limit. The import must fail before it has written anything.
TEST_F(Trust, AnEntryWithoutRoomForItsMarkChangesNothing) {
  const auto from = open(scratch_ / "from");
  Json large = value("x");
  large["pad"] = "";
  const std::size_t rest = entry_to_text({key(1), large, false}).size();
  large["pad"] = std::string(kMaxEntryBytes - 1 - rest, 'p');
  (*from)->put(key(1), large);
  // Adds entries of usual size. In the bundle, some of them stand before the large entry.
  for (int i = 2; i < 12; ++i) (*from)->put(key(i), value("y"));
  const auto to = open(scratch_ / "to");
  ImportOptions options;
  options.marks = true;
  Status status{};
  error_of([&] { (*to)->import_bundle((*from)->export_bundle(), options); }, &status);
  EXPECT_EQ(status, Status::bad_record);
  EXPECT_EQ((*to)->size(), 0U);
}

TEST_F(Trust, MergedBundlesLoseTheirCompiledParts) {
  const std::string bundle = open(path())->store->export_bundle();
  EXPECT_THAT(read_bundle(merge_bundles({bundle})).sidecars, SizeIs(1));
  const std::string merged = merge_bundles({bundle}, true);
  const Bundle read = read_bundle(merged);
  EXPECT_THAT(read.sidecars, IsEmpty());
  ASSERT_THAT(read.lines, SizeIs(1));
  EXPECT_FALSE(has_compiled(entry_from_text(read.lines[0].text).value));
}

}  // namespace
}  // namespace atc::store::testing
