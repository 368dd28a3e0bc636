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

// The largest growth of the process's resources that is allowed between two times: of the resident
// and the allocated memory in bytes, and of the numbers of descriptors and threads.
struct Bounds {
  std::uint64_t resident = 0, allocated = 0;
  std::size_t descriptors = 0, threads = 0;
};

// Returns a text about each figure of `now` that exceeds the same figure of `first` by more than
// its bound. Returns "" if there is none.
std::string grown(const Process& first, const Process& now, const Bounds& bounds);

}  // namespace soak
