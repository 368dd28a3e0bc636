// The engine `winograd`: atc's own convolutions by Winograd's method on the CPU.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_winograd_engine();

}  // namespace atc
