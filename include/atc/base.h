/* atc: what all headers share: names, statuses, errors, versions, devices, tensor views.
 *
 * Conventions (docs/conventions.md has them all):
 *  - Every fallible function returns an `atc_status`. Out parameters come first, a single one is called
 *    `out`; they stay untouched when the function fails.
 *  - `const atc_x*` may be used by several threads at once; `atc_x*` by one at a time.
 *  - A `create` (or `open`) has a `destroy` (or `close`), which takes NULL and cannot fail.
 *  - Structs begin with `struct_size`, which the caller sets to `sizeof` before the call, for structs
 *    that are read and for structs that are written. Fields are only ever appended. With atc.h,
 *    `atc_x s = ATC_X_INIT;` sets `struct_size`, and everything else to zero. Problems and
 *    geometries have `..._init(&s, spatial_dims)` instead, which sets usual values.
 *  - C and C++ see `atc_foo`; the name in the shared library is `atc1_foo` (1 is the ABI's major
 *    version). atc1.h declares `atc1_foo` for users of dlsym, ctypes, cffi and cbindgen.
 */
#ifndef ATC_BASE_H_
#define ATC_BASE_H_

#ifdef ATC_ATC1_H_
#error "atc.h and atc1.h declare the same types: include one of them in a file"
#endif

#include <stddef.h>
#include <stdint.h>

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "atc supports Linux on x86-64 and aarch64 only"
#endif
#if !defined(__GNUC__) && !defined(ATC_SYM)
#error "atc's headers need GCC or Clang (symbol labels); define ATC_SYM(name) to nothing to only parse them"
#endif

#ifdef ATC_BUILDING
#define ATC_API __attribute__((visibility("default")))
#else
#define ATC_API
#endif

#ifdef __cplusplus
#define ATC_NOEXCEPT noexcept
#else
#define ATC_NOEXCEPT
#endif

/* The label that gives atc_foo its name atc1_foo in the shared library. It stands last in a declaration. */
#ifndef ATC_SYM
#define ATC_SYM(name) __asm__("atc1_" #name)
#endif

#ifdef __cplusplus
/* The initializer of a struct that begins with struct_size, which it sets; the other fields are zero. */
extern "C++" { /* for programs that include the headers inside extern "C" */
template <typename T>
constexpr T atc_sized() noexcept {
  T value{};
  value.struct_size = sizeof(T);
  return value;
}
}
#define ATC_SIZED(type) (atc_sized<type>())
#else
#define ATC_SIZED(type) {.struct_size = sizeof(type)}
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ATC_VERSION_MAJOR 0
#define ATC_VERSION_MINOR 1
#define ATC_VERSION_PATCH 0
/* major * 10000 + minor * 100 + patch */
#define ATC_VERSION 100
#define ATC_ABI_VERSION 1

/* ---- Status ------------------------------------------------------------------------------------ */

typedef int32_t atc_status;

enum {
  ATC_OK = 0,
  ATC_ERROR_INVALID_ARGUMENT = 1, /* a value that is invalid on every machine; the text names it */
  ATC_ERROR_UNSUPPORTED = 2,      /* valid, but no engine on this machine can run it */
  ATC_ERROR_NOT_TUNED = 3,        /* the store is replay-only and has no usable record */
  ATC_ERROR_OUT_OF_MEMORY = 4,    /* host or device memory */
  ATC_ERROR_DEVICE = 5,           /* CUDA or its driver failed */
  ATC_ERROR_LIBRARY = 6,          /* a library is missing, too old, or two versions are mixed */
  ATC_ERROR_IO = 7,               /* a file or directory cannot be used */
  ATC_ERROR_BAD_RECORD = 8,       /* stored or imported bytes are no valid entry or bundle */
  ATC_ERROR_CAPTURING = 9,        /* tuning was asked for inside a stream capture */
  ATC_ERROR_BUSY = 10,            /* the object is in use, or a call inside a callback would wait for that callback */
  ATC_ERROR_CANCELLED = 11,       /* the progress callback asked to stop */
  ATC_ERROR_INTERNAL = 12,        /* a fault of atc itself */
  ATC_ERROR_NOT_AGREED = 13       /* the ranks of a group have not agreed (group.h); the text names a rank and the reason */
};

/* "ATC_OK", "ATC_ERROR_IO", …; "unknown status" for a number this version does not know. A static
 * string, never NULL. */
ATC_API const char* atc_status_name(atc_status status) ATC_NOEXCEPT ATC_SYM(status_name);

/* Why the last failing call of this thread failed: one sentence, up to 8,191 bytes, that names the argument, its
 * value and a remedy. Only the next failing call of this thread replaces it; success and `destroy` leave it as it is.
 * Owned by the library and valid until then; "" before the first failure, never NULL. Programs should decide on the
 * status and show this text. */
