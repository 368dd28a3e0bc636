/* atc: queries about the devices and libraries of this machine, and actions on its devices. On a machine or in a
 * build without CUDA every query succeeds and returns 0, and every action succeeds and does nothing about CUDA. Any
 * thread, any time. */
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
/* The running cuDNN as it numbers itself (90100 is 9.1.0); 0: none. */
ATC_API atc_status atc_cudnn_version(int64_t* out) ATC_NOEXCEPT ATC_SYM(cudnn_version);
/* The cuDNN whose headers atc was compiled with; 0: none. */
ATC_API atc_status atc_cudnn_compiled_version(int64_t* out) ATC_NOEXCEPT ATC_SYM(cudnn_compiled_version);

typedef struct atc_device_info {
  uint32_t struct_size;
  int32_t compute_units;      /* multiprocessors; on the CPU the threads a convolution uses */
  uint64_t cache_bytes;       /* last-level cache; 0: unknown */
  uint64_t memory_bytes;      /* of the device in all; 0: unknown */
  int32_t compute_major;      /* CUDA compute capability; 0 on the CPU */
  int32_t compute_minor;
  char name[128];             /* "Intel(R) Xeon(R) …", "NVIDIA H200" */
  char isa[128];              /* CPU: instruction sets that matter, "avx2 avx512f avx512_bf16 …" */
} atc_device_info;
#define ATC_DEVICE_INFO_INIT ATC_SIZED(atc_device_info)

/* ATC_ERROR_INVALID_ARGUMENT for a device type or index this machine does not have; ATC_ERROR_DEVICE for a CUDA
 * device in a forked child of a process that had opened CUDA. */
ATC_API atc_status atc_device_describe(atc_device_info* out, atc_device device) ATC_NOEXCEPT
    ATC_SYM(device_describe);

/* A library that atc uses or would use. atc_library_describe opens the libraries of CUDA if there is a CUDA device. */
typedef struct atc_library_info {
  uint32_t struct_size;
  int32_t loaded;            /* 0: missing or not looked for; `note` says which, and what does not work without it */
  char name[64];             /* "oneDNN", "CUDA driver", "cuDNN" … */
  char version[64];          /* of the library loaded; "" when not loaded */
  char compiled_version[64]; /* of the library that atc was compiled against; "" when there is none */
  char file[512];            /* the file it was loaded from; "" when not loaded */
  char note[512];            /* the missing part and the functions that need it, or "" */
  char remarks[2048];        /* warnings: parts that do not fit together, devices that the library does not know yet,
                              * known faults of its version; a sentence per line, or "" */
} atc_library_info;
#define ATC_LIBRARY_INFO_INIT ATC_SIZED(atc_library_info)

ATC_API atc_status atc_library_count(size_t* out) ATC_NOEXCEPT ATC_SYM(library_count);
ATC_API atc_status atc_library_describe(atc_library_info* out, size_t index) ATC_NOEXCEPT
    ATC_SYM(library_describe);

/* The known faults of oneDNN, cuDNN and cuBLASLt that atc works around, as a JSON array of objects: the table that comes
 * with atc, and the rules of the file that CUDNN_ERRATA_JSON_FILE names. Members: "name", "library", "running" (version,
 * or ""), "versions", "device", "directions", "implementations", "condition", "consequence", "handling", "description" and
 * "source" are strings; "applies" says whether the running library has the fault on a device of this machine. *out is the
 * caller's: atc_bytes_destroy. Opens the libraries of CUDA if there is a CUDA device. */
ATC_API atc_status atc_faults_describe(atc_bytes** out) ATC_NOEXCEPT ATC_SYM(faults_describe);

/* ---- Actions --------------------------------------------------------------------------------------- */

/* Seeds the data that tuning uses. If a bridge (to LibTorch) is loaded, also seeds its default generator. */
ATC_API atc_status atc_manual_seed(uint64_t seed) ATC_NOEXCEPT ATC_SYM(manual_seed);
/* Like atc_manual_seed, but seeds the bridge's generators of all devices. */
ATC_API atc_status atc_manual_seed_all(uint64_t seed) ATC_NOEXCEPT ATC_SYM(manual_seed_all);
/* Waits for all work of CUDA device `index`; -1 is the current one. Without CUDA: ATC_OK. ATC_ERROR_INVALID_ARGUMENT:
 * `index` is below -1 or, with CUDA, not below the device count; ATC_ERROR_DEVICE: this is a forked child of a
 * process that had opened CUDA. */
ATC_API atc_status atc_synchronize(int32_t index) ATC_NOEXCEPT ATC_SYM(synchronize);

#ifdef __cplusplus
}
#endif
#endif /* ATC_DEVICE_H_ */
