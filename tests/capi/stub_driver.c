/* In place of libcuda.so.1: a driver with two made-up devices, as far as atc looks at one. The
 * variable ATC_STUB_DRIVER makes it another one: "none" shows no device, "refuses" fails to start.
 * Compiled with STUB_LACKS_A_FUNCTION it is one too old to have them all. */
#include <stddef.h>
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

/* Handles are no indices, as far as callers may assume. */
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
  *version = 12080;
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
EXPORT int cuDeviceGetName(char* name, int length, int device) {
  strncpy(name, devices[device - FIRST_HANDLE].name, (size_t)length);
  return SUCCESS;
}
EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const int index = device - FIRST_HANDLE;
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
#ifndef STUB_LACKS_A_FUNCTION
EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = devices[device - FIRST_HANDLE].memory_bytes;
  return SUCCESS;
}
#endif
