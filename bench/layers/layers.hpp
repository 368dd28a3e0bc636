// Layers in the 14-column text format of the built-in networks.
#pragma once

#include <string>
#include <vector>

#include "atc/conv.h"

struct Layer {
  std::string name;
  atc_conv_problem problem;
};

// 2-D layers of the file with the batch replaced. Exits with a message when the file cannot be
// read.
std::vector<Layer> read_layers(const std::string& file, std::int64_t batch, atc_layout layout);
