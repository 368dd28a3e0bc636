#include "cuda.hpp"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include "guard.hpp"
#include "native_stream.hpp"

namespace atc_torch {

namespace {

c10::impl::VirtualGuardImpl cuda() { return c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA); }

// Returns a c10::Stream for a stream of the CUDA driver that LibTorch did not make. The stream id
// of such a c10::Stream is the address of the driver's stream.
c10::Stream external(c10::Device device, void* stream) {
  const c10::Stream made(c10::Stream::UNSAFE, device,
                         static_cast<c10::StreamId>(reinterpret_cast<std::intptr_t>(stream)));
  TORCH_CHECK(native_stream(made) == stream,
              "LibTorch takes another stream for the one it was given");
  return made;
}

// Returns the driver's function cuStreamIsCapturing, or null if the driver is not loaded. This
// function does not load the driver, because LibTorch has loaded it before it makes the first CUDA
// tensor.
using StreamIsCapturing = int (*)(void* stream, int* status);

StreamIsCapturing find_stream_is_capturing() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr
             ? nullptr
             : reinterpret_cast<StreamIsCapturing>(dlsym(driver, "cuStreamIsCapturing"));
}

}  // namespace

atc_device device_of(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return {ATC_DEVICE_CPU, 0};
  return {ATC_DEVICE_CUDA, tensor.device().index()};
}

c10::Device to_libtorch(atc_device device) {
  if (device.type == ATC_DEVICE_CPU) return c10::Device(c10::DeviceType::CPU);
  return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device.index)};
}

void* current_stream(c10::Device device) { return native_stream(cuda().getStream(device)); }

bool is_captured(void* stream) {
  static const StreamIsCapturing ask = find_stream_is_capturing();
  // Without the driver's function it is unknown whether the stream is being captured. True is the
  // safe answer, because code that may run during a capture may also run at any other time.
  if (ask == nullptr) return true;
  int status = 0;
  // If the driver returns an error, the stream counts as captured. The driver returns an error if
  // the default stream (the legacy stream) is queried while another stream is being captured.
  return ask(stream, &status) != 0 || status != 0;
}

OnStream::OnStream(atc_device device, void* stream) {
  if (device.type == ATC_DEVICE_CPU) return;
  const auto libtorch = cuda();
  const c10::Device wanted = to_libtorch(device);
  const c10::Stream given = external(wanted, stream);
  device_before_ = libtorch.exchangeDevice(wanted);
  stream_before_ = libtorch.exchangeStream(given);
}

OnStream::~OnStream() {
  if (!device_before_) return;
  const auto libtorch = cuda();
  if (stream_before_) libtorch.exchangeStream(*stream_before_);
  libtorch.uncheckedSetDevice(*device_before_);
}

void empty_cache() noexcept {
  try {
    c10::getDeviceAllocator(c10::DeviceType::CUDA)->emptyCache();
  } catch (const std::exception&) {
    // LibTorch's function emptyCache throws if LibTorch is capturing a graph. The freed memory then
    // remains in LibTorch's cache.
  }
}

}  // namespace atc_torch
