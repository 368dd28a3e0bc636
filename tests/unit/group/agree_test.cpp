// Tests agree(), by which the ranks (processes) of a job get the same decisions. In the tests a
// rank has a fault (it is killed, loses the store and so on), at each possible step. Either the
// ranks agree, or no rank uses a new decision.
#include "group/agree.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "group/board.hpp"
#include "simulated_job.hpp"
#include "store/hash.hpp"

namespace atc::group::testing {
namespace {

using ::testing::HasSubstr;

constexpr double kBound = 10;

Problem problem(std::size_t number) {
  const std::string key = "p" + std::to_string(100 + number);
  return {key, "text of " + key};
}

// Returns `size` ranks with equal environments (devices and libraries). Two ranks share a device.
// All ranks ask for decisions about the same problems.
std::vector<Rank> ranks_of(std::size_t size, std::size_t problems) {
  std::vector<Rank> ranks(size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    Member& member = ranks[rank].member;
    member.rank = rank;
    member.size = size;
    member.prefix = "job/0";
    member.nonce = "n" + std::to_string(rank);
    member.bound = kBound;
    member.environment = "one";
    member.pins = "no pins";
    member.device = "d" + std::to_string(rank / 2);
    for (std::size_t i = 0; i < problems; ++i) member.problems.push_back(problem(i));
  }
  return ranks;
}

bool lives(const Rank& rank) {
  return rank.fault != Fault::absent && !(rank.fault == Fault::killed && rank.faulted);
}

// Checks the properties that must hold in every run. Returns whether the ranks have agreed.
bool check(Job& job) {
  std::set<bool> answers;
  std::map<std::string, std::set<std::string>> digests;
  std::size_t work = 0;
  for (const Rank& rank : job.ranks()) work += 3 * rank.member.problems.size();
  for (const Rank& rank : job.ranks()) {
    if (!lives(rank)) continue;
    EXPECT_TRUE(rank.returned) << "rank " << rank.member.rank << " waits for ever";
    if (!rank.returned) continue;
    EXPECT_LT(rank.ended, 12 * kBound + static_cast<double>(work) * 3) << rank.member.rank;
    if (rank.io_error) {
      EXPECT_EQ(rank.fault, Fault::loses_store);
      continue;
    }
    const bool has_answer = rank.agreement.has_value();
    EXPECT_TRUE(has_answer) << rank.member.rank;
    if (!has_answer) continue;
    answers.insert(rank.agreement->agreed);
    if (!rank.agreement->agreed) {
      EXPECT_TRUE(rank.agreement->decisions.empty());
      EXPECT_THAT(rank.agreement->reason, HasSubstr(rank.member.prefix));
      continue;
    }
    digests[rank.member.environment].insert(rank.agreement->digest);
    std::string all;
    for (const Agreed& one : rank.agreement->decisions) all += one.key + one.decision + "\n";
    digests[rank.member.environment + " decisions"].insert(all);
  }
  EXPECT_LE(answers.size(), 1U) << "some ranks use decisions that others do not";
  for (const auto& [what, all] : digests) EXPECT_EQ(all.size(), 1U) << what;
  std::size_t bytes = 0;
  for (const auto& [key, value] : job.store()) bytes += value.size();
  EXPECT_LE(bytes, kMostCallBytes);
  const bool agreed = answers.count(true) != 0;
  // Also a rank that was killed must have voted: only then it has read the same decisions.
  for (const Rank& rank : job.ranks()) {
    const std::string vote = rank.member.prefix + "/v/" + std::to_string(rank.member.rank);
    EXPECT_TRUE(!agreed || job.store().count(vote) != 0)
        << "the ranks agree without rank " << rank.member.rank;
  }
  return agreed;
}

// Expects that the living ranks have not agreed, and that each of them names `culprit` as the rank
// at fault.
void expect_refused(Job& job, std::size_t culprit) {
  EXPECT_FALSE(check(job));
  for (const Rank& rank : job.ranks())
    if (lives(rank) && rank.agreement) {
      EXPECT_EQ(rank.agreement->rank, culprit)
          << "says rank " << rank.member.rank << ": " << rank.agreement->reason;
    }
}

std::size_t measurements(Job& job) {
  std::size_t count = 0;
  for (const Rank& rank : job.ranks()) count += rank.measured.size();
  return count;
}

TEST(Agree, RanksThatChooseDifferentlyEndWithEqualDecisions) {
  for (const std::size_t size : {1U, 2U, 3U, 8U, 64U}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Job job(ranks_of(size, 7), seed);
      job.run();
      EXPECT_TRUE(check(job)) << job.ranks()[0].agreement->reason;
      EXPECT_EQ(measurements(job), 7U) << "a problem is measured once";
      EXPECT_EQ(job.most_at_once(), 1) << "ranks that share a device take turns";
      for (const Agreed& one : job.ranks()[0].agreement->decisions)
        EXPECT_THAT(one.decision, HasSubstr(one.key));
    }
  }
}

TEST(Agree, WarmAndColdRanksWithOtherListsDecideTheUnion) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    auto ranks = ranks_of(2 + dice.below(7), 0);
    std::set<std::string> listed, known;
    for (Rank& rank : ranks) {
      for (std::size_t i = 0; i < 9; ++i)
        if (dice.one_in(2)) rank.member.problems.push_back(problem(i));
      for (const Problem& one : rank.member.problems) listed.insert(one.key);
      for (std::size_t i = 0; i < 9; ++i)
        if (dice.one_in(4))
          rank.known[problem(i).key] = "f" + std::to_string(100 + dice.below(3)) + " of r" +
                                       std::to_string(rank.member.rank);
      rank.starts = static_cast<double>(dice.below(8));
    }
    for (const Rank& rank : ranks)
      for (const auto& [key, decision] : rank.known)
        if (listed.count(key) != 0) known.insert(key);
    Job job(ranks, seed);
    job.run();
    ASSERT_TRUE(check(job)) << seed << job.ranks()[0].agreement->reason;
    EXPECT_EQ(job.ranks()[0].agreement->decisions.size(), listed.size());
    EXPECT_EQ(measurements(job), listed.size() - known.size()) << "only what no rank knows";
    // If several ranks know a decision for a problem, all ranks must use the best of these
    // decisions.
    for (const Agreed& one : job.ranks()[0].agreement->decisions) {
      std::string best;
      for (const Rank& rank : ranks)
        if (const auto found = rank.known.find(one.key); found != rank.known.end())
          best = best.empty() ? found->second : std::min(best, found->second);
      if (!best.empty()) {
        EXPECT_EQ(one.decision.substr(0, 4), best.substr(0, 4));
      }
    }
  }
}

