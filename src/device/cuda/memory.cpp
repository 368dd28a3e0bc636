#include "device/cuda/memory.hpp"

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"

namespace atc::cuda {

namespace {

class StreamOrdered final : public Allocator {
 public:
  void* allocate(std::uint64_t size, DeviceId device, Stream stream) override {
    const ContextScope scope(device.index);
    Address address = 0;
    const Result result =
        require_driver().allocate_async(&address, std::max<std::uint64_t>(size, 1), stream);
    if (result == kOutOfMemory) return nullptr;
    check(result, "cuMemAllocAsync");
    return reinterpret_cast<void*>(address);
  }

  void free(void* pointer, DeviceId device, Stream stream) noexcept override {
    try {
      const DriverApi& driver = require_driver();
      std::optional<ContextScope> scope;
      try {
        scope.emplace(device.index);
      } catch (const Error&) {
        // The device's context could not be made current. The memory is freed nevertheless, which
        // succeeds if the current context is already that of the stream.
      }
      driver.free_async(reinterpret_cast<Address>(pointer), stream);
    } catch (const Error&) {
      // There is no usable driver, for example because this process is a forked child. A child
      // cannot free the memory of its parent.
    }
  }
};

}  // namespace

std::shared_ptr<Allocator> stream_ordered_allocator() {
  static auto* const allocator = new std::shared_ptr<Allocator>(std::make_shared<StreamOrdered>());
  return *allocator;
}

std::optional<std::uint64_t> free_memory() {
  const DriverApi& driver = require_driver();
  std::size_t free = 0, total = 0;
  if (driver.memory_info == nullptr) return std::nullopt;
  check(driver.memory_info(&free, &total), "cuMemGetInfo");
  return free;
}

}  // namespace atc::cuda
