#include "faults.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace atc_sweep {
namespace {

// The state of the fault. All threads share these variables (they are not thread_local), because
// the call that fails may be made by a thread of libatc.
std::atomic<int> inside{0};
std::atomic<int> kind{-1};
std::atomic<bool> lasting{false};
std::atomic<std::uint64_t> at{0}, seen{0};
std::atomic<bool> happened{false};
std::atomic<const char*> hit{""};
std::array<void*, 48> place{};
std::atomic<int> depth{0};

}  // namespace

std::string text_of(const Fault& fault) {
  static constexpr std::array<const char*, 5> kNames = {"allocation", "EIO", "ENOSPC", "EINTR",
                                                        "half a transfer"};
  return std::string(kNames.at(static_cast<std::size_t>(fault.kind))) + " at " +
         std::to_string(fault.at) + (fault.manner == Manner::once ? "" : " and from then on");
}

void arm(const Fault& fault) {
  kind = static_cast<int>(fault.kind);
  lasting = fault.manner == Manner::from_then_on;
  seen = 0;
  happened = false;
  hit = "";
  depth = 0;
  at = fault.at;
}

bool disarm() {
  at = 0;
  kind = -1;
  return happened;
}

InsideAtc::InsideAtc() { ++inside; }
InsideAtc::~InsideAtc() { --inside; }

bool inside_atc() { return inside.load(std::memory_order_relaxed) > 0; }

bool armed_with(Kind wanted) { return inside_atc() && kind.load() == static_cast<int>(wanted); }

bool fails(Kind wanted) {
  if (!armed_with(wanted)) return false;
  const std::uint64_t number = ++seen, first = at.load();
  if (first == 0 || number < first || (number > first && !lasting)) return false;
  if (!happened.exchange(true)) {
    // backtrace() may allocate memory. If `inside` is 0, allocations do not count as allocations of
    // libatc.
    const int before = inside.exchange(0);
    depth = backtrace(place.data(), static_cast<int>(place.size()));
    inside = before;
  }
  return true;
}

void note_hit(const char* function) { hit = function; }
const char* last_hit() { return hit; }

const char* known_to_crash() {
  // The functions of oneDNN that crash if an allocation fails, because they do not check the
  // returned pointer.
  static constexpr const char* kKnown[] = {"dnnl_engine_create"};
  for (int i = 0; i < depth; ++i) {
    Dl_info info{};
    if (dladdr(place.at(static_cast<std::size_t>(i)), &info) == 0 || info.dli_sname == nullptr)
      continue;
    for (const char* name : kKnown)
      if (std::strcmp(info.dli_sname, name) == 0) return name;
  }
  return nullptr;
}

void print_place() { backtrace_symbols_fd(place.data(), depth, STDERR_FILENO); }

}  // namespace atc_sweep
