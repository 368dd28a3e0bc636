#include "layers.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

std::vector<Layer> read_layers(const std::string& file, std::int64_t batch, atc_layout layout) {
  std::ifstream input(file);
  if (!input) {
    std::fprintf(stderr, "cannot read %s\n", file.c_str());
    std::exit(1);
  }
  std::vector<Layer> layers;
  for (std::string line; std::getline(input, line);) {
    line = line.substr(0, line.find('#'));
    std::istringstream columns(line);
    Layer layer;
    if (!(columns >> layer.name)) continue;
    std::int64_t n, c, d, h, w, k, t, r, s, pad, stride, dilation, groups;
    if (!(columns >> n >> c >> d >> h >> w >> k >> t >> r >> s >> pad >> stride >> dilation >>
          groups)) {
      std::fprintf(stderr, "%s: layer %s has less than 14 columns\n", file.c_str(),
                   layer.name.c_str());
      std::exit(1);
    }
    if (d != 0) continue;
    atc_conv_problem& p = layer.problem;
    atc_conv_problem_init(&p, 2);
    p.batch = batch;
    p.in_channels = c;
    p.out_channels = k;
    p.groups = groups;
    p.input[0] = h;
    p.input[1] = w;
    p.kernel[0] = r;
    p.kernel[1] = s;
    for (int i = 0; i < 2; ++i) {
      p.stride[i] = stride;
      p.dilation[i] = dilation;
      p.padding_low[i] = p.padding_high[i] = pad;
    }
    p.layout = layout;
    layers.push_back(layer);
  }
  return layers;
}
