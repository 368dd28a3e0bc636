/* Stands in for libcublasLt.so of CUDA version STUB_MAJOR. */
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT size_t cublasLtGetVersion(void) { return STUB_MAJOR * 10000 + 203; }
EXPORT size_t cublasLtGetCudartVersion(void) { return STUB_MAJOR * 1000; }
