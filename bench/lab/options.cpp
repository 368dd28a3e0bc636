#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <getopt.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "cells.hpp"

namespace atc::lab {

namespace {

constexpr const char* kUsage =
    R"(usage: {} [options]
  --family NAME        first, dense, pointwise, 3d, grouped, depthwise, depthwise-1d, patch,
                       video-patch, batch-1; default all
  --layers NAME,...    those alone
  --ops OP,...         forward, forward-bias, backward-data, backward-weight; default all
  --sets SET,...       {{fp32,tf32,fp16,bf16}}-{{first,last}}; default all
  --engines NAME,...   who may race, such as cudnn; default everybody but the reference
  --budget SECONDS     of one race; default 10
  --total SECONDS      after which no race is begun; what is left is said
  --out FILE           one JSON line per race; default standard output
  --resume             leave out what FILE has already
  --shapes FILE, --classes FILE, --commit TEXT
)";

const std::vector<std::string> kFamilies = {"all",   "first",       "dense",     "pointwise",
                                            "3d",    "grouped",     "depthwise", "depthwise-1d",
                                            "patch", "video-patch", "batch-1"};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream input(list);
  for (std::string part; std::getline(input, part, ',');) parts.push_back(part);
  return parts;
}

void expect_one_of(const char* option, const std::vector<std::string>& known,
                   const std::vector<std::string>& given) {
  for (const std::string& one : given)
    if (std::find(known.begin(), known.end(), one) == known.end()) {
      fmt::print(stderr, "--{}: '{}' is none of {}\n", option, one, fmt::join(known, ", "));
      std::exit(2);
    }
}

double positive(const char* option, const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end != text && *end == '\0' && value > 0) return value;
  fmt::print(stderr, "--{}: '{}' is not a number above 0\n", option, text);
  std::exit(2);
}

}  // namespace

Options parse_options(int argc, char** argv) {
  enum Long {
    family,
    layers,
    ops,
    sets,
    engines,
    budget,
    total,
    out,
    resume,
    shapes,
    classes,
    commit
  };
  const option known[] = {{"family", required_argument, nullptr, family},
                          {"layers", required_argument, nullptr, layers},
                          {"ops", required_argument, nullptr, ops},
                          {"sets", required_argument, nullptr, sets},
                          {"engines", required_argument, nullptr, engines},
                          {"budget", required_argument, nullptr, budget},
                          {"total", required_argument, nullptr, total},
                          {"out", required_argument, nullptr, out},
                          {"resume", no_argument, nullptr, resume},
                          {"shapes", required_argument, nullptr, shapes},
                          {"classes", required_argument, nullptr, classes},
                          {"commit", required_argument, nullptr, commit},
                          {nullptr, 0, nullptr, 0}};
  Options options;
  options.ops = kOps;
  options.sets = kSets;
  for (int which; (which = getopt_long(argc, argv, "", known, nullptr)) != -1;) switch (which) {
      case family:
        options.family = optarg;
        break;
      case layers:
        options.layers = split(optarg);
        break;
      case ops:
        options.ops = split(optarg);
        break;
      case sets:
        options.sets = split(optarg);
        break;
      case engines:
        options.engines = split(optarg);
        break;
      case budget:
        options.budget = positive("budget", optarg);
        break;
      case total:
        options.total = positive("total", optarg);
        break;
      case out:
        options.out = optarg;
        break;
      case resume:
        options.resume = true;
        break;
      case shapes:
        options.shapes = optarg;
        break;
      case classes:
        options.classes = optarg;
        break;
      case commit:
        options.commit = optarg;
        break;
      default:
        fmt::print(stderr, kUsage, argv[0]);
        std::exit(2);
    }
  if (optind < argc || (options.resume && options.out.empty())) {
    fmt::print(stderr, kUsage, argv[0]);
    std::exit(2);
  }
  expect_one_of("family", kFamilies, {options.family});
  expect_one_of("ops", kOps, options.ops);
  expect_one_of("sets", kSets, options.sets);
  return options;
}

}  // namespace atc::lab
