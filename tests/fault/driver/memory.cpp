// Device memory in the library that replaces CUDA's driver in tests: allocation, copies and fills.
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "fault/driver/driver.hpp"

using namespace atc::fault;

namespace {

using Address = unsigned long long;

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

struct Blocks {
  std::mutex mutex;
  std::map<void*, std::size_t> sizes;
};

Blocks& blocks() {
  static auto* const blocks = new Blocks;
  return *blocks;
}

constexpr std::size_t kAlignment = 256;
constexpr int kStale = 0xCD;  // the value of each byte of newly allocated memory

}  // namespace

EXPORT int cuMemAllocAsync(Address* address, std::size_t size, void* stream) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  note_if_captured(stream);
  if (!machine().hold(size)) return kOutOfMemory;
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, size) != 0) {
    machine().let_go(size);
    return kOutOfMemory;
  }
  std::memset(memory, kStale, size);
  {
    const std::lock_guard lock(blocks().mutex);
    blocks().sizes[memory] = size;
  }
  machine().born("device memory");
  *address = reinterpret_cast<Address>(memory);
  return 0;
}

EXPORT int cuMemFreeAsync(Address address, void*) {
  {
    const std::lock_guard lock(blocks().mutex);
    const auto known = blocks().sizes.find(pointer(address));
    if (known == blocks().sizes.end()) {
      machine().misused("memory is freed that was not allocated, or twice");
      return kInvalidValue;
    }
    machine().let_go(known->second);
    blocks().sizes.erase(known);
  }
  std::free(pointer(address));
  machine().gone("device memory");
  return entered(__func__);
}

EXPORT int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  *free = machine().free_bytes();
  *total = *free + machine().script.program_bytes;
  return 0;
}

EXPORT int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t size, void*) {
  if (const int status = entered(__func__)) return status;
  std::memcpy(pointer(to), from, size);
  return 0;
}

EXPORT int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t size, void*) {
  if (const int status = entered(__func__)) return status;
  std::memcpy(to, pointer(from), size);
  return 0;
}

EXPORT int cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t size, void*) {
  if (const int status = entered(__func__)) return status;
  std::memcpy(pointer(to), pointer(from), size);
  return 0;
}

EXPORT int cuMemsetD8Async(Address to, unsigned char value, std::size_t size, void*) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  std::memset(pointer(to), value, size);
  return 0;
}

EXPORT int cuMemsetD16Async(Address to, unsigned short value, std::size_t count, void*) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char*>(pointer(to)) + i * sizeof(value), &value, sizeof(value));
  return 0;
}
