// Finds out how many bytes of memory this process may still allocate, before an allocation fails or
// the system kills a process for lack of memory.
#pragma once

#include <cstdint>
#include <string>

namespace atc {

struct AvailableMemory {
  std::uint64_t bytes = 0;
  // The name of the limit that leaves the least memory, for example "memory.max of the cgroup /a",
  // "RLIMIT_AS", "MemAvailable".
  std::string limit;
};

// Returns the smallest of these amounts: MemAvailable in /proc/meminfo; the memory that is left in
// the cgroup of the process and in each cgroup above it (versions 1 and 2); the memory that is left
// below RLIMIT_AS; the memory that is left below RLIMIT_DATA. Pages of files that the kernel would
// drop count as left. A limit that cannot be read is ignored. If `root` is not empty, it is a
// folder with "proc" and "sys", which are read in place of "/proc" and "/sys"; in this case
// RLIMIT_AS and RLIMIT_DATA are ignored.
AvailableMemory available_memory(const std::string& root = "");

}  // namespace atc
