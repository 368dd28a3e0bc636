// Tests how C callers read the entries of a store.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

using atc_test::kCpu;
using testing::HasSubstr;

struct CloseStore {
  void operator()(atc_store* store) const { atc_store_close(store); }
};
struct DestroyEntries {
  void operator()(atc_store_entries* entries) const { atc_store_entries_destroy(entries); }
};

constexpr const char* kProblem =
    R"({"direction": "forward", "groups": 1, "stride": [2, 2], "dilation": [1, 1],
        "padding_low": [3, 3], "padding_high": [3, 3],
        "x": {"dtype": "f32", "shape": [8, 3, 224, 224], "strides": [150528, 1, 672, 3]},
        "w": {"dtype": "f32", "shape": [64, 3, 7, 7], "strides": [147, 1, 21, 3]},
        "y": {"dtype": "f32", "shape": [8, 64, 112, 112], "strides": [802816, 1, 7168, 64]},
        "epilogue": "bias", "accumulate": false,
        "allowed": {"deterministic": false, "constant_weights": true}})";
constexpr const char* kValue =
    R"({"choice": {"engine": "onednn", "version": "3.2", "configuration": "blocked"},
        "candidates": [
          {"engine": "onednn", "version": "3.2", "configuration": "plain", "outcome": 2,
           "workspace": 0, "original": true, "samples": 5, "executions": 50, "mean": 0.002,
           "median": 0.002, "min": 0.001, "max": 0.003, "deviation": 0.0001},
          {"engine": "onednn", "version": "3.2", "configuration": "blocked", "outcome": 1,
           "workspace": 1024, "samples": 5, "executions": 50, "mean": 0.001, "median": 0.001,
           "min": 0.001, "max": 0.001, "deviation": 0.0, "clock_hz": 2e9}],
        "winner": 1, "default": 0, "roster": [], "technique": 4, "executions": 100, "seconds": 1.5,
        "host": "here", "date": "2026-01-01T00:00:00Z",
        "provisional": {"risk": 0.05, "why": "noise", "budget": 2},
        "conditions": {"driver": "580.1", "power_limit_watts": 700.0, "temperature_celsius": 43.0,
                       "clock_hz": 1.98e9, "memory_clock_hz": 3.2e9,
                       "clocks_limited_by": ["power cap", "power brake"]}})";

class Entries : public testing::Test {
 protected:
  void SetUp() override {
    atc_store* store = nullptr;
    ASSERT_DONE(atc_store_open(&store, folder_.c_str(), 0));
    store_.reset(store);
  }

  void put(const std::string& problem, const std::string& value) {
    const std::string entry =
        R"({"key": {"environment": {"device": "cpu", "name": "Some CPU", "threads": 2,
            "onednn": "3.2", "cudnn": "9"}, "problem": )" +
        problem + R"(}, "value": )" + value + "}";
    EXPECT_DONE(atc_store_put(store_.get(), entry.data(), entry.size(), nullptr));
  }

  std::vector<atc_store_entry> read() {
    atc_store_entries* out = nullptr;
    EXPECT_DONE(atc_store_read(&out, store_.get()));
    entries_.reset(out);
    std::size_t count = 0;
    EXPECT_DONE(atc_store_entries_count(&count, out));
    std::vector<atc_store_entry> entries(count, ATC_STORE_ENTRY_INIT);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_DONE(atc_store_entries_describe(&entries[i], out, i));
    return entries;
  }
  atc_store_entry only(const std::string& problem, const std::string& value) {
    put(problem, value);
    const auto entries = read();
    EXPECT_EQ(entries.size(), 1U);
    return entries.front();
  }

  const atc::test::TempFolder folder_;
  std::unique_ptr<atc_store, CloseStore> store_;
  std::unique_ptr<atc_store_entries, DestroyEntries> entries_;
};

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  text.replace(text.find(old), old.size(), by);
  return text;
}

