/* atc: the definitions that all headers share: names, statuses, errors, versions, devices, tensor views.
 *
 * Conventions (docs/conventions.md has the full list):
 * - Every function that can fail returns an `atc_status`. Out parameters are the first parameters.
 *   If there is only one, it is called `out`. If the function fails, its out parameters keep their
 *   values.
 * - An object that a function takes as `const atc_x*` may be used by several threads at once. An
 *   object that a function takes as `atc_x*` may be used by one thread at a time.
 * - Each function `..._create` (or `..._open`) has a function `..._destroy` (or `..._close`) that
 *   frees the object. If a `destroy` or `close` function gets NULL, it does nothing. It cannot
 *   fail.
 * - Structs begin with `struct_size`. The caller sets `struct_size` to `sizeof` before the call, both in structs that
 *   the call reads and in structs that it writes. New versions only append fields. With atc.h,
 *   `atc_x s = ATC_X_INIT;` initializes a struct: `struct_size` is set, and all other fields are
 *   zero. For problems and geometries there is no such macro: the function
 *   `..._init(&s, spatial_dims)` sets `struct_size` and usual values.
 * - In C and C++ a function is called `atc_foo`. In the shared library its name is `atc1_foo` (1 is the ABI's major
 *   version). atc1.h declares `atc1_foo` for users of dlsym, ctypes, cffi and cbindgen. */
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

/* ATC_SYM(foo) is an assembler label: it tells the compiler that the function atc_foo has the name
 * atc1_foo in the shared library. The label is the last part of the function's declaration. */
#ifndef ATC_SYM
#define ATC_SYM(name) __asm__("atc1_" #name)
#endif

#ifdef __cplusplus
/* ATC_SIZED(type) initializes a struct that begins with struct_size: it sets struct_size, and the other fields are
 * zero. */
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
/* ATC_VERSION: the version of these headers as one number: major * 10000 + minor * 100 + patch */
#define ATC_VERSION 100
#define ATC_ABI_VERSION 1

/* ---- Status ------------------------------------------------------------------------------------ */

typedef int32_t atc_status;

enum {
  ATC_OK = 0,
  ATC_ERROR_INVALID_ARGUMENT = 1, /* a value is invalid on every machine; the error text names the
                                   * value */
  ATC_ERROR_UNSUPPORTED = 2,      /* the arguments are valid, but no engine on this machine can run the problem */
  ATC_ERROR_NOT_TUNED = 3,        /* a store in replay-only mode is in use, so nothing may be
                                   * measured, and the store has no usable decision for the
                                   * problem */
  ATC_ERROR_OUT_OF_MEMORY = 4,    /* host or device memory does not suffice */
  ATC_ERROR_DEVICE = 5,           /* CUDA or its driver failed */
  ATC_ERROR_LIBRARY = 6,          /* a library that atc needs is missing or too old, or its parts
                                   * are of two versions */
  ATC_ERROR_IO = 7,               /* a file or directory cannot be used */
  ATC_ERROR_BAD_RECORD = 8,       /* stored or imported bytes are not a valid store entry or bundle
                                   * (store.h) */
  ATC_ERROR_CAPTURING = 9,        /* tuning was asked for inside a stream capture */
  ATC_ERROR_BUSY = 10,            /* the object is in use, or the call was made in a callback and
                                   * would have to wait until this callback returns */
  ATC_ERROR_CANCELLED = 11,       /* the progress callback asked to stop */
  ATC_ERROR_INTERNAL = 12,        /* a fault of atc itself */
  ATC_ERROR_NOT_AGREED = 13       /* the ranks (processes) of a group have not agreed on common
                                   * decisions (group.h); the error text names a rank and the
                                   * reason */
};

/* Returns the name of a status: "ATC_OK", "ATC_ERROR_IO", …, or "unknown status" for a number that this version does
 * not know. The string is static and never NULL. */
ATC_API const char* atc_status_name(atc_status status) ATC_NOEXCEPT ATC_SYM(status_name);

/* Returns the error text of this thread: the reason of the last call that failed on this thread.
 * The text is one sentence of up to 8,191 bytes. The text names the argument, the value and a
 * remedy. Only the next failing call of this thread replaces the text. Calls that succeed and
 * `destroy` functions do not change the text. The library owns the text. The pointer is valid until
 * the text is replaced. The text is "" before the first failure. The pointer is never NULL.
 * Programs should decide by the status, and show the text to people. */
ATC_API const char* atc_last_error(void) ATC_NOEXCEPT ATC_SYM(last_error);

/* Sets the error text of this thread. It is for callbacks that a program has registered (extend.h):
 * before such a callback returns an error status, it sets the text that explains the status. NULL
 * counts as "". */
ATC_API void atc_error_set(const char* text) ATC_NOEXCEPT ATC_SYM(error_set);

/* ---- Versions ---------------------------------------------------------------------------------- */

/* Returns the version of the running library, as a number like ATC_VERSION. The macro ATC_VERSION is the version of
 * the headers with which the program was compiled. */
