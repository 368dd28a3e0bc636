#include "device/cpu/cpu_description.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include "core/format.hpp"
#include "device/cpu/openmp.hpp"

namespace atc {

namespace {

// Returns one field of the first processor in /proc/cpuinfo.
std::string cpuinfo(std::string_view field) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.empty()) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto end = line.find_last_not_of(" \t", colon - 1);
    if (end != std::string::npos && std::string_view(line).substr(0, end + 1) == field)
      return colon + 2 <= line.size() ? line.substr(colon + 2) : "";
  }
  return "";
}

// The instruction sets that change the kernels of oneDNN or the choice of hand-written kernels.
constexpr std::array kInstructionSets = {
    "sse4_1",   "avx",      "avx2",     "fma",         "f16c",        "avx_vnni",
    "avx512f",  "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16",
    "amx_tile", "amx_bf16", "amx_int8", "amx_fp16",    "asimd",       "asimdhp",
    "bf16",     "sve",      "sve2",     "i8mm"};

std::string instruction_sets() {
  std::string flags = cpuinfo("flags");
  if (flags.empty()) flags = cpuinfo("Features");  // aarch64
  flags = " " + flags + " ";
  std::string found;
  for (const std::string_view set : kInstructionSets) {
    if (flags.find(format(" {} ", set)) == std::string::npos) continue;
    if (!found.empty()) found += ' ';
    found += set;
  }
  return found;
}

std::uint64_t last_level_cache() {
  std::uint64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file(format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
    std::uint64_t size = 0;
    char unit = 0;
    if (!(file >> size)) continue;
    file >> unit;
    size <<= unit == 'M' ? 20 : unit == 'K' ? 10 : 0;
    largest = std::max(largest, size);
  }
  return largest;
}

}  // namespace

int cpu_threads() {
#ifdef ATC_WITH_ONEDNN
  if (const int team = team_size(); team != 0) return team;
#endif
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
  return 1;
}

CpuDescription cpu_description() {
  // The description is never destroyed, because other threads may call this function while the
  // process ends.
  static const auto* const fixed = new CpuDescription([] {
    CpuDescription cpu;
    cpu.vendor = cpuinfo("vendor_id");
    if (cpu.vendor.empty()) cpu.vendor = cpuinfo("CPU implementer");  // aarch64
    cpu.name = cpuinfo("model name");
    if (cpu.name.empty()) cpu.name = cpu.vendor;
    cpu.isa = instruction_sets();
    cpu.cache_bytes = last_level_cache();
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0)
      cpu.memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
    return cpu;
  }());
  CpuDescription now = *fixed;
  now.threads = cpu_threads();
  return now;
}

}  // namespace atc
