#include "layers.hpp"

#include "rows.hpp"

std::vector<Layer> read_layers(const std::string& file, std::int64_t batch, atc_layout layout) {
  std::vector<Layer> layers;
  for (const Row& row : read_rows(file)) {
    if (row.dims != 2) continue;
    Layer layer;
    layer.name = row.name;
    atc_conv_problem& p = layer.problem;
    atc_conv_problem_init(&p, 2);
    p.batch = batch;
    p.in_channels = row.in_channels;
    p.out_channels = row.out_channels;
    p.groups = row.groups;
    for (int i = 0; i < 2; ++i) {
      p.input[i] = row.input[i];
      p.kernel[i] = row.kernel[i];
      p.stride[i] = row.stride;
      p.dilation[i] = row.dilation;
      p.padding_low[i] = p.padding_high[i] = row.padding[i];
    }
    p.layout = layout;
    layers.push_back(layer);
  }
  return layers;
}
