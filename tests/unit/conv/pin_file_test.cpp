// Tests pin files (files in which a user sets or excludes choices): which files are read and which
// are refused, how an error names the place in the file, and which problems a pattern matches.
#include "conv/pins/pin_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>

#include "conv/pins/pin_pattern.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "fake_engine.hpp"
#include "support/temp_folder.hpp"

namespace atc::conv {
namespace {

using atc_test::problem_of;
using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

std::string error_of(const std::function<void()>& call, Status expected) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), expected) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

PinFile parsed(const std::string& pins) {
  return parse_pin_file("{\"schema\": 1, \"pins\": [" + pins + "]}", "team.json");
}

std::string refusal_of(const std::string& text) {
  return error_of([&] { parse_pin_file(text, "team.json"); }, Status::invalid_argument);
}

std::string refusal_of_pin(const std::string& pin) {
  return error_of([&] { parsed(pin); }, Status::invalid_argument);
}

Json fields_of(const Problem& problem) {
  return pattern_fields(problem, resolve({}, problem, {}, Settings{}));
}

bool matches(const char* pattern, const Problem& problem) {
  const Json json = Json::parse(pattern);
  check_pattern(json);
  return conv::matches(json, fields_of(problem));
}

Problem dense(Direction direction = Direction::forward) {
  Problem problem = problem_of(7);
  problem.direction = direction;
  return problem;
}

TEST(PinFile, ShowsLittleOfANameAndNothingThatATerminalObeys) {
  const PinFile file = parsed(R"({"name": "a\u0000\u001b[2J", "match": {}, "bar": "none"},)"
                              R"({"name": ")" +
                              std::string(1 << 20, 'n') + R"(", "match": {}, "bar": "none"})");
  EXPECT_EQ(file.place(file.pins[0]), "team.json:1: pin 1 (a\\x00\\x1b[2J)");
  EXPECT_EQ(file.place(file.pins[1]),
            "team.json:1: pin 2 (" + std::string(80, 'n') + "… (1048576 bytes))");
  const std::string refused =
      refusal_of_pin(R"({"match": {}, "choice": "e@1:\u001b)" + std::string(1 << 20, 'c') + "\"}");
  EXPECT_THAT(refused, AllOf(HasSubstr("e@1:\\x1bccc"), HasSubstr("longer than a choice may be")));
  EXPECT_LT(refused.size(), 500u);
}

TEST(PinFile, ReadsChoicesAndBars) {
  const PinFile file = parsed(R"(
    {"name": "stem", "comment": "why", "match": {"kernel": 7},
     "choice": "nhwc@1>cudnn@9.19.0:eng34_k2=5"},
    {"match": {}, "bar": "cublaslt"},
    {"match": {"groups": 1}, "bar": ["winograd", "cudnn@9.19.0:e1"]})");
  ASSERT_EQ(file.pins.size(), 3u);
  EXPECT_EQ(to_string(*file.pins[0].choice), "nhwc@1>cudnn@9.19.0:eng34_k2=5");
  EXPECT_EQ(file.place(file.pins[0]), "team.json:2: pin 1 (stem)");
  EXPECT_EQ(file.place(file.pins[2]), "team.json:5: pin 3");
  EXPECT_THAT(file.pins[1].barred_names, testing::ElementsAre("cublaslt"));
  EXPECT_THAT(file.pins[2].barred_names, testing::ElementsAre("winograd"));
  ASSERT_EQ(file.pins[2].barred_choices.size(), 1u);
  EXPECT_EQ(to_string(file.pins[2].barred_choices[0]), "cudnn@9.19.0:e1");
}

TEST(PinFile, TheHashIsOfWhatIsPinned) {
  const auto hash = [](const std::string& pins) { return parsed(pins).hash; };
  const std::uint64_t first = hash(R"({"match": {"batch": 1}, "choice": "a@1:x"})");
  EXPECT_NE(first, 0u);
  EXPECT_EQ(first, hash(R"({"choice": "a@1:x", "name": "n", "comment": "c",
                            "match": {"batch": 1}})"));
  EXPECT_NE(first, hash(R"({"match": {"batch": 2}, "choice": "a@1:x"})"));
  EXPECT_NE(first, hash(R"({"match": {"batch": 1}, "choice": "a@1:y"})"));
  EXPECT_NE(first, hash(R"({"match": {"batch": 1}, "bar": "a@1:x"})"));
}

