/* atc: the C ABI under the names that the shared library has: atc1_foo in place of atc_foo (1 is the ABI's
 * major version). For dlsym, cffi, cbindgen and other tools that do not understand symbol labels: C99 without
 * attributes, inline functions and macros other than integers. Types and constants are those of atc.h, with which this
 * header cannot be included in one file.
 *
 * The text between the two lines "cdef" needs no preprocessor: cffi's cdef() takes it as it is.
 *
 * Generated from the other headers by the target `abi_goldens`; not edited by hand.
 */
#ifndef ATC_ATC1_H_
#define ATC_ATC1_H_

#ifdef ATC_BASE_H_
#error "atc1.h and atc.h declare the same types: include one of them in a file"
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- cdef ---- */

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
const char* atc1_status_name(atc_status status);

/* Returns the error text of this thread: the reason of the last call that failed on this thread.
 * The text is one sentence of up to 8,191 bytes. The text names the argument, the value and a
 * remedy. Only the next failing call of this thread replaces the text. Calls that succeed and
 * `destroy` functions do not change the text. The library owns the text. The pointer is valid until
 * the text is replaced. The text is "" before the first failure. The pointer is never NULL.
 * Programs should decide by the status, and show the text to people. */
const char* atc1_last_error(void);

/* Sets the error text of this thread. It is for callbacks that a program has registered (extend.h):
 * before such a callback returns an error status, it sets the text that explains the status. NULL
 * counts as "". */
void atc1_error_set(const char* text);

/* ---- Versions ---------------------------------------------------------------------------------- */

/* Returns the version of the running library, as a number like ATC_VERSION. The macro ATC_VERSION is the version of
 * the headers with which the program was compiled. */
uint32_t atc1_version(void);
/* Returns the version of the running library as a static string: "0.1.0". */
const char* atc1_version_string(void);
/* Returns the ATC_ABI_VERSION of the running library. A program that was compiled with another ATC_ABI_VERSION must
 * not use the library. */
uint32_t atc1_abi_version(void);

/* ---- Limits ------------------------------------------------------------------------------------ */

/* Special values of 64-bit limits in options structs. In these structs 0 means that the limit has
 * its default (the value of a setting, or a fixed value). ATC_UNLIMITED: no limit. */
#define ATC_UNLIMITED 0xFFFFFFFFFFFFFFFFULL
#define ATC_NONE 0xFFFFFFFFFFFFFFFEULL /* a limit of zero */
#define ATC_AUTOMATIC 0xFFFFFFFFFFFFFFFDULL /* only for atc1_set_race_memory_limit:
                                                    * atc chooses the limit */

/* Values of switches in options structs. In these structs 0 means that the switch has its default.
 * The number 1 means ATC_OFF, and so does `true`. To set a switch by a condition, call
 * atc_option_set. The functions atc_set_… of settings.h are different: they take 0 for off and 1
 * for on. */
enum { ATC_OFF = 1, ATC_ON = 2 };

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
 * (atc1_bytes_destroy). */
typedef struct atc_bytes atc_bytes;

/* atc1_bytes_data returns the address of the bytes, and atc1_bytes_size returns their number. If the
 * bytes are a text, a NUL follows the last byte, and the size does not count this NUL. The address
 * is valid until atc1_bytes_destroy. If `bytes` is NULL, the address is NULL and the size is 0. */
const char* atc1_bytes_data(const atc_bytes* bytes);
size_t atc1_bytes_size(const atc_bytes* bytes);
void atc1_bytes_destroy(atc_bytes* bytes);

/* atc: the switches of a process, each with a setter and a getter, and one call that prepares a repeatable run.
 *
 * Every switch may be set on every machine. Without CUDA a setter returns ATC_OK, and the getter
 * returns the value that was set. (The queries of device.h return whether there is CUDA.) Of the
 * switches whose names end in `_cudnn`, only deterministic_cudnn has an effect on the CPU: it
 * excludes implementations that are not bitwise repeatable. A change takes effect at the next plan
 * creation and the next eager call, on every thread, even if the problem ran before. Existing plans
 * do not change.
 *
 * A value that a call sets takes precedence over the environment. The environment takes precedence
 * over the default. The environment variables (docs/environment.md lists them) are read once, at
 * the first call that needs them. A malformed value is ignored, and one line is logged. Some
 * variables are promises about results (docs/trust.md), so their malformed values are not ignored:
 * - A malformed ATC_DETERMINISTIC counts as 1, and one line is logged.
 * - Every call that needs a decision fails in three cases: ATC_PINS does not name a valid pin file;
 *   ATC_MODE is malformed; ATC_MODE is replay-only and the store of ATC_STORE cannot be read. The
 *   error text names the variable. Such calls succeed again after the program itself has set pins
 *   (atc1_set_pins) or a store (atc1_store_use). Meanwhile switches can be set and read.
 *
 * All functions may be called from any thread at any time. */

/* The technique by which candidates are timed. docs/tuning.md describes the techniques. The first
 * three are defined as in cuDNN's frontend. */
typedef int32_t atc_technique;
enum {
  ATC_TECHNIQUE_ONCE = 1,
  ATC_TECHNIQUE_MEDIAN_OF_THREE = 2,
  ATC_TECHNIQUE_TILL_STABLE = 3,
  ATC_TECHNIQUE_INTERLEAVED = 4, /* default */
  ATC_TECHNIQUE_SUSTAINED = 5    /* each of the best candidates is executed for so long that the
                                  * clock frequencies of the device become stable, and only then is
                                  * timed */
};

/* The behaviour of an operation that has no deterministic implementation. */
enum {
  ATC_DETERMINISTIC_ALGORITHMS_OFF = 1, /* default */
  ATC_DETERMINISTIC_ALGORITHMS_WARN = 2,
  ATC_DETERMINISTIC_ALGORITHMS_ERROR = 3
};

/* ---- Switches. A setter returns ATC_ERROR_INVALID_ARGUMENT if a boolean is neither 0 nor 1. A getter
 * returns ATC_ERROR_INVALID_ARGUMENT if `out` is NULL. ---------------------------------------------- */

/* benchmark_cudnn: if 1, the candidates of CUDA convolutions are measured, and the fastest is used.
 * Default 0. */
atc_status atc1_set_benchmark_cudnn(int32_t enabled);
atc_status atc1_get_benchmark_cudnn(int32_t* out);

/* benchmark_limit_cudnn: the largest number of cuDNN's candidates that are timed for one
 * convolution. 0: no limit. Default 10. With a bias, each of these candidates is timed in two
 * forms: with the bias fused, and with the bias added by a separate pass. The number of candidates
 * of other engines is limited separately (docs/engines.md). A negative limit is
 * ATC_ERROR_INVALID_ARGUMENT. */
atc_status atc1_set_benchmark_limit_cudnn(int32_t limit);
atc_status atc1_get_benchmark_limit_cudnn(int32_t* out);

/* user_enabled_cudnn: if 0, the engine `cudnn` is not used. Default 1. */
atc_status atc1_set_user_enabled_cudnn(int32_t enabled);
atc_status atc1_get_user_enabled_cudnn(int32_t* out);

/* deterministic_cudnn: if 1, only deterministic convolution kernels are used. Default 0. */
atc_status atc1_set_deterministic_cudnn(int32_t enabled);
atc_status atc1_get_deterministic_cudnn(int32_t* out);

/* deterministic_algorithms: ATC_DETERMINISTIC_ALGORITHMS_*. For convolutions WARN and ERROR have
 * the same effect: only deterministic kernels are used. If a bridge (for example to LibTorch) is
 * loaded, the switch applies to all operators of the framework. */
atc_status atc1_set_deterministic_algorithms(int32_t mode);
atc_status atc1_get_deterministic_algorithms(int32_t* out);

/* allow_tf32_cudnn: if 1, fp32 convolutions on CUDA may use TF32. Default 1, as in LibTorch. */
atc_status atc1_set_allow_tf32_cudnn(int32_t enabled);
atc_status atc1_get_allow_tf32_cudnn(int32_t* out);

/* benchmark_technique: the technique (ATC_TECHNIQUE_*) by which tuning times the candidates of a
 * convolution. Default ATC_TECHNIQUE_INTERLEAVED. */
atc_status atc1_set_benchmark_technique(atc_technique technique);
atc_status atc1_get_benchmark_technique(atc_technique* out);

/* workspace_limit: the most bytes of workspace that a candidate may use. The limit is rounded down to a class (0, 32
 * MiB, 256 MiB, 1 GiB, 4 GiB), and the getter returns the class. The decisions of different classes
 * are separate. ATC_UNLIMITED means the largest class. Default 1 GiB. */
atc_status atc1_set_workspace_limit(uint64_t bytes);
atc_status atc1_get_workspace_limit(uint64_t* out);

/* Sets race_memory_limit: the most bytes that a race may allocate on its device (on the CPU: in
 * main memory), in addition to the memory that the program holds. ATC_UNLIMITED: no limit.
 * ATC_AUTOMATIC (default): a quarter of the memory that is free when the race begins. If a race
 * needs more, it first uses fewer sets of operands; then candidates whose workspace does not fit
 * leave the race (docs/tuning.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment:
 * ATC_RACE_MEMORY_LIMIT. */
atc_status atc1_set_race_memory_limit(uint64_t bytes);
atc_status atc1_get_race_memory_limit(uint64_t* out);

/* Sets plan_memory_limit: the most bytes of host memory that the cached plans of the process may
 * take. The plans that cuDNN has built for cached plans count, too. ATC_UNLIMITED: no limit.
 * Default 2 GiB. If the plans take more, the least recently used plans are destroyed. The sizes are
 * estimates (docs/threading.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment:
 * ATC_PLAN_MEMORY_LIMIT. */
atc_status atc1_set_plan_memory_limit(uint64_t bytes);
atc_status atc1_get_plan_memory_limit(uint64_t* out);

/* Sets the directories, separated by ':', in which atc searches for libcuda, cuDNN, cuBLASLt and
 * NVML before all other places. NULL or "" clears the list. ATC_ERROR_BUSY: atc has already
 * searched for one of these libraries. */
atc_status atc1_set_library_path(const char* directories);
/* Writes the directories that atc1_set_library_path or the environment variable ATC_LIBRARY_PATH has
 * set, separated by ':'; "" if there are none. `*out` is owned by the library and valid until this
 * thread's next call of this function. */
atc_status atc1_get_library_path(const char** out);

/* Reads the pin file `file`, and obeys its pins from now on. A pin prescribes the implementation of
 * certain problems, or bars implementations (docs/pins.md). The new pins replace the pins of an
 * earlier pin file, also of the file of ATC_PINS. NULL or "" means no pins. A pinned choice takes
 * precedence over records and tuning. A choice that a call gives (atc_conv_options.choice) takes
 * precedence over pins. If the file changes later, it is not read again. ATC_ERROR_IO: the file
 * cannot be read. ATC_ERROR_INVALID_ARGUMENT: the file is not a valid pin file; the error text has
 * the line, the field and its value. After an error the earlier pins remain in force. If ATC_PINS
 * names a file with such an error, every call that needs a decision fails with this error until the
 * program sets another pin file. */
atc_status atc1_set_pins(const char* file);
/* Returns the name of the pin file in force, or "". `*out` is owned by the library and valid until this thread's next
 * call of this function. */
atc_status atc1_get_pins(const char** out);
/* Writes a hash of the pins in force: of their patterns, choices and bars, but not of their names
 * and comments. Writes 0 if there are no pins. */
atc_status atc1_get_pins_hash(uint64_t* out);

/* ---- Snapshot ----------------------------------------------------------------------------------- */

/* The values of all switches. Each field is taken literally: 0 means the number 0, and never "the
 * default". */
typedef struct atc_settings {
  uint32_t struct_size;
  int32_t benchmark_cudnn;
  int32_t benchmark_limit_cudnn;
  int32_t user_enabled_cudnn;
  int32_t deterministic_cudnn;
  int32_t deterministic_algorithms;
  int32_t allow_tf32_cudnn;
  atc_technique benchmark_technique;
  uint64_t workspace_limit;
} atc_settings;

/* Writes the values of all switches to `out`. The caller sets `out->struct_size` before the call.
 * No byte after this size is written. */
atc_status atc1_settings_get(atc_settings* out);
/* Sets all switches to the values of the struct. If one of the values is not valid, the call fails
 * and changes no switch. */
atc_status atc1_settings_apply(const atc_settings* settings);
/* Reads the environment variables again and sets the switches accordingly, even if a call has set a
 * switch before. ATC_ERROR_INVALID_ARGUMENT: a value is malformed, and nothing was changed.
 * ATC_ERROR_IO: the store of ATC_STORE cannot be opened, or the file of ATC_PINS cannot be read. If
 * the store can be read but not written, it is opened for reading, and one line is logged. */
atc_status atc1_settings_from_env(void);

/* ---- Repeatable runs ----------------------------------------------------------------------------- */

/* The conditions of a repeatable run that atc1_set_reproducible could not establish. They are bits
 * of atc_reproducible_report.missing. */
enum {
  ATC_REPRODUCIBLE_NO_CUDA_SEED = 1,      /* atc cannot seed random numbers on CUDA, because no
                                           * bridge (for example to LibTorch) is loaded */
  ATC_REPRODUCIBLE_OPEN_SELECTION = 2,    /* a store is in use in read-write mode, so a run may
                                           * store new choices, and later runs may then differ from
                                           * this run */
  ATC_REPRODUCIBLE_CUBLAS_WORKSPACE = 4,  /* the environment variable CUBLAS_WORKSPACE_CONFIG is not set */
  ATC_REPRODUCIBLE_CPU_THREADS = 8        /* the environment variable OMP_NUM_THREADS is not set, so sums depend on
                                           * the number of cores */
};

typedef struct atc_reproducible_report {
  uint32_t struct_size;
  uint32_t missing; /* bits: ATC_REPRODUCIBLE_* */
  char text[504];   /* a text with one line for each bit of `missing` */
} atc_reproducible_report;

/* Prepares a repeatable run: sets deterministic_cudnn = 1, deterministic_algorithms = ERROR and benchmark_cudnn = 0,
 * and seeds all generators of random numbers. `out` (may be NULL) receives the conditions that
 * could not be established. The call succeeds even if there are such conditions. */
atc_status atc1_set_reproducible(atc_reproducible_report* out, uint64_t seed);

/* atc: convolutions. A program describes a convolution as a problem (its shapes, types and direction), creates a plan
 * (the implementation that atc has chosen for the problem, ready to run), and executes the plan. A
 * program that does not want to keep plans calls atc1_convolution, which creates the plans and keeps
 * them in a cache. docs/architecture.md explains the terms ("Words").
 *
 * Forward:          y[n,k,o] = bias[k] + sum over c,t of x[n,c, o*stride + t*dilation - padding_low] * w[k,c,t]
 * Backward-data:    computes x from w and y.
 * Backward-weight:  computes w from x and y. In all three directions x is the input of the forward
 *                   convolution, w its weights, and y its output.
 * Transposed:       the same three directions for y = (the adjoint of a convolution)(x).
 *
 * Shapes are in elements and in the order that is written here, whatever the layout in memory is:
 *   x [batch, in_channels, input…]     y [batch, out_channels, output…]     bias [channels of the output]
 *   w [out_channels, in_channels / groups, kernel…], transposed: [in_channels, out_channels / groups, kernel…]
 *   output = (input + padding_low + padding_high - dilation*(kernel-1) - 1) / stride + 1, rounded down;
 *   transposed: (input-1)*stride - padding_low - padding_high + dilation*(kernel-1) + output_padding + 1.
 *
 * A forward problem may have post-ops: operations that are applied to the sum. Their order is:
 * scale[k] of the channel, bias[k], a residual tensor with the output's shape, and an activation:
 *   y = activation(scale[k] * (sum over c,t of …) + bias[k] + residual[n,k,o])
 *
 * Products are added up in fp32 or better, and the sum is rounded once to the output's type. There are five
 * exceptions:
 * - If TF32 is allowed, CUDA may round f32 operands to TF32 before multiplying them.
 * - With `accumulate`, the sum may be rounded before the old value is added, and again afterwards.
 * - Partial sums may be rounded to the operands' type if allow_reduced_precision_reduction allows
 *   it. An implementation with the flag ATC_ENGINE_ORIGINAL (the program's own convolution) may
 *   also round partial sums in this way, unless strict_precision forbids it.
 * - An engine that was registered with ATC_ENGINE_ROUNDS_TWICE may round the sum before the bias is added, and again
 *   afterwards.
 * - If the problem has a scale, a residual or a field `activation` other than 0, the sum may be
 *   rounded before the post-ops, and the result of the post-ops is rounded again. */

