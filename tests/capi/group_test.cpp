// Tests eight processes that tune together through a folder. The tests cover each row of the fault
// table in docs/distributed.md. The races run on the CPU, and some processes are killed by SIGKILL.
#include "atc/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <thread>

#include "group_job.hpp"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_test;
using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::uint32_t kSize = 8;
// The time, in seconds, after which ranks give up waiting for another rank. It is used in tests in
// which a rank does not answer.
constexpr double kShort = 4;
const std::vector<std::int64_t> kWidths = {64, 65, 66};

// Matches the line that a rank has written about an eager call, if the call's choice was not
// measured. Such a choice is the default, or the reference.
const auto kNothingNew =
    testing::AnyOf(StartsWith("ATC_SOURCE_DEFAULT "), StartsWith("ATC_SOURCE_REFERENCE "));

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

class GroupTest : public testing::Test {
 protected:
  std::vector<RankScript> job(std::uint32_t size = kSize) const {
    return job_of(size, path("group"), kWidths);
  }
  // Sets a short bound: the time after which the other ranks no longer wait for a rank that does
  // not answer. Also makes the races shorter than this bound.
  static void shorten(std::vector<RankScript>& scripts) {
    for (RankScript& script : scripts) {
      script.bound = kShort;
      script.own_engine_alone = true;
    }
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<Told> run(const std::vector<RankScript>& scripts) const {
    return run_job(scripts, folder_.path().string());
  }
  // Expects that each living rank reports the faulty rank and the reason, and that no call uses a
  // new decision.
  static void expect_refused(const std::vector<Told>& all, int rank, const std::string& reason) {
    for (const Told& one : all) {
      if (one.signal == SIGKILL) continue;
      EXPECT_EQ(one.status(), "ATC_ERROR_NOT_AGREED");
      EXPECT_THAT(one.one("text"), AllOf(HasSubstr("rank " + std::to_string(rank) + ": "),
                                         HasSubstr(reason), HasSubstr("attempt-0")));
      EXPECT_THAT(one.all("eager"), Each(kNothingNew));
    }
  }

  atc::test::TempFolder folder_;
};

TEST_F(GroupTest, RanksThatWouldChooseDifferentlyRunTheSameChoices) {
  const auto all = run(job());
  expect_agreed(all);
  EXPECT_EQ(measured(all), kWidths.size()) << "each problem is measured by one rank";
  for (const Told& one : all) {
    EXPECT_THAT(one.all("eager"), Each(StartsWith("ATC_SOURCE_AGREED ")));
    EXPECT_EQ(one.one("classes"), "1");
  }
}

TEST_F(GroupTest, CallsThatTuneMeasureNothingThatTheRanksHaveDecided) {
  auto scripts = job(4);
  for (RankScript& script : scripts) script.eager_tunes = true;
  // Rank 1 has a store, and rank 2 has tuned one of the problems before.
  scripts[1].store = path("store");
  scripts[2].warm = {64};
  for (const Told& one : run(scripts)) {
    EXPECT_EQ(one.status(), "ATC_OK") << one.one("text");
    EXPECT_THAT(one.all("eager"), Each(StartsWith("ATC_SOURCE_AGREED ")));
    EXPECT_EQ(one.one("executed"), "0") << "a call has measured";
  }
}

// Shows that the test CallsThatTuneMeasureNothingThatTheRanksHaveDecided would notice a
// measurement: if the ranks have not agreed, calls that may tune do measure.
TEST_F(GroupTest, CallsThatTuneMeasureWhatTheRanksHaveNotDecided) {
  auto scripts = job(2);
  for (RankScript& script : scripts) script.eager_tunes = true;
  scripts[1].cancels = true;
  for (const Told& one : run(scripts)) {
    EXPECT_EQ(one.status(), "ATC_ERROR_NOT_AGREED");
    EXPECT_THAT(one.all("eager"), Each(StartsWith("ATC_SOURCE_TUNED ")));
    EXPECT_NE(one.one("executed"), "0");
  }
}

TEST_F(GroupTest, AWarmRankBesideColdOnesWithOtherLists) {
  auto scripts = job();
  for (RankScript& script : scripts) {
    if (script.rank % 2 == 0) script.store = path("store" + std::to_string(script.rank));
    // Rank 3 has no store, so its earlier decisions are only in the memory of its process. Rank 4
    // has a store with its earlier decisions.
    if (script.rank == 3) script.warm = {64, 65};
    if (script.rank == 4) script.warm = {64, 66};
    script.widths =
        script.rank < 4 ? std::vector<std::int64_t>{64, 65} : std::vector<std::int64_t>{64, 66};
  }
  const auto all = run(scripts);
  std::set<std::string> digests, of_first;
  for (const Told& one : all) {
    EXPECT_EQ(one.status(), "ATC_OK") << one.one("text");
    digests.insert(one.one("digest"));
    of_first.insert(one.all("eager").at(0));
    EXPECT_THAT(one.all("row"), SizeIs(3)) << "the union of the lists";
    EXPECT_THAT(one.all("eager"), Each(StartsWith("ATC_SOURCE_AGREED ")));
  }
  EXPECT_THAT(digests, SizeIs(1));
  EXPECT_THAT(of_first, SizeIs(1)) << "an agreed decision comes before the rank's own";
  EXPECT_EQ(measured(all), 0u) << "some rank knew each problem";

  // Each rank that has a store has stored all decisions, so a new process with one of these stores
  // measures nothing.
  auto later = job_of(1, path("later"), {64, 65, 66});
  later[0].store = path("store2");
  EXPECT_EQ(measured(run(later)), 0u);
}

TEST_F(GroupTest, ARankThatDoesNotCall) {
  auto scripts = job();
  shorten(scripts);
  scripts.erase(scripts.begin() + 5);
  expect_refused(run(scripts), 5, "did not call within 4 s");
}

TEST_F(GroupTest, ARankThatIsKilledWithAClaim) {
  auto scripts = job();
  const std::string folder = folder_.path().string();
  shorten(scripts);
  for (RankScript& script : scripts) {
    const std::uint32_t rank = script.rank;
    script.in_race = [folder, rank] {
      if (is_first(folder, "killed", rank)) raise(SIGKILL);
    };
    // The ranks that were not killed tune again, as a new group. They remember the measurements of
    // the first call, so nothing is measured.
    script.again = [folder, script] {
      RankScript next = script;
      const auto killed = static_cast<std::uint32_t>(first_of(folder, "killed"));
      next.rank = script.rank < killed ? script.rank : script.rank - 1;
      next.size = kSize - 1;
      next.prefix = "attempt-1";
      next.bound = 60;
      next.in_race = nullptr;
      next.again = nullptr;
      next.is_second = true;
      run_rank(next, folder + "/again-" + std::to_string(script.rank));
    };
  }
  const auto all = run(scripts);
  const int killed = first_of(folder, "killed");
  ASSERT_GE(killed, 0);
  EXPECT_EQ(all[static_cast<std::size_t>(killed)].signal, SIGKILL);
  expect_refused(all, killed, "within 4 s");
  std::set<std::string> digests;
  for (int rank = 0; rank < static_cast<int>(kSize); ++rank) {
    if (rank == killed) continue;
    std::ifstream in(folder + "/again-" + std::to_string(rank));
    const std::string told((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_THAT(told, AllOf(HasSubstr("status ATC_OK"), HasSubstr("measured 0"),
                            HasSubstr("eager ATC_SOURCE_AGREED ")));
    const std::size_t digest = told.find("digest ");
    digests.insert(told.substr(digest, told.find('\n', digest) - digest));
  }
  EXPECT_THAT(digests, SizeIs(1));
}

TEST_F(GroupTest, ARankThatIsKilledBeforeItsVote) {
  auto scripts = job();
  shorten(scripts);
  scripts[6].before = [](const std::string& what, const std::string& key) {
    if (what == "create" && ends_with(key, "/v/6")) raise(SIGKILL);
    return true;
  };
  expect_refused(run(scripts), 6, "did not say whether it can use the decisions within 4 s");
}

TEST_F(GroupTest, ARankThatIsKilledBetweenTheVerdictAndItsUse) {
  auto scripts = job();
  for (RankScript& script : scripts) script.store = path("store" + std::to_string(script.rank));
  scripts[2].after = [](const std::string& what, const std::string& key) {
    if (what == "create" && ends_with(key, "/v/2")) raise(SIGKILL);
  };
  const auto all = run(scripts);
  EXPECT_EQ(all[2].signal, SIGKILL);
  expect_agreed(all);
  // All ranks are started again. The rank that was killed gets the decisions that the others have
  // stored.
  scripts[2].after = nullptr;
  for (RankScript& script : scripts) script.prefix = "attempt-1";
  const auto again = run(scripts);
  expect_agreed(again);
  EXPECT_EQ(measured(again), 0u);
  EXPECT_EQ(again[2].one("digest"), all[0].one("digest"));
}

TEST_F(GroupTest, ARankThatIsSlowerThanTheBound) {
  auto scripts = job();
  const std::string folder = folder_.path().string();
  for (RankScript& script : scripts) {
    script.bound = 2;
    script.own_engine_alone = true;
    const std::uint32_t rank = script.rank;
    script.in_race = [folder, rank] {
      if (is_first(folder, "slow", rank)) sleep(20);
    };
  }
  const auto all = run(scripts);
  expect_refused(all, first_of(folder, "slow"), "within 2 s");
}

TEST_F(GroupTest, ARankThatLosesTheStoreOfKeys) {
  auto scripts = job();
  shorten(scripts);
  scripts[3].before = [](const std::string&, const std::string& key) {
    return !ends_with(key, "/v/3");
  };
  auto all = run(scripts);
  EXPECT_EQ(all[3].status(), "ATC_ERROR_IO");
  EXPECT_THAT(all[3].one("text"), HasSubstr("the group's callback create"));
  EXPECT_THAT(all[3].all("eager"), Each(kNothingNew));
  all.erase(all.begin() + 3);
  expect_refused(all, 3, "within 4 s");
}

TEST_F(GroupTest, ARankThatLosesTheStoreOfKeysAfterItsVote) {
  auto scripts = job();
  const auto lost = std::make_shared<bool>(false);
  scripts[3].before = [lost](const std::string&, const std::string&) { return !*lost; };
  scripts[3].after = [lost](const std::string&, const std::string& key) {
    if (ends_with(key, "/v/3")) *lost = true;
  };
  const std::string folder = folder_.path().string();
  for (RankScript& script : scripts)
    script.again = [folder, script] {
      RankScript next = script;
      next.prefix = "attempt-1";
      next.before = nullptr;
      next.after = nullptr;
      next.again = nullptr;
      next.is_second = true;
      run_rank(next, folder + "/again-" + std::to_string(script.rank));
    };
  auto all = run(scripts);
  EXPECT_EQ(all[3].status(), "ATC_ERROR_IO");
  EXPECT_THAT(all[3].all("eager"), Each(kNothingNew));
  all.erase(all.begin() + 3);
  expect_agreed(all);
  std::ifstream in(folder + "/again-3");
  const std::string told((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_THAT(told, HasSubstr("digest " + all[0].one("digest"))) << "the next call repairs it";
}

TEST_F(GroupTest, RanksWithAnotherEngineAreAClassOfTheirOwn) {
  auto scripts = job();
  scripts[6].engine_version = scripts[7].engine_version = "2";
  const auto all = run(scripts);
  std::set<std::string> first, second;
  for (std::size_t rank = 0; rank < kSize; ++rank) {
    const Told& one = all[rank];
    EXPECT_EQ(one.status(), "ATC_OK") << one.one("text");
    EXPECT_EQ(one.one("classes"), "2");
    EXPECT_THAT(one.all("differences"),
                testing::Contains("roster/own is \"2\" (first class: \"1\")"));
    (rank < 6 ? first : second).insert(one.one("digest"));
    EXPECT_THAT(one.all("eager"), Each(StartsWith("ATC_SOURCE_AGREED ")));
  }
  EXPECT_THAT(first, SizeIs(1));
  EXPECT_THAT(second, SizeIs(1));
  EXPECT_NE(first, second);
}

// The terms are options on which a choice depends, such as determinism.
TEST_F(GroupTest, RanksWithOtherTermsAreAClassOfTheirOwn) {
  auto scripts = job();
  scripts[6].deterministic = scripts[7].deterministic = true;
  std::set<std::string> first, second;
  const auto all = run(scripts);
  for (std::size_t rank = 0; rank < kSize; ++rank) {
    EXPECT_EQ(all[rank].status(), "ATC_OK") << all[rank].one("text");
    EXPECT_EQ(all[rank].one("classes"), "2");
    EXPECT_THAT(all[rank].all("differences"),
                testing::Contains("terms/deterministic is true (first class: false)"));
    (rank < 6 ? first : second).insert(all[rank].one("digest"));
  }
  EXPECT_THAT(first, SizeIs(1));
  EXPECT_THAT(second, SizeIs(1));
  EXPECT_NE(first, second);
}

TEST_F(GroupTest, RanksWithDifferentPins) {
  auto scripts = job();
  std::ofstream(path("pins.json"))
      << R"({"schema": 1, "pins": [{"match": {}, "bar": ["own@1:loop0"]}]})";
  for (std::size_t rank = 4; rank < kSize; ++rank) scripts[rank].pins = path("pins.json");
  const auto all = run(scripts);
  expect_refused(all, 4, "has other pins than rank 0");
  for (const Told& one : all)
    EXPECT_THAT(one.one("text"), AllOf(HasSubstr("no pins"), HasSubstr("(pins ")));
}

TEST_F(GroupTest, KeysOfAnEarlierAttempt) {
  expect_agreed(run(job()));
  const auto all = run(job());
  for (const Told& one : all) {
    EXPECT_EQ(one.status(), "ATC_ERROR_NOT_AGREED");
    EXPECT_THAT(one.one("text"),
                AllOf(HasSubstr("attempt-0/0"), HasSubstr("earlier job or attempt")));
    EXPECT_THAT(one.all("eager"), Each(kNothingNew));
  }
}

TEST_F(GroupTest, NoMemoryForARace) {
  auto scripts = job();
  for (RankScript& script : scripts) script.no_memory = true;
  const auto all = run(scripts);
  expect_agreed(all);
  for (const Told& one : all) {
    EXPECT_THAT(one.all("row"), Each(HasSubstr("the default, on all ranks of the class")));
    EXPECT_THAT(one.all("eager"), Each(kNothingNew));
  }
}

// Returns a function for RankScript::before. Before the rank claims the device, the function waits
// until another rank has claimed the device. The rank that has claimed the device is the one that
// measures.
std::function<bool(const std::string&, const std::string&)> yields_to(const std::string& folder,
                                                                      std::uint32_t rank) {
  return [folder, rank](const std::string& what, const std::string& key) {
    if (what == "create" && key.find("/d/") != std::string::npos)
      while (first_of(folder, "claimed") < 0 ||
             first_of(folder, "claimed") == static_cast<int>(rank))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return true;
  };
}

// Matches a choice of the reference, or a choice that all `matchers` match. The reference is
// accepted because it may win a race on a busy machine, and no rank refuses it.
template <typename... Matchers>
auto is_reference_or(const Matchers&... matchers) {
  return AnyOf(HasSubstr(" reference@"), AllOf(matchers...));
}

class UnusableTest : public GroupTest {
 protected:
  // Runs a job in which the script of rank 5 is changed by `faulty`. Another rank measures.
  std::vector<Told> run_with(void (*faulty)(RankScript&)) {
    auto scripts = job();
    const std::string folder = folder_.path().string();
    for (RankScript& script : scripts) {
      const std::uint32_t rank = script.rank;
      script.in_race = [folder, rank] { is_first(folder, "claimed", rank); };
      // Rank 5 cannot run the engine of these tests. So this engine must win the race, and only the
      // reference may be raced against it.
      script.own_engine_alone = true;
    }
    faulty(scripts[5]);
    scripts[5].in_race = nullptr;
    scripts[5].before = yields_to(folder, 5);
    return run(scripts);
  }
};

TEST_F(UnusableTest, AChoiceThatOneRankCannotBuild) {
  const auto all = run_with([](RankScript& script) { script.prepare_fails = true; });
  expect_agreed(all);
  for (const Told& one : all) {
    EXPECT_THAT(one.all("row"),
                Each(is_reference_or(HasSubstr("the default, on all ranks of the class"),
                                     HasSubstr("rank 5: "), HasSubstr("cannot be built"))));
    EXPECT_THAT(one.all("eager"), Each(Not(HasSubstr("own@"))));
  }
}

TEST_F(UnusableTest, AChoiceThatTheGateOfOneRankRefuses) {
  const auto all = run_with([](RankScript& script) { script.wrong_results = true; });
  expect_agreed(all);
  for (const Told& one : all) {
    EXPECT_THAT(one.all("row"),
                Each(is_reference_or(HasSubstr("the default, on all ranks of the class"),
                                     HasSubstr("rank 5: the correctness gate refuses"))));
    EXPECT_THAT(one.all("eager"), Each(Not(HasSubstr("own@"))));
  }
}

TEST_F(GroupTest, ACallThatIsCancelledOnOneRank) {
  auto scripts = job();
  scripts[4].cancels = true;
  expect_refused(run(scripts), 4, "its progress callback cancelled");
}

TEST_F(GroupTest, BadGroupsAreRefusedWithTheFieldAndItsValue) {
  atc_group group = ATC_GROUP_INIT;
  EXPECT_REFUSED(atc_group_open_folder(&group, path("g").c_str(), 2, 2, "p"),
                 ATC_ERROR_INVALID_ARGUMENT, "rank 2 of 2");
  EXPECT_REFUSED(atc_group_open_folder(&group, path("g").c_str(), 0, 1, ""),
                 ATC_ERROR_INVALID_ARGUMENT, "prefix has no bytes");
  EXPECT_REFUSED(
      atc_group_open_folder(&group, path("g").c_str(), 0, 1, std::string(381, 'p').c_str()),
      ATC_ERROR_INVALID_ARGUMENT, "prefix has too many bytes");
  std::ofstream(path("file")) << "x";
  EXPECT_REFUSED(atc_group_open_folder(&group, path("file/g").c_str(), 0, 1, "p"), ATC_ERROR_IO,
                 "file/g");
  atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
  options.group = &group;
  EXPECT_REFUSED(atc_tune(nullptr, {ATC_DEVICE_CPU, 0}, nullptr, 0, &options, nullptr, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "no callback create");
  atc_group_close(&group);
  atc_group_close(nullptr);
  atc_tune_report* report = nullptr;
  ASSERT_DONE(atc_tune(&report, {ATC_DEVICE_CPU, 0}, nullptr, 0, nullptr, nullptr, nullptr));
  atc_agreement agreement = ATC_AGREEMENT_INIT;
  EXPECT_REFUSED(atc_tune_report_agreement(&agreement, report), ATC_ERROR_INVALID_ARGUMENT,
                 "without a group");
  atc_tune_report_destroy(report);
}

}  // namespace