TEST(PinFile, RefusalsNameTheLineTheFieldAndTheValue) {
  EXPECT_THAT(refusal_of("{\n\"schema\": 1,\n\"pins\": [}\n"),
              AllOf(HasSubstr("team.json:3: "), HasSubstr("is not JSON")));
  EXPECT_THAT(refusal_of("{\"schema\": 1, \"schema\": 1, \"pins\": []}"), HasSubstr("\"schema\""));
  EXPECT_THAT(refusal_of("[]"), HasSubstr("[]"));
  EXPECT_THAT(refusal_of("{\"pins\": []}"), HasSubstr("schema is missing"));
  EXPECT_THAT(refusal_of("{\"schema\": 2, \"pins\": []}"), HasSubstr("schema is 2"));
  EXPECT_THAT(refusal_of("{\"schema\": 1}"), HasSubstr("pins is missing"));
  EXPECT_THAT(refusal_of("{\"schema\": 1, \"pin\": [], \"pins\": []}"), HasSubstr("pin "));
  const std::string second = "{\"match\": {}, \"bar\": \"a\"},\n\n";
  EXPECT_THAT(
      refusal_of_pin(second + "{\"match\": {\"kernel\": \"3x3\"}, \"bar\": \"a\"}"),
      AllOf(HasSubstr("team.json:3: pin 2: "), HasSubstr("match.kernel"), HasSubstr("\"3x3\"")));
  EXPECT_THAT(refusal_of_pin(R"({"match": {"kernels": 3}, "bar": "a"})"),
              AllOf(HasSubstr("match.kernels"), HasSubstr("kernel, stride")));
  EXPECT_THAT(refusal_of_pin(R"({"match": {"dtype": "fp16"}, "bar": "a"})"),
              AllOf(HasSubstr("\"fp16\""), HasSubstr("\"f16\"")));
  EXPECT_THAT(refusal_of_pin(R"({"match": {"batch": 0}, "bar": "a"})"), HasSubstr("match.batch"));
  EXPECT_THAT(refusal_of_pin(R"({"match": {"batch": 1.5}, "bar": "a"})"), HasSubstr("1.5"));
  EXPECT_THAT(refusal_of_pin(R"({"match": {"batch": 18446744073709551615}, "bar": "a"})"),
              HasSubstr("match.batch"));
  EXPECT_THAT(refusal_of_pin(R"({"match": {"stride": [1, 1, 1, 1]}, "bar": "a"})"),
              HasSubstr("match.stride"));
  EXPECT_THAT(refusal_of_pin(R"({"match": {"transposed": 1}, "bar": "a"})"), HasSubstr("true"));
  EXPECT_THAT(refusal_of_pin(R"({"match": 3, "bar": "a"})"), HasSubstr("match is 3"));
  EXPECT_THAT(refusal_of_pin(R"({"bar": "a"})"), HasSubstr("no match"));
  EXPECT_THAT(refusal_of_pin(R"({"match": {}})"), HasSubstr("neither"));
  EXPECT_THAT(refusal_of_pin(R"({"match": {}, "choice": "a@1:x", "bar": "a"})"), HasSubstr("both"));
  EXPECT_THAT(refusal_of_pin(R"({"match": {}, "choice": "a"})"), HasSubstr("choice 'a'"));
  EXPECT_THAT(refusal_of_pin(R"({"match": {}, "bar": "a@1"})"), HasSubstr("\"a@1\""));
  EXPECT_THAT(refusal_of_pin(R"({"match": {}, "bar": []})"), HasSubstr("bar is empty"));
  EXPECT_THAT(refusal_of_pin("7"), HasSubstr("is 7"));
}

TEST(PinFile, OfFilesThatCannotBeReadThePathIsTold) {
  const test::TempFolder folder;
  EXPECT_THAT(error_of([&] { read_pin_file((folder / "absent.json").string()); }, Status::io),
              HasSubstr("absent.json"));
  EXPECT_THAT(error_of([&] { read_pin_file(folder.path().string()); }, Status::io),
              HasSubstr(folder.path().string()));
  std::ofstream(folder / "pins.json") << R"({"schema": 1, "pins": []})";
  EXPECT_TRUE(read_pin_file((folder / "pins.json").string()).pins.empty());
  std::filesystem::create_symlink(folder / "pins.json", folder / "link.json");
  EXPECT_TRUE(read_pin_file((folder / "link.json").string()).pins.empty());
}

TEST(PinPattern, AnAbsentFieldMatchesAllAndNamedOnesMustAllMatch) {
  const Problem problem = dense();
  EXPECT_TRUE(matches("{}", problem));
  EXPECT_TRUE(matches(R"({"device": "cpu", "direction": "forward", "transposed": false,
                          "spatial_dims": 2, "batch": 2, "in_channels": 3, "out_channels": 4,
                          "groups": 1, "input": [5, 7], "output": [5, 7], "kernel": 1,
                          "stride": [1, 1], "dilation": 1, "padding": 0, "padding_low": 0,
                          "padding_high": [0, 0], "dtype": "f32", "x_dtype": "f32",
                          "w_dtype": "f32", "y_dtype": "f32", "layout": "channels-first",
                          "epilogue": "none", "accumulate": false, "constant_weights": false,
                          "deterministic": false})",
                      problem));
  for (const char* const other :
       {R"({"batch": 3})", R"({"batch": 2, "groups": 2})", R"({"input": 5})", R"({"input": [5]})",
        R"({"input": [7, 5]})", R"({"device": "cuda"})", R"({"layout": "strided"})",
        R"({"device_name": "none such"})", R"({"deterministic": true})"})
    EXPECT_FALSE(matches(other, problem)) << other;
}