TEST_F(Entries, SayProblemDecisionAndConditions) {
  const atc_store_entry entry = only(kProblem, kValue);
  EXPECT_STREQ(entry.problem,
               "forward f32 x 8×3×224×224 w 64×3×7×7 stride 2 padding 3 channels-last bias, "
               "constant weights");
  EXPECT_EQ(entry.bytes, 4.0 * (8.0 * 150528 + 64.0 * 147 + 8.0 * 802816));
  EXPECT_EQ(entry.flops, 2.0 * 8 * 64 * 112 * 112 * 147);
  EXPECT_STREQ(entry.device, "cpu");
  EXPECT_STREQ(entry.device_name, "Some CPU");
  EXPECT_EQ(entry.threads, 2);
  EXPECT_STREQ(entry.libraries, "onednn:3.2") << "cudnn is no library of a CPU";
  EXPECT_STREQ(entry.choice, "onednn@3.2:blocked");
  EXPECT_STREQ(entry.trouble, "");
  EXPECT_EQ(entry.winner, 1);
  EXPECT_EQ(entry.default_candidate, 0);
  EXPECT_EQ(entry.original, 0);
  EXPECT_EQ(entry.candidates, 2U);
  EXPECT_EQ(entry.executions, 100U);
  EXPECT_EQ(entry.seconds, 1.5);
  EXPECT_EQ(entry.technique, ATC_TECHNIQUE_INTERLEAVED);
  EXPECT_EQ(entry.provisional, 1);
  EXPECT_EQ(entry.risk, 0.05);
  EXPECT_STREQ(entry.why, "noise");
  EXPECT_STREQ(entry.host, "here");
  EXPECT_STREQ(entry.date, "2026-01-01T00:00:00Z");
  EXPECT_STREQ(entry.driver, "580.1");
  EXPECT_EQ(entry.power_limit_watts, 700);
  EXPECT_EQ(entry.temperature_celsius, 43);
  EXPECT_EQ(entry.clock_hz, 1.98e9);
  EXPECT_EQ(entry.memory_clock_hz, 3.2e9);
  EXPECT_STREQ(entry.clocks_limited_by, "power cap\npower brake");
  atc_bytes* list = nullptr;
  ASSERT_DONE(atc_store_list(&list, store_.get()));
  EXPECT_EQ(std::string(atc_bytes_data(list), atc_bytes_size(list)),
            "[" + std::string(entry.entry) + "]");
  EXPECT_THAT(entry.entry, HasSubstr("\"key\":" + std::string(entry.key)));
  atc_bytes_destroy(list);

  atc_candidate candidate = ATC_CANDIDATE_INIT;
  ASSERT_DONE(atc_store_entries_candidate(&candidate, entries_.get(), 0, 1));
  EXPECT_STREQ(candidate.configuration, "blocked");
  EXPECT_EQ(candidate.outcome, ATC_OUTCOME_WON);
  EXPECT_EQ(candidate.clock_hz, 2e9);
  EXPECT_REFUSED(atc_store_entries_candidate(&candidate, entries_.get(), 0, 2),
                 ATC_ERROR_INVALID_ARGUMENT, "the candidate's index is 2, there are 2");
  EXPECT_REFUSED(atc_store_entries_candidate(&candidate, entries_.get(), 1, 0),
                 ATC_ERROR_INVALID_ARGUMENT, "the entry's index is 1, there are 1");
  atc_store_entry none = ATC_STORE_ENTRY_INIT;
  EXPECT_REFUSED(atc_store_entries_describe(&none, entries_.get(), 1), ATC_ERROR_INVALID_ARGUMENT,
                 "the entry's index is 1, there are 1");
}

TEST_F(Entries, OfOtherFormsAreReadAsFarAsTheyCanBe) {
  const std::vector<std::string> problems = {
      "{}",
      R"({"n": 1})",
      replaced(kProblem, "\"groups\": 1", "\"groups\": -1"),
      replaced(kProblem, "\"groups\": 1", "\"groups\": 1e300"),
      replaced(kProblem, "\"stride\": [2, 2]", "\"stride\": [2, 2, 2, 2]"),
      replaced(kProblem, "\"stride\": [2, 2]", "\"stride\": []"),
      replaced(kProblem, "[8, 3, 224, 224]", "[8, 3, 224]"),
      replaced(kProblem, "\"f32\"", "\"f8\""),
      replaced(kProblem, "\"allowed\"", "\"permitted\""),
      replaced(kProblem, "[8, 3, 224, 224]", "[9223372036854775807, 9223372036854775807, 2, 2]")};
  for (const std::string& problem : problems) put(problem, kValue);
  std::size_t without = 0;
  for (const atc_store_entry& entry : read()) {
    EXPECT_STREQ(entry.choice, "onednn@3.2:blocked");
    without += *entry.problem == '\0' ? 1 : 0;
    EXPECT_EQ(*entry.problem == '\0', entry.flops == 0) << entry.problem;
  }
  EXPECT_EQ(without, problems.size() - 2);
  for (const char* value :
       {R"({"choice": {}})", R"({"choice": {}, "winner": "x", "conditions": 3, "host": []})"}) {
    put("{}", value);
    for (const atc_store_entry& entry : read()) {
      if (*entry.choice != '\0') continue;
      EXPECT_STREQ(entry.problem, "");
      EXPECT_THAT(entry.trouble, HasSubstr("a recorded decision"));
      EXPECT_EQ(entry.winner, -1);
      EXPECT_EQ(entry.default_candidate, -1);
      EXPECT_EQ(entry.original, -1);
      EXPECT_EQ(entry.candidates, 0U);
      EXPECT_EQ(entry.technique, 0);
      EXPECT_STREQ(entry.host, "");
    }
  }
}

