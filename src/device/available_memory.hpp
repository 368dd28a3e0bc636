// How much memory this process may still take before an allocation fails or the system kills a
// process for lack of memory.
#pragma once

#include <cstdint>
#include <string>

namespace atc {

struct AvailableMemory {
  std::uint64_t bytes = 0;
  std::string limit;  // the source of the limit: "memory.max of the cgroup /a", "RLIMIT_AS",
                      // "MemAvailable"
};

// Returns the least of these: MemAvailable in /proc/meminfo; the memory that the cgroup of the
// process, and each cgroup above it, leaves (versions 1 and 2; pages of files that the kernel would
// drop count as available); RLIMIT_AS; RLIMIT_DATA. A limit that cannot be read counts as none.
// `root` is a folder with "proc" and "sys" to read in place of "/"; the limits of the process
// itself are then left out.
AvailableMemory available_memory(const std::string& root = "");

}  // namespace atc