TEST(Agree, ARankThatDoesNotCallIsNamed) {
  for (std::size_t absent = 0; absent < 5; ++absent) {
    auto ranks = ranks_of(5, 3);
    ranks[absent].fault = Fault::absent;
    Job job(ranks, absent);
    job.run();
    expect_refused(job, absent);
  }
}

// Returns the number of steps that this rank (process of the job) makes in a run without faults.
std::size_t steps_of(const std::vector<Rank>& ranks, std::size_t rank, std::uint64_t seed) {
  Job job(ranks, seed);
  job.run();
  return job.ranks()[rank].steps;
}

// Runs the job once for each rank and each of its steps: in each run this rank has the fault at
// this step. Adds the number of runs to `runs`, and the number of runs in which the ranks have
// agreed to `agreements`.
void sweep(Fault fault, std::size_t size, int& runs, int& agreements) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (std::size_t victim = 0; victim < size; ++victim) {
      auto ranks = ranks_of(size, 4);
      ranks[size - 1].known["p100"] = "f100";
      const std::size_t steps = steps_of(ranks, victim, seed);
      ranks[victim].fault = fault;
      for (std::size_t at = 0; at < steps; ++at) {
        ranks[victim].at = at;
        Job job(ranks, seed);
        job.run();
        ++runs;
        const bool agreed = check(job);
        agreements += agreed ? 1 : 0;
        if (!agreed) expect_refused(job, victim);
        if (::testing::Test::HasFailure())
          FAIL() << "seed " << seed << ", rank " << victim << " of " << size << ", step " << at;
      }
    }
  }
}

