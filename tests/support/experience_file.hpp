// Replaces the experience in a store: statistics about the times of candidates in earlier races.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace atc::test {

// Returns the file of experience in the folder of a store, or an empty path if there is none.
inline std::filesystem::path experience_file(const std::filesystem::path& store) {
  for (const auto& entry : std::filesystem::directory_iterator(store))
    if (entry.path().filename().string().rfind("experience-", 0) == 0) return entry.path();
  return {};
}

// Replaces the experience that a race has written to the folder of the store, so that a test does
// not depend on the times of the machine. `ratios` has the members of a JSON object as text. The
// name of a member is a kind of candidates. Its value is an array of three numbers: the number of
// timed candidates, and the mean and the variance of the logarithm of (time of the candidate / time
// of the default).
inline void replace_experience(const std::filesystem::path& store, const std::string& ratios) {
  const std::filesystem::path file = experience_file(store);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::string json = text.str();
  const std::size_t begin = json.find("\"ratios\":{"), end = json.find("},\"schema\"", begin);
  ASSERT_NE(end, std::string::npos) << json;
  json.replace(begin, end - begin, "\"ratios\":{" + ratios);
  std::ofstream(file) << json;
}

}  // namespace atc::test