TEST_F(Entries, TellAsymmetricPaddingDilationGroupsAndTheirUse) {
  std::string problem = replaced(kProblem, "\"padding_high\": [3, 3]", "\"padding_high\": [2, 3]");
  problem = replaced(problem, "\"dilation\": [1, 1]", "\"dilation\": [1, 2]");
  problem = replaced(problem, "\"groups\": 1", "\"groups\": 3");
  problem = replaced(problem, "\"deterministic\": false", "\"deterministic\": true");
  problem = replaced(problem, "[150528, 1, 672, 3]", "[150528, 50176, 224, 1]");
  EXPECT_STREQ(only(problem, kValue).problem,
               "forward f32 x 8×3×224×224 w 64×3×7×7 stride 2 dilation 1,2 padding below 3 padding "
               "above 2,3 groups 3 bias, constant weights, deterministic");
}

TEST_F(Entries, AreThoseOfTheMomentOfReading) {
  const atc_store_entry before = only(kProblem, kValue);
  ASSERT_DONE(atc_store_remove(nullptr, store_.get(), before.entry, std::strlen(before.entry)));
  EXPECT_STREQ(before.host, "here");
  EXPECT_TRUE(read().empty());
}

// The ceilings (the highest speed and bandwidth that were measured on a device) come from the
// store. They must be those of the entry's environment and of the arithmetic that the entry's
// problem uses.
TEST_F(Entries, AndPlansHaveTheCeilingsThatTheStoreKeeps) {
  const atc_conv_problem problem = atc_test::small_problem();
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.store = store_.get();
  double bytes = -1, flops = -1;
  ASSERT_DONE(atc_conv_ceilings(&bytes, &flops, kCpu, &problem, &options));
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(flops, 0);
  ASSERT_DONE(atc_conv_measure_ceilings(kCpu, &problem, &options));
  ASSERT_DONE(atc_conv_ceilings(&bytes, &flops, kCpu, &problem, &options));
  EXPECT_GT(bytes, 0);
  atc_explanation* explanation = nullptr;
  ASSERT_DONE(atc_conv_explain(&explanation, kCpu, &problem, &options));
  atc_explained explained = ATC_EXPLAINED_INIT;
  ASSERT_DONE(atc_explanation_describe(&explained, explanation));
  atc_explanation_destroy(explanation);
  EXPECT_EQ(explained.bytes_per_second, bytes);
  EXPECT_EQ(explained.flops_per_second, flops);

  atc_tune_options how = ATC_TUNE_OPTIONS_INIT;
  how.technique = ATC_TECHNIQUE_ONCE;
  how.problem_budget_seconds = 30;
  how.store = store_.get();
  ASSERT_DONE(atc_tune(nullptr, kCpu, &problem, 1, &how, nullptr, nullptr));
  for (const atc_store_entry& entry : read()) {  // a build without oneDNN has stored no entries
    EXPECT_EQ(entry.bytes_per_second, bytes);
    EXPECT_EQ(entry.flops_per_second, flops);
  }
  put(kProblem, kValue);  // an entry of another machine
  std::size_t others = 0;
  for (const atc_store_entry& entry : read()) {
    if (std::strcmp(entry.device_name, "Some CPU") != 0) continue;
    ++others;
    EXPECT_EQ(entry.bytes_per_second, 0);
  }
  EXPECT_EQ(others, 1U);
}

}  // namespace
