#include "problems.hpp"

#include "check.hpp"

namespace {

std::int64_t extent(std::int64_t in, std::int64_t pad, std::int64_t dilation, std::int64_t kernel,
                    std::int64_t stride) {
  return (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
}

}  // namespace

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
