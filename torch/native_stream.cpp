#include "native_stream.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "libtorch_version.hpp"

#if ATC_LIBTORCH_IS_2_9
#include <dlfcn.h>

namespace atc_torch {

namespace {

// Returns the address of the function c10::cuda::CUDAStream::stream() in libc10_cuda, or null if
// this library is not loaded. LibTorch 2.9 has this conversion only in its CUDA libraries, and the
// bridge is not linked to them. A pointer to a c10::Stream can be passed as the object, because a
// c10::Stream is the only member of the class CUDAStream.
using StreamOf = void* (*)(const c10::Stream* self);

StreamOf find_stream_of() {
  void* const library = dlopen("libc10_cuda.so", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr
             ? nullptr
             : reinterpret_cast<StreamOf>(dlsym(library, "_ZNK3c104cuda10CUDAStream6streamEv"));
}

}  // namespace

void* native_stream(const c10::Stream& stream) {
  static const StreamOf stream_of = find_stream_of();
  TORCH_CHECK(stream_of != nullptr, "libc10_cuda.so has no streams of CUDA");
  return stream_of(&stream);
}

}  // namespace atc_torch
#else
namespace atc_torch {

void* native_stream(const c10::Stream& stream) {
  return c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).getStreamNativeHandle(stream);
}

}  // namespace atc_torch
#endif
