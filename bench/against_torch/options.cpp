#include "options.hpp"

#include <cstdint>
#include <map>

#include "command_line.hpp"

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
  using namespace atc::bench;
  Options options;
  CommandLine line(kUsage);
  line.text("problems", options.problems);
  line.other("batches", [&](const std::string& list) {
    options.batches.clear();
    for (const std::string& batch : split(list))
      options.batches.push_back(static_cast<std::int64_t>(positive("batches", batch)));
  });
  line.other("dtypes",
             [&](const std::string& list) { options.dtypes = look_up("dtypes", list, kDtypes); });
  line.other("layouts", [&](const std::string& list) {
    options.layouts = look_up("layouts", list, kLayouts);
  });
  line.other("directions", [&](const std::string& list) {
    options.directions = look_up("directions", list, kDirections);
  });
  line.text("filter", options.filter);
  line.text("device", options.device);
  line.number("seconds-per-cell", options.seconds_per_cell);
  line.number("longest-call", options.longest_call);
  line.number("largest", options.largest_mib);
  line.flag("bias", options.bias);
  line.flag("varying-weights", options.constant_weights, false);
  line.text("store", options.store);
  line.text("json", options.json);
  line.text("commit", options.commit);
  line.parse(argc, argv);
  if (options.problems.empty()) line.refuse();
  return options;
}
