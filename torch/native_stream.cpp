#include "native_stream.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "libtorch_version.hpp"

#if ATC_LIBTORCH_IS_2_9
#include <dlfcn.h>

namespace atc_torch {

namespace {

// Returns the function c10::cuda::CUDAStream::stream() const from libc10_cuda. Used with LibTorch
// 2.9, which has no such function outside of its CUDA libraries; the bridge is not linked to them.
// A c10::Stream can be passed as the object, because the class CUDAStream has a c10::Stream as its
// only member.
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
