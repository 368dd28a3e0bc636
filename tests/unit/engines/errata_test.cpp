// Tests how atc reads an errata file of cuDNN's frontend (a list of known faults of cuDNN's
// engines).
#include "engines/faults/errata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using faults::ErrataRule;
using faults::Use;
using test::Spec;
using ::testing::HasSubstr;

std::string file_of(const std::string& rules) {
  return R"({"version": 1, "rules": [)" + rules + "]}";
}

ErrataRule rule_of(const std::string& rule) {
  const auto rules = faults::parse_errata(file_of(rule));
  EXPECT_EQ(rules.size(), 1U);
  return rules.at(0);
}

Use use_of(const Problem& problem, std::int64_t engine) {
  Use use(problem);
  use.engine = engine;
  use.knobs = {{2, 3}, {14, 0}};
  use.device = {9, 0};
  return use;
}

bool bars(const std::string& rule, const Spec& spec, std::int64_t engine = 42,
          std::size_t version = 91900) {
  const Problem problem = test::build(spec);
  return faults::concerns(rule_of(rule), version, use_of(problem, engine));
}

std::string trouble_of(const std::string& text) {
  try {
    faults::parse_errata(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Errata, BarsAnEngineOfAnOperation) {
  const std::string rule = R"({"rule_id": "one", "operation": "ConvFwd", "engine": 42})";
  Spec spec;
  EXPECT_TRUE(bars(rule, spec));
  EXPECT_FALSE(bars(rule, spec, 4));
  // a rule about a convolution also applies to a convolution with a bias, which uses the same
  // kernels
  spec.epilogue = Epilogue::bias;
  EXPECT_TRUE(bars(rule, spec));
  spec.epilogue = Epilogue::none;
  spec.direction = Direction::backward_data;
  EXPECT_FALSE(bars(rule, spec));
  EXPECT_TRUE(bars(R"({"operation": "ConvBwdData", "engine": "42"})", spec));
  spec.direction = Direction::backward_weight;
  EXPECT_TRUE(bars(R"({"operation": "ConvBwdFilter", "engine": 42})", spec));
}

TEST(Errata, BarsAFusedGraphAlone) {
  const std::string rule = R"({"operation": "ConvFwd_Add_ReluFwd", "engine": 42})";
  Spec spec;
  EXPECT_FALSE(bars(rule, spec));
  spec.epilogue = Epilogue::bias_relu;
  EXPECT_TRUE(bars(rule, spec));
}

TEST(Errata, ReadsKnobsInBothForms) {
  const std::string start = R"({"operation": "ConvFwd", "engine": 42, "knob": )";
  EXPECT_TRUE(bars(start + R"(["k2=3"]})", {}));
  EXPECT_TRUE(bars(start + R"({"k2": "3", "k14": 0}})", {}));
  EXPECT_TRUE(bars(start + "[]}", {}));
  EXPECT_FALSE(bars(start + R"(["k2=30"]})", {}));
  EXPECT_FALSE(bars(start + R"(["k2=3", "k5=1"]})", {}));
}

TEST(Errata, KeepsToVersionsAndArchitectures) {
  const std::string start = R"({"operation": "ConvFwd", "engine": 42, )";
  const std::string range = start + R"("cudnn_version_start": 91000, "cudnn_version_end": 91900})";
  EXPECT_FALSE(bars(range, {}, 42, 90999));
  EXPECT_TRUE(bars(range, {}, 42, 91000));
  EXPECT_FALSE(bars(range, {}, 42, 91900));
  EXPECT_TRUE(bars(start + R"("cudnn_version_start": 8000, "cudnn_version_end": -1})", {}));
  EXPECT_TRUE(bars(start + R"("arch": "sm_90"})", {}));
  EXPECT_FALSE(bars(start + R"("arch": "sm_86"})", {}));
  EXPECT_TRUE(bars(start + R"("arch": "Hopper"})", {}));
}

TEST(Errata, KeepsToShapes) {
  Spec spec;
  spec.channels_in = 4;
  spec.in = {7, 9, 1};
  const std::string start = R"({"operation": "ConvFwd", "engine": 42, "shape_format": )";
  EXPECT_TRUE(bars(start + R"("NCHW", "input_shape": [-1, 4, 7, 9]})", spec));
  EXPECT_FALSE(bars(start + R"("NCHW", "input_shape": [-1, 5, 7, 9]})", spec));
  EXPECT_TRUE(bars(start + R"("NHWC", "input_shape": [-1, 7, 9, 4]})", spec));
  EXPECT_TRUE(bars(start + R"("NHWC", "filter_shape": [-1, -1, 3, 3]})", spec));
  EXPECT_FALSE(bars(start + R"("NCHW", "filter_shape": [-1, -1, 5, 3]})", spec));
  EXPECT_FALSE(bars(start + R"("NCHW", "input_shape": [-1, 4, 7]})", spec));
}

TEST(Errata, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(trouble_of("no json"), HasSubstr("rules"));
  EXPECT_THAT(trouble_of("[]"), HasSubstr("rules"));
  EXPECT_THAT(trouble_of(R"({"version": 2, "rules": []})"), HasSubstr("version"));
  EXPECT_THAT(trouble_of(file_of("1")), HasSubstr("rules[0] is no object"));
  const std::string good = R"({"operation": "ConvFwd", "engine": 1})";
  EXPECT_THAT(trouble_of(file_of(good + R"(, {"engine": 1})")), HasSubstr("rules[1].operation"));
  EXPECT_THAT(trouble_of(file_of(R"({"operation": "ConvFwd"})")), HasSubstr("rules[0].engine"));
  const std::string start = R"({"operation": "ConvFwd", "engine": 1, )";
  for (const char* member : {R"("engine": 1.5)", R"("knob": 3)", R"("knob": ["2=3"])",
                             R"("cudnn_version_start": "new")", R"("input_shape": [1, 2, 3, 4])",
                             R"("shape_format": "NCHW", "input_shape": 4)", R"("arch": 90)"})
    EXPECT_NE(trouble_of(file_of(start + member + "}")), "") << member;
  EXPECT_EQ(trouble_of(file_of("")), "");
}

}  // namespace
}  // namespace atc
