// Tests the experience: statistics of earlier races. From the experience a race expects the time of
// a candidate and the cost of timing it (a belief). So the experience determines which candidates
// get a turn (are timed) in later races.
#include "conv/race/experience.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "core/log.hpp"
#include "store/store.hpp"
#include "support/experience_file.hpp"
#include "support/temp_folder.hpp"
#include "tune/prospects.hpp"

namespace atc::conv {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

Candidate candidate_named(const std::string& configuration, std::size_t place = 0,
                          const std::string& kin = "") {
  Candidate candidate;
  candidate.choice = {"fake", "1", configuration, {}};
  candidate.place = place;
  candidate.kin = kin;
  return candidate;
}

// Returns the decision of a race between the candidate, which takes `seconds`, and a default, which
// takes 1 ms.
Decision raced(Candidate candidate, double seconds,
               tune::Outcome outcome = tune::Outcome::dropped) {
  Decision decision;
  Candidate reference = candidate_named("default");
  reference.outcome = tune::Outcome::won;
  reference.statistics.median = 1e-3;
  candidate.outcome = outcome;
  candidate.statistics.median = seconds;
  candidate.spent = {1e-3, 4e-3, 2e-3, 0};
  decision.candidates = {reference, std::move(candidate)};
  decision.winner = decision.default_candidate = 0;
  return decision;
}

TEST(LayerClass, IsThatOfBf16ForF16OnCudaAlone) {
  Problem problem;
  const auto of = [&](Dtype dtype, DeviceType device) {
    problem.x.dtype = problem.w.dtype = problem.y.dtype = dtype;
    Request request;
    request.device = {device, 0};
    return layer_class(problem, request);
  };
  EXPECT_EQ(of(Dtype::f16, DeviceType::cuda), of(Dtype::bf16, DeviceType::cuda));
  EXPECT_NE(of(Dtype::f32, DeviceType::cuda), of(Dtype::bf16, DeviceType::cuda));
  EXPECT_NE(of(Dtype::f16, DeviceType::cpu), of(Dtype::bf16, DeviceType::cpu));
}

Experience after(int races, const Decision& decision, const std::string& layer = "layer") {
  Experience experience;
  for (int i = 0; i < races; ++i) experience.add(decision, layer);
  return experience;
}

TEST(Experience, WithoutRacesTheOrderOfTheEngineCounts) {
  const Experience none;
  EXPECT_TRUE(none.empty());
  const tune::Belief first = none.belief(candidate_named("a", 0), "layer");
  const tune::Belief tenth = none.belief(candidate_named("a", 9), "layer");
  EXPECT_EQ(first.log_ratio, tune::Belief{}.log_ratio);
  EXPECT_GT(tenth.log_ratio, first.log_ratio);
  EXPECT_EQ(first.deviation, tune::Belief{}.deviation);
}

TEST(Experience, RacesTeachTheRatioAndTheCost) {
  const Candidate slow = candidate_named("a", 3, "kernel");
  const Experience experience = after(30, raced(slow, 5e-3));
  const tune::Belief belief = experience.belief(slow, "layer");
  EXPECT_NEAR(belief.log_ratio, std::log(5), 0.1);
  EXPECT_LT(belief.deviation, 0.3);
  // The turns in the 30 races took almost no time. The expected cost of a turn is the mean over
  // these turns and one further turn, whose cost is assumed (the prior). So it is a little above
  // the least cost.
  EXPECT_LT(belief.seconds, 10 * tune::kLeastCost);
  // The experience has no data about engines other than the engine of this candidate.
  Candidate other = slow;
  other.choice.engine = "other";
  EXPECT_NEAR(experience.belief(other, "layer").log_ratio,
              Experience().belief(other, "layer").log_ratio, 1e-12);
}

TEST(Experience, TheNarrowerKindCountsMore) {
  Experience experience = after(20, raced(candidate_named("a", 0, "slow kernel"), 20e-3));
  for (int i = 0; i < 20; ++i)
    experience.add(raced(candidate_named("b", 0, "fast kernel"), 0.5e-3), "layer");
  const auto ratio = [&](const std::string& kin, const std::string& layer) {
    return experience.belief(candidate_named("c", 0, kin), layer).log_ratio;
  };
  EXPECT_GT(ratio("slow kernel", "layer"), 2);
  EXPECT_LT(ratio("fast kernel", "layer"), 0);
  EXPECT_GT(ratio("another kernel", "layer"), ratio("fast kernel", "layer"));
  EXPECT_LT(ratio("slow kernel", "another layer"), ratio("slow kernel", "layer"));
}

TEST(Experience, OneDroppedInItsCheckCountsAsTenTimesTheWinner) {
  const Candidate hopeless = candidate_named("a", 0, "kernel");
  EXPECT_NEAR(after(60, raced(hopeless, 0)).belief(hopeless, "layer").log_ratio, std::log(10), 0.2);
}

TEST(Experience, OneDroppedInItsCheckHasTheTimeOfTheExecutionThatShowedIt) {
  const Candidate hopeless = candidate_named("a", 0, "kernel");
  Decision decision = raced(hopeless, 0);
  decision.candidates[1].spent = {1e-3, 0.8, 0, 0, 0.4};
  const tune::Belief belief = after(60, decision).belief(hopeless, "layer");
  EXPECT_NEAR(belief.log_ratio, std::log(400), 0.4);
  // The executions in the check of a candidate's results are part of the candidate's time. They are
  // not a part of the cost of its turn (its timing).
  EXPECT_NEAR(belief.seconds, 1e-3, 0.2e-3);
}

// In one race in ten the candidate has a kernel that takes long to load. The expected cost of a
// turn (the timing of a candidate) must be the mean of the costs, because the median would ignore
// these long times.
TEST(Experience, ARareLargeCostCounts) {
  Experience experience;
  for (int i = 0; i < 60; ++i) {
    const bool loads = i % 10 == 0;
    Decision decision = raced(candidate_named("a", 0, loads ? "loads" : "is there"), 1e-6);
    decision.candidates[1].spent = {loads ? 0.3 : 0, 1e-3, 0, 0};
    experience.add(decision, "layer");
  }
  const auto seconds = [&](const char* kin) {
    return experience.belief(candidate_named("b", 0, kin), "layer").seconds;
  };
  EXPECT_GT(seconds("loads"), 0.1);
  EXPECT_LT(seconds("is there"), 3e-3);
  // The experience has no data about candidates with the kernel "another". So the expected cost of
  // such a candidate is the mean over all candidates of the engine.
  EXPECT_GT(seconds("another"), 5e-3);
  EXPECT_LT(seconds("another"), 0.1);
}

TEST(Experience, CompilingIsKeptApart) {
  Candidate compiled = candidate_named("a");
  compiled.compiles = true;
  Decision decision = raced(compiled, 1e-3);
  decision.candidates[1].spent = {1.5, 20e-3, 2e-3, 0};
  const tune::Belief belief = after(60, decision).belief(compiled, "layer");
  EXPECT_NEAR(belief.compiling, 1.5, 0.1);
  EXPECT_NEAR(belief.seconds, 16e-3, 2e-3);
}

TEST(Experience, UncertainRacesTeachNothing) {
  const Candidate candidate = candidate_named("a");
  Decision unstable = raced(candidate, 5e-3), incomplete = unstable, lost = unstable,
           wrong = raced(candidate, 5e-3, tune::Outcome::skipped), broken = unstable;
  unstable.unstable = true;
  incomplete.completeness = Completeness::incomplete;
  lost.winner.reset();
  broken.candidates[0].outcome = tune::Outcome::wrong_result;
  wrong.candidates[1].spent = {};
  for (const Decision& decision : {unstable, incomplete, lost, wrong, broken})
    EXPECT_TRUE(after(3, decision).empty());
}

TEST(Experience, ItIsBounded) {
  Experience experience;
  for (int i = 0; i < 3000; ++i)
    experience.add(raced(candidate_named("a", 0, "kernel " + std::to_string(i)), 2e-3), "layer");
  EXPECT_LE(experience.to_json().at("ratios").size(), Experience::kMostKinds);
  // Even after many races, the experience must follow a change of the candidate's times.
  for (int i = 0; i < 200; ++i) experience.add(raced(candidate_named("a"), 0.5e-3), "layer");
  EXPECT_LT(experience.belief(candidate_named("a"), "layer").log_ratio, 0);
}

// widened() returns experience that also has expectations for classes of layers that no race has
// measured. They are averages over all classes with the same groups and the same kernel size.
TEST(Experience, WidenedItKnowsClassesThatNoRaceHasHad) {
  const Candidate fast = candidate_named("a");
  const std::string raced_in = "forward bf16 2-D channels last depthwise wide";
  const std::string same = "backward-data tf32 1-D channels first depthwise wide";
  const std::string other = "forward bf16 2-D channels last dense wide";
  Experience experience = after(20, raced(fast, 0.2e-3), raced_in);
  experience.add(raced(candidate_named("a", 0, "kernel"), 0.2e-3), raced_in);
  const Experience wider = experience.widened();
  EXPECT_LT(wider.belief(fast, same).log_ratio, -1);
  EXPECT_GT(wider.belief(fast, other).log_ratio, 0);
  EXPECT_GT(experience.belief(fast, same).log_ratio, 0) << "races do without";
  EXPECT_EQ(experience.widened().to_json().at("ratios").size(),
            experience.to_json().at("ratios").size() + 1);
}

TEST(Experience, TheMomentsOfTwoHalvesAreThoseOfTheWhole) {
  Moments whole, one, other;
  for (const double value : {0.3, -1.2, 2.5}) {
    whole.add(value);
    one.add(value);
  }
  for (const double value : {0.7, 0.1}) {
    whole.add(value);
    other.add(value);
  }
  one.add(other);
  EXPECT_NEAR(one.mean, whole.mean, 1e-12);
  EXPECT_NEAR(one.variance, whole.variance, 1e-12);
  EXPECT_EQ(one.number, 5);
  Moments none;
  none.add(one);
  EXPECT_NEAR(none.mean, whole.mean, 1e-12);
  none.add(Moments{});
  EXPECT_EQ(none.number, 5);
}

TEST(Experience, ItsTextIsReadBack) {
  const Candidate slow = candidate_named("a", 3, "kernel");
  const Experience experience = after(7, raced(slow, 5e-3));
  const Experience again = Experience::from_json(experience.to_json());
  EXPECT_EQ(again.to_json(), experience.to_json());
  EXPECT_EQ(again.belief(slow, "layer").log_ratio, experience.belief(slow, "layer").log_ratio);
  for (const char* text :
       {R"({"ratios":{"a":[0,0,0]},"turns":{}})", R"({"ratios":{"a":[1e9,0,0]},"turns":{}})",
        R"({"ratios":{"a":[3,1e300,0]},"turns":{}})", R"({"ratios":{"a":[3,0,-1]},"turns":{}})"})
    EXPECT_THROW(Experience::from_json(store::Json::parse(text)), Error) << text;
  for (const char* text : {R"({})", R"({"ratios":{"a":["b",0,0]},"turns":{}})",
                           R"({"ratios":{"a":[1,2]},"turns":{}})"})
    EXPECT_THROW(Experience::from_json(store::Json::parse(text)), std::exception) << text;
}

// The library has experience of some devices. Simulated devices have none of it.
TEST(Experience, TheOneInTheLibraryIsValidAndOfItsDevicesAlone) {
  const auto of = [](const char* name, const char* capability) {
    return built_in_experience(store::Json::parse(std::string(R"({"name":")") + name +
                                                  R"(","compute_capability":)" + capability + "}"));
  };
  const Experience known = of("NVIDIA H100 80GB HBM3", "[9,0]");
  ASSERT_FALSE(known.empty());
  for (const char* member : {"ratios", "turns"}) {
    EXPECT_GT(known.to_json().at(member).size(), 0u) << member;
    EXPECT_LE(known.to_json().at(member).size(), Experience::kMostKinds) << member;
  }
  EXPECT_TRUE(of("NVIDIA T4", "[7,5]").empty());
  EXPECT_TRUE(of("Simulated", "[9,0]").empty());
  EXPECT_TRUE(built_in_experience(store::Json::object()).empty());
}

TEST(Experience, ATextWithTooManyKindsIsRefused) {
  store::Json text = Experience().to_json();
  for (std::size_t i = 0; i <= Experience::kMostKinds; ++i)
    text["turns"]["kind " + std::to_string(i)] = {1, 0, 0};
  EXPECT_THROW(Experience::from_json(text), Error);
}

class StoredExperience : public testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::warning);
    set_log_sink([this](LogLevel, const std::string& line) { lines_.push_back(line); });
  }
  void TearDown() override { set_log_sink({}); }
  std::shared_ptr<store::Store> open(store::Mode mode) const {
    store::Options options;
    options.mode = mode;
    return store::Store::open(folder_, options);
  }
  Knowledge opened(store::Mode mode = store::Mode::read_write) const {
    return Knowledge::of(open(mode));
  }
  std::filesystem::path file() const { return test::experience_file(folder_); }
  void write(const std::string& text) const { std::ofstream(file()) << text; }

  const test::TempFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  const store::Json environment_ = store::Json::parse(R"({"device":"one"})");
  const Candidate slow_ = candidate_named("a", 3, "kernel");
  const Decision race_ = raced(slow_, 5e-3);
  std::vector<std::string> lines_;
};