typedef int32_t atc_direction;
enum { ATC_FORWARD = 1, ATC_BACKWARD_DATA = 2, ATC_BACKWARD_WEIGHT = 3 };

typedef int32_t atc_dtype;
enum { ATC_DTYPE_F32 = 1, ATC_DTYPE_BF16 = 2, ATC_DTYPE_F16 = 3 };

typedef int32_t atc_layout;
enum {
  ATC_LAYOUT_CHANNELS_FIRST = 1, /* x, w and y are dense, and their last dimension varies fastest */
  ATC_LAYOUT_CHANNELS_LAST = 2,  /* x, w and y are dense, and dimension 1 (channels) varies fastest */
  ATC_LAYOUT_STRIDED = 3         /* the problem gives the strides: x_strides, w_strides and y_strides */
};

typedef int32_t atc_epilogue;
enum { ATC_EPILOGUE_NONE = 1, ATC_EPILOGUE_BIAS = 2, ATC_EPILOGUE_BIAS_RELU = 3 };

/* The activation of a problem: the last of the operations (post-ops) that follow the sum. In the
 * formulas `t` is the sum after scale, bias and residual. If t is NaN, the result is NaN. */
typedef int32_t atc_activation;
enum {
  ATC_ACTIVATION_NONE = 0,
  ATC_ACTIVATION_RELU = 1,       /* max(t, 0) */
  ATC_ACTIVATION_RELU6 = 2,      /* min(max(t, 0), 6) */
  ATC_ACTIVATION_CLAMP = 3,      /* min(max(t, activation_low), activation_high) */
  ATC_ACTIVATION_SILU = 4,       /* t / (1 + exp(-t)) */
  ATC_ACTIVATION_GELU = 5,       /* t / 2 * (1 + erf(t / sqrt(2))) */
  ATC_ACTIVATION_GELU_TANH = 6,  /* t / 2 * (1 + tanh(sqrt(2 / pi) * (t + 0.044715 * t^3))) */
  ATC_ACTIVATION_HARD_SWISH = 7, /* t / 6 * min(max(t + 3, 0), 6) */
  ATC_ACTIVATION_SIGMOID = 8,    /* 1 / (1 + exp(-t)) */
  ATC_ACTIVATION_LEAKY_RELU = 9  /* t, or activation_slope * t if t is negative */
};

/* A convolution. Each field is taken literally: 0 means the number 0, and never a default.
 * atc_conv_problem_init sets usual values. Of each array of 3 entries, atc reads the first
 * `spatial_dims`. */
typedef struct atc_conv_problem {
  uint32_t struct_size;
  atc_direction direction;
  int32_t spatial_dims;      /* 1, 2 or 3 */
  int32_t transposed;        /* 0 or 1 */
  int64_t batch;             /* batch size, >= 0. With batch size 0 every call succeeds, and
                              * backward-weight writes zeros */
  int64_t in_channels;       /* channels of x, a multiple of groups */
  int64_t out_channels;      /* channels of y, a multiple of groups */
  int64_t groups;            /* >= 1 */
  int64_t input[3];          /* spatial extents of x, >= 1, in the order D,H,W or H,W or W */
  int64_t kernel[3];         /* >= 1 */
  int64_t stride[3];         /* >= 1 */
  int64_t dilation[3];       /* >= 1 */
  int64_t padding_low[3];    /* the padding: number of zeros before the first element of x in this
                              * dimension, >= 0 */
  int64_t padding_high[3];   /* the padding: number of zeros after the last element of x in this
                              * dimension, >= 0 */
  int64_t output_padding[3]; /* number of elements by which y is made larger in this dimension, >= 0
                              * and less than the larger of stride and dilation. Must be 0 unless
                              * the problem is transposed */
  atc_dtype x_dtype;
  atc_dtype w_dtype;
  atc_dtype y_dtype;
  atc_layout layout;
  atc_epilogue epilogue;     /* for forward problems only. The bias has the output's dtype */
  int32_t accumulate;        /* 0: output = result. 1: output += result. If the epilogue has a ReLU,
                              * the ReLU is applied after this addition */
  int64_t x_strides[5];      /* distances in memory between neighbours along each dimension of x, in
                              * elements, in the order of the shape. Read only if `layout` is
                              * ATC_LAYOUT_STRIDED */
  int64_t w_strides[5];
  int64_t y_strides[5];
  /* The post-ops, for forward problems. If `scale`, `residual` or `activation` is not 0,
   * `accumulate` must be 0. The tensors of scale and residual are passed in atc_conv_operands. */
  int32_t scale;             /* 1: the sum is multiplied by a number, which each channel of the
                              * output has of its own. These numbers are passed as a tensor of the
                              * output's dtype. 0: no scale */
  int32_t residual;          /* 1: a further tensor (the residual) is added before the activation.
                              * It has the output's shape, strides and dtype. 0: no residual */
  atc_activation activation; /* ATC_ACTIVATION_*. 0: no activation, except the ReLU that `epilogue`
                              * may have. If the value is not 0, `epilogue` must be
                              * ATC_EPILOGUE_NONE or ATC_EPILOGUE_BIAS */
  float activation_low;      /* the lower limit of ATC_ACTIVATION_CLAMP, in the range of the output's dtype. 0 for all
                              * other activations */
  float activation_high;     /* the upper limit of ATC_ACTIVATION_CLAMP, not below activation_low. 0
                              * for all other activations */
  float activation_slope;    /* the slope of ATC_ACTIVATION_LEAKY_RELU, 0 to 1. 0 for all other activations */
} atc_conv_problem;

/* Fills all fields of `out`, `struct_size` included. The result is a forward fp32 problem of
 * `spatial_dims` (1, 2 or 3) dimensions. Stride, dilation, groups, batch, channels, kernel and
 * input extents are 1, the layout is channels first, and there is no epilogue. The parameter
 * `struct_size` is the size of the caller's atc_conv_problem in bytes. No byte after this size is
 * written. In atc.h the macro atc_conv_problem_init(&problem, 2) passes this size.
 * ATC_ERROR_INVALID_ARGUMENT: `spatial_dims` is not 1, 2 or 3, or `struct_size` is not the size of
 * any version of the struct. */
atc_status atc1_conv_problem_init_sized(atc_conv_problem* out, size_t struct_size, int32_t spatial_dims);

/* Writes a description of a problem as text, in one line. Reports and messages describe problems by
 * the same text: "forward x=8x64x56x56 f32 w=…". The caller destroys `*out`.
 * ATC_ERROR_INVALID_ARGUMENT is returned if the problem is not valid. */
atc_status atc1_conv_problem_describe(atc_bytes** out, const atc_conv_problem* problem);

/* Names for the tensors of a convolution: input (x), weights (w), bias, output (y), and the scale
 * and residual of the post-ops. */
enum {
  ATC_OPERAND_X = 1,
  ATC_OPERAND_W = 2,
  ATC_OPERAND_BIAS = 3,
  ATC_OPERAND_Y = 4,
  ATC_OPERAND_SCALE = 5,
  ATC_OPERAND_RESIDUAL = 6
};

/* Writes the shape and the strides of one operand (ATC_OPERAND_*) of a problem, in elements. The
 * caller's arrays `shape` and `strides` must have room for `spatial_dims + 2` entries; for bias and
 * scale one entry is written. Either pointer may be NULL. ATC_ERROR_INVALID_ARGUMENT is returned if
 * the problem is not valid. */
atc_status atc1_conv_operand_shape(int64_t* shape, int64_t* strides, const atc_conv_problem* problem, int32_t operand);

/* ---- Plans ----------------------------------------------------------------------------------------- */

/* The source of a decision: where the decision comes from. A decision names the implementation (the
 * choice) that runs a problem. */
enum {
  ATC_SOURCE_GIVEN = 1,      /* the caller gave the choice */
  ATC_SOURCE_RECORD = 2,     /* a record (a decision kept in the store) */
  ATC_SOURCE_INHERITED = 3,  /* a record of the most similar problem that differs only in its sizes
                              * (atc_conv_options.near_shapes) */
  ATC_SOURCE_MEMORY = 4,     /* an earlier call of this process measured the problem */
  ATC_SOURCE_TUNED = 5,      /* this call measured the problem */
  ATC_SOURCE_DEFAULT = 6,    /* nothing was measured; the choice is the first implementation that the
                              * default engine offers */
  ATC_SOURCE_REFERENCE = 7,  /* no other engine can run the problem, so the slow engine `reference`
                              * runs it */
  ATC_SOURCE_PINNED = 8,     /* a pin, which prescribes the choice (atc1_set_pins). A pin takes
                              * precedence over all other sources except GIVEN */
  ATC_SOURCE_AGREED = 9,     /* the ranks (processes) of a job have agreed on the choice (group.h).
                              * An agreement takes precedence over all other sources except GIVEN and
                              * PINNED */
  ATC_SOURCE_BESIDE = 10,    /* the problem was measured by the program's own calls, which atc has
                              * timed (ATC_TUNE_BESIDE) */
  ATC_SOURCE_PREDICTED = 11, /* this problem was not measured. Measurements of similar problems
                              * predict that the choice is faster than the default
                              * (ATC_TUNE_PREDICT) */
  ATC_SOURCE_ADOPTED = 12    /* a record of the same problem that was measured with other versions of
                              * cuDNN, oneDNN or LibTorch (atc_conv_options.other_versions) */
};

/* Returns the name of a source (ATC_SOURCE_*): "ATC_SOURCE_RECORD", …, or "unknown source" for a number that this
 * version does not know. The string is static and never NULL. */
const char* atc1_source_name(int32_t source);

/* The progress of a call that tunes (measures), as a progress callback receives it. Such a call is
 * atc1_tune, which tunes a list of problems, or the creation of a plan (atc_conv_options.progress),
 * which tunes one problem. */
typedef struct atc_tune_progress {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t problem;         /* index of the problem that is being tuned, from 0 */
  uint64_t problems;        /* number of problems; 1 for a plan */
  double problem_fraction;  /* progress of this problem, from 0 to 1. It is 0 at the start and never
                             * decreases. It is 1 in exactly one callback, when the problem is
                             * decided or has failed */
  double seconds;           /* seconds since the call that tunes began */
  const char* description;  /* text that describes the problem; valid during the callback */
  const char* candidate;    /* the choice that is prepared, checked or timed after this callback; ""
                             * if there is none. Valid during the callback */
} atc_tune_progress;

/* A progress callback. The callback is called at the start and the end of each problem, and between
 * measurements. It is called on the thread of the call that tunes. If the callback returns
 * non-zero, the call that tunes is cancelled, and the callback is not called again. The callback
 * must return normally. If an exception, longjmp or panic left the callback, every later race
 * (comparison of candidates by time) would wait for ever. If the callback makes a call that would
 * measure, this call returns ATC_ERROR_BUSY (extend.h lists these calls). */
typedef int32_t (*atc_tune_callback)(const atc_tune_progress* progress, void* payload);

struct atc_store;     /* store.h */
struct atc_allocator; /* extend.h */

/* ATC_TUNE_LATER is a third state of atc_conv_options.tune and atc_torch_options.tune. With
 * ATC_TUNE_LATER calls measure nothing. If this process or the store has a decision for the problem
 * of a call, the call uses this decision. Otherwise the call uses a record of other versions
 * (other_versions) or of a near problem (the same convolution with similar sizes, near_shapes). If
 * there is no such record, the default engine runs. A problem without a decision of its own is
 * noted, so that a later atc1_tune can measure it (problems.h). */
enum { ATC_TUNE_LATER = 3 };

/* ATC_TUNE_BESIDE is a fourth state of atc_conv_options.tune and atc_torch_options.tune. Calls
 * behave as with ATC_TUNE_LATER. In addition, calls with cached plans (atc1_convolution,
 * atc1_conv_plan_acquire) are used as measurements. First a background thread of atc checks which
 * candidates compute correct results. Then each call of the program runs one of the correct
 * candidates and is timed, until one candidate is known to be the fastest. No call waits for the
 * background thread. Until the decision is made, the last bits of the results may differ from call
 * to call. A plan of atc1_conv_plan_create keeps its choice.
 *
 * In these cases ATC_TUNE_BESIDE is treated as ATC_TUNE_LATER, and one warning is logged: the
 * options ask for deterministic results, firm decisions or constant weights; the store is
 * replay-only; the environment variable WORLD_SIZE is above 1. */
enum { ATC_TUNE_BESIDE = 4 };

/* ATC_TUNE_PREDICT is a fifth state of atc_conv_options.tune and atc_torch_options.tune. Calls
 * measure nothing. If this process or the store has a decision for the problem of a call, the call
 * uses this decision. Otherwise the call uses a record of other versions (other_versions) or of a
 * near problem (the same convolution with similar sizes, near_shapes). If there is no such record,
 * atc predicts the fastest candidate from earlier races of similar problems (docs/tuning.md), and
 * this candidate runs. If no candidate is expected to be faster than the default, or if atc has no
 * measurements of the device, the default engine runs. Before a predicted choice is used for the
 * first time in a process, its results are checked. A prediction is never stored.
 *
 * If the options ask for firm decisions, nothing is predicted, and one warning is logged. In
 * replay-only mode a call without a record fails. If the options ask for deterministic results, or
 * if the environment variable WORLD_SIZE is above 1, only the measurements that are built into the
 * library are used. So equal machines make equal predictions. */
enum { ATC_TUNE_PREDICT = 5 };

/* Options of a plan. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or ATC_ON.
 * The number 1 means ATC_OFF: to turn tuning on, write `options.tune = ATC_ON`,
 * atc_option_enable(&options.tune) or atc_option_set (base.h).
 *
 * The fields `store`, `use_store` and `allocator` are for libraries that share the process with
 * other users of atc. If a call has a `store`, the decisions of the call are written to this store.
 * The process also keeps these decisions in memory, but only calls with the same store handle use
 * them. In the same way, only calls with `use_store` off use the decisions that a call with
 * `use_store` off has made. */
