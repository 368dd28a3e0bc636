#include "options.hpp"

#include <fmt/format.h>
#include <getopt.h>

#include <cstdlib>
#include <map>
#include <sstream>

namespace {

constexpr const char* kUsage =
    R"(usage: {} --problems FILE [options]
  --batches 1,8             instead of those in the file
  --dtypes fp32,bf16,fp16   default fp32
  --layouts first,last      channels first, channels last; default both
  --directions fprop,dgrad,wgrad  default fprop
  --filter REGEX            of the rows' names
  --device cpu
  --seconds-per-cell 3      for tuning and measuring one cell
  --longest-call 1          seconds; a cell whose call takes longer is listed as skipped
  --largest MIB             a cell whose operands are larger is listed as skipped
  --bias                    with a bias
  --varying-weights         weights may change between calls; default: constant where they are read
  --store DIR               decisions are kept there: what is recorded is not tuned again
  --json FILE               cells and header; default: standard output gets the table alone
  --commit TEXT             for the header
)";

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream input(list);
  for (std::string part; std::getline(input, part, ',');) parts.push_back(part);
  return parts;
}

template <class Value>
std::vector<Value> look_up(const char* option, const std::string& list,
                           const std::map<std::string, Value>& known) {
  std::vector<Value> values;
  for (const std::string& name : split(list)) {
    const auto found = known.find(name);
    if (found == known.end()) {
      fmt::print(stderr, "--{}: '{}' is none of:", option, name);
      for (const auto& [text, value] : known) fmt::print(stderr, " {}", text);
      fmt::print(stderr, "\n");
      std::exit(2);
    }
    values.push_back(found->second);
  }
  return values;
}

double positive(const char* option, const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end != text && *end == '\0' && value > 0) return value;
  fmt::print(stderr, "--{}: '{}' is not a number above 0\n", option, text);
  std::exit(2);
}

const std::map<std::string, atc_dtype> kDtypes{
    {"fp32", ATC_DTYPE_F32}, {"bf16", ATC_DTYPE_BF16}, {"fp16", ATC_DTYPE_F16}};
const std::map<std::string, atc_layout> kLayouts{{"first", ATC_LAYOUT_CHANNELS_FIRST},
                                                 {"last", ATC_LAYOUT_CHANNELS_LAST}};
const std::map<std::string, atc_direction> kDirections{
    {"fprop", ATC_FORWARD}, {"dgrad", ATC_BACKWARD_DATA}, {"wgrad", ATC_BACKWARD_WEIGHT}};

template <class Value>
const char* name_of(const std::map<std::string, Value>& known, Value value) {
  for (const auto& [name, candidate] : known)
    if (candidate == value) return name.c_str();
  return "?";
}

}  // namespace

const char* to_text(atc_layout layout) { return name_of(kLayouts, layout); }
const char* direction_text(atc_direction direction) { return name_of(kDirections, direction); }
const char* dtype_text(atc_dtype dtype) { return name_of(kDtypes, dtype); }

Options parse_options(int argc, char** argv) {
  enum {
    kProblems = 1,
    kBatches,
    kDtype,
    kLayout,
    kDirection,
    kFilter,
    kDevice,
    kSeconds,
    kLongest,
    kLargest,
    kBias,
    kVarying,
    kStore,
    kJson,
    kCommit
  };
  const option known[] = {{"problems", required_argument, nullptr, kProblems},
                          {"batches", required_argument, nullptr, kBatches},
                          {"dtypes", required_argument, nullptr, kDtype},
                          {"layouts", required_argument, nullptr, kLayout},
                          {"directions", required_argument, nullptr, kDirection},
                          {"filter", required_argument, nullptr, kFilter},
                          {"device", required_argument, nullptr, kDevice},
                          {"seconds-per-cell", required_argument, nullptr, kSeconds},
                          {"longest-call", required_argument, nullptr, kLongest},
                          {"largest", required_argument, nullptr, kLargest},
                          {"bias", no_argument, nullptr, kBias},
                          {"varying-weights", no_argument, nullptr, kVarying},
                          {"store", required_argument, nullptr, kStore},
                          {"json", required_argument, nullptr, kJson},
                          {"commit", required_argument, nullptr, kCommit},
                          {nullptr, 0, nullptr, 0}};
  Options options;
  for (int found; (found = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    switch (found) {
      case kProblems:
        options.problems = optarg;
        break;
      case kBatches:
        options.batches.clear();
        for (const std::string& batch : split(optarg))
          options.batches.push_back(static_cast<std::int64_t>(positive("batches", batch.c_str())));
        break;
      case kDtype:
        options.dtypes = look_up("dtypes", optarg, kDtypes);
        break;
      case kLayout:
        options.layouts = look_up("layouts", optarg, kLayouts);
        break;
      case kDirection:
        options.directions = look_up("directions", optarg, kDirections);
        break;
      case kFilter:
        options.filter = optarg;
        break;
      case kDevice:
        options.device = optarg;
        break;
      case kSeconds:
        options.seconds_per_cell = positive("seconds-per-cell", optarg);
        break;
      case kLongest:
        options.longest_call = positive("longest-call", optarg);
        break;
      case kLargest:
        options.largest_mib = positive("largest", optarg);
        break;
      case kBias:
        options.bias = true;
        break;
      case kVarying:
        options.constant_weights = false;
        break;
      case kStore:
        options.store = optarg;
        break;
      case kJson:
        options.json = optarg;
        break;
      case kCommit:
        options.commit = optarg;
        break;
      default:
        fmt::print(stderr, kUsage, argv[0]);
        std::exit(2);
    }
  }
  if (options.problems.empty() || optind != argc) {
    fmt::print(stderr, kUsage, argv[0]);
    std::exit(2);
  }
  return options;
}
