#include "command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <getopt.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace atc::bench {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream input(list);
  for (std::string part; std::getline(input, part, ',');) parts.push_back(part);
  return parts;
}

double positive(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == '\0' && value > 0) return value;
  fmt::print(stderr, "--{}: '{}' is not a number above 0\n", option, text);
  std::exit(2);
}

void expect_one_of(const std::string& option, const std::vector<std::string>& known,
                   const std::vector<std::string>& given) {
  for (const std::string& one : given)
    if (std::find(known.begin(), known.end(), one) == known.end()) {
      fmt::print(stderr, "--{}: '{}' is none of {}\n", option, one, fmt::join(known, ", "));
      std::exit(2);
    }
}

void CommandLine::text(const char* name, std::string& to) {
  other(name, [&to](const std::string& value) { to = value; });
}

void CommandLine::texts(const char* name, std::vector<std::string>& to) {
  other(name, [&to](const std::string& value) { to = split(value); });
}

void CommandLine::number(const char* name, double& to) {
  other(name, [&to, name](const std::string& value) { to = positive(name, value); });
}

void CommandLine::flag(const char* name, bool& to, bool value) {
  options_.push_back({name, false, [&to, value](const std::string&) { to = value; }});
}

void CommandLine::other(const char* name, std::function<void(const std::string& value)> take) {
  options_.push_back({name, true, std::move(take)});
}

void CommandLine::parse(int argc, char** argv) {
  program_ = argv[0];
  // The number of the first option. For errors getopt_long returns smaller numbers.
  constexpr int kFirst = 256;
  std::vector<option> known;
  for (std::size_t i = 0; i < options_.size(); ++i)
    known.push_back({options_[i].name, options_[i].has_value ? required_argument : no_argument,
                     nullptr, kFirst + static_cast<int>(i)});
  known.push_back({nullptr, 0, nullptr, 0});
  for (int found; (found = getopt_long(argc, argv, "", known.data(), nullptr)) != -1;) {
    if (found < kFirst) refuse();
    options_[static_cast<std::size_t>(found - kFirst)].take(optarg != nullptr ? optarg : "");
  }
  if (optind != argc) refuse();
}

void CommandLine::refuse() const {
  fmt::print(stderr, fmt::runtime(usage_), program_);
  std::exit(2);
}

}  // namespace atc::bench
