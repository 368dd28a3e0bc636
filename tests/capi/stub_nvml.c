/* Stands in for libnvidia-ml.so.1, for the two devices of the stub driver. ATC_STUB_NVML=refuses
 * forbids each call. ATC_STUB_NVML_REASONS sets the reasons for which the second device lowers its
 * clocks, as a decimal number. The reasons of the first device are always 0. If STUB_OLD_NAME is
 * defined, the function for these reasons has its older name. */
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NO_PERMISSION = 4 };

static char devices[2];
static int started = 0;

EXPORT int nvmlInit_v2(void) {
  const char* const kind = getenv("ATC_STUB_NVML");
  if (kind != NULL && strcmp(kind, "refuses") == 0) return NO_PERMISSION;
  started = 1;
  return SUCCESS;
}
EXPORT int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  strncpy(version, "580.12.34", length);
  return SUCCESS;
}
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  if (!started) return NO_PERMISSION;
  if (strcmp(id, "0000:10:00.0") == 0)
    *device = &devices[0];
  else if (strcmp(id, "0000:20:00.0") == 0)
    *device = &devices[1];
  else
    return INVALID_ARGUMENT;
  return SUCCESS;
}
#ifdef STUB_OLD_NAME
#define REASONS nvmlDeviceGetCurrentClocksThrottleReasons
#else
#define REASONS nvmlDeviceGetCurrentClocksEventReasons
#endif
EXPORT int REASONS(void* device, unsigned long long* reasons) {
  const char* const wanted = getenv("ATC_STUB_NVML_REASONS");
  *reasons = device == &devices[1] && wanted != NULL ? strtoull(wanted, NULL, 10) : 0;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetPowerManagementLimit(void* device, unsigned* milliwatts) {
  *milliwatts = device == &devices[1] ? 700000 : 350000;
  return SUCCESS;
}
/* Returns the clock of the multiprocessors (which = 1) or of the memory (which = 2). */
EXPORT int nvmlDeviceGetClockInfo(void* device, int which, unsigned* megahertz) {
  if (which != 1 && which != 2) return INVALID_ARGUMENT;
  *megahertz = (device == &devices[1] ? 1980 : 1410) + (which == 2 ? 1000 : 0);
  return SUCCESS;
}
/* The first device does not support reading its temperature. */
EXPORT int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* celsius) {
  if (sensor != 0 || device == &devices[0]) return INVALID_ARGUMENT;
  *celsius = 43;
  return SUCCESS;
}