typedef struct atc_conv_options {
  uint32_t struct_size;
  int32_t tune;             /* ATC_ON: measure if no decision is known. ATC_TUNE_LATER: note the problem if no
                             * decision is known. ATC_TUNE_BESIDE: let the calls try and time candidates if no
                             * decision is known. ATC_TUNE_PREDICT: predict the choice if no decision is known.
                             * 0: ATC_TUNE, else benchmark_cudnn for CUDA, off on the CPU. ATC_TUNE
                             * is an environment variable, and benchmark_cudnn is a switch of
                             * settings.h */
  int32_t deterministic;    /* ATC_ON: use only deterministic kernels. 0: deterministic_cudnn or
                             * deterministic_algorithms (switches of settings.h) */
  int32_t allow_tf32;       /* ATC_ON: allow TF32 in fp32 convolutions. 0: allow_tf32_cudnn (a
                             * switch of settings.h) */
  int32_t allow_reference;  /* 0: on. Off: if only the slow engine `reference` could run the
                             * problem, the call returns ATC_ERROR_UNSUPPORTED, and the error text
                             * has each engine's reason. With a batch of 0 the call succeeds
                             * nevertheless */
  int32_t constant_weights; /* 0: off. On: the program will pack the weights in advance by
                             * atc1_conv_plan_set_weights. So candidates are timed with packed
                             * weights, and the time of packing does not count */
  atc_technique technique;  /* how candidates are timed. 0: benchmark_technique (a switch of
                             * settings.h) */
  uint32_t alignment;       /* the alignment in bytes, a power of 2: the caller promises that the
                             * addresses of x, w, y and the residual are multiples of this number.
                             * 0: 16 on CUDA. On CUDA a number above 16 counts as 16. With less than 16, cuDNN has
                             * few implementations; for f16 and bf16 with channels last all of these
                             * are slow. CPU: addresses need only be multiples of the element size,
                             * whatever this field is */
  uint64_t workspace_limit; /* the most bytes of workspace that the plan may need. 0:
                             * workspace_limit on CUDA, 1 GiB on the CPU (workspace_limit is a
                             * switch of settings.h). ATC_NONE: no workspace. ATC_UNLIMITED: no
                             * limit */
  double budget_seconds;    /* the longest time, in seconds, that measuring the problem (a race) may
                             * take. 0: 2 s */
  char front_end[64];       /* set by a front end (a program that computes convolutions itself and
                             * consults atc, for example the LibTorch bridge): the name of the
                             * engine that the front end has registered. "": none. This engine is
                             * the default engine of the call. If an implementation of the engine
                             * returns a buffer of its own (ATC_ENGINE_RETURNS_OUTPUT), only calls
                             * with this name may use it */
  int32_t require_firm;     /* 0: off. On: provisional records (decisions whose race could not find
                             * the fastest candidate with certainty) are ignored, and a provisional
                             * decision is not stored */
  int32_t strict_precision; /* a rule for imprecise candidates that are the program's own
                             * convolution (ATC_ENGINE_ORIGINAL). A candidate is imprecise if it
                             * rounds partial sums to the operands' type (f32: to TF32's 11 bits).
                             * 0: off: such a candidate is marked (ATC_CANDIDATE_IMPRECISE) and may
                             * win. On: such a candidate is refused, and so is every candidate of
                             * the engine winograd. If a record has a marked winner, the fastest
                             * unmarked candidate is used */
  int32_t allow_reduced_precision_reduction; /* 0: off. On: every candidate may round partial sums
                                              * to the operands' type (f32: to TF32's 11 bits) */
  int32_t use_store;        /* whether the call uses a store. 0: on. Off: no store is read or
                             * written, and `store` must be NULL */
  const struct atc_store* store; /* the store that this call reads and writes. The store may be
                                  * closed when the call has returned. NULL: the store in use
                                  * (atc1_store_use or ATC_STORE) */
  const struct atc_allocator* allocator; /* an allocator that this call and its plan use in place of
                                          * the process's allocator. The allocator provides the
                                          * memory of races, the memory of weights that are set, and
                                          * the workspaces of executions without a workspace of the
                                          * caller (except in stream captures). Such a workspace is
                                          * freed after the execution. The struct is copied. Its
                                          * field `destroy` must be NULL. Its `user` belongs to the
                                          * caller and must remain valid until the plan is destroyed
                                          * or released. NULL: the process's allocator */
  atc_tune_callback progress; /* called while candidates are timed, and never if nothing is
                               * measured. If the callback cancels, the call returns
                               * ATC_ERROR_CANCELLED, makes no plan and discards the decision, even
                               * if `problem_fraction` was 1 (the problem was already decided).
                               * NULL: none */
  void* progress_payload;     /* passed to the callback `progress` */
  const char* choice;         /* the choice (engine, version and configuration) that the plan must
                               * use, as with atc1_conv_plan_create_with_choice. That function
                               * ignores this field. The text is copied. NULL or "": none */
  uint64_t race_memory_limit; /* the most bytes that a race may allocate in addition to the memory
                               * that the program holds, or ATC_UNLIMITED. ATC_NONE is refused. 0:
                               * race_memory_limit of the process, else a quarter of the free memory
                               * (atc1_set_race_memory_limit) */
  int32_t near_shapes;        /* whether a problem without a record of its own may use the record of
                               * a near problem. A near problem differs only in batch and spatial
                               * extents, each by at most a factor of 2, and has equally aligned
                               * strides (docs/tuning.md). 0: on, except with a replay-only store.
                               * On: also with a replay-only store. Off: never, even if only the
                               * batch differs */
  int32_t other_versions;     /* whether a problem without a usable record of its own may use a
                               * record of other versions. Such a record was measured on the same
                               * device model with another cuDNN (on the CPU: oneDNN) or another
                               * LibTorch, and each part of its choice exists here in the recorded
                               * version (docs/tuning.md). If the call measures, this choice is
                               * timed first. 0: ATC_OTHER_VERSIONS, else off (ATC_OTHER_VERSIONS is
                               * an environment variable). On with a replay-only store:
                               * ATC_ERROR_INVALID_ARGUMENT */
} atc_conv_options;

/* A plan: the implementation that was chosen for a problem, ready to be executed. If weights were
 * set, the plan also has the packed weights. Any thread may use a plan, but only one thread at a
 * time. */
typedef struct atc_conv_plan atc_conv_plan;

/* Decides which implementation runs the problem, and prepares the plan. The decision comes from the
 * first source that has one, in the order GIVEN, PINNED, AGREED, RECORD, MEMORY, TUNED, ADOPTED,
 * INHERITED, PREDICTED, DEFAULT, REFERENCE (ATC_SOURCE_*). The option `tune` determines which of
 * these sources are asked: MEMORY only if `tune` is not off; TUNED only with ATC_ON; ADOPTED and
 * INHERITED only if the call may not measure; PREDICTED only with ATC_TUNE_PREDICT. `options` may be
 * NULL. The caller destroys `*out`.
 *
 *   atc_conv_plan* plan = NULL;
 *   atc_conv_problem p;
 *   atc_conv_problem_init(&p, 2);
 *   p.batch = 8; p.in_channels = 64; p.out_channels = 64; p.input[0] = p.input[1] = 56;
 *   p.kernel[0] = p.kernel[1] = 3; p.padding_low[0] = p.padding_low[1] = 1; … padding_high too
 *   if (atc1_conv_plan_create(&plan, (atc_device){ATC_DEVICE_CPU, 0}, &p, NULL)) puts(atc1_last_error());
 *
 * Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field.
 * - ATC_ERROR_UNSUPPORTED: no engine can run the problem, or a pin cannot be obeyed.
 * - ATC_ERROR_NOT_TUNED: the store is replay-only and has no record of the problem.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_CAPTURING: `tune` is ATC_ON and the stream is being captured.
 * - ATC_ERROR_CANCELLED: the callback `options->progress` cancelled. */
atc_status atc1_conv_plan_create(atc_conv_plan** out, atc_device device, const atc_conv_problem* problem,
                                 const atc_conv_options* options);
/* Makes a plan that runs the given `choice`. If the choice cannot be used, the call fails, and no
 * other choice is taken. `choice` is a text in the form that atc1_conv_plan_choice returns. The
 * caller destroys `*out`. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field, or says that `choice` is not of that form.
 * - ATC_ERROR_UNSUPPORTED: the engine of the choice does not exist here, has another version or
 *   cannot build the choice, or the choice computed wrong results when atc checked them.
 * - ATC_ERROR_OUT_OF_MEMORY: memory does not suffice.
 * - ATC_ERROR_LIBRARY: a library of CUDA or cuDNN that the engine needs is missing or cannot be used.
 * - ATC_ERROR_DEVICE: CUDA failed. */
atc_status atc1_conv_plan_create_with_choice(atc_conv_plan** out, atc_device device, const atc_conv_problem* problem,
                                             const atc_conv_options* options, const char* choice);
/* Lists the pins that a plan of this device, problem and options obeys. A pin is an entry of the
 * pin file (atc1_set_pins): it gives the choice for certain problems, or bars engines, rewrites or
 * choices. `*out` is the text of a JSON array of {"number": …, "line": …, "name": …}, each with a
 * member "choice" or "bar". If a pin gives the choice, the array has this pin alone. Otherwise the
 * array has all bars for the problem. If no pin is for the problem, the array is empty. `number` is
 * the position of the pin in its file, from 1. If a bar names an unknown engine or rewrite, the
 * member "unknown" maps this name to the most similar known name, or to "": {"onedn": "onednn"}.
 * The call builds no plan. `options` may be NULL. The caller destroys `*out`.
 * ATC_ERROR_INVALID_ARGUMENT: the error text names the field. If the file of ATC_PINS has an error,
 * the status is that of atc1_set_pins. */
atc_status atc1_conv_pins(atc_bytes** out, atc_device device, const atc_conv_problem* problem,
                          const atc_conv_options* options);
/* The effect of the pin file on a problem. (A pin prescribes the choice of certain problems, or
 * bars implementations. atc1_conv_pins lists the pins.) */
enum {
  ATC_PINS_CHOOSE = 1, /* a pin gives the choice */
  ATC_PINS_BAR = 2     /* no pin gives the choice, but pins bar engines, rewrites or choices */
};
/* Writes the effect of the pins on a problem: ATC_PINS_CHOOSE, ATC_PINS_BAR, or 0 if no pin is for the problem.
 * Arguments and errors are those of atc1_conv_pins. */
atc_status atc1_conv_pins_effect(int32_t* out, atc_device device, const atc_conv_problem* problem,
                                 const atc_conv_options* options);
/* Destroys a plan. If `plan` is NULL, nothing happens. A plan may be destroyed while its work is
 * queued or captured on CUDA: the work still runs. The operands, and a workspace that the caller
 * provided, must remain valid until the work has run. */
void atc1_conv_plan_destroy(atc_conv_plan* plan);

/* Writes the number of bytes of workspace that atc1_conv_plan_execute needs for the plan. A
 * workspace must be aligned to 64 bytes on the CPU and to 256 bytes on CUDA. */
atc_status atc1_conv_plan_workspace_size(uint64_t* out, const atc_conv_plan* plan);

/* Runs the plan. A forward plan reads x, w and bias, and writes y. A backward-data plan reads w and
 * y, and writes x. A backward-weight plan reads x and y, and writes w. `bias` is NULL unless the
 * problem has an epilogue (a bias, with or without a ReLU). `w` may be NULL after
 * atc1_conv_plan_set_weights.
 *
 * The views must have the problem's shapes, strides and dtypes, and their memory must be on the
 * plan's device. The addresses of x, w, y and the residual must be multiples of the plan's alignment
 * (atc_conv_options). The output must not share a byte with another operand or with the workspace;
 * if it does, the status is ATC_ERROR_INVALID_ARGUMENT. The output may interleave with another
 * operand (its elements lie in the gaps that the other operand's strides leave). Inputs may overlap
 * each other.
 *
 * `workspace` holds `workspace_size` bytes, at least atc1_conv_plan_workspace_size. If `workspace`
 * is NULL, the allocator provides a workspace for this call. On the CPU the call ignores `stream`
 * and returns when the output is written. On CUDA the call queues its work on `stream`.
 *
 * If the stream is being captured and `workspace` is NULL, atc itself allocates the workspace,
 * without the allocator. This workspace lives as long as the graph, and the captured calls of one
 * stream share it. All executables of a graph use the same workspace and the same operands. So if
 * two executables are to run at the same time, they must come from different graphs. Each of these
 * graphs needs operands and a `workspace` of its own.
 *
 * ATC_ERROR_INVALID_ARGUMENT: the error text names the operand and the fault.
 * ATC_ERROR_UNSUPPORTED: the choice is a front end's own convolution (ATC_ENGINE_RETURNS_OUTPUT),
 * which only the front end can run. */
atc_status atc1_conv_plan_execute(atc_conv_plan* plan, const atc_tensor_view* x, const atc_tensor_view* w,
                                  const atc_tensor_view* bias, const atc_tensor_view* y, void* workspace,
                                  uint64_t workspace_size, atc_stream stream);

/* The tensors that a call reads and writes. If the problem lacks one of these tensors (a bias, for
 * example), its field is NULL. */
typedef struct atc_conv_operands {
  uint32_t struct_size;
  uint32_t reserved;
  const atc_tensor_view* x;
  const atc_tensor_view* w;
  const atc_tensor_view* bias;
  const atc_tensor_view* y;
  const atc_tensor_view* scale;    /* needed if the problem has a scale */
  const atc_tensor_view* residual; /* the residual (the tensor that is added); needed if the problem
                                    * has one. The call only reads it */
} atc_conv_operands;

/* Runs the plan like atc1_conv_plan_execute. This function also supports problems with a scale or a
 * residual. */
atc_status atc1_conv_plan_execute_v2(atc_conv_plan* plan, const atc_conv_operands* operands, void* workspace,
                                     uint64_t workspace_size, atc_stream stream);

/* Packs the weights `w` for this plan, so that atc1_conv_plan_execute can be called with `w` = NULL. The buffer of `w`
 * is read before the call returns and is not needed afterwards. On CUDA the buffer is read on the
 * legacy default stream. If work on another stream writes the buffer, this work must have finished
 * before the call. The function may be called again with other weights. Executions that were queued
 * or captured earlier still use the earlier weights. ATC_ERROR_INVALID_ARGUMENT: the problem is
 * backward-weight, so w is the output. */
atc_status atc1_conv_plan_set_weights(atc_conv_plan* plan, const atc_tensor_view* w);

/* Runs the plan once on operands that atc fills with normally distributed numbers, and writes `count` elements of the
 * output to `out`. The elements are spread evenly over the output: out[i] is the element with the
 * index i * (number of elements) / count, in row-major order of the shape. `seed` determines the
 * numbers. Equal seeds give equal operands on every machine, so the results of two libraries or
 * devices can be compared. The call returns when the device has finished. The call must not be made
 * during a stream capture. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the output has no elements, or fewer than `count`.
 * - ATC_ERROR_OUT_OF_MEMORY: the operands do not fit into memory.
 * - ATC_ERROR_LIBRARY: the plan is for CUDA, and atc was built without device kernels. */
atc_status atc1_conv_plan_sample(double* out, size_t count, atc_conv_plan* plan, uint64_t seed);

/* Returns the plan's choice as text: "engine@version:configuration", with a prefix
 * "rewrite@version>" for each rewrite. (A rewrite turns the problem into another problem, which the
 * engine computes.) The text is valid as long as the plan. */
atc_status atc1_conv_plan_choice(const char** out, const atc_conv_plan* plan);
/* Returns the source of the plan's decision: ATC_SOURCE_*. */
atc_status atc1_conv_plan_source(int32_t* out, const atc_conv_plan* plan);

/* Writes 1 to `*out` if the plan's decision is provisional, else 0. A decision is provisional if
 * its race could not show with certainty that the choice is the fastest. For a provisional
 * decision, `*risk` estimates by which fraction the choice may be slower than another candidate
 * (0.1: 10 %). `*risk` is 0 if the decision is not provisional, or if the technique of timing gives
 * no estimate. `risk` may be NULL. */
atc_status atc1_conv_plan_provisional(int32_t* out, double* risk, const atc_conv_plan* plan);

/* The outcome of a candidate. A candidate is one implementation, in one configuration, that was
 * considered for a problem. */
enum {
  ATC_OUTCOME_WON = 1,
  ATC_OUTCOME_LOST = 2,          /* the candidate was timed to the end and was slower than the winner */
  ATC_OUTCOME_DROPPED = 3,       /* the candidate was slower than the fastest candidate, so it left
                                  * the race early and was not timed to the end */
  ATC_OUTCOME_TIED = 4,          /* the times of the candidate and of the winner differ by less than
                                  * the tie margin, and the winner was preferred */
  ATC_OUTCOME_NOT_PREPARED = 5,  /* the candidate could not be built */
  ATC_OUTCOME_WRONG_RESULT = 6,  /* the candidate computed a wrong result */
  ATC_OUTCOME_FAILED = 7,        /* an execution of the candidate failed */
  ATC_OUTCOME_OUT_OF_MEMORY = 8,
  ATC_OUTCOME_SKIPPED = 9,       /* the candidate was not timed: it was not expected to be worth the
                                  * time, or the budget, the limit of candidates or a cancellation
                                  * left it out */
  ATC_OUTCOME_OFFERED = 10       /* the candidate was not measured */
};