TEST_F(StoredExperience, IsReadByALaterProcess) {
  add_experience(environment_, opened(), race_, "layer");
  ASSERT_FALSE(file().empty());
  const Experience read = known_experience(environment_, opened());
  EXPECT_EQ(read.to_json(), after(1, race_).to_json());
  EXPECT_TRUE(known_experience(store::Json::parse(R"({"device":"two"})"), opened()).empty());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(StoredExperience, IsNotPartOfTheStoresContents) {
  const auto digest = [&] { return open(store::Mode::read_write)->digest(); };
  const auto bundle = [&] { return open(store::Mode::read_write)->export_bundle(); };
  const auto digest_before = digest();
  const std::string bundle_before = bundle();
  add_experience(environment_, opened(), race_, "layer");
  ASSERT_FALSE(file().empty());
  EXPECT_EQ(digest(), digest_before);
  EXPECT_EQ(bundle(), bundle_before);
}

TEST_F(StoredExperience, IsNotWrittenToAStoreThatIsOnlyRead) {
  open(store::Mode::read_write);
  add_experience(environment_, opened(store::Mode::read), race_, "layer");
  EXPECT_TRUE(file().empty());
}

TEST_F(StoredExperience, ADamagedFileCountsAsAbsentWithOneWarning) {
  add_experience(environment_, opened(), race_, "layer");
  for (const char* text : {"", "{", "[]", R"({"schema":1})", R"({"schema":9,"environment":{}})",
                           R"({"schema":1,"environment":{"device":"one"},"ratios":{"a":[0,0,0]},
                               "turns":{}})"}) {
    SCOPED_TRACE(text);
    lines_.clear();
    write(text);
    const Knowledge knowledge = opened();
    EXPECT_TRUE(known_experience(environment_, knowledge).empty());
    EXPECT_TRUE(known_experience(environment_, knowledge).empty());
    // at most one warning, because equal warnings are logged only once in a process
    EXPECT_LE(lines_.size(), 1u);
    for (const std::string& line : lines_)
      EXPECT_THAT(line, AllOf(HasSubstr("experience-"), HasSubstr("taken for absent")));
  }
}

}  // namespace
}  // namespace atc::conv
