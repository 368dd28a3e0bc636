// Own kernels for convolutions of groups of several channels, on tensor cores, whose blocks stay on
// the device and go over tiles of their groups.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_grouped_engine();

}  // namespace atc