/* Returns the name of a candidate's result (ATC_OUTCOME_*): "ATC_OUTCOME_WON", …, or "unknown outcome" for a number
 * that this version does not know. The string is static and never NULL. */
const char* atc1_outcome_name(int32_t outcome);

/* Marks of a candidate (bits of atc_candidate.flags). */
enum {
  ATC_CANDIDATE_IN_GRAPH = 1,   /* the candidate was timed in CUDA graphs. The reason: the device
                                 * would have waited for the host, while this candidate or another
                                 * one of the race was timed by single calls */
  ATC_CANDIDATE_HOST_BOUND = 2, /* the candidate is limited by the host: the host takes longer to
                                 * issue an execution than the device takes to run it */
  ATC_CANDIDATE_CAPTURED = 4,   /* plans that are made in a stream capture use this candidate. All
                                 * other plans use the winner */
  ATC_CANDIDATE_IMPRECISE = 8   /* the candidate's result is correct, but less precise than the
                                 * options allow (atc_conv_options.strict_precision). The field
                                 * `reason` has the details */
};

/* One candidate, with its outcome and its times. Strings are never NULL. They are valid as long as
 * the plan or report that filled the struct. */
typedef struct atc_candidate {
  uint32_t struct_size;
  int32_t outcome;           /* ATC_OUTCOME_* */
  const char* engine;
  const char* version;
  const char* configuration;
  const char* notes;
  const char* reason;        /* why the candidate was not chosen, or how its result is less precise
                              * than allowed; "" if there is nothing to say */
  uint64_t workspace;        /* bytes */
  uint64_t samples;          /* number of samples. A sample is the time of a batch (executions back
                              * to back). If 0, the fields with times mean nothing */
  uint64_t executions;
  double mean;               /* seconds per execution, as the mean over the samples */
  double median;
  double min;
  double max;
  double deviation;          /* standard deviation of the samples, in seconds */
  double clock_hz;           /* median clock frequency during the samples; 0: unknown */
  const char* rewrites;      /* the rewrites of the candidate (conversions to another problem, which
                              * the engine computes): the text in front of the engine's name in a
                              * choice ("nhwc@1>"), or "" */
  double host;               /* median of the time, in seconds, that the host takes to issue one
                              * execution; 0: unknown */
  uint64_t launches;         /* number of kernels, copies and fills that one execution launches; 0:
                              * unknown */
  uint32_t flags;            /* ATC_CANDIDATE_* */
  uint32_t reserved;         /* 0 */
} atc_candidate;

/* atc1_conv_plan_candidate_count writes the number of candidates of the plan's decision.
 * atc1_conv_plan_candidate writes the candidate `index` to `out`. A candidate has times if a race of
 * this process measured the candidate, or if the store's record has its times. */
atc_status atc1_conv_plan_candidate_count(size_t* out, const atc_conv_plan* plan);
atc_status atc1_conv_plan_candidate(atc_candidate* out, const atc_conv_plan* plan, size_t index);

/* ---- Eager ------------------------------------------------------------------------------------------ */

/* Runs a convolution: creates a plan or takes one from the cache, and executes it. The views
 * determine the device. The plan's alignment is the alignment of the views' addresses. Decisions
 * come from the store in use, and workspaces from the process's allocator. Any number of threads
 * may call the function at once. The errors are those of atc1_conv_plan_create and
 * atc1_conv_plan_execute. */
atc_status atc1_convolution(const atc_conv_problem* problem, const atc_tensor_view* x, const atc_tensor_view* w,
                            const atc_tensor_view* bias, const atc_tensor_view* y, atc_stream stream);

/* Runs a convolution like atc1_convolution. This function also supports problems with a scale or a
 * residual. */
atc_status atc1_convolution_v2(const atc_conv_problem* problem, const atc_conv_operands* operands, atc_stream stream);

/* Takes a plan for this device, problem and options out of the cache in which atc1_convolution, too,
 * keeps its plans. If the cache has none, the function makes a plan. This function is for front
 * ends (programs that call atc for their own users). If a switch, the store or the known decisions
 * of the problem have changed since the plan was made, the decision is made again. No other caller
 * gets the plan until it is returned to the cache (atc1_conv_plan_release, on any thread). Weights
 * cannot be set on such a plan. `stream` is the stream on which the plan will be executed. If the
 * call measures, it first waits for `stream`. If `stream` is being captured, nothing is measured:
 * the plan uses a known decision or the default engine, and a later call measures. The errors are
 * those of atc1_conv_plan_create. */
atc_status atc1_conv_plan_acquire(atc_conv_plan** out, atc_device device, const atc_conv_problem* problem,
                                  const atc_conv_options* options, atc_stream stream);
/* Returns `plan` to the cache from which atc1_conv_plan_acquire took it. If `plan` was made by
 * atc1_conv_plan_create, the plan is destroyed. NULL does nothing. */
void atc1_conv_plan_release(atc_conv_plan* plan);

/* For front ends (programs that call atc for their own users, such as the LibTorch bridge) that
 * have registered their own convolution as an engine (ATC_ENGINE_RETURNS_OUTPUT). If this
 * convolution is the choice, the front end runs it without atc1_conv_plan_execute. With these two
 * functions ATC_TUNE_BESIDE can time such a run. The front end acquires the plan
 * (atc1_conv_plan_acquire), calls atc1_conv_plan_own_run_begin directly before it issues the work to
 * `stream`, and atc1_conv_plan_own_run_end directly afterwards. Then the front end releases the
 * plan. Both calls are made on one thread. The plan must not be used between the two calls.
 * `*timed` (`timed` may be NULL) is 1 if this run is timed, else 0. If the run is timed, the front
 * end should issue nothing else to `stream` before the second call. If the run fails, the front end
 * must not make the second call. */
atc_status atc1_conv_plan_own_run_begin(int32_t* timed, atc_conv_plan* plan, atc_stream stream);
atc_status atc1_conv_plan_own_run_end(atc_conv_plan* plan, atc_stream stream);

typedef struct atc_cache_statistics {
  uint32_t struct_size;
  uint32_t capacity;  /* not used, always 0: the memory of the cached plans is limited
                       * (`byte_limit`), their number is not */
  uint64_t plans;     /* number of plans that the cache has now. If several threads run the same
                       * convolution at the same time, the cache has a plan for each of them */
  uint64_t hits;
  uint64_t misses;
  uint64_t evictions;
  uint64_t put_off;   /* number of calls that should have measured but did not, because their stream
                       * was being captured. Such a call used a known decision or the default
                       * engine */
  uint64_t bytes;     /* estimated bytes of host memory that the cached plans take */
  uint64_t byte_limit; /* the limit of atc1_set_plan_memory_limit, in bytes. The plans that a library
                        * such as cuDNN keeps for each thread count towards the limit, too */
} atc_cache_statistics;

/* Frees the cached plans that no call is using, the workspaces that are kept for later calls, and
 * the workspaces of captured graphs that no longer exist. A library such as cuDNN keeps plans for
 * each thread. The plans of a running thread are freed at this thread's next call of atc. The call
 * does not reset the counts of atc1_cache_stats. */
atc_status atc1_cache_clear(void);
atc_status atc1_cache_stats(atc_cache_statistics* out);

/* atc: queries about the devices and libraries of this machine, and actions on its devices. If the
 * machine or the build of atc has no CUDA, the queries about CUDA succeed and write 0, and the
 * actions succeed and skip their CUDA part. All functions may be called from any thread at any
 * time. */

/* ---- Queries. A NULL `out` is ATC_ERROR_INVALID_ARGUMENT. ----------------------------------------- */

atc_status atc1_cuda_is_available(int32_t* out);
atc_status atc1_cuda_device_count(int32_t* out);
atc_status atc1_cudnn_is_available(int32_t* out);
/* Writes the version of the running cuDNN, in cuDNN's own numbering (90100 is 9.1.0). If there is
 * no cuDNN, writes 0. */
atc_status atc1_cudnn_version(int64_t* out);
/* Writes the version of the cuDNN headers with which atc was compiled. If atc was compiled without
 * cuDNN headers, writes 0. */
atc_status atc1_cudnn_compiled_version(int64_t* out);

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

/* Describes a device. ATC_ERROR_INVALID_ARGUMENT: this machine has no device of this type or index.
 * ATC_ERROR_DEVICE: the device is a CUDA device, and this process was forked from a process that
 * had opened CUDA. */
atc_status atc1_device_describe(atc_device_info* out, atc_device device);

/* A library that atc uses, or that atc would use if it were installed. If there is a CUDA device,
 * atc1_library_describe opens the libraries of CUDA. */
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

atc_status atc1_library_count(size_t* out);
atc_status atc1_library_describe(atc_library_info* out, size_t index);

/* Lists the known faults of oneDNN, cuDNN and cuBLASLt that atc works around, as a JSON array of objects. The faults
 * come from the table that is part of atc, and from the file that CUDNN_ERRATA_JSON_FILE names. The members "name",
 * "library", "running" (version, or ""), "versions", "device", "directions", "implementations", "condition",
 * "consequence", "handling", "description" and "source" are strings. The member "applies" is true if the running
 * library has the fault on a device of this machine. The call opens the libraries of CUDA if there is a CUDA device.
 * The caller destroys `*out` (atc1_bytes_destroy). */
atc_status atc1_faults_describe(atc_bytes** out);

/* ---- Actions --------------------------------------------------------------------------------------- */

/* Sets the seed of the random data with which tuning fills tensors. If the bridge to another
 * framework (for example LibTorch) is loaded, the call also seeds the framework's default
 * generator. */
atc_status atc1_manual_seed(uint64_t seed);
/* Sets the seed of the random data with which tuning fills tensors, as atc1_manual_seed does. If the
 * bridge to another framework (for example LibTorch) is loaded, the call also seeds the framework's
 * generators of all devices. */
atc_status atc1_manual_seed_all(uint64_t seed);
/* Waits until all queued work of the CUDA device `index` has run. -1 is the current device. Without
 * CUDA the call returns ATC_OK at once. ATC_ERROR_INVALID_ARGUMENT: `index` is below -1 or, with
 * CUDA, not below the device count. ATC_ERROR_DEVICE: this process was forked from a process that
 * had opened CUDA. */
atc_status atc1_synchronize(int32_t index);

/* atc: tuning ahead of use. atc1_tune measures the candidates (implementations) of a list of problems (convolutions)
 * and stores the decisions. docs/architecture.md explains the terms ("Words"), docs/tuning.md the measurements. */

struct atc_problems; /* problems.h */
struct atc_group;    /* group.h */

/* ATC_RETUNE_PROVISIONAL is a third state of atc_tune_options.retune: only problems whose decision is provisional
 * (uncertain) are measured again. */
enum { ATC_RETUNE_PROVISIONAL = 3 };

/* Options of atc1_tune. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or
 * ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h). */
typedef struct atc_tune_options {
  uint32_t struct_size;
  atc_technique technique;      /* how candidates are timed (ATC_TECHNIQUE_*). 0:
                                 * benchmark_technique (a switch of settings.h) */
  int32_t deterministic;        /* ATC_ON: use only deterministic kernels. 0: deterministic_cudnn or
                                 * deterministic_algorithms (switches of settings.h) */
  int32_t allow_tf32;           /* ATC_ON: allow TF32 in fp32 convolutions. 0: allow_tf32_cudnn (a
                                 * switch of settings.h) */
  int32_t constant_weights;     /* 0: off. On: candidates are timed with packed weights, and the
                                 * time of packing does not count; as in atc_conv_options */
  int32_t retune;               /* 0: off. ATC_ON: problems that have a decision are measured again.
                                 * ATC_RETUNE_PROVISIONAL: problems that have a provisional decision are measured
                                 * again */
  uint32_t alignment;           /* the promised alignment of the operands in bytes; as in
                                 * atc_conv_options */
  int32_t widen;                /* 0: on. On: if the switch benchmark_limit_cudnn has its default
                                 * value, further candidates of cuDNN may be tried beyond this
                                 * limit. A further candidate is tried if it is expected to save
                                 * more time than trying takes (docs/tuning.md). Off: the limit
                                 * holds */
  uint64_t workspace_limit;     /* the most bytes of workspace that a candidate may use. 0:
                                 * workspace_limit on CUDA, 1 GiB on the CPU (workspace_limit is a
                                 * switch of settings.h). ATC_NONE: no workspace. ATC_UNLIMITED: no
                                 * limit */
  uint64_t max_candidates;      /* the largest number of candidates of one problem that may be
                                 * tried. 0: benchmark_limit_cudnn on CUDA, all on the CPU
                                 * (benchmark_limit_cudnn is a switch of settings.h). ATC_UNLIMITED:
                                 * no limit */
  uint64_t seed;                /* seed of the random data with which tuning fills its tensors. 0:
                                 * the last atc1_manual_seed, else a fixed one */
  double problem_budget_seconds; /* the longest total time, in seconds, for preparing, checking and
                                  * timing all candidates of one problem. 0: 2 s */
  double total_budget_seconds;  /* the longest time of the whole call, in seconds. 0: no limit. If
                                 * this budget is spent before a problem, the report says that the
                                 * problem was not measured. If this budget leaves time for only
                                 * some candidates of a problem, the decision is provisional */
  double tie_margin;            /* the relative difference of times below which two candidates count
                                 * as tied (equally fast). 0: 0.01. If the default and the fastest
                                 * candidate are tied, the default wins. The default is the
                                 * program's own convolution (ATC_ENGINE_ORIGINAL) if it is a
                                 * candidate, else the choice of the default engine */
  const char* engines_allowed;  /* names of the engines and rewrites whose candidates are
                                 * considered, separated by ','. NULL: all */
  const char* engines_barred;   /* names of the engines and rewrites whose candidates are not
                                 * considered, separated by ','. NULL: none */
  int32_t require_firm;         /* 0: off. On: provisional (uncertain) records are ignored, and
                                 * provisional decisions are not stored; as in atc_conv_options */
  int32_t strict_precision;     /* 0: off. On: the program's own convolution is refused if it is
                                 * imprecise; as in atc_conv_options */
  int32_t allow_reduced_precision_reduction; /* 0: off. On: every candidate may round partial sums
                                              * to the operands' type; as in atc_conv_options */
  int32_t use_store;            /* 0: on. Off: no store is read or written; as in
                                 * atc_conv_options */
  const struct atc_store* store; /* the store that this call reads and writes. NULL: the store in
                                  * use; as in atc_conv_options */
  const struct atc_allocator* allocator; /* the allocator that provides the memory of the races of
                                          * this call. The struct is copied. NULL: the process's
                                          * allocator */
  const struct atc_problems* problems; /* a list of further problems, which are tuned and reported
                                        * after the problems of the array. If a call has noted a
                                        * problem (ATC_TUNE_LATER), the problem is tuned with the
                                        * device, the options and the store of the call that has
                                        * noted it. If that store is closed, the status of the
                                        * problem is ATC_ERROR_NOT_TUNED. The following fields of
                                        * this struct apply only to problems of the list that do not
                                        * have the option themselves: deterministic, allow_tf32,
                                        * constant_weights, alignment, workspace_limit,
                                        * require_firm, strict_precision,
                                        * allow_reduced_precision_reduction, use_store and store.
                                        * NULL: none */
  double expected_calls;        /* the number of calls that are expected to use a decision: above 0,
                                 * or infinity. A candidate is tried if, over this number of calls,
                                 * it is expected to save more time than trying takes. 0:
                                 * ATC_EXPECTED_CALLS, else 30000 (ATC_EXPECTED_CALLS is an
                                 * environment variable) */
  const struct atc_group* group; /* a group of ranks (the processes of a job, group.h). With a group
                                  * the call is collective: all ranks must call atc1_tune, and they
                                  * decide all their problems together. NULL: this process alone */
  uint64_t race_memory_limit;   /* the most bytes that a race may allocate in addition to the memory
                                 * that the program holds; as in atc_conv_options. 0:
                                 * race_memory_limit of the process, else a quarter of the free
                                 * memory (atc1_set_race_memory_limit) */
  int32_t other_versions;       /* whether a race times a candidate first that has won an earlier race
                                 * on the same device model with another cuDNN (on the CPU: oneDNN) or
                                 * another LibTorch; as in atc_conv_options. 0: ATC_OTHER_VERSIONS,
                                 * else off */
  int32_t reserved;             /* 0 */
} atc_tune_options;