ATC_API const char* atc_last_error(void) ATC_NOEXCEPT ATC_SYM(last_error);

/* For callbacks (of engines and settings sources): sets the text that belongs to the status which the callback is
 * about to return. NULL is taken as "". */
ATC_API void atc_error_set(const char* text) ATC_NOEXCEPT ATC_SYM(error_set);

/* ---- Versions ---------------------------------------------------------------------------------- */

/* The ATC_VERSION of the running library. The macro is that of the headers which the program was compiled with. */
ATC_API uint32_t atc_version(void) ATC_NOEXCEPT ATC_SYM(version);
/* "0.1.0", a static string. */
ATC_API const char* atc_version_string(void) ATC_NOEXCEPT ATC_SYM(version_string);
/* The ATC_ABI_VERSION of the running library. A program compiled with another one must not use the library. */
ATC_API uint32_t atc_abi_version(void) ATC_NOEXCEPT ATC_SYM(abi_version);

/* ---- Limits ------------------------------------------------------------------------------------ */

/* For 64-bit limits in options structs, where 0 means "inherit". */
#define ATC_UNLIMITED UINT64_C(0xFFFFFFFFFFFFFFFF)
#define ATC_NONE UINT64_C(0xFFFFFFFFFFFFFFFE) /* a limit of zero */
#define ATC_AUTOMATIC UINT64_C(0xFFFFFFFFFFFFFFFD) /* of atc_set_race_memory_limit: atc chooses the limit */

/* For switches in options structs, where 0 means "inherit". The number 1, and `true`, is ATC_OFF: a condition goes through
 * atc_option_set. (The functions atc_set_… of settings.h take 0 and 1.) */
enum { ATC_OFF = 1, ATC_ON = 2 };

/* Writes a switch of an options struct: atc_option_enable(&options.tune). */
static inline void atc_option_enable(int32_t* option) { *option = ATC_ON; }
static inline void atc_option_disable(int32_t* option) { *option = ATC_OFF; }
/* ATC_ON if `enabled` is not 0, else ATC_OFF. */
static inline void atc_option_set(int32_t* option, int enabled) {
  *option = enabled ? ATC_ON : ATC_OFF;
}

/* ---- Devices and tensors ----------------------------------------------------------------------- */

/* DLPack's numbers. */
enum { ATC_DEVICE_CPU = 1, ATC_DEVICE_CUDA = 2 };

/* Layout of DLDevice. */
typedef struct atc_device {
  int32_t type;  /* ATC_DEVICE_* */
  int32_t index; /* 0 for the CPU */
} atc_device;

/* Layout of DLDataType: {2, 32, 1} is fp32, {2, 16, 1} fp16, {4, 16, 1} bf16. */
typedef struct atc_data_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} atc_data_type;

enum { ATC_CODE_FLOAT = 2, ATC_CODE_BFLOAT = 4 }; /* DLPack's numbers */

/* A borrowed tensor, with the layout of DLTensor: a `DLTensor*` may be cast to it. On the CPU, `data` and the memory
 * behind it are borrowed for the call; on CUDA, until the work that the call queued on the stream has run. `shape`
 * and `strides` are read before the call returns. The first element lies at `data + byte_offset` and must be aligned
 * to the element size. */
typedef struct atc_tensor_view {
  void* data;
  atc_device device;
  int32_t ndim;
  atc_data_type dtype;
  const int64_t* shape;   /* ndim extents, elements */
  const int64_t* strides; /* ndim strides, elements; NULL: dense, last dimension fastest */
  uint64_t byte_offset;
} atc_tensor_view;

/* A CUDA stream (CUstream and cudaStream_t are this pointer). NULL on the CPU and for the default
 * stream. */
struct CUstream_st;
typedef struct CUstream_st* atc_stream;

/* Bytes or text owned by the library until destroyed. */
typedef struct atc_bytes atc_bytes;

/* The bytes; text is followed by a NUL that `size` does not count. Valid until atc_bytes_destroy.
 * NULL and 0 for a NULL handle. */
ATC_API const char* atc_bytes_data(const atc_bytes* bytes) ATC_NOEXCEPT ATC_SYM(bytes_data);
ATC_API size_t atc_bytes_size(const atc_bytes* bytes) ATC_NOEXCEPT ATC_SYM(bytes_size);
ATC_API void atc_bytes_destroy(atc_bytes* bytes) ATC_NOEXCEPT ATC_SYM(bytes_destroy);

#ifdef __cplusplus
}
#endif
#endif /* ATC_BASE_H_ */