TEST(PinPattern, PartsThatDifferMatchNoCommonValue) {
  Problem problem = dense();
  problem.pad_high = {1, 0, 0};
  EXPECT_FALSE(matches(R"({"padding": 0})", problem));
  EXPECT_TRUE(matches(R"({"padding_high": [1, 0]})", problem));
  problem.y.dtype = Dtype::f16;
  EXPECT_FALSE(matches(R"({"dtype": "f32"})", problem));
  EXPECT_TRUE(matches(R"({"x_dtype": "f32", "y_dtype": "f16"})", problem));
}

// Inside of atc, a transposed convolution is a problem of another direction. A pattern must match
// the direction, and the numbers of channels, that the caller has given.
TEST(PinPattern, ATransposedConvolutionIsMatchedInItsCallersWords) {
  Problem problem = dense(Direction::backward_data);
  problem.from_transposed = true;
  EXPECT_TRUE(matches(R"({"direction": "forward", "transposed": true, "in_channels": 4,
                          "out_channels": 3})",
                      problem));
  EXPECT_FALSE(matches(R"({"direction": "backward-data"})", problem));
}

TEST(PinPattern, LayoutsWithOneChannelLieInBothOrders) {
  Problem problem = dense();
  EXPECT_FALSE(matches(R"({"layout": "channels-last"})", problem));
  for (Tensor* const tensor : {&problem.x, &problem.w, &problem.y}) {
    tensor->shape[1] = 1;
    tensor->strides[0] = tensor->shape[2] * tensor->shape[3];
  }
  EXPECT_TRUE(matches(R"({"layout": "channels-last"})", problem));
  EXPECT_TRUE(matches(R"({"layout": "channels-first"})", problem));
}

TEST(PinFile, TheFirstMatchingChoiceDecidesElseAllMatchingBarsHold) {
  const PinFile file = parsed(R"(
    {"match": {}, "bar": "a"},
    {"match": {"batch": 2}, "bar": "b"},
    {"match": {"batch": 9}, "bar": "c"},
    {"match": {"kernel": 3}, "choice": "d@1:x"},
    {"match": {"kernel": 3, "batch": 2}, "choice": "e@1:x"})");
  Problem problem = dense();
  MatchingPins found = matching(file, fields_of(problem));
  EXPECT_EQ(found.choice, nullptr);
  EXPECT_THAT(found.bars, testing::ElementsAre(&file.pins[0], &file.pins[1]));
  problem.w.shape = {4, 3, 3, 3};
  problem.w.strides = {27, 9, 3, 1};
  found = matching(file, fields_of(problem));
  EXPECT_EQ(found.choice, &file.pins[3]);
  EXPECT_TRUE(found.bars.empty());
}

TEST(PinFile, PostOpsAreFieldsOfTheirOwn) {
  Problem fused = dense();
  fused.post_ops.scale = true;
  fused.post_ops.activation.function = Function::gelu;
  for (const char* const pattern : {R"({"scale": true})", R"({"activation": "gelu"})",
                                    R"({"scale": true, "residual": false})"}) {
    EXPECT_TRUE(matches(pattern, fused)) << pattern;
    EXPECT_FALSE(matches(pattern, dense())) << pattern;
  }
  EXPECT_TRUE(matches(R"({"activation": "none", "epilogue": "none"})", dense()));
  EXPECT_TRUE(matches(R"({"epilogue": "none"})", fused)) << "the epilogue is the bias alone";
}

// Editors check pin files by the JSON schema. The schema must have the same members, fields and
// words as the code that reads pin files.
TEST(PinFile, TheSchemaAndTheExampleAreTheReaders) {
  EXPECT_GT(read_pin_file(ATC_TEST_DOCS "/pins.example.json").pins.size(), 2u);
  std::ifstream file(ATC_TEST_DOCS "/pins.schema.json");
  const Json schema = Json::parse(file);
  EXPECT_FALSE(schema.at("additionalProperties").get<bool>());
  const Json& pin = schema.at("properties").at("pins").at("items");
  EXPECT_FALSE(pin.at("additionalProperties").get<bool>());
  const Json& match = pin.at("properties").at("match");
  EXPECT_FALSE(match.at("additionalProperties").get<bool>());
  std::vector<std::string> names;
  for (const auto& [name, field] : match.at("properties").items()) {
    names.push_back(name);
    EXPECT_EQ(field.value("enum", std::vector<std::string>{}), pattern_field_words(name)) << name;
  }
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(pattern_field_names()));
}

}  // namespace
}  // namespace atc::conv
