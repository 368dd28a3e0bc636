// Own kernels for convolutions with groups of several channels, on tensor cores. Blocks are
// persistent and iterate over the tiles of their groups.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_grouped_engine();

}  // namespace atc
