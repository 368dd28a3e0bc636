// Tests atc_conv_decisions_digest, which gives C callers a digest of the choices that their calls
// will run.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_test;

std::uint64_t digest(const std::array<atc_conv_problem, 2>& problems,
                     const atc_conv_options* options = nullptr) {
  std::uint64_t found = 0;
  EXPECT_DONE(atc_conv_decisions_digest(&found, kCpu, problems.data(), problems.size(), options));
  return found;
}

std::array<atc_conv_problem, 2> two_problems() {
  std::array<atc_conv_problem, 2> problems{small_problem(), small_problem()};
  problems[1].batch = 5;
  return problems;
}

// Returns each file of the folder with its contents and its modification time.
std::map<std::string, std::string> contents_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    std::string& text = contents[file.path().string()];
    text = std::to_string(file.last_write_time().time_since_epoch().count());
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path(), std::ios::binary);
    text.append(std::istreambuf_iterator<char>(in), {});
  }
  return contents;
}

TEST(DecisionsDigest, ReadsTheStoreAndTouchesNoFile) {
  const atc::test::TempFolder folder;
  atc_store* store = nullptr;
  ASSERT_DONE(atc_store_open(&store, folder.c_str(), 0));
  const auto problems = two_problems();
  atc_tune_options how = ATC_TUNE_OPTIONS_INIT;
  how.technique = ATC_TECHNIQUE_ONCE;
  how.problem_budget_seconds = 30;
  how.store = store;
  ASSERT_DONE(atc_tune(nullptr, kCpu, problems.data(), problems.size(), &how, nullptr, nullptr));
  const auto before = contents_of(folder.path());
  EXPECT_FALSE(before.empty());
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.store = store;
  options.tune = ATC_ON;  // tuning is on, but the digest call must measure nothing
  const auto others = [&] {
    auto changed = two_problems();
    changed[0].out_channels = 10;
    return changed;
  }();
  EXPECT_EQ(digest(problems, &options), digest(problems, &options));
  EXPECT_NE(digest(others, &options), digest(problems, &options));
  EXPECT_EQ(contents_of(folder.path()), before);
  atc_store_close(store);
}

TEST(DecisionsDigest, AnotherOptionThatDecisionsDependOnIsAnotherDigest) {
  const auto problems = two_problems();
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  EXPECT_EQ(digest(problems, &options), digest(problems));
  options.workspace_limit = 12345;
  EXPECT_NE(digest(problems, &options), digest(problems));
}

TEST(DecisionsDigest, BadProblemsAreNamed) {
  auto problems = two_problems();
  std::uint64_t found = 7;
  ASSERT_DONE(atc_conv_decisions_digest(&found, kCpu, nullptr, 0, nullptr));
  found = 7;
  problems[1].in_channels = -1;
  EXPECT_REFUSED(atc_conv_decisions_digest(&found, kCpu, problems.data(), 2, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "problems[1]: problem.in_channels is -1");
  EXPECT_EQ(found, 7U);
}

}  // namespace
