// The problems to measure: the rows of a file in the 14-column format of shapes/public.txt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atc/conv.h"

struct Row {
  std::string name;
  std::int64_t batch;
  std::int64_t in_channels, out_channels, groups;
  int dims;
  std::int64_t input[3], kernel[3], padding[3];
  std::int64_t stride, dilation;
  bool transposed;  // a row "tconv_…" is written as the convolution it is the input gradient of
};

// Exits with a message when the file cannot be read or a row is short.
std::vector<Row> read_rows(const std::string& file);

// `batch` 0: that of the row. A transposed row's forward problem is the transposed convolution
// itself.
atc_conv_problem to_problem(const Row& row, std::int64_t batch, atc_dtype dtype, atc_layout layout,
                            atc_direction direction, bool bias);

std::int64_t output_extent(const atc_conv_problem& problem, int i);

// Multiplications and additions of the direct method.
double operations(const atc_conv_problem& problem);
