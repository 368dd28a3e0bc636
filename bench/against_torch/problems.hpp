// The problems to measure, which are the rows of shapes/public.txt.
#pragma once

#include <cstdint>

#include "atc/conv.h"
#include "rows.hpp"

// Makes a problem of a row (a layer of the list). If `batch` is 0, the problem has the batch size
// of the row. If the row describes a transposed convolution, the direction forward means this
// transposed convolution.
atc_conv_problem to_problem(const Row& row, std::int64_t batch, atc_dtype dtype, atc_layout layout,
                            atc_direction direction, bool bias);

std::int64_t output_extent(const atc_conv_problem& problem, int i);

// Returns the number of multiplications and additions of the direct method.
double operations(const atc_conv_problem& problem);