typedef struct atc_tune_report atc_tune_report;

/* Decides each problem of the array `problems`, and then each problem of `options->problems`. If
 * the store or the memory of this process already has a decision, this decision is reported.
 * Otherwise the problem is measured, and the new decision is kept in the store and in memory. If a
 * problem fails, its status is in the report, the other problems are still tuned, and the call
 * returns ATC_OK. If a problem of the array is not valid, the whole call is refused before anything
 * is measured, and the error text names the index.
 *
 * The elements of `problems` lie `problems[0].struct_size` bytes apart. All elements must have this
 * `struct_size`. `callback` may be NULL. Otherwise it is called with `payload` as conv.h
 * (atc_tune_callback) describes, even for problems that are not measured. `out` may be NULL.
 * Otherwise the caller destroys `*out`. If the callback cancels, the call returns
 * ATC_ERROR_CANCELLED. `*out` is written in this case, too, and decisions that were made before are
 * kept. Any thread may call the function. Races (measurements) never run at the same time: if
 * several threads call, their races run one after the other.
 *
 * With `options->group`, each problem for which no rank has a decision is measured by one rank. In
 * the report, the problems of the other ranks follow the problems of this rank.
 * ATC_ERROR_NOT_AGREED: the ranks have not agreed, and no rank uses a new decision; the error text
 * names the rank that caused this, and `*out` is written in this case, too. ATC_ERROR_IO: this rank
 * cannot reach the group's store. */
atc_status atc1_tune(atc_tune_report** out, atc_device device, const atc_conv_problem* problems, size_t count,
                     const atc_tune_options* options, atc_tune_callback callback, void* payload);

/* Makes this process refuse a choice for a problem, as if the correctness gate (atc's check of
 * results) had found that the choice computes wrong results. Later races with these options list
 * the choice as a refused candidate, with `reason`, and do not run the choice. Plans do not run the
 * choice either. The refusal lasts until the process ends or an engine is unregistered. The
 * function is for programs that tune in a separate process. If a candidate crashes this process,
 * the program starts a new process, and refuses the candidate there (atc_tune_progress.candidate
 * names it). The race then runs with the other candidates, and the record contains the reason.
 * `options` may be NULL. Any thread may call the function. ATC_ERROR_INVALID_ARGUMENT: the problem,
 * an option or the text of the choice is not valid, or the reason is empty. */
atc_status atc1_tune_refuse(atc_device device, const atc_conv_problem* problem, const atc_tune_options* options,
                            const char* choice, const char* reason);

void atc1_tune_report_destroy(atc_tune_report* report);

/* Flags of a tuned problem (bits of atc_tuned_problem.flags). They describe how certain the
 * decision is, and whether it was stored. */
enum {
  ATC_TUNED_UNSTABLE = 1,   /* the decision is provisional (uncertain). Possible reasons: clock
                             * frequencies kept changing, the budget did not suffice to distinguish
                             * the fastest candidates, or the total budget left time for only some
                             * candidates. The decision is stored and used like a firm one, until a
                             * firm decision replaces it. The firm decision may come from a race
                             * with more budget, atc_tune_options.retune, an import or a merge */
  ATC_TUNED_INCOMPLETE = 2, /* the decision was not stored. Possible reasons: a candidate ran out of
                             * memory, the budget was over before two candidates were compared, or
                             * the race was cancelled */
  ATC_TUNED_STORED = 4,     /* the decision was written to the store */
  ATC_TUNED_CANCELLED = 8,
  ATC_TUNED_UNWRITTEN = 16  /* the store could not be written, so the decision exists only in this
                             * process. The field `why` has the error */
};

typedef struct atc_tuned_problem {
  uint32_t struct_size;
  atc_status status;          /* status of this problem. The other fields are set if the status is
                               * ATC_OK */
  int32_t source;             /* source of the decision, ATC_SOURCE_* */
  uint32_t flags;             /* bits: ATC_TUNED_* */
  int64_t winner;             /* index of the winning candidate; -1: none */
  int64_t default_candidate;  /* index of the candidate that would run without tuning; -1: none */
  uint64_t candidates;
  uint64_t executions;        /* how often this call executed candidates of the problem; 0 if the
                               * decision was already known */
  double seconds;             /* seconds that this call has spent on this problem */
  double risk;                /* for a provisional (uncertain) decision: the fraction by which the
                               * choice may be slower than another candidate (0.1: 10 %). It is an
                               * estimate, which not every technique of timing gives. 0 in all other
                               * cases */
  const char* description;
  const char* choice;         /* the chosen implementation (engine, version and configuration); "" if there is none */
  const char* why;            /* sentences that explain the flags; or the text of the error if
                               * `status` is an error; "" if there is nothing to explain */
  uint64_t memory_bytes;      /* the largest number of bytes of device memory (CPU: main memory)
                               * that the race of this call held at one time, in addition to the
                               * memory that the program holds. 0 if nothing was measured */
} atc_tuned_problem;

/* These functions read a report of atc1_tune. They write the number of its problems, one problem, or
 * one candidate of a problem to `out`. Strings are valid as long as the report.
 * ATC_ERROR_INVALID_ARGUMENT: an index is out of range. */
atc_status atc1_tune_report_count(size_t* out, const atc_tune_report* report);
/* Writes the number of problems in the report whose decision is provisional (uncertain). */
atc_status atc1_tune_report_provisional(size_t* out, const atc_tune_report* report);
atc_status atc1_tune_report_problem(atc_tuned_problem* out, const atc_tune_report* report, size_t problem);
atc_status atc1_tune_report_candidate(atc_candidate* out, const atc_tune_report* report, size_t problem,
                                      size_t candidate);

/* atc: explanations of decisions. The explanation of a problem (a convolution) has four parts: the
 * decision in force (the implementation that runs the problem), the rule by which this
 * implementation was chosen, the implementations that each engine offers, and the limits of the
 * device's speed. docs/architecture.md explains the terms ("Words"). */

/* The rule by which a decision chose its winner among the candidates. The default is the candidate that runs without
 * tuning. */
enum {
  ATC_RULE_FIRST_OFFER = 1, /* nothing was measured, and the winner is the first offer of the default engine */
  ATC_RULE_ALONE = 2,       /* no candidate but the winner was timed */
  ATC_RULE_FASTEST = 3,     /* the winner is the fastest candidate, and no comparison with the
                             * default was needed: the winner is the default itself, or the default
                             * was not timed */
  ATC_RULE_FASTER = 4,      /* the winner is faster than the default by more than the tie margin */
  ATC_RULE_TIE_DEFAULT = 5, /* the winner is the default: no other candidate is faster than it by
                             * more than the tie margin and the noise of the measurement */
  ATC_RULE_TIE_KEPT = 6,    /* the winner and the default are tied (equally fast within the tie
                             * margin). The winner is preferred because the store keeps its compiled
                             * form, while each process may have to compile the default */
  ATC_RULE_TIE_LIGHTER = 7, /* another candidate is slightly faster, but by less than the tie
                             * margin. The winner is preferred because it has less to compile or
                             * needs less workspace */
  ATC_RULE_HOST = 8,        /* another candidate is faster on the device, but the host takes longer
                             * to issue that candidate, so the winner is preferred */
  ATC_RULE_PRECISE = 9      /* strict_precision is on, and the winner is the fastest candidate that
                             * is precise enough */
};

/* Returns the name of a rule (ATC_RULE_*): "ATC_RULE_FASTER", …, or "unknown rule" for a number that this version
 * does not know. The string is static and never NULL. */
const char* atc1_rule_name(int32_t rule);

typedef struct atc_explanation atc_explanation;

/* Explains which decision a plan of this device, problem and options would use if its creation
 * measured nothing. So the option `tune` is ignored, unless it is ATC_TUNE_PREDICT. The call reads
 * the store and the decisions of this process, and asks engines for their offers (the
 * implementations that they have for the problem). It executes, builds and writes nothing.
 * `options` may be NULL. The caller destroys `*out`. If no engine can run the problem, the call
 * succeeds, and the explanation has no winner. As in atc1_tune, candidates that only a front end
 * such as the LibTorch bridge can run (ATC_ENGINE_RETURNS_OUTPUT) are listed, too. Any thread may
 * call the function. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field. A `batch` of 0 is an error, too.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_BUSY: the call was made in a callback. */
atc_status atc1_conv_explain(atc_explanation** out, atc_device device, const atc_conv_problem* problem,
                             const atc_conv_options* options);
void atc1_explanation_destroy(atc_explanation* explanation);

typedef struct atc_explained {
  uint32_t struct_size;
  int32_t source;             /* source of the decision (ATC_SOURCE_*); 0 if no engine can run the problem */
  int32_t rule;               /* rule of the decision (ATC_RULE_*); 0 if no engine can run the problem */
  uint32_t flags;             /* bits: ATC_TUNED_UNSTABLE: the decision is provisional (uncertain).
                               * ATC_TUNED_STORED: the decision is in the store */
  int64_t winner;             /* index of the winning candidate; -1: none */
  int64_t default_candidate;  /* index of the candidate that runs without tuning; -1: none */
  uint64_t candidates;
  uint64_t entrants;
  uint64_t bytes;             /* bytes that the convolution must read and write at least: the sizes
                               * of x, w, y, bias, scale and residual. If the result is added to the
                               * old output (`accumulate`), the output counts twice */
  double flops;               /* number of floating-point operations if the sums are computed as
                               * defined, including products with the zeros of the padding */
  double bytes_per_second;    /* the largest measured rate at which the device moves data, in bytes
                               * per second; 0: not measured */
  double flops_per_second;    /* the largest measured rate at which the device computes with the
                               * problem's data types, in operations per second; 0: not measured */
  double risk;                /* for a provisional decision: the fraction by which the choice may be
                               * slower than another candidate; as in atc_tuned_problem */
  const char* description;    /* text of the problem, as atc1_conv_problem_describe writes it */
  const char* choice;         /* text of the winner (engine, version and configuration); "" if no engine can run
                               * the problem */
  const char* why;            /* a sentence that states the rule by which the winner was chosen,
                               * with the times. If no engine can run the problem: the reason of
                               * each engine */
  const char* doubts;         /* why the decision is provisional (uncertain), or "" */
  const char* miss;           /* why the store has no usable decision for the problem, as a part of
                               * a sentence; "" if the store has one */
} atc_explained;

/* Computes a digest: a hash over `count` problems (their keys, see below) and the choices that
 * calls with these options run for them. If two processes have equal digests, they run the same
 * choices. The function reads the store. It executes, builds and writes nothing.
 *
 * The choices are those of a call that measures nothing; eager calls and captured calls are both
 * included. The choice of a problem comes from the first source that has one. The order is: the
 * pins in force (atc1_set_pins), then the store, then the decisions of this process (unless
 * options.tune is ATC_OFF), then a prediction (if options.tune is ATC_TUNE_PREDICT), then the
 * default engine. If the correctness gate (the check of results against a reference) has refused a
 * choice, this choice is not used. A problem for which a call would fail counts as a problem
 * without a choice.
 *
 * A key contains the device, the versions of libraries and the options that decisions depend on. So digests of
 * different kinds of machines differ. The order of the problems does not change the digest, and a
 * problem that occurs twice counts once. The elements of `problems` lie `problems[0].struct_size`
 * bytes apart. All elements must have this `struct_size`. `problems` may be NULL if `count` is 0,
 * and `options` may be NULL. Any thread may call the function. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field and the index.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_BUSY: the call was made in a callback. */
atc_status atc1_conv_decisions_digest(uint64_t* out, atc_device device, const atc_conv_problem* problems, size_t count,
                                      const atc_conv_options* options);

/* Measures the two ceilings of the device, which are the limits of its speed. The first ceiling is
 * the most bytes per second that the device moves. It is measured by a copy. The second ceiling is
 * the most operations per second that the device computes with the problem's data types. It is
 * measured by tuning a product of matrices, for at most 3 s. A ceiling that is already known is not
 * measured again. The process remembers both ceilings. If the store of the call is open for
 * writing, the ceilings are also kept in the store, for this device and these library versions. If
 * only the slow engine `reference` can compute products of these data types, the second ceiling
 * remains unknown, and the call succeeds. The function must not be called during a stream capture.
 * Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field.
 * - ATC_ERROR_OUT_OF_MEMORY: on CUDA the measurement takes about 1.5 GiB, on the CPU 0.5 GiB.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_CAPTURING: a stream is being captured.
 * - ATC_ERROR_BUSY: the call was made in a callback. */
atc_status atc1_conv_measure_ceilings(atc_device device, const atc_conv_problem* problem,
                                      const atc_conv_options* options);

/* Writes the ceilings of the device for a problem: the most bytes per second that the device moves,
 * and the most operations per second that the device computes. A ceiling that was not measured
 * (atc1_conv_measure_ceilings) is 0. The values are those of the fields bytes_per_second and
 * flops_per_second of atc_explained. The call is cheaper than atc1_conv_explain, because it does not
 * ask engines for their offers. Either pointer may be NULL. Any thread may call the function.
 * ATC_ERROR_INVALID_ARGUMENT: the error text names the field. ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE:
 * CUDA or one of its libraries failed. */
atc_status atc1_conv_ceilings(double* bytes_per_second, double* flops_per_second, atc_device device,
                              const atc_conv_problem* problem, const atc_conv_options* options);

/* An engine or a rewrite that works on the device. A rewrite turns the problem into another
 * problem, which an engine computes. */
typedef struct atc_entrant {
  uint32_t struct_size;
  int32_t is_rewrite;       /* 0: an engine. 1: a rewrite */
  uint64_t offers;          /* number of implementations that the engine offers for the problem and
                             * that the options allow. For a rewrite: number of implementations that
                             * engines offer for the rewritten problem */
  const char* name;
  const char* version;
  const char* why_not;      /* why the engine or rewrite has no offers, or no further offers; "" if
                             * there is no reason to state */
  const char* barriers;     /* the options and settings that exclude offers of the engine. Each is
                             * followed by the number of offers that only this option or setting
                             * excludes: "workspace_limit:2,deterministic:1". Separated by ','
                             * without a space. "": none */
} atc_entrant;

/* The next three functions write a part of the explanation to `out`: its summary, a candidate, or an entrant (engine
 * or rewrite). Strings are valid as long as the explanation. ATC_ERROR_INVALID_ARGUMENT: the index
 * is out of range. */
atc_status atc1_explanation_describe(atc_explained* out, const atc_explanation* explanation);
/* Writes the candidate `index`. The candidate has times if a race of this process or a record of
 * the store has measured the candidate. Otherwise its outcome is ATC_OUTCOME_OFFERED. */
atc_status atc1_explanation_candidate(atc_candidate* out, const atc_explanation* explanation, size_t index);
atc_status atc1_explanation_entrant(atc_entrant* out, const atc_explanation* explanation, size_t index);

