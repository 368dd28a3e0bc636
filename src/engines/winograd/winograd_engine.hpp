// The engine of atc's own convolutions on the CPU by Winograd's method.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_winograd_engine();

}  // namespace atc