void sweep(Fault fault) {
  int runs = 0, agreements = 0;
  for (const std::size_t size : {2U, 4U, 5U}) sweep(fault, size, runs, agreements);
  EXPECT_GT(runs, 1000);
  EXPECT_LT(agreements, runs / 2) << "a fault before the vote is noticed";
}

TEST(Agree, ARankThatIsKilledAtAnyStepIsNamed) { sweep(Fault::killed); }
TEST(Agree, ARankThatIsSlowerThanTheBoundAtAnyStepIsNamed) { sweep(Fault::slow); }
TEST(Agree, ARankThatLosesTheStoreAtAnyStepIsNamed) { sweep(Fault::loses_store); }
TEST(Agree, ARankThatIsCancelledAtAnyStepIsNamed) { sweep(Fault::cancelled); }

// Rank 0 makes the most steps, because it reads a key of each rank in three places.
TEST(Agree, WhateverHappensToOneOf64RanksAtAnyStepIsNoticedByAll) {
  constexpr Fault kFaults[] = {Fault::killed, Fault::slow, Fault::loses_store, Fault::cancelled};
  for (const bool leads : {true, false}) {
    const std::size_t steps = steps_of(ranks_of(64, 6), leads ? 0 : 1, 1);
    ASSERT_GT(steps, leads ? 3 * 64U : 20U);
    // To save time, rank 0 has one of the four faults at each step, in turn.
    for (std::size_t fault = 0; fault < 4; ++fault) {
      Dice dice(fault);
      for (std::size_t at = leads ? fault : 0; at < steps; at += leads ? 4 : 1) {
        auto ranks = ranks_of(64, 6);
        const std::size_t victim = leads ? 0 : 1 + dice.below(63);
        ranks[victim].fault = kFaults[fault];
        ranks[victim].at = at;
        Job job(ranks, at);
        job.run();
        if (!check(job)) expect_refused(job, victim);
        ASSERT_FALSE(HasFailure()) << "rank " << victim << ", fault " << fault << ", step " << at;
      }
    }
  }
}

// Returns whether this rank has claimed a problem, that is, has announced that it measures it.
bool has_claimed(const Job& job, std::size_t rank) {
  return std::any_of(job.store().begin(), job.store().end(), [&](const auto& pair) {
    return pair.first.find("/c/") != std::string::npos && pair.second == store::hex64(rank);
  });
}

TEST(Agree, WhatADeadRankHadClaimedIsMeasuredByAnother) {
  int passed_on = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::size_t at = 0; at < 60; ++at) {
      auto ranks = ranks_of(4, 5);
      ranks[2].fault = Fault::killed;
      ranks[2].at = at;
      Job job(ranks, seed);
      job.run();
      check(job);
      if (!has_claimed(job, 2) || job.ranks()[2].returned || !job.ranks()[2].measured.empty())
        continue;
      // The rank was killed with its first claim. So the other ranks must measure all problems.
      std::set<std::string> kept;
      for (const Rank& rank : job.ranks())
        for (const std::string& key : rank.measured) kept.insert(key);
      EXPECT_EQ(kept.size(), 5U) << "seed " << seed << ", step " << at;
      ++passed_on;
    }
  }
  EXPECT_GT(passed_on, 3);
}