/* atc: extension points for authors of kernels and bindings. A program can register engines. Their
 * implementations are candidates in races. (In a race the candidates for a problem are timed and
 * compared.) A program can also register a source of settings, an allocator and a log sink. A
 * process may have any number of registered engines, but at most one source of settings, one
 * allocator and one log sink. In addition, the options of a call may have an allocator for this
 * call (atc_conv_options).
 *
 * Rules for callbacks:
 * - A callback must return normally. No exception, longjmp or panic may leave a callback, because
 *   atc's locks would remain locked.
 * - Several threads may call a callback at once. But a prepared object (see `prepare` below) is
 *   used by one thread at a time. The code of callbacks must remain loaded until the process ends.
 * - A callback may always call atc1_error_set, atc1_conv_operand_shape and the queries of base.h. A
 *   callback may call other functions, too. But if such a call would have to wait until the
 *   callback returns, the call fails at once with ATC_ERROR_BUSY. These calls return
 *   ATC_ERROR_BUSY:
 *    in every callback (progress callbacks, too): atc1_tune, atc1_conv_explain,
 *      atc1_conv_measure_ceilings, and, if they would measure, atc1_conv_plan_create,
 *      atc1_conv_plan_acquire and atc1_convolution;
 *    in a settings source: the same calls, and every function that reads or sets switches:
 *      atc1_settings_source_set, the functions of settings.h (except those for the library path),
 *      all functions that make plans, atc1_store_get, atc1_manual_seed, atc1_manual_seed_all and
 *      atc1_synchronize;
 *    in a log sink: every function that returns a status, except atc1_conv_operand_shape,
 *      atc_conv_problem_init, atc1_log_level_get and atc1_log_level_set. A log sink must not call a
 *      function whose name ends in destroy, release or close.
 *   Make such a call after the callback has returned. A callback must not wait for another thread
 *   that makes such a call: both would wait for ever.
 *
 * `user` and `destroy`: each struct of callbacks has a pointer `user`, which atc passes to its callbacks, and a
 * function `destroy`, which may be NULL. After a successful registration atc owns `user`. atc calls
 * destroy(user) once, after the last callback of this registration has returned. If plans or memory
 * exist longer than the registration, atc calls `destroy` after the last callback of these plans
 * and this memory. atc calls `destroy` on any thread. atc holds no lock during the call, so
 * `destroy` may call every function of atc. If the registration fails, the caller keeps `user`. An
 * allocator in the options of a call is not registered, so its `user` still belongs to the caller.
 * When the process ends, `destroy` is not called. */

/* ---- Engines ---------------------------------------------------------------------------------------- */

/* Flags of an offer (an implementation that an engine has for a problem). */
enum {
  ATC_ENGINE_NONDETERMINISTIC = 1, /* with equal inputs, two executions may give different bits */
  ATC_ENGINE_RETURNS_OUTPUT = 2,   /* the engine does not write to the caller's output: `execute`
                                    * returns the result in a buffer of the engine's own
                                    * (atc_engine_operands.result) */
  ATC_ENGINE_TRANSFORM = 4,        /* the method (Winograd or FFT, for example) transforms the data,
                                    * so that it rounds even if all operands are small integers. atc
                                    * checks each offer on small integers. Without this flag the
                                    * results must be exact; with it they must lie within an error
                                    * bound */
  ATC_ENGINE_ROUNDS_TWICE = 8,     /* the sum is rounded to the output's dtype twice: before and
                                    * after the bias is added */
  ATC_ENGINE_ORIGINAL = 16         /* the offer is the convolution that the program runs without
                                    * atc. If the offer rounds partial sums more coarsely than the
                                    * options allow, the offer is marked and not refused
                                    * (atc_conv_options.strict_precision). If its result is wrong,
                                    * the offer is refused */
};

/* ATC_ENGINE_EVERY_DEVICE is a value of atc_engine.device_type: the engine works both on the CPU
 * and on CUDA. Its callbacks get the device of the call in `limits->device`. */
enum { ATC_ENGINE_EVERY_DEVICE = -1 };

/* The limits within which an engine must offer and build implementations. They follow from the
 * options of the call and the process's switches. */
typedef struct atc_engine_limits {
  uint32_t struct_size;
  int32_t deterministic;    /* 1: atc ignores offers with the flag ATC_ENGINE_NONDETERMINISTIC */
  int32_t allow_tf32;
  int32_t constant_weights; /* 1: the weights are constant, and atc will call `set_weights` with
                             * them. Nevertheless an execution may pass w, for example before that
                             * call */
  atc_device device;
  uint64_t alignment;       /* the alignment in bytes: the addresses of x, w and y are multiples of
                             * this number */
  uint64_t workspace;       /* the largest workspace, in bytes, that an offer may need. Offers that
                             * need more are ignored */
} atc_engine_limits;

typedef struct atc_engine_offer {
  uint32_t struct_size;
  uint32_t flags;            /* ATC_ENGINE_* */
  uint64_t workspace;        /* bytes */
  const char* configuration; /* the text by which the engine names this offer, in printable ASCII.
                              * The engine's name, its version and this text together identify the
                              * offer */
  const char* notes;         /* remarks for people. NULL counts as "" */
} atc_engine_offer;

/* A function of atc that an engine calls inside its callback `offers`, to pass one offer to atc.
 * atc copies the offer. If this function returns a status other than ATC_OK, `offers` must return
 * this status. */
typedef atc_status (*atc_offer_callback)(const atc_engine_offer* offer, void* payload);

/* The memory of one execution: addresses of operands and workspace. The problem's direction
 * determines which of x, w and y is the output. */
typedef struct atc_engine_operands {
  uint32_t struct_size;
  uint32_t reserved;
  void* x;
  void* w;          /* address of the weights. NULL: use the weights of set_weights */
  const void* bias; /* address of the bias; NULL if the problem has no bias (no epilogue) */
  void* y;
  void* workspace;
  uint64_t workspace_size;
  atc_stream stream;
  void* result;     /* for offers with ATC_ENGINE_RETURNS_OUTPUT: `execute` writes the address of
                     * the output to this field. The output must remain valid until the next
                     * callback with the same `prepared` */
} atc_engine_operands;

typedef struct atc_engine {
  uint32_t struct_size;
  int32_t device_type;   /* the type of device on which the engine works (ATC_DEVICE_*), or ATC_ENGINE_EVERY_DEVICE */
  const char* name;      /* unique name of letters, digits, '_' and '-'. The text is copied */
  const char* version;   /* version of the engine. If atc asks the engine for offers for a decision,
                          * atc stores this version with the decision. The text is copied */
  void* user;            /* passed to each callback. Callbacks must return normally */
  /* A callback that calls `offer` once for each configuration that the engine has for the problem.
   * The configuration that is probably the fastest comes first. If the engine does not support the
   * problem, the callback makes no offer. It then returns ATC_OK, or ATC_ERROR_UNSUPPORTED with an
   * error text (atc1_error_set) that says why. The problem is never transposed, and its layout is
   * always ATC_LAYOUT_STRIDED. Backward-data may have a bias, because atc passes a transposed
   * convolution as backward-data. */
  atc_status (*offers)(void* user, const atc_conv_problem* problem, const atc_engine_limits* limits,
                       atc_offer_callback offer, void* payload);
  /* Builds one configuration and writes a handle of it to `*prepared`. atc passes this handle to
   * `set_weights`, `execute` and, in the end, `release`. `problem` and `limits` are valid only
   * during the call. */
  atc_status (*prepare)(void** prepared, void* user, const atc_conv_problem* problem,
                        const atc_engine_limits* limits, const char* configuration);
  /* Packs constant weights for later executions. The callback may be NULL. Then, on the CPU, atc
   * keeps a copy of the weights and passes it to `execute`. On CUDA, atc1_conv_plan_set_weights then
   * returns ATC_ERROR_UNSUPPORTED. */
  atc_status (*set_weights)(void* user, void* prepared, const void* w);
  /* Runs the prepared configuration. On CUDA the callback queues its work on `operands->stream` and
   * does not wait for the work. The stream may be in capture mode: programs capture the stream, and
   * a race captures one execution to count its launches. If the callback returns an error in such a
   * capture by a race, the race goes on, and atc regards this configuration as one that cannot be
   * captured. */
  atc_status (*execute)(void* user, void* prepared, atc_engine_operands* operands);
  void (*release)(void* user, void* prepared);
  /* Frees `user`. May be NULL. atc calls `destroy` once, after the engine was unregistered and the
   * last `release` has returned. */
  void (*destroy)(void* user);
} atc_engine;

/* Registers an engine. The struct is copied, and atc owns `engine->user` from now on.
 * ATC_ERROR_INVALID_ARGUMENT: a callback is missing, or the name is taken or malformed. A
 * registered engine never runs by default. It runs if the choice of a call or a record of the store
 * names it, or if it wins a race. atc checks the results of a registered engine before it uses them
 * (docs/trust.md). A race checks them on the problem itself. If the engine runs because of a record
 * from another machine or user, they are also checked on the problem itself, before the first use.
 * If a call gives the choice, they are checked once for each kind of problem (for example the same
 * direction, types and groups). */
atc_status atc1_engine_register(const atc_engine* engine);
/* Unregisters an engine. ATC_ERROR_BUSY: plans of the engine exist, or a call is using the engine.
 * So a callback of the engine cannot unregister the engine. ATC_ERROR_INVALID_ARGUMENT: the name is
 * unknown, or the engine is built in. */
atc_status atc1_engine_unregister(const char* name);

typedef struct atc_engine_info {
  uint32_t struct_size;
  int32_t built_in;
  int32_t serves_cpu;
  int32_t serves_cuda;
  char name[64];
  char version[64];
} atc_engine_info;

atc_status atc1_engine_count(size_t* out);
atc_status atc1_engine_describe(atc_engine_info* out, size_t index);

/* Loads a plug-in: opens a shared library and calls its function `atc_status atc1_plugin_init(void)`, which the
 * library must export. The library remains loaded. The plug-in must be linked with libatc
 * (`-latc`), because the program may have opened libatc with RTLD_LOCAL. ATC_ERROR_LIBRARY: the
 * library cannot be opened or does not export atc1_plugin_init. Otherwise the call returns the
 * status of atc1_plugin_init. */
atc_status atc1_plugin_load(const char* file);

/* ---- Settings source ---------------------------------------------------------------------------------- */

/* The switches (settings.h) whose values a settings source may store in place of atc. */
enum {
  ATC_SETTING_BENCHMARK_CUDNN = 1,
  ATC_SETTING_BENCHMARK_LIMIT_CUDNN = 2,
  ATC_SETTING_USER_ENABLED_CUDNN = 3,
  ATC_SETTING_DETERMINISTIC_CUDNN = 4,
  ATC_SETTING_DETERMINISTIC_ALGORITHMS = 5,
  ATC_SETTING_ALLOW_TF32_CUDNN = 6
};

/* A source of settings: callbacks that read and write switches which another library (for example
 * LibTorch) stores. If `get` or `set` is NULL or returns ATC_ERROR_UNSUPPORTED for a switch, atc
 * itself stores this switch. If `manual_seed` or `synchronize` is NULL or returns
 * ATC_ERROR_UNSUPPORTED, atc itself does the action. Callbacks must return normally. */
typedef struct atc_settings_source {
  uint32_t struct_size;
  uint32_t reserved;
  void* user;
  atc_status (*get)(int64_t* out, void* user, int32_t setting);
  atc_status (*set)(void* user, int32_t setting, int64_t value);
  atc_status (*manual_seed)(void* user, uint64_t seed, int32_t all_devices);
  atc_status (*synchronize)(void* user, int32_t index);
  /* Frees `user`. May be NULL. atc calls `destroy` once, after the source was replaced and its last
   * callback has returned. */
  void (*destroy)(void* user);
} atc_settings_source;

/* Registers the source of settings (the callbacks that read and write another library's switches).
 * From now on this source, and not atc, stores the switches that it supports. If a switch was set
 * explicitly (by a call or the environment), atc writes its value to the source. The values of all
 * other switches are read from the source. If `source` is NULL, atc stores all switches again, with
 * the last values of the previous source. When the function returns, no thread runs a callback of
 * the previous source any more. */
atc_status atc1_settings_source_set(const atc_settings_source* source);

/* ---- Allocator ------------------------------------------------------------------------------------------ */

/* An allocator. It provides workspaces, the scratch memory of tuning, and the memory of weights
 * that are set (atc1_conv_plan_set_weights). It does not provide the workspaces of captured calls,
 * because these live as long as their graphs. `alloc` returns NULL if there is no memory. Otherwise
 * it returns memory that may be used on `stream` and that is aligned to 64 bytes (CPU) or 256 bytes
 * (CUDA). Callbacks must return normally. */
typedef struct atc_allocator {
  uint32_t struct_size;
  int32_t device_type; /* the type of device (ATC_DEVICE_*) for which this allocator provides
                        * memory. For the other type, atc's own allocator is used. 0: this allocator
                        * provides memory for both types */
  void* user;
  void* (*alloc)(void* user, uint64_t size, atc_device device, atc_stream stream);
  void (*free)(void* user, void* pointer, atc_device device, atc_stream stream);
  /* Frees `user`. May be NULL. atc calls `destroy` once, after the allocator was replaced and the
   * last `free` has returned. */
  void (*destroy)(void* user);
} atc_allocator;

/* Sets the process's allocator. It is used for calls whose options have no allocator
 * (atc_conv_options.allocator). If `allocator` is NULL, atc's own allocator is used again. Memory
 * is always freed by the allocator that has allocated it. So `free` of the previous allocator may
 * still be called. When all memory of the previous allocator is freed, the `destroy` of the
 * previous allocator is called. */
atc_status atc1_allocator_set(const atc_allocator* allocator);

/* ---- Log -------------------------------------------------------------------------------------------------- */

enum { ATC_LOG_OFF = 1, ATC_LOG_ERROR = 2, ATC_LOG_WARNING = 3, ATC_LOG_INFO = 4, ATC_LOG_DEBUG = 5 };

/* The format of log lines. In the format JSON each line is one object, in ASCII. Its members "time"
 * (RFC 3339, UTC), "level", "event" and "message" (the line as text) are strings. A line about a
 * decision (the implementation that was chosen for a convolution) has the event "decision" and
 * these members: "problem", "device", "choice", "source" (the name of ATC_SOURCE_*: "record",
 * "tuned", "default", ...), "provisional", "time_ms" (median of an execution of the choice), "gain"
 * (the time of the default divided by the time of the choice), "decided_in_ms" (the time that
 * deciding took), "store" (directory) and "stored". An unknown value is null. Later versions may
 * add members and change texts. */
enum { ATC_LOG_FORMAT_TEXT = 0, ATC_LOG_FORMAT_JSON = 1 };

typedef struct atc_log_sink {
  uint32_t struct_size;
  int32_t format; /* format of the lines that the callback `write` gets (ATC_LOG_FORMAT_*). The
                   * environment variable ATC_LOG, which can choose a format, too, has no effect on
                   * it */
  void* user;
  /* Receives one line of the log, without a newline. The pointer is valid during the call. Any
   * thread may call `write`. It must return normally. */
  void (*write)(void* user, int32_t level, const char* line);
  /* Frees `user`. May be NULL. atc calls `destroy` once, after the sink was replaced and the last
   * `write` has returned. */
  void (*destroy)(void* user);
} atc_log_sink;

/* Sends log lines to `sink`; if `sink` is NULL, to standard error. When the function returns, no thread runs a
 * callback of the previous sink any more. */
atc_status atc1_log_sink_set(const atc_log_sink* sink);
/* Set and read the level of the log: ATC_LOG_*. The default is ATC_LOG_WARNING. The environment
 * variable ATC_LOG=off|error|warning|info|debug sets the level, too. If ",json" follows the level
 * in this variable, the lines on standard error are JSON. At ATC_LOG_INFO each decision about a
 * convolution is logged as one line. */