ATC_API uint32_t atc_version(void) ATC_NOEXCEPT ATC_SYM(version);
/* Returns the version of the running library as a static string: "0.1.0". */
ATC_API const char* atc_version_string(void) ATC_NOEXCEPT ATC_SYM(version_string);
/* Returns the ATC_ABI_VERSION of the running library. A program that was compiled with another ATC_ABI_VERSION must
 * not use the library. */
ATC_API uint32_t atc_abi_version(void) ATC_NOEXCEPT ATC_SYM(abi_version);

/* ---- Limits ------------------------------------------------------------------------------------ */

/* Special values of 64-bit limits in options structs. In these structs 0 means that the limit has
 * its default (the value of a setting, or a fixed value). ATC_UNLIMITED: no limit. */
#define ATC_UNLIMITED UINT64_C(0xFFFFFFFFFFFFFFFF)
#define ATC_NONE UINT64_C(0xFFFFFFFFFFFFFFFE) /* a limit of zero */
#define ATC_AUTOMATIC UINT64_C(0xFFFFFFFFFFFFFFFD) /* only for atc_set_race_memory_limit:
                                                    * atc chooses the limit */

/* Values of switches in options structs. In these structs 0 means that the switch has its default.
 * The number 1 means ATC_OFF, and so does `true`. To set a switch by a condition, call
 * atc_option_set. The functions atc_set_… of settings.h are different: they take 0 for off and 1
 * for on. */
enum { ATC_OFF = 1, ATC_ON = 2 };

/* Turn a switch of an options struct on (atc_option_enable) or off (atc_option_disable). Example:
 * atc_option_enable(&options.tune). */
static inline void atc_option_enable(int32_t* option) { *option = ATC_ON; }
static inline void atc_option_disable(int32_t* option) { *option = ATC_OFF; }
/* Sets a switch of an options struct to ATC_ON if `enabled` is not 0, else to ATC_OFF. */
static inline void atc_option_set(int32_t* option, int enabled) {
  *option = enabled ? ATC_ON : ATC_OFF;
}

/* ---- Devices and tensors ----------------------------------------------------------------------- */

/* The types of devices, with the numbers of DLPack. */
enum { ATC_DEVICE_CPU = 1, ATC_DEVICE_CUDA = 2 };

/* A device. The struct has the layout of DLPack's DLDevice. */
typedef struct atc_device {
  int32_t type;  /* ATC_DEVICE_* */
  int32_t index; /* number of the device among the devices of its type, from 0; always 0 for the
                  * CPU */
} atc_device;

/* An element type. The struct has the layout of DLPack's DLDataType: {2, 32, 1} is fp32, {2, 16, 1} fp16, {4, 16, 1}
 * bf16. */
typedef struct atc_data_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} atc_data_type;

enum { ATC_CODE_FLOAT = 2, ATC_CODE_BFLOAT = 4 }; /* values of atc_data_type.code, as in DLPack */

/* A tensor of the caller. The struct has the layout of DLPack's DLTensor, so a `DLTensor*` may be
 * cast to `atc_tensor_view*`. The memory behind `data` must remain valid: on the CPU until the call
 * returns, on CUDA until the work that the call queued on the stream has run. `shape` and `strides`
 * are read before the call returns. The first element lies at `data + byte_offset` and must be
 * aligned to the element size. */
typedef struct atc_tensor_view {
  void* data;
  atc_device device;
  int32_t ndim;
  atc_data_type dtype;
  const int64_t* shape;   /* ndim extents, in elements */
  const int64_t* strides; /* ndim strides, in elements. NULL: the tensor is dense, and its last
                           * dimension varies fastest */
  uint64_t byte_offset;
} atc_tensor_view;

/* A CUDA stream. CUstream and cudaStream_t are the same pointer type. NULL is CUDA's default
 * stream. For calls on the CPU, pass NULL. */
struct CUstream_st;
typedef struct CUstream_st* atc_stream;

/* Bytes or a text that a function has returned. The library owns them until the caller destroys them
 * (atc_bytes_destroy). */
typedef struct atc_bytes atc_bytes;

/* atc_bytes_data returns the address of the bytes, and atc_bytes_size returns their number. If the
 * bytes are a text, a NUL follows the last byte, and the size does not count this NUL. The address
 * is valid until atc_bytes_destroy. If `bytes` is NULL, the address is NULL and the size is 0. */
ATC_API const char* atc_bytes_data(const atc_bytes* bytes) ATC_NOEXCEPT ATC_SYM(bytes_data);
ATC_API size_t atc_bytes_size(const atc_bytes* bytes) ATC_NOEXCEPT ATC_SYM(bytes_size);
ATC_API void atc_bytes_destroy(atc_bytes* bytes) ATC_NOEXCEPT ATC_SYM(bytes_destroy);

#ifdef __cplusplus
}
#endif
#endif /* ATC_BASE_H_ */
