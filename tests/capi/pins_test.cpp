// Tests pins (rules in a file that force or bar choices) through the C ABI. Pins are set, returned,
// obeyed by plans and by cached plans, and reported by atc_conv_pins. The digest of a store depends
// on the pins.
#include <gmock/gmock.h>

#include <fstream>

#include "atc/atc.h"
#include "conv_call.hpp"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

using atc_test::kCpu;
using testing::HasSubstr;

class Pins : public testing::Test {
 protected:
  void TearDown() override { EXPECT_DONE(atc_set_pins(nullptr)); }

  // Writes a pin file with `pins`, and sets this file.
  atc_status pin(const std::string& pins) {
    std::ofstream(file()) << "{\"schema\": 1, \"pins\": [\n" << pins << "]}";
    return atc_set_pins(file().c_str());
  }
  std::string file() const { return (folder_ / "pins.json").string(); }
  // Returns a choice of the reference engine, which is in each build.
  static std::string reference() {
    size_t count = 0;
    EXPECT_DONE(atc_engine_count(&count));
    for (size_t i = 0; i < count; ++i) {
      atc_engine_info info = ATC_ENGINE_INFO_INIT;
      EXPECT_DONE(atc_engine_describe(&info, i));
      if (std::string(info.name) == "reference")
        return "reference@" + std::string(info.version) + ":direct";
    }
    return "";
  }
  std::string pin_of_reference() const {
    return R"({"name": "mine", "match": {"kernel": 3}, "choice": ")" + reference() + "\"}";
  }
  struct Made {
    std::string choice, notes;
    std::int32_t source = 0;
  };
  static Made look(const atc_conv_plan* plan) {
    Made made;
    const char* choice = nullptr;
    EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
    made.choice = choice;
    EXPECT_DONE(atc_conv_plan_source(&made.source, plan));
    atc_candidate candidate = ATC_CANDIDATE_INIT;
    EXPECT_DONE(atc_conv_plan_candidate(&candidate, plan, 0));
    made.notes = candidate.notes;
    return made;
  }
  Made created(const atc_conv_options* options = nullptr) {
    atc_conv_plan* plan = nullptr;
    EXPECT_DONE(atc_conv_plan_create(&plan, kCpu, &problem_, options));
    const Made made = look(plan);
    atc_conv_plan_destroy(plan);
    return made;
  }
  Made acquired(const atc_conv_options* options = nullptr) {
    atc_conv_plan* plan = nullptr;
    EXPECT_DONE(atc_conv_plan_acquire(&plan, kCpu, &problem_, options, nullptr));
    const Made made = look(plan);
    atc_conv_plan_release(plan);
    return made;
  }
  std::string told(const atc_conv_options* options = nullptr) {
    atc_bytes* bytes = nullptr;
    EXPECT_DONE(atc_conv_pins(&bytes, kCpu, &problem_, options));
    const std::string text(atc_bytes_data(bytes), atc_bytes_size(bytes));
    atc_bytes_destroy(bytes);
    return text;
  }

  std::int32_t effect(const atc_conv_options* options = nullptr) {
    std::int32_t effect = -1;
    EXPECT_DONE(atc_conv_pins_effect(&effect, kCpu, &problem_, options));
    return effect;
  }

  const atc::test::TempFolder folder_;
  atc_conv_problem problem_ = atc_test::small_problem();
};

TEST_F(Pins, AreObeyedByPlansAndByTheCache) {
  EXPECT_NE(acquired().source, ATC_SOURCE_PINNED);
  ASSERT_DONE(pin(pin_of_reference()));
  for (const Made& made : {created(), acquired(), acquired()}) {
    EXPECT_EQ(made.source, ATC_SOURCE_PINNED);
    EXPECT_EQ(made.choice, reference());
    EXPECT_THAT(made.notes, HasSubstr(file() + ":2: pin 1 (mine)"));
  }
  EXPECT_STREQ(atc_source_name(ATC_SOURCE_PINNED), "ATC_SOURCE_PINNED");
  ASSERT_DONE(atc_set_pins(""));
  EXPECT_NE(acquired().source, ATC_SOURCE_PINNED);
}

