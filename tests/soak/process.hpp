// The resources of this process, as the system and the memory allocator report them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace soak {

struct Process {
  std::uint64_t resident = 0;   // the resident memory in bytes
  std::uint64_t allocated = 0;  // the bytes that the allocator has handed out
  std::size_t descriptors = 0, threads = 0;
};

// Returns the resources of the process. Before that, free memory is given back to the system if the
// allocator can do so.
Process look_at_process();

// The most by which the figures of a process may exceed its figures at an earlier time.
struct Bounds {
  std::uint64_t resident = 0, allocated = 0;
  std::size_t descriptors = 0, threads = 0;
};

// Returns a text about each figure that has grown by more than its bound, or "".
std::string grown(const Process& first, const Process& now, const Bounds& bounds);

}  // namespace soak