atc_status atc1_log_level_set(int32_t level);
atc_status atc1_log_level_get(int32_t* out);

/* atc: the ranks of a job decide together, so that ranks on equal machines run the same
 * implementations (docs/distributed.md). A rank is one of the processes of a job. A decision is the
 * choice of an implementation for a convolution.
 *
 * In the steps of the job, calls with the option `tune` = ATC_TUNE_LATER measure nothing. Between two steps all ranks
 * call atc1_tune with a group:
 *
 *   atc_group group = ATC_GROUP_INIT;
 *   atc1_group_open_folder(&group, "/shared/job-17", rank, size, "attempt-0");
 *   options.group = &group, options.problems = problems;  (problems.h)
 *   atc1_tune(&report, device, NULL, 0, &options, NULL, NULL);
 *   atc1_group_close(&group);
 *
 * A class is a set of ranks that have the same device, library versions, engines and terms (options
 * on which a choice depends). After the call all ranks of a class use the same decisions. If one
 * rank is missing or fails, atc1_tune returns ATC_ERROR_NOT_AGREED on all ranks, and no rank uses a
 * new decision.
 */

/* A function of atc. The callbacks `create` and `get` of a group call it to pass the value of a key
 * to atc, at most once in each of their calls. atc copies the value. If the function returns a
 * status other than ATC_OK, the callback (`create` or `get`) must return this status. */
typedef atc_status (*atc_group_answer)(const void* value, size_t size, void* payload);

/* A rank, and the store of keys and values that the rank shares with the other ranks. The store may
 * be a folder (atc1_group_open_folder), a store of LibTorch's c10d (docs/distributed.md), or any
 * other store that the callbacks `create` and `get` can access. Everybody who can write to this
 * store can determine which implementations the ranks run (docs/trust.md).
 *
 * atc promises that a key has at most 512 bytes, all ASCII, and that a value has at most 1 MiB. In
 * a call all ranks together write at most 4 MiB to the store. atc asks `get` to wait for at most 1
 * s, and never changes or removes a key. The callbacks are called by the thread that calls
 * atc1_tune, without a lock of atc, and never inside a convolution. They must return normally, and
 * may set an error text (atc1_error_set). If a callback fails, atc1_tune returns ATC_ERROR_IO. */
typedef struct atc_group {
  uint32_t struct_size;
  uint32_t rank;           /* from 0 to size - 1 */
  uint32_t size;           /* the number of ranks of the job */
  uint32_t reserved;       /* 0 */
  double bound_seconds;    /* the longest time, in seconds, that a rank waits for the other ranks
                            * while none of them makes progress; 0: 60 s */
  const char* prefix;      /* the text with which all keys of the group begin, 1 to 380 bytes. Each
                            * job, and each attempt to run it, must have its own prefix. atc appends
                            * a number to the prefix, which counts the calls of atc1_tune with this
                            * prefix */
  void* user;              /* passed to each callback */
  /* A callback. If the key does not exist, it writes the value. If the key exists, it leaves the
   * key unchanged. In both cases it passes the value that the key has now to `answer`. */
  atc_status (*create)(void* user, const char* key, const void* value, size_t size, atc_group_answer answer,
                       void* payload);
  /* A callback. It waits until the key exists, but at most `timeout_seconds`. If the key exists, it
   * passes the value to `answer`. Otherwise it returns ATC_OK without a call of `answer`. */
  atc_status (*get)(void* user, const char* key, double timeout_seconds, atc_group_answer answer, void* payload);
  /* atc1_group_close calls this function, to free `user`. NULL: there is nothing to free. */
  void (*destroy)(void* user);
} atc_group;

/* Makes a group for jobs without LibTorch. The ranks communicate through a folder that all of them
 * can read and write. If the folder does not exist, it is made. Each key becomes a small file. atc
 * does not remove these files: remove the folder after the job. A folder on NFS, version 3 or
 * newer, is possible. Close `*out` with atc1_group_close. ATC_ERROR_IO: the folder cannot be
 * made. */
atc_status atc1_group_open_folder(atc_group* out, const char* path, uint32_t rank, uint32_t size, const char* prefix);
/* Calls `destroy` of the group and sets the pointers of the struct to NULL. If `group` is NULL or
 * was not opened, nothing happens. */
void atc1_group_close(atc_group* group);

/* The outcome of a call of atc1_tune with a group: whether the ranks have agreed, and why not. (The
 * decisions are in the report.) */
typedef struct atc_agreement {
  uint32_t struct_size;
  int32_t agreed;       /* 1: the ranks have agreed. 0: no new decision is used; `rank` and `reason`
                         * have the cause */
  uint64_t rank;        /* if the ranks have not agreed: the number of the rank that caused this */
  uint64_t classes;     /* the number of classes; 0 if the ranks have not agreed */
  uint64_t own_class;   /* the index of the class of this rank */
  const char* reason;   /* why the ranks have not agreed; "" if the ranks have agreed */
  const char* digest;   /* a hash of the decisions of this rank's class. The hash is equal on all
                         * ranks of the class. "" if the ranks have not agreed */
} atc_agreement;

/* A class: ranks that have equal environments (device, versions, engines, terms), and therefore use
 * the same decisions. */
typedef struct atc_agreement_class {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t count;           /* the number of ranks of the class */
  const uint64_t* ranks;    /* the ranks of the class, in ascending order */
  const char* environment;  /* the environment as JSON: device and versions, engines, terms */
  const char* differences;  /* the differences between this environment and the environment of the
                             * first class; "" for the first class */
} atc_agreement_class;

/* atc1_tune_report_agreement writes the agreement of the ranks. atc1_tune_report_class writes the
 * class `index`. The pointers in the structs are valid until the report is destroyed.
 * ATC_ERROR_INVALID_ARGUMENT: the call that made the report had no group, or there is no class with
 * this index. */
atc_status atc1_tune_report_agreement(atc_agreement* out, const atc_tune_report* report);
atc_status atc1_tune_report_class(atc_agreement_class* out, const atc_tune_report* report, size_t index);

/* atc: lists of problems (convolutions) to be tuned. A list can contain problems that calls have
 * noted, and problems of recordings.
 *
 * If a call has the option `tune` = ATC_TUNE_LATER, the call measures nothing and notes its
 * problem. Later, for example between two training steps, the program measures the noted problems:
 *
 *   atc_problems* problems = NULL;
 *   atc1_problems_create(&problems);
 *   atc1_problems_add_noted(problems);
 *   atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
 *   options.problems = problems;
 *   atc1_tune(NULL, device, NULL, 0, &options, NULL, NULL);
 *   atc1_problems_destroy(problems);
 *
 * Later calls use the new decisions, even if the cache has an older plan for the call. If the
 * program has created a plan before (atc1_conv_plan_create), this plan keeps its choice. */

/* A list of problems. Each problem is listed with the device and the options on which its decision
 * depends. If the problem, the device and the options are equal, the problem is listed once. */
typedef struct atc_problems atc_problems;

/* Creates an empty list of problems. The caller destroys `*out`. */
atc_status atc1_problems_create(atc_problems** out);
void atc1_problems_destroy(atc_problems* problems);

/* Adds the problems that calls of this process have noted (ATC_TUNE_LATER) to the list, in the
 * order of their first calls. A call notes its problem when it looks up the decision. The problem
 * is noted once for each device model, and once for each combination of options that needs a
 * decision of its own. If the plan of a call is in the cache, the call looks up no decision, and so
 * notes nothing. A note is removed when atc1_tune has decided its problem. If atc1_tune could not
 * decide a problem, the problem is not listed again and not noted again. At most 4,096 problems are
 * noted. If there are more, one warning is logged, and the other problems are noted by their next
 * calls after an atc1_tune. */
atc_status atc1_problems_add_noted(atc_problems* problems);
/* Removes all notes (problems that calls have noted because of ATC_TUNE_LATER), and forgets which
 * problems could not be decided. Afterwards the problems can be noted again. A call whose plan is
 * cached notes nothing, so call atc1_cache_clear if such calls are to note their problems, too. */
atc_status atc1_problems_forget_noted(void);

/* Adds the problems of a JSON text of `size` bytes to the list. Recordings (the environment
 * variable ATC_RECORD), atc1_problems_json and `atc tune --json` write such texts. If the call
 * fails, no problem is added. ATC_ERROR_INVALID_ARGUMENT: the error text names the problem and the
 * member. */
atc_status atc1_problems_add_json(atc_problems* problems, const char* text, size_t size);
/* Adds one problem to the list. `count` says how many calls of the program run this problem (0:
 * unknown). If `device` is NULL, the problem is tuned on the device of atc1_tune. `options` may be
 * NULL. Only the options that atc1_problems_get writes are kept; all others are ignored.
 * ATC_ERROR_INVALID_ARGUMENT: the error text names the field. */
atc_status atc1_problems_add(atc_problems* problems, const atc_device* device, const atc_conv_problem* problem,
                             const atc_conv_options* options, uint64_t count);

atc_status atc1_problems_count(size_t* out, const atc_problems* problems);
/* Writes one problem of the list. Each of the first four pointers may be NULL.
 * - `device`: type 0 means the device of atc1_tune. Index -1 means any device of the type; problems
 *   that another process has noted have index -1.
 * - `problem`: has explicit strides (ATC_LAYOUT_STRIDED). It is transposed if the problem of the
 *   noting call was transposed.
 * - `options`: deterministic, allow_tf32, allow_reference, constant_weights, alignment, workspace_limit, front_end,
 *   require_firm, strict_precision and allow_reduced_precision_reduction are those of the noting
 *   call. use_store is ATC_OFF if this call used no store. All other options are 0.
 * - `count`: the number of calls; 0 if unknown.
 *
 * ATC_ERROR_INVALID_ARGUMENT: `index` is not below atc1_problems_count. */
atc_status atc1_problems_get(atc_device* device, atc_conv_problem* problem, atc_conv_options* options, uint64_t* count,
                             const atc_problems* problems, size_t index);
/* Writes the list as JSON text, one problem per line. `atc tune` and atc1_problems_add_json read
 * this text. The text does not contain the stores that the calls used. The caller destroys
 * `*out`. */
atc_status atc1_problems_json(atc_bytes** out, const atc_problems* problems);

/* atc: the store, which keeps decisions on disk. A decision names the implementation that runs a convolution. A store
 * is a directory with one folder for each environment (device, library versions). A folder has one small JSON file
 * (an entry) for each decision. If the decision's winner was compiled, a compressed file with the
 * compiled form of the winner lies beside the entry. Any number of processes may use a store at
 * once. */

typedef int32_t atc_store_mode;
enum {
  ATC_STORE_OFF = 1,        /* the store is neither read nor written */
  ATC_STORE_READ = 2,
  ATC_STORE_READ_WRITE = 3, /* default */
  ATC_STORE_REPLAY_ONLY = 4 /* the store is only read, and nothing is measured. A call whose problem
                             * has no record fails with ATC_ERROR_NOT_TUNED */
};

/* A handle of an open store. Several threads may use it at once. */
typedef struct atc_store atc_store;

/* Opens the store in `directory`. `mode` is ATC_STORE_*, or 0 for the default (read-write). In
 * read-write mode the directory is created if it does not exist. ATC_ERROR_IO: the directory cannot
 * be used. The caller closes `*out`. */
atc_status atc1_store_open(atc_store** out, const char* directory, atc_store_mode mode);
/* Opens a store that consists of `count` directories (layers). The first directory is opened as by atc1_store_open, and
 * the others are only read. If several layers have decisions for a problem, the best decision is
 * used, by the rules of ATC_REPLACE_JOIN. If another user or another machine wrote a decision, atc
 * checks its choice before the first use (docs/trust.md). New decisions are written to the first
 * layer. Imports, exports, verify and prune work only on the first layer. If one of the other
 * directories cannot be used, this directory is skipped, and one warning is logged; in replay-only
 * mode the function returns ATC_ERROR_IO instead. */
atc_status atc1_store_open_layers(atc_store** out, const char* const* directories, size_t count, atc_store_mode mode);
/* Closes the handle; NULL does nothing. If the store is in use (atc1_store_use), it remains in use. Plans that were
 * made with the handle keep working. */
void atc1_store_close(atc_store* store);

/* Sets the store in use: from now on plan creation, eager calls and atc1_tune of this process read
 * and write `store`. This store replaces the store that was in use before, also the store of
 * ATC_STORE. NULL: no store is in use. If the options of a call have a store, the call uses that
 * store. */
atc_status atc1_store_use(const atc_store* store);
/* Writes a new handle of the store in use to `*out`. The caller closes the handle. If no store is
 * in use, writes NULL. If ATC_MODE is replay-only and ATC_STORE cannot be read (settings.h), the
 * function writes the handle of a replay-only store without entries. */
atc_status atc1_store_in_use(atc_store** out);

typedef struct atc_store_info {
  uint32_t struct_size;
  atc_store_mode mode;
  uint64_t entries;
  char directory[1024];
} atc_store_info;

atc_status atc1_store_describe(atc_store_info* out, const atc_store* store);

/* Reads the entry (the stored decision) that a plan of this device, problem and options would use.
 * `*out` is a JSON text: {"key": {"environment": …, "problem": …}, "value": {"choice": …,
 * "candidates": […], …}}. If the decision is provisional (uncertain), the value has a member
 * "provisional": {"risk": …, "why": …, "budget": …}. ATC_ERROR_NOT_TUNED: there is no such entry.
 * `options` may be NULL. The fields `store` and `allocator` of `options` are checked but not used.
 * The progress callback is not called. */
atc_status atc1_store_get(atc_bytes** out, const atc_store* store, atc_device device, const atc_conv_problem* problem,
                          const atc_conv_options* options);

/* Options of atc1_store_put. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or
 * ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h). */
typedef struct atc_store_put_options {
  uint32_t struct_size;
  int32_t replace_firm; /* 0: off. On: the new entry may replace a firm entry even if the new entry
                         * is provisional, that is, uncertain (its value has a member
                         * "provisional") */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the entry (machine code of its winner)
                           * are kept. Whoever wrote these parts determines which code runs here
                           * (docs/trust.md) */
  uint32_t reserved;      /* 0 */
} atc_store_put_options;

/* Writes an entry into the store. The entry is a JSON text in the form that atc1_store_get returns.
 * If the store has an entry with the same key, the new entry replaces it. But a provisional entry
 * (its value has a member "provisional") does not replace a firm entry, unless `replace_firm` is
 * on: the call then returns ATC_OK and changes nothing. Compiled parts of the entry are removed,
 * unless `trust_compiled` is on. The entry is marked as "received" (not measured here), so its
 * choice is checked before its first use (docs/trust.md). `options` may be NULL.
 * ATC_ERROR_BAD_RECORD: the text is not a valid entry. ATC_ERROR_IO: the entry could not be
 * written; but this process remembers the entry and uses it. */
atc_status atc1_store_put(const atc_store* store, const char* entry, size_t size, const atc_store_put_options* options);
/* Writes all valid entries of the store to `*out`, as the text of one JSON array. Each element has
 * the form that atc1_store_get describes. */
atc_status atc1_store_list(atc_bytes** out, const atc_store* store);
/* Removes an entry. `entry` is a JSON text of `size` bytes, as atc1_store_get returns it; the entry
 * with the same "key" is removed. `*removed` (`removed` may be NULL) is 1 if the store had this
 * entry, else 0. */
atc_status atc1_store_remove(int32_t* removed, const atc_store* store, const char* entry, size_t size);

/* Writes the number of valid entries of the store whose decision is provisional (uncertain). The
 * call reads all files of the store. */
atc_status atc1_store_provisional(uint64_t* out, const atc_store* store);

