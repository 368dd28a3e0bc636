// Streams and events that atc creates itself, and functions that put work on streams.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cuda/driver_api.hpp"
#include "device/priority.hpp"

namespace atc::cuda {

// A stream of the current context that is not synchronized with the legacy stream. The destructor
// does not wait for the stream's work.
class OwnStream {
 public:
  // Makes a stream with a priority, relative to other streams. If the priority is low, blocks of
  // other streams' kernels start before blocks of this stream's kernels. If the driver has no
  // priorities, the argument is ignored.
  explicit OwnStream(Priority priority = Priority::normal);
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  operator Stream() const { return stream_; }

 private:
  Stream stream_ = nullptr;
};

class OwnEvent {
 public:
  explicit OwnEvent(unsigned flags);
  ~OwnEvent();
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  operator Event() const { return event_; }

 private:
  Event event_ = nullptr;
};

void synchronize(Stream stream);
void set_bytes(void* to, unsigned char value, std::uint64_t size, Stream stream);
void copy_on_device(void* to, const void* from, std::uint64_t size, Stream stream);
// Puts a copy from host memory to device memory on the stream. If the host memory is pageable, the
// caller may change it as soon as the function returns.
void copy_to_device(void* to, const void* from, std::uint64_t size, Stream stream);
// Copies device memory to host memory, and waits until the copy is complete.
void copy_to_host(void* to, const void* from, std::uint64_t size, Stream stream);

}  // namespace atc::cuda
