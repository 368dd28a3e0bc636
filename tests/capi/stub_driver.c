/* Stands in for libcuda.so.1. The stub is a driver with two invented devices and with the functions
 * that atc uses. Two environment variables change it. ATC_STUB_DRIVER has one of the values "none"
 * (there is no device), "refuses" (cuInit fails) or "alike" (both devices are the same model).
 * ATC_STUB_DRIVER_VERSION is the version of the driver (13000 is CUDA 13.0). If
 * STUB_LACKS_A_FUNCTION is defined, the stub lacks a function, as a driver that is too old does. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID_VALUE = 1, UNKNOWN = 999 };
enum { MULTIPROCESSORS = 16, L2_CACHE = 38, MAJOR = 75, MINOR = 76 };

static const struct {
  const char* name;
  int multiprocessors, cache_bytes, major, minor;
  size_t memory_bytes;
} devices[2] = {{"Stub 100", 11, 3 << 20, 9, 1, (size_t)5 << 30},
                {"Stub 200", 22, 7 << 20, 10, 3, (size_t)9 << 30}};

/* Handles begin at this number. So if a handle is used as an index by mistake, the mistake is
 * noticed. */
enum { FIRST_HANDLE = 40 };

static int is(const char* kind) {
  const char* const wanted = getenv("ATC_STUB_DRIVER");
  return wanted != NULL && strcmp(wanted, kind) == 0;
}

static int started = 0;

EXPORT int cuInit(unsigned flags) {
  if (flags != 0) return INVALID_VALUE;
  if (is("refuses")) return UNKNOWN;
  started = 1;
  return SUCCESS;
}
EXPORT int cuDriverGetVersion(int* version) {
  const char* const wanted = getenv("ATC_STUB_DRIVER_VERSION");
  *version = wanted != NULL ? atoi(wanted) : 12080;
  return SUCCESS;
}
EXPORT int cuDeviceGetCount(int* count) {
  if (!started) return UNKNOWN;
  *count = is("none") ? 0 : 2;
  return SUCCESS;
}
EXPORT int cuDeviceGet(int* device, int index) {
  if (index < 0 || index >= 2) return INVALID_VALUE;
  *device = FIRST_HANDLE + index;
  return SUCCESS;
}
/* Returns the index of the device's model. */
static int model(int device) { return is("alike") ? 0 : device - FIRST_HANDLE; }

EXPORT int cuDeviceGetName(char* name, int length, int device) {
  strncpy(name, devices[model(device)].name, (size_t)length);
  return SUCCESS;
}
EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const int index = model(device);
  switch (attribute) {
    case MULTIPROCESSORS:
      *value = devices[index].multiprocessors;
      return SUCCESS;
    case L2_CACHE:
      *value = devices[index].cache_bytes;
      return SUCCESS;
    case MAJOR:
      *value = devices[index].major;
      return SUCCESS;
    case MINOR:
      *value = devices[index].minor;
      return SUCCESS;
    default:
      return INVALID_VALUE;
  }
}
EXPORT int cuDeviceGetPCIBusId(char* id, int length, int device) {
  snprintf(id, (size_t)length, "0000:%02X:00.0", 0x10 * (device - FIRST_HANDLE + 1));
  return SUCCESS;
}

/* The functions for the use of a device. Each device has one context, handles are numbers, and work
 * does nothing and is complete at once. */
enum { DEPTH = 8 };
static char contexts[2];
static void* stack[DEPTH];
static int depth = 0;
static void* top(void) { return depth > 0 ? stack[depth - 1] : NULL; }

EXPORT int cuGetErrorName(int error, const char** name) {
  *name = error == SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR_OF_THE_STUB";
  return SUCCESS;
}
EXPORT int cuGetErrorString(int error, const char** text) {
  *text = error == SUCCESS ? "no error" : "what the stub was told to report";
  return SUCCESS;
}
EXPORT int cuCtxGetCurrent(void** context) {
  *context = top();
  return SUCCESS;
}
EXPORT int cuCtxPushCurrent_v2(void* context) {
  if (depth == DEPTH) return INVALID_VALUE;
  stack[depth++] = context;
  return SUCCESS;
}
EXPORT int cuCtxPopCurrent_v2(void** context) {
  if (depth == 0) return INVALID_VALUE;
  *context = stack[--depth];
  return SUCCESS;
}
EXPORT int cuCtxGetDevice(int* device) {
  if (depth == 0) return INVALID_VALUE;
  *device = FIRST_HANDLE + (int)((char*)top() - contexts);
  return SUCCESS;
}
EXPORT int cuCtxSynchronize(void) { return depth > 0 ? SUCCESS : INVALID_VALUE; }
EXPORT int cuStreamIsCapturing(void* stream, int* status) {
  (void)stream;
  *status = 0;
  return SUCCESS;
}
EXPORT int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &contexts[device - FIRST_HANDLE];
  return SUCCESS;
}

/* No test calls these functions. They exist because atc would reject a driver without them as too
 * old. */
#define UNUSED(name) \
  EXPORT int name(void) { return UNKNOWN; }
UNUSED(cuModuleLoadData)
UNUSED(cuModuleGetFunction)
UNUSED(cuLaunchKernel)
UNUSED(cuMemAllocAsync)
UNUSED(cuMemFreeAsync)
UNUSED(cuMemcpyHtoDAsync_v2)
UNUSED(cuMemcpyDtoHAsync_v2)
UNUSED(cuMemcpyDtoDAsync_v2)
UNUSED(cuMemsetD8Async)
UNUSED(cuMemsetD16Async)
UNUSED(cuStreamCreate)
UNUSED(cuStreamDestroy_v2)
UNUSED(cuStreamSynchronize)
UNUSED(cuThreadExchangeStreamCaptureMode)
UNUSED(cuEventCreate)
UNUSED(cuEventDestroy_v2)
UNUSED(cuEventRecord)
UNUSED(cuEventQuery)
UNUSED(cuEventSynchronize)
UNUSED(cuEventElapsedTime)
UNUSED(cuStreamWaitEvent)

#ifndef STUB_LACKS_A_FUNCTION
EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = devices[model(device)].memory_bytes;
  return SUCCESS;
}
#endif
