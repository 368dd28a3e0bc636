// How much memory this process may still take before an allocation fails or the system kills a
// process for lack of memory.
#pragma once

#include <cstdint>
#include <string>

namespace atc {

struct AvailableMemory {
  std::uint64_t bytes = 0;
  std::string limit;  // by what: "memory.max of the cgroup /a", "RLIMIT_AS", "MemAvailable"
};

// The least of MemAvailable in /proc/meminfo, of what the cgroup of the process and those above it
// leave (versions 1 and 2; pages of files that the kernel would drop count as available), of
// RLIMIT_AS and of RLIMIT_DATA. A limit that cannot be read counts as none. `root`: a folder with
// "proc" and "sys", instead of "/"; the limits of the process itself are left out then.
AvailableMemory available_memory(const std::string& root = "");

}  // namespace atc
