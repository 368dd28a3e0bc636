#pragma once

#include <string>
#include <vector>

#include "atc/conv.h"

struct Options {
  std::string problems;
  std::vector<std::int64_t> batches{0};  // 0: as the row says
  std::vector<atc_dtype> dtypes{ATC_DTYPE_F32};
  std::vector<atc_layout> layouts{ATC_LAYOUT_CHANNELS_FIRST, ATC_LAYOUT_CHANNELS_LAST};
  std::vector<atc_direction> directions{ATC_FORWARD};
  std::string filter;  // of the rows' names, a regular expression
  std::string device = "cpu";
  double seconds_per_cell = 3;
  double longest_call = 1;       // seconds; cells whose call takes longer are skipped
  double largest_mib = 1 << 20;  // operands of a call; cells with larger ones are skipped
  bool bias = false;
  bool constant_weights = true;  // forward and backward-data only
  std::string json, store, commit;
};

// Exits with a message for what is not understood.
Options parse_options(int argc, char** argv);

const char* to_text(atc_layout layout);
const char* direction_text(atc_direction direction);
const char* dtype_text(atc_dtype dtype);