// A claim announces that a rank measures a problem. All ranks share one device here, and only the
// rank that holds the device claims problems. If this rank is killed, its claims expire after one
// bound (the time without progress that the ranks allow). Then another rank gets the device, and
// must continue at once.
TEST(Agree, TheClaimsOfADeadRankAreFreeAfterOneBound) {
  int passed_on = 0;
  for (std::size_t at = 0; at < 60; ++at) {
    auto ranks = ranks_of(8, 3);
    for (Rank& rank : ranks) rank.member.device = "d0";
    ranks[2].fault = Fault::killed;
    ranks[2].at = at;
    Job job(ranks, at);
    job.run();
    if (check(job)) continue;
    expect_refused(job, 2);
    if (!has_claimed(job, 2)) continue;
    ++passed_on;
    // The bound is the time without progress that the ranks allow. After one bound the claims
    // (announced measurements) of the dead rank expire. After one more bound the ranks no longer
    // wait for its vote. In addition at most 3 problems are measured, which takes 2 s each.
    for (const Rank& rank : job.ranks())
      if (lives(rank)) {
        EXPECT_LT(rank.ended, 3 * kBound) << "rank " << rank.member.rank << ", " << at;
      }
  }
  EXPECT_GT(passed_on, 0);
}

TEST(Agree, RanksOfAnotherEnvironmentAreATeamOfTheirOwn) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto ranks = ranks_of(6, 4);
    for (const std::size_t other : {1U, 4U}) {
      ranks[other].member.environment = "two";
      ranks[other].member.pins = "other pins";
    }
    Job job(ranks, seed);
    job.run();
    ASSERT_TRUE(check(job));
    for (Rank& rank : job.ranks()) {
      ASSERT_EQ(rank.agreement->teams.size(), 2U);
      EXPECT_EQ(rank.agreement->teams[1].ranks, (std::vector<std::size_t>{1, 4}));
      EXPECT_EQ(rank.agreement->teams[0].environment, "one");
      EXPECT_EQ(rank.agreement->teams[1].environment, "two");
    }
    EXPECT_NE(job.ranks()[0].agreement->digest, job.ranks()[1].agreement->digest);
    EXPECT_EQ(measurements(job), 8U);
  }
}

TEST(Agree, OtherPinsInAnEnvironmentAreRefusedWithBothHashes) {
  auto ranks = ranks_of(4, 2);
  ranks[2].member.pins = "abc";
  Job job(ranks, 1);
  job.run();
  expect_refused(job, 2);
  EXPECT_THAT(job.ranks()[0].agreement->reason, HasSubstr("abc"));
  EXPECT_THAT(job.ranks()[0].agreement->reason, HasSubstr("no pins"));
}

TEST(Agree, KeysOfAnEarlierAttemptAreNeverTaken) {
  for (std::size_t size = 1; size < 6; ++size) {
    for (std::size_t at = 1; at < 60; ++at) {
      // The store has the keys of an earlier attempt of four ranks to agree. They were killed at
      // one of their steps, or have agreed.
      auto earlier = ranks_of(4, 3);
      for (Rank& rank : earlier) {
        rank.fault = at == 59 ? Fault::none : Fault::killed;
        rank.at = at;
      }
      Job before(earlier, at);
      before.run();
      auto ranks = ranks_of(size, 3);
      for (Rank& rank : ranks) rank.member.nonce += " again";
      Job job(ranks, at, before.store());
      job.run();
      EXPECT_FALSE(check(job)) << size << " " << at;
      EXPECT_THAT(job.ranks()[0].agreement->reason, HasSubstr("job/0"));
      for (const Rank& rank : job.ranks()) EXPECT_TRUE(rank.measured.empty());
    }
  }
}

TEST(Agree, WhatARankCannotMeasureAnotherMeasures) {
  auto ranks = ranks_of(6, 5);
  for (const std::size_t poor : {0U, 1U})
    ranks[poor].cannot_measure = [](const std::string&) { return true; };
  for (Rank& rank : ranks) rank.member.bound = 1000;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Job job(ranks, seed);
    job.run();
    ASSERT_TRUE(check(job));
    EXPECT_LT(job.ranks()[0].ended, 1000) << "nobody waits for what has failed";
    for (const Agreed& one : job.ranks()[0].agreement->decisions) EXPECT_NE(one.decision, "");
  }
}

