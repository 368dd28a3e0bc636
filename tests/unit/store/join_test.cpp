// Tests join(), which makes one entry from two entries with the same key, and keeps the better
// decisions. The tests are about which decision is better, and about the result, which must not
// depend on the sequence in which several entries are joined.
#include "store/join.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/random.hpp"
#include "fixtures.hpp"
#include "store/bundle.hpp"
#include "store/origin.hpp"

namespace atc::store::testing {
namespace {

using ::testing::ElementsAre;

// A generator of random numbers. Equal seeds give equal numbers.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return mix(seed_, index_++) % bound; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  std::uint64_t seed_, index_ = 0;
};

Json choice_named(const std::string& configuration) {
  return {{"engine", "e0"}, {"version", "1"}, {"configuration", configuration}};
}

Json decision(const std::string& configuration, int roster, double median = 0.001) {
  Json made = {{"choice", choice_named(configuration)},
               {"winner", 0},
               {"default", 1},
               {"roster", Json::array()}};
  for (const char* name : {"x", "y"}) {
    Json candidate = choice_named(configuration + name);
    candidate["median"] = median;
    made["candidates"].push_back(candidate);
  }
  for (int i = 0; i < roster; ++i) made["roster"].push_back({"e" + std::to_string(i), "1"});
  return made;
}

Json provisional(Json made, double risk) {
  made[kProvisional] = {{"risk", risk}, {"why", "noise"}};
  return made;
}

// Returns a random decision. Each of its members has only a few possible values. So two random
// decisions often have equal members.
Json random_decision(Dice& dice) {
  Json made = decision(std::string(1, static_cast<char>('a' + dice.below(3))), 0,
                       0.001 * static_cast<double>(dice.below(3)));
  for (int i = 0; i < 4; ++i)
    if (!dice.one_in(3)) made["roster"].push_back({"e" + std::to_string(i), "1"});
  if (dice.one_in(3)) made = provisional(made, 0.01 * static_cast<double>(dice.below(3)));
  if (dice.one_in(4)) made["captured"] = choice_named("g" + std::to_string(dice.below(2)));
  if (dice.one_in(3)) made[kReceived] = true;
  if (dice.one_in(5)) made[kChecked] = {{"lenient", ""}};
  if (dice.one_in(4)) made[kSidecar] = {{"hash", "h" + std::to_string(dice.below(2))}};
  if (dice.one_in(5)) made["padding"] = std::string(dice.below(900), 'p');
  made["host"] = "h" + std::to_string(dice.below(3));
  return made;
}

Json random_value(Dice& dice) {
  Json value = random_decision(dice);
  for (std::uint64_t more = dice.below(5); more > 0; --more)
    value[kOthers].push_back(random_decision(dice));
  return value;
}

// Returns the eager and the captured choices of all decisions of the entry, in their order.
std::vector<std::string> choices_of(const Json& value) {
  std::vector<std::string> choices;
  const auto add = [&](const Json& one) {
    choices.push_back(one["choice"].dump() + one.value("captured", Json()).dump());
  };
  add(value);
  if (value.contains(kOthers))
    for (const Json& other : value[kOthers]) add(other);
  return choices;
}

constexpr int kRounds = 2000;

TEST(Join, IsCommutativeAssociativeAndIdempotent) {
  for (int seed = 0; seed < kRounds; ++seed) {
    Dice dice(static_cast<std::uint64_t>(seed));
    const Json a = random_value(dice), b = random_value(dice), c = random_value(dice);
    const Json both = join(a, b);
    ASSERT_EQ(both, join(b, a)) << "seed " << seed;
    ASSERT_EQ(join(both, c), join(a, join(b, c))) << "seed " << seed;
    ASSERT_EQ(join(both, both), both) << "seed " << seed;
    ASSERT_EQ(join(both, a), both) << "seed " << seed;
  }
}

TEST(Join, KeepsTheLawsForChoicesWhereCandidatesHaveNoRoom) {
  int slimmed = 0;
  for (int seed = 0; seed < kRounds; ++seed) {
    Dice dice(static_cast<std::uint64_t>(seed) + 77777);
    const auto wide = [&] {
      Json value = random_value(dice);
      const auto widen = [&](Json& one) {
        for (std::uint64_t more = dice.below(6); more > 0; --more)
          one["candidates"].push_back(choice_named(std::string(400, 'l')));
        one.erase("padding");
      };
      widen(value);
      if (value.contains(kOthers))
        for (Json& other : value[kOthers]) widen(other);
      return value;
    };
    const Json a = wide(), b = wide(), c = wide();
    // The number of bytes that an entry may have: as many as 16 decisions with three candidates
    // each need.
    constexpr std::size_t kRoom = 16 * 620;
    const Json all = join(join(a, b, kRoom), c, kRoom);
    ASSERT_LE(all.dump().size(), kRoom) << "seed " << seed;
    const auto expected = choices_of(all);
    ASSERT_EQ(choices_of(join(a, join(b, c, kRoom), kRoom)), expected) << "seed " << seed;
    ASSERT_EQ(choices_of(join(c, join(b, a, kRoom), kRoom)), expected) << "seed " << seed;
    ASSERT_EQ(choices_of(join(all, a, kRoom)), expected) << "seed " << seed;
    ASSERT_EQ(choices_of(join(join(a, b), c)), expected) << "seed " << seed;
    slimmed += all != join(join(a, b), c) ? 1 : 0;
  }
  EXPECT_GT(slimmed, kRounds / 20) << "the limit had no effect: the test shows nothing";
}

TEST(Join, KeepsTheBestOfManyRosters) {
  Json all = decision("c", 1), again = decision("c", 1);
  std::vector<Json> many;
  for (int i = 0; i < 60; ++i) {
    many.push_back(decision("c", 2));
    many.back()["roster"].push_back({"new", std::to_string(i)});
  }
  for (const Json& one : many) all = join(all, one);
  std::reverse(many.begin(), many.end());
  for (const Json& one : many) again = join(one, again);
  EXPECT_EQ(all, again);
  EXPECT_EQ(choices_of(all).size(), kMostJoined);
}

TEST(Join, FirmIsBetterThanALargerRosterAndThatThanASmallerRisk) {
  const Json firm = decision("firm", 2);
  const Json large = provisional(decision("large", 3), 0.5);
  const Json small = provisional(decision("small", 2), 0.01);
  const Json risky = provisional(decision("risky", 2), 0.2);
  // If two decisions have the same roster (the engines that took part), the better one is kept. If
  // their rosters differ, both are kept, and the better one comes first.
  EXPECT_THAT(choices_of(join(small, firm)), ElementsAre(choices_of(firm).front()));
  EXPECT_THAT(choices_of(join(risky, small)), ElementsAre(choices_of(small).front()));
  EXPECT_THAT(choices_of(join(large, firm)),
              ElementsAre(choices_of(firm).front(), choices_of(large).front()));
  EXPECT_THAT(choices_of(join(small, large)),
              ElementsAre(choices_of(large).front(), choices_of(small).front()));
}

// Of two provisional decisions, the one with the smaller risk (the possible loss of speed) is
// better. A hash of the choices only decides if the risks are equal. Here the risks differ, so the
// choices must have no influence.
TEST(Join, TheSmallerRiskIsBetterWhateverTheChoices) {
  for (int i = 0; i < 50; ++i) {
    const std::string name = std::to_string(i);
    const Json small = provisional(decision("a" + name, 2), 0.01);
    const Json risky = provisional(decision("b" + name, 2), 0.2);
    EXPECT_EQ(choices_of(join(risky, small)), choices_of(small)) << i;
    // A provisional decision (without sufficient measurements) that has no stored risk may have any
    // risk. So a provisional decision with a stored risk is better.
    Json unknown = risky;
    unknown[kProvisional].erase("risk");
    EXPECT_EQ(choices_of(join(unknown, small)), choices_of(small)) << i;
  }
}

// Two decisions with equal choices can differ in their times, which are only stored for people who
// read them. The mark "received" must not determine which of them is kept.
TEST(Join, MarksDoNotDecideBetweenEqualChoices) {
  int seen[2] = {0, 0};
  for (int i = 0; i < 50; ++i) {
    const double time = 0.001 * (i + 1);
    Json one = decision("a", 2, time), other = decision("a", 2, time + 1);
    const Json chosen = join(one, other);
    ++seen[chosen == one ? 0 : 1];
    for (Json* marked : {&one, &other}) {
      (*marked)[kReceived] = true;
      Json kept = join(one, other);
      kept.erase(kReceived);
      EXPECT_EQ(kept, chosen) << i;
      marked->erase(kReceived);
    }
  }
  EXPECT_GT(seen[0], 5);
  EXPECT_GT(seen[1], 5);
}

TEST(Join, DoesNotCompareTimes) {
  for (int i = 0; i < 50; ++i) {
    const std::string one = "a" + std::to_string(i), other = "b" + std::to_string(i);
    const auto chosen = [&](double time, double other_time) {
      return choices_of(join(decision(one, 2, time), decision(other, 2, other_time)));
    };
    EXPECT_EQ(chosen(0.001, 0.002), chosen(0.002, 0.001));
  }
}

TEST(Join, MarksAndCompiledPartsDoNotChangeTheChoice) {
  int seen[2] = {0, 0};
  for (int i = 0; i < 50; ++i) {
    Json one = decision("a" + std::to_string(i), 2), other = decision("b" + std::to_string(i), 2);
    const auto chosen = choices_of(join(one, other));
    ++seen[chosen == choices_of(one) ? 0 : 1];
    one[kReceived] = true;
    EXPECT_EQ(choices_of(join(one, other)), chosen);
    other[kSidecar] = {{"hash", "h"}};
    EXPECT_EQ(choices_of(join(one, other)), chosen);
  }
  EXPECT_GT(seen[0], 5);
  EXPECT_GT(seen[1], 5);
  // A decision that was made in this store stays the store's own decision, even if it comes back
  // from another store and is marked there as received.
  Json returned = decision("a", 2);
  returned[kReceived] = true;
  EXPECT_EQ(join(returned, decision("a", 2)), decision("a", 2));
}

TEST(Join, TakesAnyValueThatAnEntryMayHave) {
  const Json bare = {{"choice", Json::object()}};
  const Json odd = {{"choice", Json::object()},
                    {"roster", 5},
                    {"winner", "x"},
                    {"candidates", Json::object()},
                    {"captured", 3},
                    {kProvisional, nullptr},
                    {kOthers, {1, "x", {{"choice", 3}}, Json::array()}}};
  EXPECT_EQ(join(bare, odd), join(odd, bare));
  EXPECT_EQ(join(odd, odd, 1), join(join(odd, odd, 1), odd, 1));
}

ImportOptions joining() {
  ImportOptions options;
  options.present = Present::joined;
  options.marks = true;
  options.drops_compiled = true;
  return options;
}

TEST(Join, StoresThatImportInAnyOrderHaveEqualDigests) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const Scratch scratch;
    Dice dice(seed + 5);
    std::vector<std::unique_ptr<Opened>> stores;
    for (int i = 0; i < 3; ++i) {
      stores.push_back(open(scratch / std::to_string(i)));
      for (int channels = 0; channels < 3; ++channels)
        if (!dice.one_in(4)) (*stores.back())->put(key(channels), random_value(dice));
    }
    std::vector<std::string> bundles;
    for (const auto& store : stores) bundles.push_back((*store)->export_bundle());
    std::string merged = merge_bundles({bundles[0], bundles[1], bundles[2]}, true);
    EXPECT_EQ(merge_bundles({bundles[2], bundles[0], bundles[1], bundles[2]}, true), merged);
    std::vector<std::uint64_t> digests;
    for (auto& store : stores) {
      for (int turn = 0; turn < 3; ++turn)
        std::swap(bundles[dice.below(3)], bundles[dice.below(3)]);
      for (const std::string& bundle : bundles) (*store)->import_bundle(bundle, joining());
      digests.push_back((*store)->digest());
      EXPECT_EQ((*store)->import_bundle(merged, joining()).added, 0U) << "seed " << seed;
    }
    EXPECT_EQ(digests[0], digests[1]) << "seed " << seed;
    EXPECT_EQ(digests[1], digests[2]) << "seed " << seed;
  }
}

