#include "device/cuda/memory.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"

namespace atc::cuda {

namespace {

class StreamOrdered final : public Allocator {
 public:
  void* allocate(std::uint64_t size, DeviceId device, Stream stream) noexcept override {
    try {
      const ContextScope scope(device.index);
      Address address = 0;
      check(require_driver().allocate_async(&address, std::max<std::uint64_t>(size, 1), stream),
            "cuMemAllocAsync");
      return reinterpret_cast<void*>(address);
    } catch (const Error&) {
      return nullptr;
    }
  }

  void free(void* pointer, DeviceId device, Stream stream) noexcept override {
    try {
      const ContextScope scope(device.index);
      require_driver().free_async(reinterpret_cast<Address>(pointer), stream);
    } catch (const Error&) {
      // The context is gone, and the memory with it.
    }
  }
};

}  // namespace

std::shared_ptr<Allocator> stream_ordered_allocator() {
  static auto* const allocator = new std::shared_ptr<Allocator>(std::make_shared<StreamOrdered>());
  return *allocator;
}

}  // namespace atc::cuda