TEST_F(Pins, AreObeyedByEagerCallsAndTuning) {
  ASSERT_DONE(pin(R"({"match": {}, "choice": "none@1:x"})"));
  const atc_test::Operand x(problem_, ATC_OPERAND_X, 1), w(problem_, ATC_OPERAND_W, 2),
      y(problem_, ATC_OPERAND_Y, 3);
  EXPECT_REFUSED(atc_convolution(&problem_, &x.view, &w.view, nullptr, &y.view, nullptr),
                 ATC_ERROR_UNSUPPORTED, "pin 1", "none@1:x");
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &problem_, nullptr), ATC_ERROR_UNSUPPORTED,
                 file(), "change the pin");
  ASSERT_DONE(pin(pin_of_reference()));
  EXPECT_DONE(atc_convolution(&problem_, &x.view, &w.view, nullptr, &y.view, nullptr));
}

TEST_F(Pins, AreOutrankedByAChoiceOfTheOptions) {
  const std::string choice = reference();
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.choice = choice.c_str();
  ASSERT_DONE(pin(R"({"match": {}, "choice": "none@1:x"})"));
  for (const Made& made : {created(&options), acquired(&options), acquired(&options)}) {
    EXPECT_EQ(made.source, ATC_SOURCE_GIVEN);
    EXPECT_EQ(made.choice, choice);
  }
  EXPECT_EQ(told(&options), "[]");
  // The cache compares given choices by their text and not by their address. So a copy of the text
  // finds the same plan.
  const std::string copy = choice;
  options.choice = copy.c_str();
  atc_cache_statistics before = ATC_CACHE_STATISTICS_INIT, after = ATC_CACHE_STATISTICS_INIT;
  EXPECT_DONE(atc_cache_stats(&before));
  EXPECT_EQ(acquired(&options).choice, choice);
  EXPECT_DONE(atc_cache_stats(&after));
  EXPECT_EQ(after.hits, before.hits + 1);
  options.choice = "none@1:x";
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_acquire(&plan, kCpu, &problem_, &options, nullptr),
                 ATC_ERROR_UNSUPPORTED, "none@1:x");
  options.choice = "none";
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &problem_, &options), ATC_ERROR_INVALID_ARGUMENT,
                 "choice 'none'");
  options.choice = "";
  EXPECT_REFUSED(atc_conv_plan_acquire(&plan, kCpu, &problem_, &options, nullptr),
                 ATC_ERROR_UNSUPPORTED, "pin 1");
}

TEST_F(Pins, TheirEffectOnAProblemIsANumber) {
  EXPECT_EQ(effect(), 0);
  ASSERT_DONE(pin(R"({"match": {"groups": 77}, "choice": "none@1:x"})"));
  EXPECT_EQ(effect(), 0) << "the pin is for another problem";
  // The pin bars an engine named "choice", which does not exist. The JSON of the pins' effect lists
  // this name in the member "unknown". The name must not be mistaken for a member "choice" that
  // forces a choice.
  ASSERT_DONE(pin(R"({"match": {}, "bar": ["choice"]})"));
  EXPECT_EQ(effect(), ATC_PINS_BAR);
  ASSERT_DONE(pin(R"({"match": {}, "choice": "none@1:x"})"));
  EXPECT_EQ(effect(), ATC_PINS_CHOOSE);
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.choice = "none@1:x";
  EXPECT_EQ(effect(&options), 0) << "the choice of the options outranks pins";
}