TEST(Join, AnImportTellsHowManyEntriesItChanged) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), decision("a", 2));
  (*store)->put(key(2), provisional(decision("a", 2), 0.1));
  const auto other = open(scratch / "o");
  (*other)->put(key(1), provisional(decision("b", 2), 0.1));
  (*other)->put(key(2), decision("b", 2));
  (*other)->put(key(3), decision("b", 2));
  const ImportReport report = (*store)->import_bundle((*other)->export_bundle(), joining());
  EXPECT_EQ(report.added, 2U);
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(choice((*store)->get(key(1))), "a");
  EXPECT_FALSE((*store)->get(key(1))->value.contains(kReceived)) << "it is its own";
  EXPECT_EQ(choice((*store)->get(key(2))), "b");
  EXPECT_TRUE((*store)->get(key(2))->value.contains(kReceived));
}

// When a joined entry is written, it gets this user's seal (a signature of the whole entry).
// Decisions in it that come from another store must stay marked as received, because the seal must
// not make them trusted.
TEST(Join, ADecisionThatWasWrittenElsewhereDoesNotBecomeOwnByBeingJoined) {
  const Scratch scratch;
  const auto theirs = open(scratch / "s", Mode::read_write, 1'000'000, Secret{1, 2});
  (*theirs)->put(key(1), decision("theirs", 2));
  const auto store = open(scratch / "s");
  ASSERT_TRUE((*store)->get(key(1))->elsewhere);
  const auto other = open(scratch / "o");
  (*other)->put(key(1), decision("other", 3));
  EXPECT_EQ((*store)->import_bundle((*other)->export_bundle(), joining()).added, 1U);
  const auto entry = (*store)->get(key(1));
  ASSERT_FALSE(entry->elsewhere);
  ASSERT_TRUE(entry->value.contains(kOthers));
  EXPECT_TRUE(entry->value.contains(kReceived));
  EXPECT_TRUE(entry->value[kOthers][0].contains(kReceived));
}

TEST(Join, VerdictsNeitherLeaveNorEnterAStore) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  Json checked = decision("a", 2);
  checked[kReceived] = true;
  checked[kChecked] = {{"lenient", ""}};
  Json two = checked;
  two[kOthers].push_back(checked);
  (*store)->put(key(1), two);
  const std::string bundle = (*store)->export_bundle();
  EXPECT_EQ(bundle.find(kChecked), std::string::npos);
  // kChecked is the member with the verdicts of the user's own correctness gate. An export leaves
  // it out, but another user may write a bundle that has it. An import must drop it.
  const std::string line = entry_to_text({key(2), two});
  const std::string hostile = write_bundle({{CanonicalKey(key(2)).place().key, line}}, {});
  ASSERT_NE(hostile.find(kChecked), std::string::npos);
  for (const Present present : {Present::stays, Present::replaced, Present::joined}) {
    const auto into = open(scratch / std::to_string(static_cast<int>(present)));
    ImportOptions options = joining();
    options.present = present;
    (*into)->import_bundle(hostile, options);
    EXPECT_EQ((*into)->get(key(2))->value.dump().find(kChecked), std::string::npos);
  }
}

}  // namespace
}  // namespace atc::store::testing
