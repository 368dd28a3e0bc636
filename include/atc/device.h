/* atc: queries about the devices and libraries of this machine, and actions on its devices. If the
 * machine or the build of atc has no CUDA, the queries about CUDA succeed and write 0, and the
 * actions succeed and skip their CUDA part. All functions may be called from any thread at any
 * time. */
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
/* Writes the version of the running cuDNN, in cuDNN's own numbering (90100 is 9.1.0). If there is
 * no cuDNN, writes 0. */
ATC_API atc_status atc_cudnn_version(int64_t* out) ATC_NOEXCEPT ATC_SYM(cudnn_version);
/* Writes the version of the cuDNN headers with which atc was compiled. If atc was compiled without
 * cuDNN headers, writes 0. */
ATC_API atc_status atc_cudnn_compiled_version(int64_t* out) ATC_NOEXCEPT ATC_SYM(cudnn_compiled_version);

typedef struct atc_device_info {
  uint32_t struct_size;
  int32_t compute_units;      /* CUDA: number of multiprocessors. CPU: number of threads that a
                               * convolution uses */
  uint64_t cache_bytes;       /* size of the last-level cache, in bytes; 0: unknown */
  uint64_t memory_bytes;      /* total size of the device's memory, in bytes; 0: unknown */
  int32_t compute_major;      /* CUDA compute capability (major, minor); 0 for the CPU */
  int32_t compute_minor;
  char name[128];             /* name of the device: "Intel(R) Xeon(R) …", "NVIDIA H200" */
  char isa[128];              /* CPU: the instruction sets that atc can use, "avx2 avx512f
                               * avx512_bf16 …" */
} atc_device_info;
#define ATC_DEVICE_INFO_INIT ATC_SIZED(atc_device_info)

/* Describes a device. ATC_ERROR_INVALID_ARGUMENT: this machine has no device of this type or index.
 * ATC_ERROR_DEVICE: the device is a CUDA device, and this process was forked from a process that
 * had opened CUDA. */
ATC_API atc_status atc_device_describe(atc_device_info* out, atc_device device) ATC_NOEXCEPT
    ATC_SYM(device_describe);

/* A library that atc uses, or that atc would use if it were installed. If there is a CUDA device,
 * atc_library_describe opens the libraries of CUDA. */
typedef struct atc_library_info {
  uint32_t struct_size;
  int32_t loaded;            /* 1: the library is loaded. 0: the library is missing, or atc has not
                              * searched for it; `note` has the details */
  char name[64];             /* "oneDNN", "CUDA driver", "cuDNN" … */
  char version[64];          /* version of the library that is loaded; "" if it is not loaded */
  char compiled_version[64]; /* version of this library's headers with which atc was compiled; "" if
                              * atc was compiled without them */
  char file[512];            /* file from which the library was loaded; "" if it is not loaded */
  char note[512];            /* the reason why the library is not loaded or not used, or the names of
                              * missing parts and of the functions of atc that need them; else "" */
  char remarks[2048];        /* warnings, one sentence per line; "" if there are none. There may be
                              * warnings of three sorts: parts of the library are of different
                              * versions; the library does not support a device yet; this version of
                              * the library has known faults */
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

/* Sets the seed of the random data with which tuning fills tensors. If the bridge to another
 * framework (for example LibTorch) is loaded, the call also seeds the framework's default
 * generator. */
ATC_API atc_status atc_manual_seed(uint64_t seed) ATC_NOEXCEPT ATC_SYM(manual_seed);
/* Sets the seed of the random data with which tuning fills tensors, as atc_manual_seed does. If the
 * bridge to another framework (for example LibTorch) is loaded, the call also seeds the framework's
 * generators of all devices. */
ATC_API atc_status atc_manual_seed_all(uint64_t seed) ATC_NOEXCEPT ATC_SYM(manual_seed_all);
/* Waits until all queued work of the CUDA device `index` has run. -1 is the current device. Without
 * CUDA the call returns ATC_OK at once. ATC_ERROR_INVALID_ARGUMENT: `index` is below -1 or, with
 * CUDA, not below the device count. ATC_ERROR_DEVICE: this process was forked from a process that
 * had opened CUDA. */
ATC_API atc_status atc_synchronize(int32_t index) ATC_NOEXCEPT ATC_SYM(synchronize);

#ifdef __cplusplus
}
#endif
#endif /* ATC_DEVICE_H_ */
