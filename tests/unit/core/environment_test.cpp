// Tests environment variables whose values are paths, the warning about a misspelt name of a
// variable, and that docs/environment.md lists all variables.
#include "core/environment.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/known_variables.hpp"
#include "core/nearest_name.hpp"

namespace atc {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Environment, ARelativePathIsThatOfTheStart) {
  const fs::path start = fs::current_path();
  fs::current_path("/");
  setenv("ATC_TEST_PATH", "a/b", 1);
  EXPECT_EQ(environment_path("ATC_TEST_PATH"), (start / "a/b").string());
  setenv("ATC_TEST_PATH", "/a/b", 1);
  EXPECT_EQ(environment_path("ATC_TEST_PATH"), "/a/b");
  setenv("ATC_TEST_PATH", "", 1);
  EXPECT_EQ(environment_path("ATC_TEST_PATH"), std::nullopt);
  setenv("ATC_TEST_PATH", "/one:two::three", 1);
  EXPECT_EQ(environment_folders("ATC_TEST_PATH"),
            format("/one:{0}/two::{0}/three", start.string()));
  unsetenv("ATC_TEST_PATH");
  EXPECT_EQ(environment_folders("ATC_TEST_PATH"), std::nullopt);
  fs::current_path(start);
}

TEST(Environment, APositiveNumberIsOneOrInfinity) {
  const auto read = [](const char* text) {
    setenv("ATC_TEST_NUMBER", text, 1);
    return environment_positive("ATC_TEST_NUMBER");
  };
  EXPECT_EQ(read("1000"), 1000);
  EXPECT_EQ(read("1e4"), 1e4);
  EXPECT_EQ(read("0.5"), 0.5);
  EXPECT_EQ(read("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(read(""), std::nullopt);
  for (const char* wrong : {"0", "-5", "nan", "-inf", "many", "10x", " 10", "1e999", "0x10"}) {
    try {
      read(wrong);
      ADD_FAILURE() << wrong << " is taken for a number";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(wrong), HasSubstr("use a number above 0, or inf")));
    }
  }
  unsetenv("ATC_TEST_NUMBER");
}

TEST(NearestName, IsOneWithFewChanges) {
  const std::vector<std::string_view> known = {"STORE", "MODE", "STORE_TRUST", "onednn"};
  EXPECT_EQ(nearest_name("STROE", known), "STORE");
  EXPECT_EQ(nearest_name("store", known), "STORE");
  EXPECT_EQ(nearest_name("STORETRUST", known), "STORE_TRUST");
  EXPECT_EQ(nearest_name("onedn", known), "onednn");
  EXPECT_EQ(nearest_name("oneDNN", known), "onednn");
  EXPECT_EQ(nearest_name("MOOD", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("X", known), "");
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'S'), known), "");
}

class UnknownVariables : public testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::warning);
    set_log_sink([this](LogLevel, const std::string& line) { lines_.push_back(line); });
  }
  void TearDown() override { set_log_sink({}); }
  // Returns the log lines that the value of the environment variable causes.
  std::vector<std::string> told_of(const std::string& name, const std::string& value = "1") {
    lines_.clear();
    setenv(name.c_str(), value.c_str(), 1);
    warn_of_unknown_variables();
    unsetenv(name.c_str());
    return lines_;
  }

 private:
  std::vector<std::string> lines_;
};

TEST_F(UnknownVariables, AreToldWithTheNearestName) {
  EXPECT_THAT(told_of("ATC_STROE"),
              ElementsAre(AllOf(HasSubstr("ATC_STROE"), HasSubstr("did you mean ATC_STORE?"),
                                HasSubstr("docs/environment.md"))));
  EXPECT_THAT(told_of("ATC_DETERMINISTC"), ElementsAre(HasSubstr("mean ATC_DETERMINISTIC?")));
  EXPECT_THAT(told_of("ATC_Mode"), ElementsAre(HasSubstr("mean ATC_MODE?")));
  EXPECT_THAT(told_of("ATC_NONSENSE"), ElementsAre(Not(HasSubstr("did you mean"))));
  EXPECT_THAT(told_of("ATC_" + std::string(100'000, 'X')),
              ElementsAre(testing::ResultOf([](const std::string& line) { return line.size(); },
                                            testing::Lt(200u))));
}

TEST_F(UnknownVariables, AreNotThoseThatAreKnownOrEmptyOrOfOthers) {
  for (const KnownVariable& known : known_variables())
    EXPECT_THAT(told_of(std::string(known.name)), IsEmpty()) << known.name;
  EXPECT_THAT(told_of("ATC_TEST_PATH"), IsEmpty());
  EXPECT_THAT(told_of("ATC_UNSET", ""), IsEmpty());
  EXPECT_THAT(told_of("MATC_STROE"), IsEmpty());
  EXPECT_THAT(told_of("aarch64_unknown_linux_gnu_ATC_LIB_DIR"), IsEmpty());
}

TEST(Page, HasARowForEachKnownVariable) {
  std::vector<std::string> expected, found;
  for (const KnownVariable& known : known_variables())
    expected.push_back(format("| `{}` | {} | {} |", known.name, known.reader, known.meaning));
  std::ifstream page(ATC_TEST_DOCS "/environment.md");
  ASSERT_TRUE(page) << "no page";
  for (std::string line; std::getline(page, line);)
    if (line.rfind("| `ATC_", 0) == 0) found.push_back(line);
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace atc
