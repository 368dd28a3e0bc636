#include "device/cuda/stream.hpp"

#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"

namespace atc::cuda {

namespace {

Address address(const void* pointer) { return reinterpret_cast<Address>(pointer); }

}  // namespace

OwnStream::OwnStream(Priority priority) {
  const DriverApi& api = require_driver();
  int lowest = 0, highest = 0;
  if (priority == Priority::low && api.has_priorities() &&
      api.priority_range(&lowest, &highest) == kSuccess) {
    check(api.stream_create_with_priority(&stream_, kStreamNonBlocking, lowest),
          "cuStreamCreateWithPriority");
    return;
  }
  check(api.stream_create(&stream_, kStreamNonBlocking), "cuStreamCreate");
}

OwnStream::~OwnStream() { driver().api.stream_destroy(stream_); }

OwnEvent::OwnEvent(unsigned flags) {
  check(require_driver().event_create(&event_, flags), "cuEventCreate");
}

OwnEvent::~OwnEvent() { driver().api.event_destroy(event_); }

void synchronize(Stream stream) {
  check(require_driver().stream_synchronize(stream), "cuStreamSynchronize");
}

void set_bytes(void* to, unsigned char value, std::uint64_t size, Stream stream) {
  if (size == 0) return;
  check(require_driver().set_bytes(address(to), value, size, stream), "cuMemsetD8Async");
}

void copy_on_device(void* to, const void* from, std::uint64_t size, Stream stream) {
  if (size == 0) return;
  check(require_driver().copy_on_device(address(to), address(from), size, stream),
        "cuMemcpyDtoDAsync");
}

void copy_to_device(void* to, const void* from, std::uint64_t size, Stream stream) {
  if (size == 0) return;
  check(require_driver().copy_to_device(address(to), from, size, stream), "cuMemcpyHtoDAsync");
}

void copy_to_host(void* to, const void* from, std::uint64_t size, Stream stream) {
  if (size != 0)
    check(require_driver().copy_to_host(to, address(from), size, stream), "cuMemcpyDtoHAsync");
  synchronize(stream);
}

}  // namespace atc::cuda