TEST_F(Pins, AreToldWithoutBuildingAnything) {
  EXPECT_EQ(told(), "[]");
  ASSERT_DONE(pin(R"({"match": {"kernel": 5}, "choice": "none@1:x"},
                     {"name": "b", "match": {}, "bar": ["fast", "none@1:y"]})"));
  EXPECT_EQ(
      told(),
      R"([{"bar":["fast","none@1:y"],"line":3,"name":"b","number":2,"unknown":{"fast":""}}])");
  problem_.kernel[0] = problem_.kernel[1] = 5;
  EXPECT_EQ(told(), R"([{"choice":"none@1:x","line":2,"name":"","number":1}])");
}

TEST_F(Pins, NamesThatNoEngineHasAreToldWithTheNearestOne) {
  ASSERT_DONE(
      pin(R"({"match": {}, "bar": ["onedn", "cudnn", "aten", "reference", "own_engine"]})"));
  EXPECT_THAT(told(), HasSubstr(R"("unknown":{"onedn":"onednn","own_engine":""})"));
  ASSERT_DONE(pin(R"({"match": {}, "bar": ["onednn", "nhwc"]})"));
  EXPECT_THAT(told(), testing::Not(HasSubstr("unknown")));
}

// The texts of a pin may be long or contain control characters. The error message must still
// contain the reason, and control characters must be escaped so that they do not reach a terminal.
TEST_F(Pins, TheReasonIsToldWhateverTheirTexts) {
  const std::string large(1 << 20, 'n');
  ASSERT_DONE(pin(R"({"name": "a\u0000\u001b[2J)" + large +
                  R"(", "match": {}, "choice": "none@1:\u0000\u001b[2J)" + std::string(1000, 'c') +
                  "\"}"));
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &problem_, nullptr), ATC_ERROR_UNSUPPORTED,
                 "a\\x00\\x1b[2Jnnn", "there is no engine 'none'", "change the pin");
  EXPECT_EQ(std::string(atc_last_error()).find('\x1b'), std::string::npos);
}

TEST_F(Pins, TheFileInForceCanBeAskedAndABadOneChangesNothing) {
  const char* path = nullptr;
  uint64_t hash = 1;
  EXPECT_DONE(atc_get_pins(&path));
  EXPECT_STREQ(path, "");
  EXPECT_DONE(atc_get_pins_hash(&hash));
  EXPECT_EQ(hash, 0u);
  ASSERT_DONE(pin(pin_of_reference()));
  EXPECT_DONE(atc_get_pins_hash(&hash));
  EXPECT_NE(hash, 0u);
  EXPECT_REFUSED(atc_set_pins((file() + "x").c_str()), ATC_ERROR_IO, "pins.jsonx");
  EXPECT_REFUSED(pin(R"({"match": {"kernel": "3x3"}, "bar": "a"})"), ATC_ERROR_INVALID_ARGUMENT,
                 "pins.json:2: pin 1", "match.kernel");
  EXPECT_DONE(atc_get_pins(&path));
  EXPECT_EQ(path, file());
  EXPECT_EQ(created().source, ATC_SOURCE_PINNED);
}

TEST_F(Pins, ArePartOfTheDigest) {
  atc_store* store = nullptr;
  ASSERT_DONE(atc_store_open(&store, (folder_ / "store").c_str(), 0));
  const auto digest = [&] {
    uint64_t out = 0;
    EXPECT_DONE(atc_store_digest(&out, store));
    return out;
  };
  const uint64_t before = digest();
  ASSERT_DONE(pin(pin_of_reference()));
  EXPECT_NE(digest(), before);
  ASSERT_DONE(atc_set_pins(nullptr));
  EXPECT_EQ(digest(), before);
  atc_store_close(store);
}

TEST_F(Pins, TheEnvironmentIsReadAgainOnRequest) {
  ASSERT_DONE(pin(pin_of_reference()));
  ASSERT_DONE(atc_set_pins(nullptr));
  setenv("ATC_PINS", file().c_str(), 1);
  EXPECT_DONE(atc_settings_from_env());
  EXPECT_EQ(created().source, ATC_SOURCE_PINNED);
  setenv("ATC_PINS", (file() + "x").c_str(), 1);
  EXPECT_REFUSED(atc_settings_from_env(), ATC_ERROR_IO, "pins.jsonx");
  EXPECT_EQ(created().source, ATC_SOURCE_PINNED);
  unsetenv("ATC_PINS");
}

}  // namespace
