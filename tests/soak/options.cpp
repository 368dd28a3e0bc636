#include "options.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

namespace soak {

namespace {

constexpr const char* kUsage =
    "usage: soak [--minutes M] [--threads N] [--seed S] [--layers N] [--engine reference-only]\n"
    "            [--device cuda:0 [--calls N] [--max-seconds S] [--tolerate RESTS]]\n";

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "soak: %s\n%s", why.c_str(), kUsage);
  std::exit(2);
}

double number(const std::string& name, const char* text, double least, double most) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= least && value <= most))
    refuse(name + " is '" + text + "': give a number from " + std::to_string(least) + " to " +
           std::to_string(most));
  return value;
}

std::uint64_t whole_number(const std::string& name, const char* text, std::uint64_t least) {
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0' || *text == '-' || errno != 0 || value < least)
    refuse(name + " is '" + text + "': give a whole number, at least " + std::to_string(least));
  return value;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    }
    if (i + 1 == argc) refuse(name + " is no option, or lacks its value");
    const char* const value = argv[++i];
    if (name == "--minutes")
      options.seconds = 60 * number(name, value, 0, 100'000);
    else if (name == "--threads")
      options.threads = whole_number(name, value, 1);
    else if (name == "--seed")
      options.seed = whole_number(name, value, 1);
    else if (name == "--layers")
      options.layers = whole_number(name, value, 8);
    else if (name == "--calls")
      options.calls = whole_number(name, value, 1);
    else if (name == "--tolerate")
      options.tolerated = whole_number(name, value, 1);
    else if (name == "--max-seconds")
      options.most_seconds = number(name, value, 1, 100'000);
    else if (name == "--engine" && std::strcmp(value, "reference-only") == 0)
      options.reference_only = true;
    else if (name == "--device" && std::strcmp(value, "cuda:0") == 0)
      options.on_cuda = true;
    else if (name != "--device" || std::strcmp(value, "cpu") != 0)
      refuse("there is no " + name + " " + value);
  }
  if (options.seed == 0) options.seed = std::random_device()();
  return options;
}

}  // namespace soak
