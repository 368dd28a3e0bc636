#include "problems.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "check.hpp"

namespace {

std::int64_t extent(std::int64_t in, std::int64_t pad, std::int64_t dilation, std::int64_t kernel,
                    std::int64_t stride) {
  return (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
}

}  // namespace

std::vector<Row> read_rows(const std::string& file) {
  std::ifstream input(file);
  if (!input) {
    std::fprintf(stderr, "cannot read %s\n", file.c_str());
    std::exit(2);
  }
  std::vector<Row> rows;
  for (std::string line; std::getline(input, line);) {
    std::istringstream columns(line.substr(0, line.find('#')));
    Row row{};
    if (!(columns >> row.name)) continue;
    std::int64_t d, h, w, t, r, s, pad;
    if (!(columns >> row.batch >> row.in_channels >> d >> h >> w >> row.out_channels >> t >> r >>
          s >> pad >> row.stride >> row.dilation >> row.groups)) {
      std::fprintf(stderr, "%s: row %s has less than 14 columns\n", file.c_str(), row.name.c_str());
      std::exit(2);
    }
    row.dims = d > 0 ? 3 : 2;
    const bool one_dimensional = d == 0 && h == 1 && r == 1;
    const std::int64_t inputs[3] = {d, h, w}, kernels[3] = {t, r, s};
    const std::int64_t paddings[3] = {pad, one_dimensional ? 0 : pad, pad};
    for (int i = 0; i < row.dims; ++i) {
      const int from = 3 - row.dims + i;
      row.input[i] = inputs[from];
      row.kernel[i] = kernels[from];
      row.padding[i] = paddings[from];
    }
    row.transposed = row.name.rfind("tconv_", 0) == 0;
    rows.push_back(row);
  }
  return rows;
}

atc_conv_problem to_problem(const Row& row, std::int64_t batch, atc_dtype dtype, atc_layout layout,
                            atc_direction direction, bool bias) {
  atc_conv_problem p;
  check(atc_conv_problem_init(&p, row.dims));
  p.direction = direction;
  p.transposed = row.transposed;
  p.batch = batch > 0 ? batch : row.batch;
  p.in_channels = row.transposed ? row.out_channels : row.in_channels;
  p.out_channels = row.transposed ? row.in_channels : row.out_channels;
  p.groups = row.groups;
  for (int i = 0; i < row.dims; ++i) {
    p.kernel[i] = row.kernel[i];
    p.stride[i] = row.stride;
    p.dilation[i] = row.dilation;
    p.padding_low[i] = p.padding_high[i] = row.padding[i];
    p.input[i] = row.input[i];
    if (!row.transposed) continue;
    p.input[i] = extent(row.input[i], row.padding[i], row.dilation, row.kernel[i], row.stride);
    p.output_padding[i] = row.input[i] - output_extent(p, i);
  }
  p.x_dtype = p.w_dtype = p.y_dtype = dtype;
  p.layout = layout;
  p.epilogue = bias ? ATC_EPILOGUE_BIAS : ATC_EPILOGUE_NONE;
  return p;
}

std::int64_t output_extent(const atc_conv_problem& p, int i) {
  if (p.transposed)
    return (p.input[i] - 1) * p.stride[i] - 2 * p.padding_low[i] +
           p.dilation[i] * (p.kernel[i] - 1) + p.output_padding[i] + 1;
  return extent(p.input[i], p.padding_low[i], p.dilation[i], p.kernel[i], p.stride[i]);
}

double operations(const atc_conv_problem& p) {
  double result = 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.in_channels) *
                  static_cast<double>(p.out_channels) / static_cast<double>(p.groups);
  for (int i = 0; i < p.spatial_dims; ++i)
    result *= static_cast<double>(p.kernel[i]) *
              static_cast<double>(p.transposed ? p.input[i] : output_extent(p, i));
  return result;
}
