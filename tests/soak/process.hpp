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

// Gives free memory back to the system first, where the allocator can.
Process look_at_process();

// How far the figures may lie above an earlier look.
struct Bounds {
  std::uint64_t resident = 0, allocated = 0;
  std::size_t descriptors = 0, threads = 0;
};

// "", or what has grown by more than its bound.
std::string grown(const Process& first, const Process& now, const Bounds& bounds);

}  // namespace soak