TEST(Agree, WhatNoRankCanMeasureIsLeftToTheDefault) {
  auto ranks = ranks_of(6, 5);
  for (Rank& rank : ranks)
    rank.cannot_measure = [](const std::string& key) { return key == "p102"; };
  Job job(ranks, 3);
  job.run();
  ASSERT_TRUE(check(job));
  for (const Agreed& one : job.ranks()[4].agreement->decisions) {
    EXPECT_EQ(one.decision.empty(), one.key == "p102");
    EXPECT_EQ(one.reason.empty(), one.key != "p102") << one.reason;
  }
}

TEST(Agree, WhatOneRankCannotUseNoneUses) {
  auto ranks = ranks_of(6, 5);
  ranks[3].refuses = [](const std::string& key) { return key == "p101"; };
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Job job(ranks, seed);
    job.run();
    ASSERT_TRUE(check(job));
    for (const Rank& rank : job.ranks())
      for (const Agreed& one : rank.agreement->decisions) {
        EXPECT_EQ(one.decision.empty(), one.key == "p101");
        if (one.decision.empty()) {
          EXPECT_THAT(one.reason, HasSubstr("rank 3: the gate"));
        }
      }
  }
}

TEST(Agree, ALongListIsWorkedOffWhileProgressIsMade) {
  // 60 problems are measured on one device, and each takes 2 s. The ranks give up only if there is
  // no progress for 10 s (the bound).
  auto ranks = ranks_of(2, 60);
  Job job(ranks, 1);
  job.run();
  EXPECT_TRUE(check(job)) << job.ranks()[0].agreement->reason;
}

TEST(Agree, ARankThatChecksForLongSaysThatItGoesOn) {
  auto ranks = ranks_of(4, 30);
  // this rank checks for 30 s in total; the ranks give up after 10 s without progress
  ranks[3].check_seconds = 1;
  Job job(ranks, 1);
  job.run();
  EXPECT_TRUE(check(job)) << job.ranks()[0].agreement->reason;
}

// One rank pauses for longer than the bound (the allowed time without progress). Its claim of a
// problem expires, so another rank measures the problem, too. The first result that is stored
// counts, and the later one is not used.
TEST(Agree, ARankThatIsSlowOnceStillAgrees) {
  int twice = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    for (std::size_t at = 0; at < 60; ++at) {
      auto ranks = ranks_of(4, 2);
      ranks[2].fault = Fault::slow;
      ranks[2].slow_bounds = 1.25;
      ranks[2].at = at;
      Job job(ranks, seed);
      job.run();
      const bool agreed = check(job);
      if (measurements(job) <= 2) continue;
      EXPECT_TRUE(agreed) << at << ": " << job.ranks()[0].agreement->reason;
      ++twice;
    }
  }
  EXPECT_GT(twice, 0);
}

// Rank 0 writes the commit just when the other ranks give up waiting for it, and write a refusal.
// The first of the two values counts, also for the ranks that wrote the other one.
TEST(Agree, ACommitAndARefusalAtTheSameTimeHaveOneAnswer) {
  int agreements = 0, refusals = 0;
  const std::size_t steps = steps_of(ranks_of(3, 1), 0, 1);
  for (std::size_t at = steps - 6; at < steps; ++at) {
    for (int moment = 0; moment < 400; ++moment) {
      auto ranks = ranks_of(3, 1);
      ranks[0].fault = Fault::slow;
      ranks[0].at = at;
      ranks[0].slow_bounds = 1 + 5e-6 * (moment - 200);
      Job job(ranks, 1);
      job.run();
      ++(check(job) ? agreements : refusals);
      ASSERT_FALSE(HasFailure()) << "step " << at << ", moment " << moment;
    }
  }
  EXPECT_GT(agreements, 0);
  EXPECT_GT(refusals, 0);
}

