#include "target.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

namespace {

// Returns the text that follows "name :" in a file of /proc.
std::string entry(const char* file, const std::string& name) {
  std::ifstream input(file);
  for (std::string line; std::getline(input, line);)
    if (line.rfind(name, 0) == 0)
      return line.substr(line.find_first_not_of(" \t", line.find(':') + 1));
  return "";
}

}  // namespace

Target::Target(const std::string& name) {
  if (name == "cpu") return;
  fmt::print(stderr, "--device {}: this build measures on cpu only\n", name);
  std::exit(2);
}

std::uint64_t Target::cache_size() const {
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  constexpr std::uint64_t kUnknown = 64 << 20;
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : kUnknown;
}

std::uint64_t Target::free_memory() const {
  return std::strtoull(entry("/proc/meminfo", "MemAvailable").c_str(), nullptr, 10) * 1024;
}

std::string Target::description() const {
  return fmt::format("{}, {} processors", entry("/proc/cpuinfo", "model name"),
                     sysconf(_SC_NPROCESSORS_ONLN));
}

std::uint64_t interruptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
