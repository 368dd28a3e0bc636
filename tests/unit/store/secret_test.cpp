// Tests the user's secret, with which the entries of a store are signed. The secret is made once,
// only its owner can read it, and it is used only if nobody else can know it.
#include "store/secret.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <set>
#include <thread>

#include "fixtures.hpp"
#include "support/child.hpp"

namespace atc::store::testing {
namespace {

using ::testing::HasSubstr;

class SecretFile : public ::testing::Test {
 protected:
  std::optional<Secret> get(bool makes = true) {
    trouble_.clear();
    return secret_in((scratch_ / "state").string(), makes, &trouble_);
  }
  fs::path file() const { return scratch_ / "state" / "atc" / "secret"; }

  const Scratch scratch_;
  std::string trouble_;
};

TEST_F(SecretFile, IsMadeOnceForItsOwnerAlone) {
  const mode_t before = umask(0);
  const auto made = get();
  umask(before);
  ASSERT_TRUE(made) << trouble_;
  EXPECT_EQ(get(), made);
  EXPECT_EQ(get(false), made);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(file().parent_path()).permissions(), fs::perms::owner_all);
  fs::remove(file());
  EXPECT_NE(get(), made) << "it is random";
}

TEST_F(SecretFile, IsNotMadeByAProcessThatWritesNoStore) {
  EXPECT_EQ(get(false), std::nullopt);
  EXPECT_FALSE(fs::exists(scratch_ / "state"));
}

TEST_F(SecretFile, ThatOthersMayReadIsNone) {
  ASSERT_TRUE(get());
  for (const fs::perms others : {fs::perms::group_read, fs::perms::others_read}) {
    const fs::perms before = fs::status(file()).permissions();
    fs::permissions(file(), before | others);
    EXPECT_EQ(get(), std::nullopt);
    EXPECT_THAT(trouble_, HasSubstr("may be read by others"));
    fs::permissions(file(), before);
  }
  EXPECT_TRUE(get());
}

TEST_F(SecretFile, OfAnotherUserIsNone) {
  ASSERT_TRUE(get());
  if (chown(file().c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root gives files away";
  EXPECT_EQ(get(), std::nullopt);
  EXPECT_THAT(trouble_, HasSubstr("belongs to user 65534"));
}

TEST_F(SecretFile, ThatHoldsNoneIsNone) {
  ASSERT_TRUE(get());
  const std::string good = read(file());
  for (const std::string& bad : {std::string(), std::string("\n"), good + "x", good.substr(1),
                                 std::string(32, 'g') + "\n", std::string(1000, '0')}) {
    write(file(), bad);
    EXPECT_EQ(get(), std::nullopt) << bad;
    EXPECT_THAT(trouble_, HasSubstr("secret")) << bad;
  }
  fs::remove(file());
  fs::create_symlink("/dev/zero", file());
  EXPECT_EQ(get(), std::nullopt);
}

TEST_F(SecretFile, IsOneForAllWhoMakeItAtOnce) {
  std::vector<std::optional<Secret>> found(8);
  std::vector<std::thread> threads;
  for (auto& mine : found)
    threads.emplace_back([&mine, this] {
      std::string trouble;
      mine = secret_in((scratch_ / "state").string(), true, &trouble);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : found) {
    ASSERT_TRUE(mine);
    EXPECT_EQ(mine, found.front());
  }
}

TEST_F(SecretFile, ThatCannotBeMadeIsNone) {
  write(scratch_ / "state", "a file");
  EXPECT_EQ(get(), std::nullopt);
  EXPECT_THAT(trouble_, HasSubstr("cannot be written"));
}

TEST_F(SecretFile, IsInTheStateFolderOfTheUser) {
  test::in_child([&] {
    const std::string home = scratch_.path().string();
    setenv("HOME", home.c_str(), 1);
    unsetenv("XDG_STATE_HOME");
    EXPECT_EQ(state_folder(), home + "/.local/state");
    setenv("XDG_STATE_HOME", "relative", 1);
    EXPECT_EQ(state_folder(), home + "/.local/state");
    setenv("XDG_STATE_HOME", (home + "/new").c_str(), 1);
    EXPECT_EQ(state_folder(), home + "/new");
    unsetenv("XDG_STATE_HOME");
    for (const char* const none : {"", "relative", "/does/not/exist"}) {
      setenv("HOME", none, 1);
      EXPECT_EQ(state_folder(), std::nullopt) << none;
    }
    unsetenv("HOME");
    EXPECT_EQ(state_folder(), std::nullopt);
    setenv("HOME", home.c_str(), 1);
    // Root runs with the home folder of another user, as after `sudo -E`. Root must not leave a
    // file in this folder.
    if (chown(home.c_str(), 65534, 65534) == 0) {
      EXPECT_EQ(state_folder(), std::nullopt);
    }
  });
}

// If there is no folder in which the secret can be kept, each process makes a secret of its own. So
// it only trusts files that it has written itself.
TEST_F(SecretFile, WithoutAFolderEachProcessHasOneOfItsOwn) {
  const auto secret = [] {
    unsetenv("HOME");
    unsetenv("XDG_STATE_HOME");
    const auto mine = secret_of_process(true);
    EXPECT_TRUE(mine);
    EXPECT_EQ(secret_of_process(false), mine);
    return hex128(*mine);
  };
  for (const char* const name : {"a", "b"})
    test::in_child([&] { write(scratch_ / name, secret()); });
  EXPECT_EQ(read(scratch_ / "a").size(), 32U);
  EXPECT_NE(read(scratch_ / "a"), read(scratch_ / "b"));
}

}  // namespace
}  // namespace atc::store::testing
