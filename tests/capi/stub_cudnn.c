/* Stands in for libcudnn.so.9. The stub reports versions and convolves nothing. Environment
 * variables set its reports:
 * ATC_STUB_CUDNN_VERSION: the version of cuDNN
 * ATC_STUB_CUDNN_CUDART: the version of CUDA for which cuDNN was built
 * ATC_STUB_CUDNN_DEVICE: the newest compute capability that cuDNN supports
 * ATC_STUB_CUDNN_GRAPH, _OPS, _CNN, _ADV, _EXT: the status that the version check of the part
 * returns, such as ATC_STUB_CUDNN_OPS=1002.
 * If STUB_EXT is defined, the stub stands for a version of cuDNN that has the part ext. */
#include <stddef.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static int number(const char* variable, int otherwise) {
  const char* const text = getenv(variable);
  return text != NULL ? atoi(text) : otherwise;
}

EXPORT size_t cudnnGetVersion(void) { return (size_t)number("ATC_STUB_CUDNN_VERSION", 91900); }
EXPORT size_t cudnnGetCudartVersion(void) { return (size_t)number("ATC_STUB_CUDNN_CUDART", 12000); }
EXPORT size_t cudnnGetMaxDeviceVersion(void) {
  return (size_t)number("ATC_STUB_CUDNN_DEVICE", 1030);
}
EXPORT int cudnnGraphVersionCheck(void) { return number("ATC_STUB_CUDNN_GRAPH", 0); }
EXPORT int cudnnOpsVersionCheck(void) { return number("ATC_STUB_CUDNN_OPS", 0); }
EXPORT int cudnnCnnVersionCheck(void) { return number("ATC_STUB_CUDNN_CNN", 0); }
EXPORT int cudnnAdvVersionCheck(void) { return number("ATC_STUB_CUDNN_ADV", 0); }
#ifdef STUB_EXT
EXPORT int cudnnSubquadraticOpsVersionCheck(void) { return number("ATC_STUB_CUDNN_EXT", 0); }
#endif

EXPORT const char* cudnnGetErrorString(int status) {
  return status == 1002 ? "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH" : "CUDNN_STATUS_OF_THE_STUB";
}
EXPORT void cudnnGetLastErrorString(char* text, size_t size) {
  if (size > 0) *text = '\0';
}

/* The functions for convolutions exist, but each returns the status "not initialized". */
#define REFUSED(name) \
  EXPORT int name(void) { return 1001; }
REFUSED(cudnnCreate)
REFUSED(cudnnSetStream)
REFUSED(cudnnBackendCreateDescriptor)
REFUSED(cudnnBackendDestroyDescriptor)
REFUSED(cudnnBackendFinalize)
REFUSED(cudnnBackendSetAttribute)
REFUSED(cudnnBackendGetAttribute)
REFUSED(cudnnBackendExecute)
