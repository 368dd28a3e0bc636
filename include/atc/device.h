/* atc: queries about the devices and libraries of this machine, and actions on its devices. Without CUDA, on the
 * machine or in the build of atc, every query succeeds and returns 0, and every action succeeds and leaves out the
 * part about CUDA. All functions may be called from any thread at any time. */
#ifndef ATC_DEVICE_H_
#define ATC_DEVICE_H_

#include "atc/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Queries. A NULL `out` is ATC_ERROR_INVALID_ARGUMENT. ----------------------------------------- */

ATC_API atc_status atc_cuda_is_available(int32_t* out) ATC_NOEXCEPT ATC_SYM(cuda_is_available);
ATC_API atc_status atc_cuda_device_count(int32_t* out) ATC_NOEXCEPT ATC_SYM(cuda_device_count);
ATC_API atc_status atc_cudnn_is_available(int32_t* out) ATC_NOEXCEPT ATC_SYM(cudnn_is_available);
/* Writes the version of the running cuDNN, as cuDNN numbers itself (90100 is 9.1.0); 0 if there is none. */
ATC_API atc_status atc_cudnn_version(int64_t* out) ATC_NOEXCEPT ATC_SYM(cudnn_version);
/* Writes the version of the cuDNN with whose headers atc was compiled; 0 if there were none. */
ATC_API atc_status atc_cudnn_compiled_version(int64_t* out) ATC_NOEXCEPT ATC_SYM(cudnn_compiled_version);

typedef struct atc_device_info {
  uint32_t struct_size;
  int32_t compute_units;      /* number of multiprocessors; for the CPU the number of threads that a convolution
                               * uses */
  uint64_t cache_bytes;       /* size of the last-level cache; 0: unknown */
  uint64_t memory_bytes;      /* size of the device's memory in all; 0: unknown */
  int32_t compute_major;      /* CUDA compute capability (major, minor); 0 for the CPU */
  int32_t compute_minor;
  char name[128];             /* name of the device: "Intel(R) Xeon(R) …", "NVIDIA H200" */
  char isa[128];              /* for a CPU: its instruction sets that matter to atc, "avx2 avx512f avx512_bf16 …" */
} atc_device_info;
#define ATC_DEVICE_INFO_INIT ATC_SIZED(atc_device_info)

/* Describes a device. ATC_ERROR_INVALID_ARGUMENT: this machine has no device of this type or index. ATC_ERROR_DEVICE:
 * the device is of CUDA, and this process was forked from one that had opened CUDA. */
ATC_API atc_status atc_device_describe(atc_device_info* out, atc_device device) ATC_NOEXCEPT
    ATC_SYM(device_describe);

/* A library that atc uses, or would use if it were there. atc_library_describe opens the libraries of CUDA if there
 * is a CUDA device. */
typedef struct atc_library_info {
  uint32_t struct_size;
  int32_t loaded;            /* 1: the library is loaded. 0: it is missing or was not looked for; `note` has the
                              * details */
  char name[64];             /* "oneDNN", "CUDA driver", "cuDNN" … */
  char version[64];          /* version of the library that is loaded; "" if it is not loaded */
  char compiled_version[64]; /* version of the library that atc was compiled with; "" if there was none */
  char file[512];            /* file from which the library was loaded; "" if it is not loaded */
  char note[512];            /* the missing part and the functions that need it, or "" */
  char remarks[2048];        /* warnings, a sentence per line, or "": parts that do not fit together, devices that
                              * the library does not know yet, known faults of its version */
} atc_library_info;
#define ATC_LIBRARY_INFO_INIT ATC_SIZED(atc_library_info)

ATC_API atc_status atc_library_count(size_t* out) ATC_NOEXCEPT ATC_SYM(library_count);
ATC_API atc_status atc_library_describe(atc_library_info* out, size_t index) ATC_NOEXCEPT
    ATC_SYM(library_describe);

/* Lists the known faults of oneDNN, cuDNN and cuBLASLt that atc works around, as a JSON array of objects. The faults
 * come from the table that is part of atc, and from the file that CUDNN_ERRATA_JSON_FILE names. The members "name",
 * "library", "running" (version, or ""), "versions", "device", "directions", "implementations", "condition",
 * "consequence", "handling", "description" and "source" are strings. The member "applies" is true if the running
 * library has the fault on a device of this machine. The call opens the libraries of CUDA if there is a CUDA device.
 * The caller destroys `*out` (atc_bytes_destroy). */
ATC_API atc_status atc_faults_describe(atc_bytes** out) ATC_NOEXCEPT ATC_SYM(faults_describe);

/* ---- Actions --------------------------------------------------------------------------------------- */

/* Seeds the random data that tuning uses. If a bridge (for example to LibTorch) is loaded, the call also seeds the
 * bridge's default generator. */
ATC_API atc_status atc_manual_seed(uint64_t seed) ATC_NOEXCEPT ATC_SYM(manual_seed);
/* Does the same as atc_manual_seed, and seeds the bridge's generators of all devices. */
ATC_API atc_status atc_manual_seed_all(uint64_t seed) ATC_NOEXCEPT ATC_SYM(manual_seed_all);
/* Waits for all work of CUDA device `index`; -1 is the current device. Without CUDA the call returns ATC_OK.
 * ATC_ERROR_INVALID_ARGUMENT: `index` is below -1 or, with CUDA, not below the device count. ATC_ERROR_DEVICE: this
 * process was forked from one that had opened CUDA. */
ATC_API atc_status atc_synchronize(int32_t index) ATC_NOEXCEPT ATC_SYM(synchronize);

#ifdef __cplusplus
}
#endif
#endif /* ATC_DEVICE_H_ */