/* ATC_REPLACE_JOIN is a third state of atc_store_import_options.replace. If the store and the
 * bundle have entries with the same key, the two entries are joined. Each decision was made by
 * comparing a certain set of engines and rewrites. For each such set, the joined entry keeps the
 * best decision. A firm decision is better than a provisional decision. Between two firm or two
 * provisional decisions, the one that compared more engines and rewrites is better, then the one
 * with the smaller risk. If all of these are equal, a hash decides. Times are not compared. If two
 * stores join the same bundles, they have the same choices, and the order of joining has no
 * influence. */
enum { ATC_REPLACE_JOIN = 3 };

/* Options of atc1_store_import. A field that is 0 has its default. A switch is 0 (default), ATC_OFF
 * or ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h). */
typedef struct atc_store_import_options {
  uint32_t struct_size;
  int32_t replace; /* the rule for an entry of the bundle whose key the store already has. 0: off:
                    * the store's entry remains, unless it is provisional (uncertain) and the
                    * bundle's entry is firm. On: the bundle's entry replaces the store's entry,
                    * unless it is provisional and the store's entry is firm. ATC_REPLACE_JOIN: the
                    * two entries are joined */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundle (machine code) are kept.
                           * Whoever wrote these parts determines which code runs here
                           * (docs/trust.md) */
  uint32_t reserved;      /* 0 */
} atc_store_import_options;

/* Options of atc1_store_merge. A field that is 0 has its default. A switch is 0 (default), ATC_OFF
 * or ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h). */
typedef struct atc_store_merge_options {
  uint32_t struct_size;
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundles (machine code) are kept.
                           * Whoever wrote these parts determines which code runs here
                           * (docs/trust.md) */
} atc_store_merge_options;

/* atc1_store_export writes all valid entries of a store, and the compiled files beside them, into one bundle (a
 * sequence of bytes). atc1_store_import adds the entries of a bundle to a store. If the store
 * already has an entry with the same key, `options->replace` decides. By default the entry of the
 * store remains, except that a firm entry of the bundle replaces a provisional one. As in
 * atc1_store_put, compiled parts are removed unless `trust_compiled` is on, and imported entries are
 * marked as "received". `*added` is the number of entries of the bundle that were written. `*kept`
 * is the number of entries of the bundle that were not written. `added`, `kept` and `options` may
 * be NULL. ATC_ERROR_BAD_RECORD: the bundle is damaged, and nothing was changed. */
atc_status atc1_store_export(atc_bytes** out, const atc_store* store);
atc_status atc1_store_import(uint64_t* added, uint64_t* kept, const atc_store* store, const void* bundle, size_t size,
                             const atc_store_import_options* options);
/* Joins several bundles into one bundle, by the rules of ATC_REPLACE_JOIN. The order of the bundles
 * has no influence on the result. Compiled parts are removed unless `trust_compiled` is on.
 * `options` may be NULL. The caller destroys `*out`. */
atc_status atc1_store_merge(atc_bytes** out, const void* const* bundles, const size_t* sizes, size_t count,
                            const atc_store_merge_options* options);

/* Writes a digest (a hash) of the store. If two stores have equal digests, they have equal choices
 * for equal keys; firm and provisional choices count alike. If pins are in force (atc1_set_pins),
 * the hash of the pins is a part of the digest. So processes with equal digests make equal
 * decisions, even with pins. */
atc_status atc1_store_digest(uint64_t* out, const atc_store* store);
/* Checks every file of the store. `*out` is a text with one line for each damaged file. The text is
 * empty if no file is damaged. The caller destroys `*out`. */
atc_status atc1_store_verify(atc_bytes** out, const atc_store* store);
/* Removes files from the store. Three kinds of files are removed: damaged files; all entries except
 * the newest `keep`; and compiled files that no entry names and that are at least one hour old.
 * `*removed` (`removed` may be NULL) is the number of removed files. If a compiled file is removed
 * together with its entry, only the entry counts. */
atc_status atc1_store_prune(uint64_t* removed, const atc_store* store, uint64_t keep);

/* atc: the entries of a store as C structs, for programs that print or report them. An entry has a
 * problem, its decision, the candidates (the implementations that were compared), and the
 * conditions of the measurement. */

/* A copy of all valid entries of a store. The copy never changes, and any number of threads may read it. */
typedef struct atc_store_entries atc_store_entries;

/* Reads every entry of a store, in the order of atc1_store_list, and the ceilings (measured limits of the device's
 * speed) that the store keeps. The caller destroys `*out`. If the store changes later, `*out` does
 * not change. Any thread may call the function. ATC_ERROR_INVALID_ARGUMENT: the error text names a
 * missing pointer. */
atc_status atc1_store_read(atc_store_entries** out, const atc_store* store);
void atc1_store_entries_destroy(atc_store_entries* entries);

atc_status atc1_store_entries_count(size_t* out, const atc_store_entries* entries);

/* One entry of a store. If the entry holds several decisions, the struct describes the decision that is used first.
 * If this version of atc cannot read an entry (for example an entry of a newer version), `trouble`
 * has the reason, and only the readable fields are set. Texts are never NULL. */
typedef struct atc_store_entry {
  uint32_t struct_size;
  int32_t technique;          /* how candidates were timed, ATC_TECHNIQUE_*; 0: not known */
  int32_t provisional;        /* 1 if the decision is provisional (uncertain), else 0 */
  int32_t threads;            /* number of threads with which convolutions ran in the race, if the
                               * device is a CPU; 0: not known */
  int64_t winner;             /* index of the winning candidate; -1: none */
  int64_t default_candidate;  /* index of the candidate that runs without tuning; -1: none */
  int64_t original;           /* index of the candidate that is the program's own convolution
                               * (ATC_ENGINE_ORIGINAL); -1: none */
  uint64_t candidates;
  uint64_t executions;        /* number of executions of all candidates in the race */
  double seconds;             /* seconds that the race took */
  double risk;                /* for a provisional decision: the fraction by which the choice may be
                               * slower than another candidate; as in atc_tuned_problem */
  double bytes;               /* the sizes of x, w and y together, in bytes; 0: not known */
  double flops;               /* number of floating-point operations if the sums are computed as
                               * defined, including products with the zeros of the padding; 0: not
                               * known */
  double bytes_per_second;    /* the largest measured rate at which the device of the entry moves
                               * data, in bytes per second; 0: not measured */
  double flops_per_second;    /* the largest measured rate at which the device computes with the
                               * problem's data types, in operations per second; 0: not measured */
  double power_limit_watts;   /* power limit of the device in watts. Like the next three fields
                               * (temperature and clocks), it was read at the end of the race. 0:
                               * not known */
  double temperature_celsius;
  double clock_hz;
  double memory_clock_hz;
  const char* entry;          /* the entry as JSON text, as atc1_store_get returns it */
  const char* key;            /* the key of the entry as JSON text: the problem, the options that
                               * change which results are allowed, and the environment (device,
                               * driver and versions of libraries) */
  const char* problem;        /* the problem in one line, "forward f32 x 8×64×56×56 w …"; "" if it cannot be read */
  const char* choice;         /* the chosen implementation (engine, version and configuration); "" if it cannot be read */
  const char* why;            /* why the decision is provisional, or "" */
  const char* trouble;        /* why the decision cannot be read, or "" */
  const char* device;         /* type of the device, "cpu" or "cuda"; "": not known */
  const char* device_name;    /* name of the device; "": not known */
  const char* libraries;      /* the libraries whose versions the key of the entry contains, with
                               * these versions: "onednn:3.2". Several are separated by ',' without
                               * a space. "": none */
  const char* host;           /* the machine that measured the decision, or "" */
  const char* date;           /* date and time of the race, "2026-01-31T12:00:00Z", or "" */
  const char* driver;         /* version of the device's driver; "": not known */
  const char* clocks_limited_by; /* the reasons why the clocks were lowered during the race, one per
                                  * line; or "" */
} atc_store_entry;

/* atc1_store_entries_describe writes the entry `index`. atc1_store_entries_candidate writes one
 * candidate of this entry. Strings are valid as long as `entries`. ATC_ERROR_INVALID_ARGUMENT: an
 * index is out of range. */
atc_status atc1_store_entries_describe(atc_store_entry* out, const atc_store_entries* entries, size_t index);
atc_status atc1_store_entries_candidate(atc_candidate* out, const atc_store_entries* entries, size_t index,
                                        size_t candidate);

/* atc: traces. A trace of a running program lists how often each convolution ran, with which choice
 * (engine, version and configuration), and how long it took.
 *
 * A trace counts the executions of plans (atc1_conv_plan_execute, atc1_conv_plan_sample), eager calls (atc1_convolution)
 * and the calls that front ends report (atc1_trace_call_begin). A trace does not count the
 * executions of races. For each pair of a problem and a choice, the first call is timed, and then
 * every n-th call (`sample_every`). On the CPU the time is the duration of the call. On CUDA the
 * time is measured by two events on the stream, before and after the work. If a call is captured
 * into a graph, it is counted once, at the capture, and is not timed.
 *
 * The process has at most one trace. The environment variable ATC_TRACE=FILE, which is read once,
 * starts a trace at the first convolution. atc1_trace_stop writes this trace to FILE. Without
 * atc1_trace_stop, FILE is written when the process exits by exit() or by the end of main. If the
 * process ends by _exit() or a signal, the trace is lost. A malformed value of ATC_TRACE is
 * ignored, and one line is logged. A child made by fork is not traced.
 *
 * All functions may be called from any thread at any time. */

/* Options of a trace. A field that is 0 has its default. */
typedef struct atc_trace_options {
  uint32_t struct_size;
  uint32_t sample_every; /* a number n: every n-th call is timed. The calls of each pair of a
                          * problem and a choice are counted separately, and the first one is timed.
                          * 0: 1 on the CPU, 8 on CUDA */
  uint32_t max_rows;     /* the largest number of pairs of a problem and a choice that have rows of
                          * their own. The calls of all further pairs are counted in one row, with
                          * the problem "other". 0: 1024. A pair takes at most 14 KB of memory, and
                          * usually less than 2 KB */
  uint32_t max_events;   /* the largest number of timed calls that the timeline of the trace shows.
                          * If more calls were timed, the timeline shows the most recent ones. 0:
                          * 65,536. A call takes 32 bytes of memory */
  const char* file;      /* name of the file for the trace. atc1_trace_stop writes the file; without
                          * atc1_trace_stop it is written when the process exits. At the exit, calls
                          * that CUDA devices have not finished are left out. If the name ends in
                          * .txt, the file is a table, else JSON. %p stands for the process id, %%
                          * for a %. The folder must exist. If a regular file of this name exists,
                          * it is replaced. If the name is that of a directory, device or the like,
                          * it is refused. The text is copied. NULL: no file */
} atc_trace_options;

/* Starts the trace of the process. `options` may be NULL. ATC_ERROR_BUSY: a trace is running.
 * ATC_ERROR_INVALID_ARGUMENT: the file name has a % that is neither %p nor %%, or is too long. ATC_ERROR_IO: the file
 * cannot be written. */
atc_status atc1_trace_start(const atc_trace_options* options);

/* The results of a trace (atc1_trace_stop). */
typedef struct atc_trace atc_trace;

/* Ends the trace, even if ATC_TRACE has started it. If the trace has a file, the file is written.
 * The call waits until CUDA devices have finished the timed calls. If other threads are making
 * calls at this time, the trace may lack these calls. `out` may be NULL; otherwise the caller
 * destroys `*out`. ATC_ERROR_INVALID_ARGUMENT: no trace is running. ATC_ERROR_IO: the file could
 * not be written; the trace has ended and is lost. */
atc_status atc1_trace_stop(atc_trace** out);
void atc1_trace_destroy(atc_trace* trace);

/* The kinds of rows in a trace. The kind determines which calls a row counts. */
enum {
  ATC_TRACE_ROW_PROBLEM = 1, /* the row counts the calls of one problem with one choice on one
                              * device */
  ATC_TRACE_ROW_CHOICE = 2,  /* the row counts all calls with one choice on one device, whatever
                              * their problem */
  ATC_TRACE_ROW_TOTAL = 3    /* the row counts all calls. A trace has one such row, its last row */
};

/* A row of a trace. Times are seconds per call, computed from the timed calls. If no call was
 * timed, they are 0. Median, p90 and p99 are quantiles (q = 0.5, 0.9, 0.99): the time with the
 * index floor(q * (n - 1)) among the n times in ascending order, with an error of at most 1 %. The
 * other figures are exact. */
typedef struct atc_trace_row {
  uint32_t struct_size;
  int32_t kind;        /* ATC_TRACE_ROW_* */
  atc_device device;   /* device of the calls; {0, 0} in the total */
  const char* problem; /* text of the problem, as atc1_conv_problem_describe writes it; "" unless `kind` is
                        * ATC_TRACE_ROW_PROBLEM */
  const char* choice;  /* the choice, "engine@version:configuration", or the text that a front end
                        * has reported (atc1_trace_call_begin); "" in the row TOTAL */
  uint64_t calls;
  uint64_t timed;      /* number of calls of this row that were timed */
  double total;        /* estimated time of all calls of the row together, in seconds. It is the sum
                        * of (number of calls * mean time) over the pairs of a problem and a choice
                        * whose calls the row counts */
  double mean;
  double median;
  double p90;
  double p99;
  double min;
  double max;
  double deviation;    /* standard deviation of the n measured times, in seconds: the sum of squared
                        * differences from the mean is divided by n - 1 */
} atc_trace_row;

/* atc1_trace_row_count writes the number of rows. atc1_trace_row_get writes the row `index` to `out`.
 * The order of the rows is: kind PROBLEM (grouped by device and problem), then kind CHOICE, then
 * the TOTAL. Within a kind the rows with the largest total time come first. Strings are valid as
 * long as the trace. ATC_ERROR_INVALID_ARGUMENT: the index is out of range. */
atc_status atc1_trace_row_count(size_t* out, const atc_trace* trace);
atc_status atc1_trace_row_get(atc_trace_row* out, const atc_trace* trace, size_t index);

enum {
  ATC_TRACE_TABLE = 1, /* a table for people */
  ATC_TRACE_JSON = 2   /* a Chrome trace for Perfetto, in the time base of PyTorch's profiler. Its key `atc` has
                        * the rows (docs/tracing.md) */
};

/* Writes the trace as text in UTF-8; `format` is ATC_TRACE_TABLE or ATC_TRACE_JSON. The caller destroys `*out`.
 * ATC_ERROR_INVALID_ARGUMENT: `format` has another value. */
atc_status atc1_trace_text(atc_bytes** out, const atc_trace* trace, int32_t format);

/* ---- For front ends ------------------------------------------------------------------------------- */

/* Writes 1 to `*out` if a trace is running, else 0. If a front end (a program that runs
 * convolutions by itself and reports them, such as the LibTorch bridge) describes problems only for
 * the trace, it can skip the description if no trace is running. */
atc_status atc1_trace_is_running(int32_t* out);

/* A call of a front end that a trace is timing. Only one thread at a time may use the object. */
typedef struct atc_trace_call atc_trace_call;

/* Reports to the trace a convolution that a front end is about to run by itself, without a plan of atc. `choice`
 * names the library that computes the convolution, for example "libtorch". `problem` may be NULL if
 * the problem cannot be described. The front end then queues its work on `stream` (ignored on the
 * CPU) and calls atc1_trace_call_end. `*out` is NULL if the call is not timed or no trace is
 * running. ATC_ERROR_INVALID_ARGUMENT: the problem or the device is not valid; the error text names
 * the field. If no trace is running, problem and device are not checked. */
atc_status atc1_trace_call_begin(atc_trace_call** out, atc_device device, const atc_conv_problem* problem,
                                 const char* choice, atc_stream stream);
/* Ends the report that atc1_trace_call_begin has begun. On CUDA the front end calls this function
 * when the work has been queued on the stream; on the CPU, when the work is done. The function
 * frees `call`. NULL does nothing. */
void atc1_trace_call_end(atc_trace_call* call);

/* ---- cdef ---- */

#ifdef __cplusplus
}
#endif
#endif /* ATC_ATC1_H_ */
