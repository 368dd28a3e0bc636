#pragma once

#include <string>
#include <vector>

#include "atc/conv.h"

struct Options {
  std::string problems;
  std::vector<std::int64_t> batches{0};  // 0: the batch size in the row of the layer
  std::vector<atc_dtype> dtypes{ATC_DTYPE_F32};
  std::vector<atc_layout> layouts{ATC_LAYOUT_CHANNELS_FIRST, ATC_LAYOUT_CHANNELS_LAST};
  std::vector<atc_direction> directions{ATC_FORWARD};
  std::string filter;  // a regular expression; only layers whose names match it are measured
  std::string device = "cpu";
  double seconds_per_cell = 3;
  double longest_call = 1;       // in seconds; a cell is skipped if one call takes longer
  double largest_mib = 1 << 20;  // in MiB; a cell is skipped if the operands of a call are larger
  bool bias = false;
  bool constant_weights = true;  // has no effect on backward-weight
  std::string json, store, commit;
};

// Reads the command line. If a word of the command line is not understood, prints a message and
// exits.
Options parse_options(int argc, char** argv);

const char* to_text(atc_layout layout);
const char* direction_text(atc_direction direction);
const char* dtype_text(atc_dtype dtype);
