// The resources of this process, as the system and the allocator report them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace soak {

struct Process {
  std::uint64_t resident = 0;   // bytes of memory
  std::uint64_t allocated = 0;  // bytes of memory that the allocator has handed out
  std::size_t descriptors = 0, threads = 0;
};

// Reads the resources of the process. Before that, gives free memory back to the system if the
// allocator can.
Process look_at_process();

// By how much the figures may exceed those of an earlier look.
struct Bounds {
  std::uint64_t resident = 0, allocated = 0;
  std::size_t descriptors = 0, threads = 0;
};

// Returns the figures that have grown by more than their bound, or "".
std::string grown(const Process& first, const Process& now, const Bounds& bounds);

}  // namespace soak
