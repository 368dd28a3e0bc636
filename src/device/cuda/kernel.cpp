#include "device/cuda/kernel.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"

namespace atc::cuda {

namespace {

constexpr int kMostDynamicShared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
// kSharedOfAnyKernel is the number of bytes of shared memory that a block may use if nobody has
// raised the kernel's limit. A kernel's static arrays are part of this memory. kMostStaticShared is
// the largest size of the static arrays in those kernels of atc that are launched with dynamic
// shared memory.
constexpr unsigned kSharedOfAnyKernel = 48 << 10, kMostStaticShared = 1 << 10;
constexpr Result kInvalidValue = 1;         // CUDA_ERROR_INVALID_VALUE
constexpr Result kNoBinaryForDevice = 209;  // CUDA_ERROR_NO_BINARY_FOR_GPU

// Raises the limit of a kernel's dynamic shared memory on a device to at least `bytes`. All users
// of the kernel share one limit, so it is never lowered.
Result allow_shared(LibraryKernel kernel, int device, unsigned bytes) {
  static auto* const mutex = new std::mutex;
  static auto* const allowed = new std::map<std::pair<LibraryKernel, int>, unsigned>;
  const std::lock_guard lock(*mutex);
  unsigned& most = (*allowed)[{kernel, device}];
  if (bytes <= most) return kSuccess;
  const Result result = require_driver().kernel_set_attribute(
      kMostDynamicShared, static_cast<int>(bytes), kernel, device);
  if (result == kSuccess) most = bytes;
  return result;
}

// Returns an image (compiled code for several devices) as a library of the driver. The library is
// loaded at its first use and never unloaded.
Library library_of(const unsigned char* image) {
  static auto* const mutex = new std::mutex;
  static auto* const loaded = new std::map<const unsigned char*, Library>;
  const std::lock_guard lock(*mutex);
  Library& library = (*loaded)[image];
  if (library == nullptr)
    check(require_driver().library_load(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0),
          "cuLibraryLoadData (atc's own kernels)");
  return library;
}

}  // namespace

const char* kernels_objection() {
  const DriverProbe& probe = driver();
  if (probe.devices.empty()) return "there is no CUDA device";
  if (!probe.api.loads_libraries())
    return "the driver cannot load libraries of kernels: atc's own need CUDA 12.0 or newer";
  return "";
}

Kernel::Kernel(const unsigned char* image, const char* name, int device_index,
               unsigned shared_bytes) {
  const DriverApi& driver = require_driver();
  if (const char* const why = kernels_objection(); *why != '\0') fail(Status::library, "{}", why);
  const RelaxedCapture relaxed;
  const std::string which = std::string(" (") + name + ")";
  check(driver.library_kernel(&kernel_, library_of(image), name),
        ("cuLibraryGetKernel" + which).c_str());
  Function function = nullptr;
  const Result loaded = driver.kernel_function(&function, kernel_);
  if (loaded == kNoBinaryForDevice)
    fail(Status::unsupported, "this build of atc has no code of {} for cuda:{}", name,
         device_index);
  check(loaded, ("cuKernelGetFunction" + which).c_str());
  if (shared_bytes + kMostStaticShared <= kSharedOfAnyKernel) return;
  int device = 0;
  check(driver.device_get(&device, device_index), "cuDeviceGet");
  const Result allowed = allow_shared(kernel_, device, shared_bytes);
  if (allowed == kInvalidValue)
    fail(Status::unsupported, "{} takes {} bytes of shared memory a block, more than cuda:{} has",
         name, shared_bytes, device_index);
  check(allowed, ("cuKernelSetAttribute" + which).c_str());
}

void Kernel::launch_raw(const LaunchShape& shape, Stream stream, void** arguments) const {
  // The driver accepts a CUkernel (a kernel of a library) where it expects a CUfunction. The driver
  // then launches the code of the kernel that was loaded into the current context.
  auto* const function = reinterpret_cast<Function>(kernel_);
  check(require_driver().launch(function, shape.blocks.x, shape.blocks.y, shape.blocks.z,
                                shape.threads.x, shape.threads.y, shape.threads.z,
                                shape.shared_bytes, stream, arguments, nullptr),
        "cuLaunchKernel (one of atc's own kernels)");
}

}  // namespace atc::cuda
