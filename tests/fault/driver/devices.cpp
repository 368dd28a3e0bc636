// The devices and contexts of the library that replaces CUDA's driver in tests.
#include <cstring>

#include "fault/driver/driver.hpp"

using namespace atc::fault;

namespace {

constexpr int kDevices = 2;
// The handles of devices begin at this number and not at 0. So the tests notice if atc uses a
// handle where an index is required.
constexpr int kFirstHandle = 40;
char contexts[kDevices];  // the context of device i is the address of contexts[i]

thread_local std::vector<void*> current;

bool is_device(int device) { return device >= kFirstHandle && device < kFirstHandle + kDevices; }

}  // namespace

bool atc::fault::has_context() { return !current.empty(); }

EXPORT int cuInit(unsigned) { return entered(__func__); }

EXPORT int cuDriverGetVersion(int* version) {
  if (const int status = entered(__func__)) return status;
  *version = 13000;
  return 0;
}

EXPORT int cuDeviceGetCount(int* count) {
  if (const int status = entered(__func__)) return status;
  *count = kDevices;
  return 0;
}

EXPORT int cuDeviceGet(int* device, int index) {
  if (const int status = entered(__func__)) return status;
  *device = kFirstHandle + index;
  return is_device(*device) ? 0 : kInvalidValue;
}

EXPORT int cuDeviceGetName(char* name, int length, int device) {
  if (const int status = entered(__func__)) return status;
  if (!is_device(device)) return kInvalidValue;
  std::strncpy(name, "Stand-in", static_cast<std::size_t>(length));
  return 0;
}

EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (const int status = entered(__func__)) return status;
  constexpr int kMultiprocessorCount = 16, kCacheSize = 38, kMajor = 75, kMinor = 76,
                kMostBlockShared = 97, kMemoryPools = 115;
  if (!is_device(device)) return kInvalidValue;
  switch (attribute) {
    case kMultiprocessorCount:
      *value = kMultiprocessors;
      return 0;
    case kCacheSize:
      *value = machine().script.cache_bytes;
      return 0;
    case kMajor:
      *value = 9;
      return 0;
    case kMinor:
      *value = 0;
      return 0;
    case kMostBlockShared:
      *value = 227 * 1024;
      return 0;
    case kMemoryPools:
      *value = 1;
      return 0;
    default:
      return kInvalidValue;
  }
}

EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  if (const int status = entered(__func__)) return status;
  *bytes = std::size_t{1} << 33;
  return is_device(device) ? 0 : kInvalidValue;
}

// A test's script cannot let cuGetErrorName and cuGetErrorString fail, because they only describe a
// status.
EXPORT int cuGetErrorName(int error, const char** name) {
  *name = error == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 719 ? "CUDA_ERROR_LAUNCH_FAILED"
                         : "CUDA_ERROR_OF_THE_STAND_IN";
  return 0;
}
EXPORT int cuGetErrorString(int, const char** text) {
  *text = "what the stand-in was told to report";
  return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (const int status = entered(__func__)) return status;
  if (!is_device(device)) return kInvalidValue;
  *context = &contexts[device - kFirstHandle];
  return 0;
}

// The Rust crate cudarc calls this function. It does nothing, because the contexts of the devices
// always exist.
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  if (const int status = entered(__func__)) return status;
  return is_device(device) ? 0 : kInvalidValue;
}

// The Rust crate cudarc calls this function. `context` becomes the current context, and remains
// current when the function has returned.
EXPORT int cuCtxSetCurrent(void* context) {
  if (const int status = entered(__func__)) return status;
  if (current.empty())
    current.push_back(context);
  else
    current.back() = context;
  return 0;
}

EXPORT int cuCtxGetCurrent(void** context) {
  if (const int status = entered(__func__)) return status;
  *context = current.empty() ? nullptr : current.back();
  return 0;
}

EXPORT int cuCtxGetDevice(int* device) {
  if (const int status = entered(__func__)) return status;
  if (current.empty()) return kInvalidContext;
  *device = kFirstHandle + static_cast<int>(static_cast<char*>(current.back()) - contexts);
  return 0;
}

EXPORT int cuCtxPushCurrent_v2(void* context) {
  if (const int status = entered(__func__)) return status;
  current.push_back(context);
  machine().born("pushed context");
  return 0;
}

EXPORT int cuCtxPopCurrent_v2(void** context) {
  if (current.empty()) {
    machine().misused("a context is popped where none is current");
    return kInvalidContext;
  }
  *context = current.back();
  current.pop_back();
  machine().gone("pushed context");
  return entered(__func__);
}

EXPORT int cuCtxSynchronize() {
  if (const int status = entered(__func__)) return status;
  machine().wait_until(machine().device_time());
  return has_context() ? 0 : kInvalidContext;
}
