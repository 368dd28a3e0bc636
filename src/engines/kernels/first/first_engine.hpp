// Own kernels for first layers: up to four input channels. The filters remain in shared memory
// while blocks iterate over the images.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_first_engine();

}  // namespace atc
