// The priority of atc's work on a device, relative to the work of the program.
#pragma once

namespace atc {

enum class Priority { normal, low };

}  // namespace atc
