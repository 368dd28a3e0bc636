// The rows of a file in the 14-column format of bench/shapes/public.txt and of the built-in
// networks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct Row {
  std::string name;
  std::int64_t batch;
  std::int64_t in_channels, out_channels, groups;
  int dims;
  std::int64_t input[3], kernel[3], padding[3];
  std::int64_t stride, dilation;
  // True if the name begins with "tconv_". Such a row stands for a transposed convolution. Its
  // numbers describe the ordinary convolution whose input gradient is this transposed convolution.
  bool transposed;
};

// Reads the rows of a file. If the file cannot be read or a row is too short, prints a message and
// exits.
std::vector<Row> read_rows(const std::string& file);
