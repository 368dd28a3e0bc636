/* atc: what this machine has, and the actions on it. On a machine or in a build without CUDA every query
 * succeeds and answers 0, every action succeeds and does nothing of CUDA. Any thread, any time. */
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
  int32_t compute_units;      /* SMs; on the CPU the threads a convolution uses */
  uint64_t cache_bytes;       /* last-level cache; 0: unknown */
  uint64_t memory_bytes;      /* in all; 0: unknown */
  int32_t compute_major;      /* CUDA compute capability; 0 on the CPU */
  int32_t compute_minor;
  char name[128];             /* "Intel(R) Xeon(R) …", "NVIDIA H200" */
  char isa[128];              /* CPU: instruction sets that matter, "avx2 avx512f avx512_bf16 …" */
} atc_device_info;

/* ATC_ERROR_INVALID_ARGUMENT for a device type or index this machine does not have; ATC_ERROR_DEVICE for CUDA in
 * a child of a process that had opened it. */
ATC_API atc_status atc_device_describe(atc_device_info* out, atc_device device) ATC_NOEXCEPT
    ATC_SYM(device_describe);

/* A library atc uses or would use. Describing opens those of CUDA where there is a device for them. */
typedef struct atc_library_info {
  uint32_t struct_size;
  int32_t loaded;            /* 0: missing or not looked for; `note` says which and what it costs */
  char name[64];             /* "oneDNN", "CUDA driver", "cuDNN" … */
  char version[64];          /* running; "" when not loaded */
  char compiled_version[64]; /* compiled against; "" when there is none */
  char file[512];            /* the file it was loaded from; "" when not loaded */
  char note[512];            /* what is missing and what that costs, or "" */
  char remarks[2048];        /* what else is to be known of it: parts that do not fit together, devices that it does
                              * not know yet, faults of its version; a sentence per line, or "" */
} atc_library_info;

ATC_API atc_status atc_library_count(size_t* out) ATC_NOEXCEPT ATC_SYM(library_count);
ATC_API atc_status atc_library_describe(atc_library_info* out, size_t index) ATC_NOEXCEPT
    ATC_SYM(library_describe);

/* ---- Actions --------------------------------------------------------------------------------------- */

/* Seeds the data that tuning runs on and, where a bridge provides one, its default generator. */
ATC_API atc_status atc_manual_seed(uint64_t seed) ATC_NOEXCEPT ATC_SYM(manual_seed);
/* The same for the generators of all devices. */
ATC_API atc_status atc_manual_seed_all(uint64_t seed) ATC_NOEXCEPT ATC_SYM(manual_seed_all);
/* Waits for all work of CUDA device `index`; -1 is the current one. ATC_OK without CUDA.
 * ATC_ERROR_INVALID_ARGUMENT below -1, and at or above the device count where there is CUDA;
 * ATC_ERROR_DEVICE in a child of a process that had opened CUDA. */
ATC_API atc_status atc_synchronize(int32_t index) ATC_NOEXCEPT ATC_SYM(synchronize);

#ifdef __cplusplus
}
#endif
#endif /* ATC_DEVICE_H_ */