TEST(Agree, AListThatIsTooLongIsRefusedBeforeItIsLeftBehind) {
  auto ranks = ranks_of(3, 1);
  for (Rank& rank : ranks) rank.member.problems[0].text = std::string(kMostValueBytes + 1, 't');
  Job job(ranks, 1);
  job.run();
  EXPECT_FALSE(check(job));
  EXPECT_THAT(job.ranks()[1].agreement->reason, HasSubstr("in several calls"));
}

TEST(Agree, ACallThatWouldLeaveTooMuchBehindIsRefusedBefore) {
  // Each decision has 0.5 MB, which is less than a value may have. Ten of them are more than a call
  // may leave behind.
  auto ranks = ranks_of(3, 10);
  for (const Problem& one : ranks[0].member.problems)
    ranks[1].known[one.key] = "f100" + std::string(500'000, 'd');
  Job job(ranks, 1);
  job.run();
  EXPECT_FALSE(check(job));
  EXPECT_THAT(job.ranks()[2].agreement->reason, HasSubstr("in several calls"));
}

class Memory : public Transport {
 public:
  std::string create(const std::string& key, const std::string& value) override {
    return keys_.emplace(key, value).first->second;
  }
  std::optional<std::string> get(const std::string& key, double /*seconds*/) override {
    const auto found = keys_.find(key);
    return found == keys_.end() ? std::nullopt : std::optional(found->second);
  }
  double now() override { return 0; }

 private:
  std::map<std::string, std::string> keys_;
};

TEST(Board, HasRoomForTheVerdictWhenItHasNoneForOtherKeys) {
  Memory memory;
  Board board(memory, "job/0", kBound, [](const Line&) {});
  for (std::size_t i = 0; i < kMostCallBytes / kMostValueBytes; ++i)
    board.create("k" + std::to_string(i), std::string(kMostValueBytes, 'k'));
  EXPECT_THROW(board.create("one more", "k"), Error);
  EXPECT_THROW(board.append(Line{}), Error);
  EXPECT_EQ(memory.get("job/0/f/0", 0), std::nullopt) << "it was written before it was refused";
  EXPECT_EQ(board.create(Board::settle_name(), "refused"), "refused");
  EXPECT_EQ(board.await(Board::settle_name()), "refused");
}

TEST(Agree, ManyRanksWithRandomFaultsAgreeOrUseNothing) {
  int agreements = 0;
  constexpr int kRuns = 2500;
  for (int seed = 0; seed < kRuns; ++seed) {
    Dice dice(static_cast<std::uint64_t>(seed) + 1000);
    const std::size_t size = seed % 100 == 0 ? 64 : 2 + dice.below(9);
    auto ranks = ranks_of(size, 1 + dice.below(5));
    constexpr Fault kFaults[] = {Fault::absent, Fault::killed, Fault::loses_store, Fault::slow,
                                 Fault::cancelled};
    for (std::uint64_t faults = dice.below(3); faults > 0; --faults) {
      Rank& rank = ranks[dice.below(size)];
      rank.fault = kFaults[dice.below(5)];
      rank.at = dice.below(80);
    }
    for (Rank& rank : ranks) {
      rank.starts = static_cast<double>(dice.below(6));
      if (dice.one_in(6)) rank.member.environment = "two";
      if (dice.one_in(9)) rank.cannot_measure = [](const std::string&) { return true; };
      if (dice.one_in(9)) rank.refuses = [](const std::string& key) { return key == "p100"; };
      if (dice.one_in(3)) rank.known["p101"] = "f" + std::to_string(100 + dice.below(5));
    }
    Job job(ranks, static_cast<std::uint64_t>(seed));
    job.run();
    agreements += check(job) ? 1 : 0;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(agreements, kRuns / 4);
  EXPECT_LT(agreements, kRuns);
}

}  // namespace
}  // namespace atc::group::testing
