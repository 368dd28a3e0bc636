#include "process.hpp"

#include <malloc.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SOAK_SANITIZED 1
#endif

// Functions of the sanitizers' runtimes. They are declared here, because GCC has no header for
// them.
extern "C" {
std::size_t __sanitizer_get_current_allocated_bytes();  // NOLINT(bugprone-reserved-identifier)
void __sanitizer_purge_allocator();                     // NOLINT(bugprone-reserved-identifier)
}

namespace soak {

namespace {

// Returns how many bytes more than its bound the resident memory may grow by in a build with a
// sanitizer. AddressSanitizer stores each call stack that has allocated memory. ThreadSanitizer
// keeps shadow memory for all memory that was ever used. In these builds, leaks are found by the
// number of allocated bytes and by LeakSanitizer.
std::uint64_t for_the_sanitizer([[maybe_unused]] const Process& first) {
#if defined(__SANITIZE_THREAD__)
  return std::uint64_t{1} << 40;
#elif defined(__SANITIZE_ADDRESS__)
  return first.resident;
#else
  return 0;
#endif
}

std::uint64_t allocated_bytes() {
#ifdef SOAK_SANITIZED
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

void give_back_free_memory() {
#if defined(__SANITIZE_ADDRESS__)
  // gives free memory back to the system, also the freed memory that AddressSanitizer keeps
  __sanitizer_purge_allocator();
#elif !defined(__SANITIZE_THREAD__)
  malloc_trim(0);
#endif
}

std::size_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::string over(const char* what, std::uint64_t first, std::uint64_t now, std::uint64_t bound) {
  if (now <= first + bound) return "";
  return std::string(what) + " grew from " + std::to_string(first) + " to " + std::to_string(now) +
         ", the bound is " + std::to_string(bound) + " more. ";
}

}  // namespace

Process look_at_process() {
  give_back_free_memory();
  Process process;
  std::uint64_t pages = 0;
  // The second number in /proc/self/statm is the resident memory in pages.
  std::ifstream("/proc/self/statm") >> pages >> pages;
  process.resident = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  process.allocated = allocated_bytes();
  // The descriptor with which this function reads the folder is not counted.
  process.descriptors = entries_of("/proc/self/fd") - 1;
  process.threads = entries_of("/proc/self/task");
  return process;
}

std::string grown(const Process& first, const Process& now, const Bounds& bounds) {
  return over("resident memory", first.resident, now.resident,
              bounds.resident + for_the_sanitizer(first)) +
         over("allocated memory", first.allocated, now.allocated, bounds.allocated) +
         over("the number of descriptors", first.descriptors, now.descriptors, bounds.descriptors) +
         over("the number of threads", first.threads, now.threads, bounds.threads);
}

}  // namespace soak
