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
 * - Every function that can fail returns an `atc_status`. Out parameters come first; a single one is called `out`. If
 *   the function fails, its out parameters keep their values.
 * - `const atc_x*` may be used by several threads at once; `atc_x*` by one at a time.
 * - A `create` (or `open`) has a `destroy` (or `close`), which takes NULL and cannot fail.
 * - Structs begin with `struct_size`. The caller sets `struct_size` to `sizeof` before the call, both in structs that
 *   the call reads and in structs that it writes. New versions only append fields. With atc.h, `atc_x s =
 *   ATC_X_INIT;` sets `struct_size`, and everything else to zero. Problems and geometries have `..._init(&s,
 *   spatial_dims)` instead, which sets usual values.
 * - In C and C++ a function is called `atc_foo`. In the shared library its name is `atc1_foo` (1 is the ABI's major
 *   version). atc1.h declares `atc1_foo` for users of dlsym, ctypes, cffi and cbindgen. */

#define ATC_VERSION_MAJOR 0
#define ATC_VERSION_MINOR 1
#define ATC_VERSION_PATCH 0
/* the version as one number: major * 10000 + minor * 100 + patch */
#define ATC_VERSION 100
#define ATC_ABI_VERSION 1

/* ---- Status ------------------------------------------------------------------------------------ */

typedef int32_t atc_status;

enum {
  ATC_OK = 0,
  ATC_ERROR_INVALID_ARGUMENT = 1, /* a value is invalid on every machine; the error text names it */
  ATC_ERROR_UNSUPPORTED = 2,      /* the arguments are valid, but no engine on this machine can run the problem */
  ATC_ERROR_NOT_TUNED = 3,        /* the store is replay-only and has no usable record of the problem */
  ATC_ERROR_OUT_OF_MEMORY = 4,    /* host or device memory does not suffice */
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

/* Returns the name of a status: "ATC_OK", "ATC_ERROR_IO", …, or "unknown status" for a number that this version does
 * not know. The string is static and never NULL. */
const char* atc1_status_name(atc_status status);

/* Returns the reason why the last call of this thread that failed did so. The text is one sentence of up to 8,191
 * bytes. It names the argument, the value and a remedy. Only the next failing call of this thread replaces the text;
 * calls that succeed and `destroy` functions leave it as it is. The library owns the text, which is valid until it is
 * replaced. Before the first failure it is "", and it is never NULL. Programs should decide by the status, and show
 * this text to people. */
const char* atc1_last_error(void);

/* Sets the error text that belongs to the status which a callback is about to return. It is called by callbacks of
 * engines and of settings sources (extend.h). NULL is taken as "". */
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

/* Values of 64-bit limits in options structs. In these structs 0 means that the limit is inherited. */
#define ATC_UNLIMITED 0xFFFFFFFFFFFFFFFFULL
#define ATC_NONE 0xFFFFFFFFFFFFFFFEULL /* a limit of zero */
#define ATC_AUTOMATIC 0xFFFFFFFFFFFFFFFDULL /* of atc1_set_race_memory_limit: atc chooses the limit */

/* Values of switches in options structs. In these structs 0 means that the switch is inherited. The number 1, and
 * `true`, is ATC_OFF: to set a switch by a condition, call atc_option_set. (The functions atc_set_… of settings.h
 * take 0 and 1.) */
enum { ATC_OFF = 1, ATC_ON = 2 };

/* ---- Devices and tensors ----------------------------------------------------------------------- */

/* DLPack's numbers. */
enum { ATC_DEVICE_CPU = 1, ATC_DEVICE_CUDA = 2 };

/* A device. The struct has the layout of DLPack's DLDevice. */
typedef struct atc_device {
  int32_t type;  /* ATC_DEVICE_* */
  int32_t index; /* number of the device among those of its type; 0 for the CPU */
} atc_device;

/* An element type. The struct has the layout of DLPack's DLDataType: {2, 32, 1} is fp32, {2, 16, 1} fp16, {4, 16, 1}
 * bf16. */
typedef struct atc_data_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} atc_data_type;

enum { ATC_CODE_FLOAT = 2, ATC_CODE_BFLOAT = 4 }; /* DLPack's numbers */

/* A tensor of the caller's, with the layout of DLPack's DLTensor: a `DLTensor*` may be cast to it. On the CPU, `data`
 * and the memory behind it are borrowed for the call; on CUDA, until the work that the call queued on the stream has
 * run. `shape` and `strides` are read before the call returns. The first element lies at `data + byte_offset` and
 * must be aligned to the element size. */
typedef struct atc_tensor_view {
  void* data;
  atc_device device;
  int32_t ndim;
  atc_data_type dtype;
  const int64_t* shape;   /* ndim extents, in elements */
  const int64_t* strides; /* ndim strides, in elements; NULL: the tensor is dense and its last dimension varies
                           * fastest */
  uint64_t byte_offset;
} atc_tensor_view;

/* A CUDA stream. CUstream and cudaStream_t are the same pointer. NULL is the default stream, and the value for the
 * CPU. */
struct CUstream_st;
typedef struct CUstream_st* atc_stream;

/* Bytes or a text that a function has returned. The library owns them until the caller destroys them
 * (atc1_bytes_destroy). */
typedef struct atc_bytes atc_bytes;

/* Return the address and the number of the bytes. A text is followed by a NUL that the size does not count. The
 * address is valid until atc1_bytes_destroy. For a NULL handle the address is NULL and the size 0. */
const char* atc1_bytes_data(const atc_bytes* bytes);
size_t atc1_bytes_size(const atc_bytes* bytes);
void atc1_bytes_destroy(atc_bytes* bytes);

/* atc: the switches of a process, each with a setter and a getter, and one call that prepares a repeatable run.
 *
 * Every switch may be set on every machine. Without CUDA a setter returns ATC_OK, and the getter returns the value
 * that was set (the queries of device.h tell whether there is CUDA). On the CPU one of the switches named after cuDNN
 * has an effect, deterministic_cudnn: it excludes implementations that do not repeat their bits. A change takes
 * effect at the next plan creation and the next eager call, on every thread, also for problems that ran before.
 * Existing plans do not change.
 *
 * An explicit call takes precedence over the environment, and the environment over the default. The environment
 * (docs/environment.md lists the variables) is read once, at the first call that needs it. A malformed value is
 * ignored with one log line. There are these exceptions, since some variables are promises about results
 * (docs/trust.md):
 * - A malformed ATC_DETERMINISTIC counts as 1, with one log line.
 * - Each decision fails if ATC_PINS names no pin file, if ATC_MODE is malformed, or if ATC_MODE is replay-only and
 *   ATC_STORE names no store that can be read. The error text names the variable. The failures end when the program
 *   itself sets pins (atc1_set_pins) or a store (atc1_store_use). Switches can be set and read meanwhile.
 *
 * All functions may be called from any thread at any time. */

/* The technique by which candidates are timed (docs/tuning.md). The first three are defined as in cuDNN's frontend. */
typedef int32_t atc_technique;
enum {
  ATC_TECHNIQUE_ONCE = 1,
  ATC_TECHNIQUE_MEDIAN_OF_THREE = 2,
  ATC_TECHNIQUE_TILL_STABLE = 3,
  ATC_TECHNIQUE_INTERLEAVED = 4, /* default */
  ATC_TECHNIQUE_SUSTAINED = 5    /* compares candidates at the clock frequencies at which the device settles under
                                  * a long load */
};

/* The behaviour of an operation that has no deterministic implementation. */
enum {
  ATC_DETERMINISTIC_ALGORITHMS_OFF = 1, /* default */
  ATC_DETERMINISTIC_ALGORITHMS_WARN = 2,
  ATC_DETERMINISTIC_ALGORITHMS_ERROR = 3
};

/* ---- Switches. Booleans are 0 or 1; anything else is ATC_ERROR_INVALID_ARGUMENT. A NULL `out` is
 * ATC_ERROR_INVALID_ARGUMENT. ---------------------------------------------------------------------- */

/* benchmark_cudnn: 1: measure the candidates of CUDA convolutions and use the fastest. Default 0. */
atc_status atc1_set_benchmark_cudnn(int32_t enabled);
atc_status atc1_get_benchmark_cudnn(int32_t* out);

/* benchmark_limit_cudnn: how many of cuDNN's candidates are timed at most for one convolution; 0: all. Default 10.
 * With a bias, each of these candidates is timed in two forms: with the bias fused, and with the bias added by a
 * separate pass. The number of candidates of other engines is limited separately (docs/engines.md). A negative limit
 * is ATC_ERROR_INVALID_ARGUMENT. */
atc_status atc1_set_benchmark_limit_cudnn(int32_t limit);
atc_status atc1_get_benchmark_limit_cudnn(int32_t* out);

/* user_enabled_cudnn: 0: the engine `cudnn` is not used. Default 1. */
atc_status atc1_set_user_enabled_cudnn(int32_t enabled);
atc_status atc1_get_user_enabled_cudnn(int32_t* out);

/* deterministic_cudnn: 1: only deterministic convolution kernels are used. Default 0. */
atc_status atc1_set_deterministic_cudnn(int32_t enabled);
atc_status atc1_get_deterministic_cudnn(int32_t* out);

/* deterministic_algorithms: ATC_DETERMINISTIC_ALGORITHMS_*. For convolutions WARN and ERROR both ask for
 * deterministic kernels. With a bridge (for example to LibTorch) the switch holds for all operators of the program. */
atc_status atc1_set_deterministic_algorithms(int32_t mode);
atc_status atc1_get_deterministic_algorithms(int32_t* out);

/* allow_tf32_cudnn: 1: fp32 convolutions on CUDA may use TF32. Default 1, as in LibTorch. */
atc_status atc1_set_allow_tf32_cudnn(int32_t enabled);
atc_status atc1_get_allow_tf32_cudnn(int32_t* out);

/* benchmark_technique: how candidates are timed, ATC_TECHNIQUE_*. */
atc_status atc1_set_benchmark_technique(atc_technique technique);
atc_status atc1_get_benchmark_technique(atc_technique* out);

/* workspace_limit: the most bytes of workspace that a candidate may use. The limit is rounded down to a class (0, 32
 * MiB, 256 MiB, 1 GiB, 4 GiB), and the getter returns the class. Decisions are kept separately for each class.
 * ATC_UNLIMITED is the largest class. Default 1 GiB. */
atc_status atc1_set_workspace_limit(uint64_t bytes);
atc_status atc1_get_workspace_limit(uint64_t* out);

/* Sets how many bytes a race may allocate on its device (on the CPU: in main memory) beyond the memory that the program
 * holds. ATC_UNLIMITED: no limit. ATC_AUTOMATIC (default): a quarter of the memory that is free when the race begins.
 * If a race needs more, it first uses fewer sets of operands; then candidates whose workspace does not fit leave the
 * race (docs/tuning.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment: ATC_RACE_MEMORY_LIMIT. */
atc_status atc1_set_race_memory_limit(uint64_t bytes);
atc_status atc1_get_race_memory_limit(uint64_t* out);

/* Sets how many bytes of host memory the kept plans of the process may take: the plans of the plan cache, and the plans
 * that cuDNN built for them. ATC_UNLIMITED: no limit. Default 2 GiB. If the plans take more, those that were used least
 * recently are destroyed. The sizes are estimates (docs/threading.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT.
 * Environment: ATC_PLAN_MEMORY_LIMIT. */
atc_status atc1_set_plan_memory_limit(uint64_t bytes);
atc_status atc1_get_plan_memory_limit(uint64_t* out);

/* Sets the directories, separated by ':', in which libcuda, cuDNN, cuBLASLt and NVML are looked for first. NULL or ""
 * clears the list. ATC_ERROR_BUSY: one of these libraries has already been looked for. */
atc_status atc1_set_library_path(const char* directories);
/* `*out` is owned by the library and valid until this thread's next call of this function. */
atc_status atc1_get_library_path(const char** out);

/* Reads the pin file `file` (docs/pins.md), which sets choices and bars for problems, and obeys it from now on. It
 * replaces the earlier pin file, also that of ATC_PINS. NULL or "" means no pins. A pinned choice takes precedence
 * over records and tuning; a choice that a call gives takes precedence over pins. If the file changes later, it is
 * not read again. ATC_ERROR_IO: the file cannot be read. ATC_ERROR_INVALID_ARGUMENT: it is no pin file; the error
 * text has the line, the field and its value. After an error the earlier pins remain in force. If ATC_PINS names a
 * file with such an error, each decision fails with this error until the program sets another file. */
atc_status atc1_set_pins(const char* file);
/* Returns the name of the pin file in force, or "". `*out` is owned by the library and valid until this thread's next
 * call of this function. */
atc_status atc1_get_pins(const char** out);
/* Writes a hash of the patterns, choices and bars of the pins in force (without their names and comments); 0 if there
 * are no pins. */
atc_status atc1_get_pins_hash(uint64_t* out);

/* ---- Snapshot ----------------------------------------------------------------------------------- */

/* All switches at once. Each field is taken literally: 0 means 0 and stands for no default. */
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

/* Writes the values of all switches to `out`, at most `out->struct_size` bytes. The caller sets `struct_size` before. */
atc_status atc1_settings_get(atc_settings* out);
/* Sets all switches. If one value is refused, no switch is changed. */
atc_status atc1_settings_apply(const atc_settings* settings);
/* Reads the environment again and sets the switches by it, also those that explicit calls have set.
 * ATC_ERROR_INVALID_ARGUMENT: a value is malformed, and nothing was changed. ATC_ERROR_IO: the store of ATC_STORE
 * cannot be opened, or the file of ATC_PINS cannot be read. A store that cannot be written is opened for reading,
 * with one log line. */
atc_status atc1_settings_from_env(void);

/* ---- Repeatable runs ----------------------------------------------------------------------------- */

/* The conditions of a repeatable run that atc1_set_reproducible could not establish (bits of `missing`). */
enum {
  ATC_REPRODUCIBLE_NO_CUDA_SEED = 1,      /* atc knows no generator of random numbers on CUDA, because no bridge is
                                           * loaded */
  ATC_REPRODUCIBLE_OPEN_SELECTION = 2,    /* a store is in use in read-write mode, so new choices may be stored and
                                           * then used by later runs */
  ATC_REPRODUCIBLE_CUBLAS_WORKSPACE = 4,  /* the environment variable CUBLAS_WORKSPACE_CONFIG is not set */
  ATC_REPRODUCIBLE_CPU_THREADS = 8        /* the environment variable OMP_NUM_THREADS is not set, so sums depend on
                                           * the number of cores */
};

typedef struct atc_reproducible_report {
  uint32_t struct_size;
  uint32_t missing; /* bits: ATC_REPRODUCIBLE_* */
  char text[504];   /* the conditions that are missing in words, a line for each bit */
} atc_reproducible_report;

/* Prepares a repeatable run: sets deterministic_cudnn = 1, deterministic_algorithms = ERROR and benchmark_cudnn = 0,
 * and seeds all generators of random numbers. `out` (may be NULL) lists the conditions that could not be established.
 * The call succeeds even if some could not be. */
atc_status atc1_set_reproducible(atc_reproducible_report* out, uint64_t seed);

/* atc: convolutions. A program describes a convolution as a problem (its shapes, types and direction), creates a plan
 * (the implementation that atc has chosen for the problem, ready to run), and executes the plan. A program that keeps
 * no plans calls atc1_convolution, which creates the plans and keeps them. docs/architecture.md explains the terms
 * ("Words").
 *
 * Forward:          y[n,k,o] = bias[k] + sum over c,t of x[n,c, o*stride + t*dilation - padding_low] * w[k,c,t]
 * Backward-data:    computes x from w and y.
 * Backward-weight:  computes w from x and y. In all directions x is the input of the forward convolution, w has its
 *                   weights, and y is its output.
 * Transposed:       the same three directions for y = (the adjoint of a convolution)(x).
 *
 * Shapes are in elements and in the order that is written here, whatever the layout in memory is:
 *   x [batch, in_channels, input…]     y [batch, out_channels, output…]     bias [channels of the output]
 *   w [out_channels, in_channels / groups, kernel…], transposed: [in_channels, out_channels / groups, kernel…]
 *   output = (input + padding_low + padding_high - dilation*(kernel-1) - 1) / stride + 1, rounded down;
 *   transposed: (input-1)*stride - padding_low - padding_high + dilation*(kernel-1) + output_padding + 1.
 *
 * A forward problem may have an ending. It is applied to the sum, in this order: scale[k] of the channel, bias[k],
 * a residual of the output's shape, and an activation:
 *   y = activation(scale[k] * (sum over c,t of …) + bias[k] + residual[n,k,o])
 *
 * Products are added up in fp32 or better, and the sum is rounded once to the output's type. There are five
 * exceptions:
 * - If TF32 is allowed, CUDA may round f32 operands to TF32 before multiplying them.
 * - With `accumulate`, the sum may be rounded before the old value is added, and again afterwards.
 * - Partial sums may be rounded to the operands' type if allow_reduced_precision_reduction allows it. Implementations
 *   with the flag ATC_ENGINE_ORIGINAL may also do so, unless strict_precision forbids it.
 * - An engine that was registered with ATC_ENGINE_ROUNDS_TWICE may round the sum before the bias is added, and again
 *   afterwards.
 * - With a scale, a residual or a field `activation`, the sum may be rounded before the ending, and the ending's
 *   result afterwards. */

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

/* The activation of a problem's ending; `t` is the sum after scale, bias and residual. NaN stays NaN. */
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

/* A convolution. Each field is taken literally: 0 means 0 and stands for no default. atc_conv_problem_init sets usual
 * values. Of the arrays, atc reads one entry for each spatial dimension. */
typedef struct atc_conv_problem {
  uint32_t struct_size;
  atc_direction direction;
  int32_t spatial_dims;      /* 1, 2 or 3 */
  int32_t transposed;        /* 0 or 1 */
  int64_t batch;             /* batch size, >= 0. With 0 every call succeeds, and backward-weight writes zeros */
  int64_t in_channels;       /* channels of x, a multiple of groups */
  int64_t out_channels;      /* channels of y, a multiple of groups */
  int64_t groups;            /* >= 1 */
  int64_t input[3];          /* spatial extents of x, >= 1, in the order D,H,W or H,W or W */
  int64_t kernel[3];         /* >= 1 */
  int64_t stride[3];         /* >= 1 */
  int64_t dilation[3];       /* >= 1 */
  int64_t padding_low[3];    /* >= 0, the number of zeros before the first element of x */
  int64_t padding_high[3];   /* >= 0, the number of zeros after the last element of x */
  int64_t output_padding[3]; /* for transposed problems only: >= 0 and less than the larger of stride and dilation */
  atc_dtype x_dtype;
  atc_dtype w_dtype;
  atc_dtype y_dtype;
  atc_layout layout;
  atc_epilogue epilogue;     /* for forward problems only. The bias has the output's dtype */
  int32_t accumulate;        /* 0: output = result. 1: output += result, and ReLU, if the epilogue has it, after
                              * the addition */
  int64_t x_strides[5];      /* strides in elements, in the order of the shape. Read for ATC_LAYOUT_STRIDED only */
  int64_t w_strides[5];
  int64_t y_strides[5];
  /* The ending, for forward problems on the CPU. A problem with one of these fields has no `accumulate`. The tensors
   * of scale and residual are passed in atc_conv_operands. */
  int32_t scale;             /* 1: the sum is multiplied by a number for each channel of the output. The scale has
                              * the output's dtype. 0: no scale */
  int32_t residual;          /* 1: a tensor with the output's shape, strides and dtype is added. 0: no residual */
  atc_activation activation; /* 0: none but the ReLU of `epilogue`. Other values need `epilogue` NONE or BIAS */
  float activation_low;      /* the lower limit of ATC_ACTIVATION_CLAMP, in the range of the output's dtype. 0 for all
                              * other activations */
  float activation_high;     /* the upper limit, not below the lower one. 0 for all other activations */
  float activation_slope;    /* the slope of ATC_ACTIVATION_LEAKY_RELU, 0 to 1. 0 for all other activations */
} atc_conv_problem;

/* Fills `out`, with its struct_size, for a forward fp32 problem of 1, 2 or 3 spatial dims. Stride, dilation, groups,
 * batch, kernel and extents become 1, the layout is channels first, and there is no epilogue. `struct_size` is the
 * size of the caller's atc_conv_problem in bytes, and no byte beyond it is written. In atc.h the macro
 * atc_conv_problem_init(&problem, 2) passes this size. ATC_ERROR_INVALID_ARGUMENT is returned for another number of
 * dims, and for a size that no version of the struct has. */
atc_status atc1_conv_problem_init_sized(atc_conv_problem* out, size_t struct_size, int32_t spatial_dims);

/* Writes a problem as the line of text that reports and messages contain: "forward x=8x64x56x56 f32 w=…". The caller
 * destroys `*out`. ATC_ERROR_INVALID_ARGUMENT is returned if the problem is not valid. */
atc_status atc1_conv_problem_describe(atc_bytes** out, const atc_conv_problem* problem);

/* The tensors of a convolution: input, weights, bias, output, and those of the ending. */
enum {
  ATC_OPERAND_X = 1,
  ATC_OPERAND_W = 2,
  ATC_OPERAND_BIAS = 3,
  ATC_OPERAND_Y = 4,
  ATC_OPERAND_SCALE = 5,
  ATC_OPERAND_RESIDUAL = 6
};

/* Writes the shape and the strides of one operand (ATC_OPERAND_*) of a problem, in elements. Each array has
 * `spatial_dims + 2` entries, for bias and scale 1. Either pointer may be NULL. ATC_ERROR_INVALID_ARGUMENT is returned
 * if the problem is not valid. */
atc_status atc1_conv_operand_shape(int64_t* shape, int64_t* strides, const atc_conv_problem* problem, int32_t operand);

/* ---- Plans ----------------------------------------------------------------------------------------- */

/* The source of a decision. A decision names the implementation (the choice) that runs a problem. */
enum {
  ATC_SOURCE_GIVEN = 1,     /* the caller gave the choice */
  ATC_SOURCE_RECORD = 2,    /* a record (a decision kept in the store) */
  ATC_SOURCE_INHERITED = 3, /* a record of the nearest other size of the problem (near_shapes) */
  ATC_SOURCE_MEMORY = 4,    /* this process measured the problem earlier */
  ATC_SOURCE_TUNED = 5,     /* this call measured the problem */
  ATC_SOURCE_DEFAULT = 6,   /* nothing was measured: the first offer of the default engine */
  ATC_SOURCE_REFERENCE = 7, /* no other engine can run the problem, so the slow reference runs it */
  ATC_SOURCE_PINNED = 8,    /* a pin (atc1_set_pins). Pins are looked up after GIVEN and before RECORD */
  ATC_SOURCE_AGREED = 9,    /* the ranks of a job have agreed on the choice (group.h). Agreements are looked up after
                             * PINNED and before RECORD */
  ATC_SOURCE_BESIDE = 10,   /* calls of this process have measured the problem (ATC_TUNE_BESIDE) */
  ATC_SOURCE_PREDICTED = 11 /* nothing was measured: races of similar layers let expect that the choice is faster than
                             * the default (ATC_TUNE_PREDICT) */
};

/* Returns the name of a source (ATC_SOURCE_*): "ATC_SOURCE_RECORD", …, or "unknown source" for a number that this
 * version does not know. The string is static and never NULL. */
const char* atc1_source_name(int32_t source);

/* The progress of tuning, either of all problems of atc1_tune or of the one problem of a plan
 * (atc_conv_options.progress). */
typedef struct atc_tune_progress {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t problem;         /* index of the problem that is being tuned, from 0 */
  uint64_t problems;        /* number of problems; 1 for a plan */
  double problem_fraction;  /* progress of this problem: 0 at its start, never falls, and 1 once, when it is
                             * decided or has failed */
  double seconds;           /* seconds since the call began */
  const char* description;  /* text that describes the problem; valid during the callback */
  const char* candidate;    /* the choice that is prepared, checked or timed next, "" if there is none; valid during the
                             * callback. The callback is called before this work begins */
} atc_tune_progress;

/* A progress callback. It is called at the start and the end of each problem and between measurements, on the thread
 * of the call that tunes. If the callback returns non-zero, that call is cancelled, and the callback is not called
 * again. The callback must return normally: if an exception, longjmp or panic left it, every later race (comparison
 * of candidates by time) would wait for this one. Calls inside the callback that would measure return ATC_ERROR_BUSY
 * (extend.h lists these calls). */
typedef int32_t (*atc_tune_callback)(const atc_tune_progress* progress, void* payload);

struct atc_store;     /* store.h */
struct atc_allocator; /* extend.h */

/* ATC_TUNE_LATER is a third state of atc_conv_options.tune and atc_torch_options.tune. With it calls measure nothing.
 * They use the decisions that this process or the store has. A problem without a decision of its own runs by a record
 * of a near size, else by the default. The problem is noted, so that a later atc1_tune can measure it
 * (problems.h). */
enum { ATC_TUNE_LATER = 3 };

/* ATC_TUNE_BESIDE is a fourth state of these options. With it calls do as with ATC_TUNE_LATER, and cached calls
 * (atc1_convolution, atc1_conv_plan_acquire) find the decision themselves. Beside the program, a thread of atc checks
 * candidates for correct results. Then each call runs one of the candidates that are left and is timed, until one of
 * them is known to be the fastest. No call waits. Until then the last bits of results change from call to call. Plans
 * of atc1_conv_plan_create keep the choice that they have.
 *
 * ATC_TUNE_BESIDE counts as ATC_TUNE_LATER, with one warning, if deterministic results, firm decisions or constant
 * weights are asked for, in replay-only mode, and if WORLD_SIZE is above 1. */
enum { ATC_TUNE_BESIDE = 4 };

/* ATC_TUNE_PREDICT is a fifth state of these options. With it calls measure nothing. They use the decisions that this
 * process or the store has. A problem without a decision of its own runs by a record of a near size. If there is none,
 * it runs by the candidate that is expected to be the fastest, by what races of similar layers have shown
 * (docs/tuning.md). If no candidate is expected to be faster than the default, or if nothing is known for the device,
 * the default runs. A call checks a predicted choice once in a process for correct results, before its first use. A
 * prediction is never stored.
 *
 * If firm decisions are asked for, nothing is predicted, with one warning. In replay-only mode a call without a record
 * fails. With deterministic results, and if WORLD_SIZE is above 1, only the knowledge that is built into the library
 * counts, so that equal machines predict the same. */
enum { ATC_TUNE_PREDICT = 5 };

/* Options of a plan. A field that is 0 has its default. A switch is 0 (inherit), ATC_OFF or ATC_ON. `options.tune =
 * 1` is ATC_OFF: write ATC_ON, atc_option_enable(&options.tune) or atc_option_set (base.h).
 *
 * The fields `store`, `use_store` and `allocator` are for libraries that share the process with other users of atc.
 * If a call has a `store`, its decisions are written to that store, and the process uses its own copies of these
 * decisions only for calls with the same handle. If a call has `use_store` off, its decisions are used only for calls
 * with `use_store` off. */
typedef struct atc_conv_options {
  uint32_t struct_size;
  int32_t tune;             /* ATC_ON: measure if no decision is known. ATC_TUNE_LATER: note the problem if no
                             * decision is known. ATC_TUNE_BESIDE: let the calls try and time candidates if no
                             * decision is known. ATC_TUNE_PREDICT: predict the choice if no decision is known.
                             * 0: ATC_TUNE, else benchmark_cudnn for CUDA, off on the CPU (ATC_TUNE is an
                             * environment variable) */
  int32_t deterministic;    /* ATC_ON: use only deterministic kernels. 0: deterministic_cudnn or
                             * deterministic_algorithms */
  int32_t allow_tf32;       /* ATC_ON: allow TF32 in fp32 convolutions. 0: allow_tf32_cudnn */
  int32_t allow_reference;  /* 0: on. Off: if only the engine `reference` could run the problem, the call returns
                             * ATC_ERROR_UNSUPPORTED with each engine's reason (with a batch of 0 it succeeds) */
  int32_t constant_weights; /* 0: off. On: candidates are ranked as if atc1_conv_plan_set_weights had been called */
  atc_technique technique;  /* how candidates are timed. 0: benchmark_technique */
  uint32_t alignment;       /* bytes, a power of 2: the caller promises that the addresses of x, w and y are
                             * multiples of it. 0: 16 on CUDA, where more than 16 counts as 16. With less than 16,
                             * cuDNN has few engines, and for f16 and bf16 with channels last only slow ones. On
                             * the CPU the element size suffices, whatever value is set */
  uint64_t workspace_limit; /* most bytes of workspace. 0: workspace_limit on CUDA, 1 GiB on the CPU. ATC_NONE: no
                             * workspace. ATC_UNLIMITED: no limit */
  double budget_seconds;    /* most seconds that measuring the problem (a race) may take. 0: 2 s */
  char front_end[64];       /* name of the registered engine that belongs to the front end (for example the
                             * LibTorch bridge) that makes the call. "": none. This engine is the default engine of
                             * the call. Its offers that return a buffer of their own (ATC_ENGINE_RETURNS_OUTPUT)
                             * may be used only by calls with its name */
  int32_t require_firm;     /* 0: off. On: provisional records (decisions that their race could not make with
                             * certainty) are ignored, and a provisional decision is not stored */
  int32_t strict_precision; /* rule for candidates that run the program's own convolution (ATC_ENGINE_ORIGINAL). 0:
                             * off: their partial sums may be rounded to the operands' type (f32: to TF32's 11
                             * bits). A candidate that does so is marked (ATC_CANDIDATE_IMPRECISE) and takes part.
                             * On: such a candidate is refused. If a record has a marked winner, the fastest
                             * unmarked candidate is used. The engine winograd is barred, too */
  int32_t allow_reduced_precision_reduction; /* 0: off. On: partial sums of every candidate may be rounded to the
                                              * operands' type (f32: to TF32's 11 bits) */
  int32_t use_store;        /* 0: on. Off: no store is read or written, and `store` must be NULL */
  const struct atc_store* store; /* the store that this call reads and writes. It may be closed once the call has
                                  * returned. NULL: the store in use (atc1_store_use or ATC_STORE) */
  const struct atc_allocator* allocator; /* provides memory in place of the process's allocator: for races, for the
                                          * weights that are set, and for workspaces that the caller does not give
                                          * (except those of captured calls). Each workspace is freed after its
                                          * execution. The struct is copied. Its `destroy` must be NULL. Its `user`
                                          * remains the caller's and must live until the plan is destroyed or
                                          * handed back. NULL: the process's allocator */
  atc_tune_callback progress; /* called while candidates are timed, and never if nothing is measured. If the
                               * callback cancels, the call returns ATC_ERROR_CANCELLED, makes no plan and discards
                               * the decision, even at `problem_fraction` 1. NULL: none */
  void* progress_payload;     /* handed to the callback `progress` */
  const char* choice;         /* the choice (engine, version and configuration) that the plan must use, as if it
                               * were made by atc1_conv_plan_create_with_choice (which ignores this field). The text
                               * is copied. NULL or "": none */
  uint64_t race_memory_limit; /* the most bytes that a race may allocate beyond the memory that the program holds, or
                               * ATC_UNLIMITED. ATC_NONE is refused. 0: race_memory_limit of the process, else a
                               * quarter of the free memory (atc1_set_race_memory_limit) */
  int32_t near_shapes;        /* whether a problem without a record of its own may use the record of a near problem. The
                               * near problem differs only in batch and spatial extents, each by at most a factor of
                               * 2, and has equally aligned strides (docs/tuning.md). 0: on, except with a
                               * replay-only store. On: also with a replay-only store. Off: never, not even for
                               * another batch */
  int32_t reserved;           /* 0 */
} atc_conv_options;

/* A decision that is ready to be executed, with the packed weights if any were set. Any thread, one at a time. */
typedef struct atc_conv_plan atc_conv_plan;

/* Decides which implementation runs the problem, and prepares the plan. The decision comes from the first source that
 * has one, in the order GIVEN, PINNED, RECORD, INHERITED, MEMORY, TUNED, DEFAULT, REFERENCE (ATC_SOURCE_*). `options`
 * may be NULL. The caller destroys `*out`.
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
/* Makes a plan that runs the given `choice`, or fails. `choice` is a text of the form that atc1_conv_plan_choice
 * returns. The caller destroys `*out`. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field, or says that `choice` is not of that form.
 * - ATC_ERROR_UNSUPPORTED: the engine of the choice is not here, has another version or cannot build the choice, or
 *   the check of its results refuses it.
 * - ATC_ERROR_OUT_OF_MEMORY: memory does not suffice.
 * - ATC_ERROR_LIBRARY: a library of CUDA or cuDNN that the engine needs is missing or cannot be used.
 * - ATC_ERROR_DEVICE: CUDA failed. */
atc_status atc1_conv_plan_create_with_choice(atc_conv_plan** out, atc_device device, const atc_conv_problem* problem,
                                             const atc_conv_options* options, const char* choice);
/* Lists the pins (choices and bars that the user has set by atc1_set_pins) that a plan for (device, problem, options)
 * obeys. `*out` is the text of a JSON array of {"number": …, "line": …, "name": …} with a member "choice" or "bar".
 * The array has either the one pin that gives the choice, or all bars that hold. It is empty if no pin is for the
 * problem. `number` is the number of the pin in its file, from 1. If a bar names an engine or rewrite that is not
 * known, the member "unknown" has the name with the most similar known name, or "": {"onedn": "onednn"}. Nothing is
 * built. `options` may be NULL. The caller destroys `*out`. ATC_ERROR_INVALID_ARGUMENT: the error text names the
 * field. If the file of ATC_PINS has an error, the status is that of atc1_set_pins. */
atc_status atc1_conv_pins(atc_bytes** out, atc_device device, const atc_conv_problem* problem,
                          const atc_conv_options* options);
/* The effect of the pins that hold for a problem (atc1_conv_pins lists them). */
enum {
  ATC_PINS_CHOOSE = 1, /* a pin gives the choice */
  ATC_PINS_BAR = 2     /* no pin gives the choice, but pins bar engines, rewrites or choices */
};
/* Writes the effect of the pins on a problem: ATC_PINS_CHOOSE, ATC_PINS_BAR, or 0 if no pin is for the problem.
 * Arguments and errors are those of atc1_conv_pins. */
atc_status atc1_conv_pins_effect(int32_t* out, atc_device device, const atc_conv_problem* problem,
                                 const atc_conv_options* options);
/* Destroys a plan; NULL does nothing. The plan may be destroyed while its work is queued or captured on CUDA: the
 * work still runs. The operands, and a workspace that the caller provided, must remain valid until that work has run. */
void atc1_conv_plan_destroy(atc_conv_plan* plan);

/* Writes the bytes of workspace that atc1_conv_plan_execute needs for the plan. A workspace must be aligned to 64
 * bytes on the CPU and to 256 bytes on CUDA. */
atc_status atc1_conv_plan_workspace_size(uint64_t* out, const atc_conv_plan* plan);

/* Runs the plan. Forward reads x, w and bias and writes y; backward-data reads w and y and writes x; backward-weight
 * reads x and y and writes w. `bias` is NULL unless the problem has an epilogue. `w` may be NULL after
 * atc1_conv_plan_set_weights.
 *
 * The views must have the problem's shapes, strides and dtypes and lie on the plan's device. The addresses of x, w
 * and y must be multiples of the plan's alignment (atc_conv_options). The output must not share a byte with another
 * operand or with the workspace; if it does, the status is ATC_ERROR_INVALID_ARGUMENT. The output may lie between the
 * elements of another operand. Inputs may overlap each other.
 *
 * `workspace` holds `workspace_size` bytes, at least atc1_conv_plan_workspace_size. If it is NULL, the allocator
 * provides a workspace for this call. On the CPU the call ignores `stream` and returns when the output is written. On
 * CUDA it queues its work on `stream`.
 *
 * In a stream capture, a `workspace` of NULL is device memory of atc's own that lives as long as the graph, and that
 * the captured calls of one stream share. All executables of a graph use the same workspace and the same operands.
 * Executables that are to run at the same time must therefore come from different graphs, with operands and
 * `workspace` of their own.
 *
 * ATC_ERROR_INVALID_ARGUMENT: the error text names the operand and the fault. ATC_ERROR_UNSUPPORTED: the choice is
 * the front end's own engine, which the front end calls itself. */
atc_status atc1_conv_plan_execute(atc_conv_plan* plan, const atc_tensor_view* x, const atc_tensor_view* w,
                                  const atc_tensor_view* bias, const atc_tensor_view* y, void* workspace,
                                  uint64_t workspace_size, atc_stream stream);

/* The tensors of a call. A tensor that the problem does not have is NULL. */
typedef struct atc_conv_operands {
  uint32_t struct_size;
  uint32_t reserved;
  const atc_tensor_view* x;
  const atc_tensor_view* w;
  const atc_tensor_view* bias;
  const atc_tensor_view* y;
  const atc_tensor_view* scale;    /* if the problem has a scale */
  const atc_tensor_view* residual; /* if the problem has a residual: an input, which is not written */
} atc_conv_operands;

/* Runs the plan, like atc1_conv_plan_execute, also if its problem has a scale or a residual. */
atc_status atc1_conv_plan_execute_v2(atc_conv_plan* plan, const atc_conv_operands* operands, void* workspace,
                                     uint64_t workspace_size, atc_stream stream);

/* Packs the weights `w` for this plan, so that atc1_conv_plan_execute can be called with `w` = NULL. The buffer of `w`
 * is read before the call returns and is not needed afterwards. On CUDA it is read in the order of the legacy default
 * stream: work that writes the buffer on another stream must have finished before. The function may be called again
 * with other weights; executions that were queued or captured before go on reading the earlier weights.
 * ATC_ERROR_INVALID_ARGUMENT is returned for backward-weight, whose w is the output. */
atc_status atc1_conv_plan_set_weights(atc_conv_plan* plan, const atc_tensor_view* w);

/* Runs the plan once on operands that atc fills with normally distributed numbers, and writes `count` elements of the
 * output to `out`. The elements are spread evenly: element i * elements / count in logical order. `seed` determines
 * the numbers. Equal seeds give equal operands on every machine, so the results of two libraries or devices can be
 * compared. The call returns when the device has finished. It must not be made during a stream capture. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the output has no elements, or fewer than `count`.
 * - ATC_ERROR_OUT_OF_MEMORY: the operands do not fit into memory.
 * - ATC_ERROR_LIBRARY: the plan is for CUDA, and atc was built without device kernels. */
atc_status atc1_conv_plan_sample(double* out, size_t count, atc_conv_plan* plan, uint64_t seed);

/* Returns the plan's choice as text: "engine@version:configuration", with "rewrite@version>" in front for each
 * rewrite (a rewrite turns the problem into another one, which the engine computes). The text is borrowed from the
 * plan. */
atc_status atc1_conv_plan_choice(const char** out, const atc_conv_plan* plan);
/* Returns the source of the plan's decision: ATC_SOURCE_*. */
atc_status atc1_conv_plan_source(int32_t* out, const atc_conv_plan* plan);

/* Writes 1 to `*out` if the plan's decision is provisional, else 0. A decision is provisional if its race could not
 * show with certainty that the choice is the fastest. `*risk` (may be NULL) is by how much the choice may be slower
 * than another candidate (0.1: 10 %), as far as the technique of timing estimates it. */
atc_status atc1_conv_plan_provisional(int32_t* out, double* risk, const atc_conv_plan* plan);

/* The result of a candidate (one implementation, in one configuration, that was considered for a problem). */
enum {
  ATC_OUTCOME_WON = 1,
  ATC_OUTCOME_LOST = 2,          /* the candidate was timed to the end and was slower than the winner */
  ATC_OUTCOME_DROPPED = 3,       /* the candidate was timed and dropped early, since it was far behind */
  ATC_OUTCOME_TIED = 4,          /* the candidate's time is within the tie margin of the winner's, and the winner
                                  * was preferred */
  ATC_OUTCOME_NOT_PREPARED = 5,  /* the candidate could not be built */
  ATC_OUTCOME_WRONG_RESULT = 6,  /* the candidate computed a wrong result */
  ATC_OUTCOME_FAILED = 7,        /* an execution of the candidate failed */
  ATC_OUTCOME_OUT_OF_MEMORY = 8,
  ATC_OUTCOME_SKIPPED = 9,       /* the candidate was left out because of the budget, the candidate limit or a
                                  * cancellation */
  ATC_OUTCOME_OFFERED = 10       /* the candidate was not measured */
};

/* Returns the name of a candidate's result (ATC_OUTCOME_*): "ATC_OUTCOME_WON", …, or "unknown outcome" for a number
 * that this version does not know. The string is static and never NULL. */
const char* atc1_outcome_name(int32_t outcome);

/* Marks of a candidate (bits of atc_candidate.flags). */
enum {
  ATC_CANDIDATE_IN_GRAPH = 1,   /* the candidate was timed in CUDA graphs, because the host could not issue it, or
                                 * a candidate that it was compared with, as fast as the device runs it */
  ATC_CANDIDATE_HOST_BOUND = 2, /* the host takes longer to issue an execution than the device takes to run it */
  ATC_CANDIDATE_CAPTURED = 4,   /* plans that are made in a stream capture use this candidate, and other plans use
                                 * another one (the winner) */
  ATC_CANDIDATE_IMPRECISE = 8   /* the candidate's result is right, but less precise than the options allow
                                 * (atc_conv_options.strict_precision); `reason` has the details */
};

/* One candidate, with its result and times. Strings are never NULL and are borrowed from the plan or report that
 * filled the struct. */
typedef struct atc_candidate {
  uint32_t struct_size;
  int32_t outcome;           /* ATC_OUTCOME_* */
  const char* engine;
  const char* version;
  const char* configuration;
  const char* notes;
  const char* reason;        /* why the candidate was not chosen, or in which way it is imprecise, or "" */
  uint64_t workspace;        /* bytes */
  uint64_t samples;          /* number of batches timed; if 0, the times below mean nothing */
  uint64_t executions;
  double mean;               /* seconds per execution, as the mean over the samples */
  double median;
  double min;
  double max;
  double deviation;          /* standard deviation of the samples, in seconds */
  double clock_hz;           /* median clock frequency during the samples; 0: unknown */
  const char* rewrites;      /* the rewrites of its choice, the text in front of the engine ("nhwc@1>"), or "" */
  double host;               /* median of the seconds that the host takes to issue one execution; 0: not known */
  uint64_t launches;         /* number of kernels, copies and fills of one execution; 0: not known */
  uint32_t flags;            /* ATC_CANDIDATE_* */
  uint32_t reserved;         /* 0 */
} atc_candidate;

/* The two functions below count the candidates of the plan's decision, and write one of them to `out`. A candidate
 * has times if a race of this process measured it, or if its times are in the store's record. */
atc_status atc1_conv_plan_candidate_count(size_t* out, const atc_conv_plan* plan);
atc_status atc1_conv_plan_candidate(atc_candidate* out, const atc_conv_plan* plan, size_t index);

/* ---- Eager ------------------------------------------------------------------------------------------ */

/* Runs a convolution: creates a plan or takes one from the cache, and executes it. The device of the plan is that of
 * the views, and its alignment is that of their addresses. Decisions come from the store in use, and workspaces from
 * the process's allocator. Any number of threads may call the function at once. Statuses are those of
 * atc1_conv_plan_create and atc1_conv_plan_execute. */
atc_status atc1_convolution(const atc_conv_problem* problem, const atc_tensor_view* x, const atc_tensor_view* w,
                            const atc_tensor_view* bias, const atc_tensor_view* y, atc_stream stream);

/* Runs a convolution, like atc1_convolution, also if its problem has a scale or a residual. */
atc_status atc1_convolution_v2(const atc_conv_problem* problem, const atc_conv_operands* operands, atc_stream stream);

/* Takes a plan for (device, problem, options) from the cache of atc1_convolution, or makes one; this is for front
 * ends. If a switch, the store or the known decisions of the problem have changed since the plan was made, the
 * decision is made anew. Only the caller uses the plan until any thread hands it back (atc1_conv_plan_release).
 * Weights cannot be set on such a plan. `stream` is the stream on which the plan will be executed. If the call
 * measures, it waits for that stream. If the stream is being captured, nothing is measured: the plan uses a known
 * decision or the default engine, and a later call measures. Statuses are those of atc1_conv_plan_create. */
atc_status atc1_conv_plan_acquire(atc_conv_plan** out, atc_device device, const atc_conv_problem* problem,
                                  const atc_conv_options* options, atc_stream stream);
/* Hands `plan`, which atc1_conv_plan_acquire has returned, back to the cache; NULL does nothing. A plan that was made
 * by atc1_conv_plan_create is destroyed instead. */
void atc1_conv_plan_release(atc_conv_plan* plan);

/* For front ends that run the choice of a plan themselves (their own convolution, ATC_ENGINE_RETURNS_OUTPUT), so that
 * ATC_TUNE_BESIDE can time it. Called directly before and after the work is issued to `stream`, between acquiring the
 * plan and handing it back, on one thread. Nothing in between may use the plan. `timed` (may be NULL) becomes 1 if this
 * run is timed: then nothing else should be issued before the end. The end is not called if the run has failed. */
atc_status atc1_conv_plan_own_run_begin(int32_t* timed, atc_conv_plan* plan, atc_stream stream);
atc_status atc1_conv_plan_own_run_end(atc_conv_plan* plan, atc_stream stream);

typedef struct atc_cache_statistics {
  uint32_t struct_size;
  uint32_t capacity;  /* 0: the number of calls for which plans are kept has no limit (`byte_limit` is a limit) */
  uint64_t plans;     /* number of plans that are kept now: for each call as many as threads have run it at the same
                       * time */
  uint64_t hits;
  uint64_t misses;
  uint64_t evictions;
  uint64_t put_off;   /* calls whose measuring was postponed, because their stream was being captured. They ran by
                       * a known decision or on the default engine */
  uint64_t bytes;     /* bytes of host memory that the cached plans take, by an estimate */
  uint64_t byte_limit; /* the limit of atc1_set_plan_memory_limit. The plans that engines keep by themselves count,
                        * too */
} atc_cache_statistics;

/* Frees the cached plans that no call is using, the workspaces that are kept for later calls, and the workspaces of
 * captured graphs that no longer exist. Plans that a library keeps for a running thread are freed at that thread's
 * next call. The counts of atc1_cache_stats are kept. */
atc_status atc1_cache_clear(void);
atc_status atc1_cache_stats(atc_cache_statistics* out);

/* atc: queries about the devices and libraries of this machine, and actions on its devices. Without CUDA, on the
 * machine or in the build of atc, every query succeeds and returns 0, and every action succeeds and leaves out the
 * part about CUDA. All functions may be called from any thread at any time. */

/* ---- Queries. A NULL `out` is ATC_ERROR_INVALID_ARGUMENT. ----------------------------------------- */

atc_status atc1_cuda_is_available(int32_t* out);
atc_status atc1_cuda_device_count(int32_t* out);
atc_status atc1_cudnn_is_available(int32_t* out);
/* Writes the version of the running cuDNN, as cuDNN numbers itself (90100 is 9.1.0); 0 if there is none. */
atc_status atc1_cudnn_version(int64_t* out);
/* Writes the version of the cuDNN with whose headers atc was compiled; 0 if there were none. */
atc_status atc1_cudnn_compiled_version(int64_t* out);

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

/* Describes a device. ATC_ERROR_INVALID_ARGUMENT: this machine has no device of this type or index. ATC_ERROR_DEVICE:
 * the device is of CUDA, and this process was forked from one that had opened CUDA. */
atc_status atc1_device_describe(atc_device_info* out, atc_device device);

/* A library that atc uses, or would use if it were there. atc1_library_describe opens the libraries of CUDA if there
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

/* Seeds the random data that tuning uses. If a bridge (for example to LibTorch) is loaded, the call also seeds the
 * bridge's default generator. */
atc_status atc1_manual_seed(uint64_t seed);
/* Does the same as atc1_manual_seed, and seeds the bridge's generators of all devices. */
atc_status atc1_manual_seed_all(uint64_t seed);
/* Waits for all work of CUDA device `index`; -1 is the current device. Without CUDA the call returns ATC_OK.
 * ATC_ERROR_INVALID_ARGUMENT: `index` is below -1 or, with CUDA, not below the device count. ATC_ERROR_DEVICE: this
 * process was forked from one that had opened CUDA. */
atc_status atc1_synchronize(int32_t index);

/* atc: tuning ahead of use. atc1_tune measures the candidates (implementations) of a list of problems (convolutions)
 * and stores the decisions. docs/architecture.md explains the terms ("Words"), docs/tuning.md the measurements. */

struct atc_problems; /* problems.h */
struct atc_group;    /* group.h */

/* ATC_RETUNE_PROVISIONAL is a third state of atc_tune_options.retune: only problems whose decision is provisional
 * (uncertain) are measured again. */
enum { ATC_RETUNE_PROVISIONAL = 3 };

/* Options of atc1_tune. A field that is 0 has its default. A switch is 0 (inherit), ATC_OFF or ATC_ON. The number 1 is
 * ATC_OFF: use atc_option_enable (base.h). */
typedef struct atc_tune_options {
  uint32_t struct_size;
  atc_technique technique;      /* how candidates are timed (ATC_TECHNIQUE_*). 0: benchmark_technique */
  int32_t deterministic;        /* ATC_ON: use only deterministic kernels. 0: deterministic_cudnn or
                                 * deterministic_algorithms */
  int32_t allow_tf32;           /* ATC_ON: allow TF32 in fp32 convolutions. 0: allow_tf32_cudnn */
  int32_t constant_weights;     /* 0: off; as in atc_conv_options */
  int32_t retune;               /* 0: off. ATC_ON: problems that have a decision are measured again.
                                 * ATC_RETUNE_PROVISIONAL: problems that have a provisional decision are measured
                                 * again */
  uint32_t alignment;           /* bytes; as in atc_conv_options */
  int32_t widen;                /* 0: on. On: if benchmark_limit_cudnn has its default value, further proposals of
                                 * cuDNN are tried, too, as far as that is expected to pay (docs/tuning.md). Off:
                                 * no more of cuDNN's candidates than benchmark_limit_cudnn are tried */
  uint64_t workspace_limit;     /* most bytes of workspace. 0: workspace_limit on CUDA, 1 GiB on the CPU. ATC_NONE:
                                 * no workspace. ATC_UNLIMITED: no limit */
  uint64_t max_candidates;      /* most candidates of a problem. 0: benchmark_limit_cudnn on CUDA, all on the CPU.
                                 * ATC_UNLIMITED: no limit */
  uint64_t seed;                /* seed of the random data in the tensors. 0: the last atc1_manual_seed, else a
                                 * fixed one */
  double problem_budget_seconds; /* most seconds for preparing, checking and timing the candidates of a problem
                                  * together. 0: 2 s */
  double total_budget_seconds;  /* most seconds of the whole call. 0: no limit. If this budget leaves no time for a
                                 * problem, the report says so. If it leaves time for only some of a problem's
                                 * candidates, the decision is provisional */
  double tie_margin;            /* relative difference of times below which two candidates are tied. 0: 0.01. If
                                 * the default is tied with the fastest candidate, the default wins. The default is
                                 * the program's own convolution (ATC_ENGINE_ORIGINAL) if it takes part, else the
                                 * default engine's choice */
  const char* engines_allowed;  /* names of the engines and rewrites that may take part, separated by ','; NULL:
                                 * all */
  const char* engines_barred;   /* names of the engines and rewrites that may not take part, separated by ',';
                                 * NULL: none */
  int32_t require_firm;         /* 0: off; as in atc_conv_options */
  int32_t strict_precision;     /* 0: off; as in atc_conv_options */
  int32_t allow_reduced_precision_reduction; /* 0: off; as in atc_conv_options */
  int32_t use_store;            /* 0: on; as in atc_conv_options */
  const struct atc_store* store; /* NULL: the store in use; as in atc_conv_options */
  const struct atc_allocator* allocator; /* the allocator that provides the memory of the races, during the call;
                                          * the struct is copied. NULL: the process's */
  const struct atc_problems* problems; /* a list of further problems, which are tuned and reported after those of
                                        * the array. A problem of the list that was noted (ATC_TUNE_LATER) is tuned
                                        * on the device and with the options of its call, and for the store of its
                                        * call; if that store is closed, the status is ATC_ERROR_NOT_TUNED. Of this
                                        * struct, deterministic, allow_tf32, constant_weights, alignment,
                                        * workspace_limit, require_firm, strict_precision,
                                        * allow_reduced_precision_reduction, use_store and store hold for problems
                                        * of the list that have no such option. NULL: none */
  double expected_calls;        /* the number of calls in which a decision is expected to be used, above 0, or
                                 * infinity. A candidate is tried if it is expected to save more time in these
                                 * calls than trying takes. 0: ATC_EXPECTED_CALLS, else 30000 (ATC_EXPECTED_CALLS
                                 * is an environment variable) */
  const struct atc_group* group; /* a group of ranks. With a group the call is collective: all ranks of the group call
                                  * atc1_tune, and decide all their problems together. NULL: this process alone */
  uint64_t race_memory_limit;   /* as in atc_conv_options, in bytes. 0: race_memory_limit of the process, else a
                                 * quarter of the free memory */
} atc_tune_options;

typedef struct atc_tune_report atc_tune_report;

/* Decides each problem of the array `problems`, and then each problem of `options->problems`. If the store or the
 * memory of this process has a decision, it is taken. Otherwise the problem is measured, and the decision is kept
 * there. A problem that fails is reported with its status and does not stop the others; the call then still returns
 * ATC_OK. If a problem of the array is not valid, the whole call is refused before anything is measured, and the
 * error text names the index.
 *
 * The elements of `problems` lie `problems[0].struct_size` bytes apart, and all have that `struct_size`. `callback`
 * may be NULL; otherwise it is called with `payload` as conv.h describes, also for problems that are not measured.
 * `out` may be NULL; otherwise the caller destroys `*out`. If the callback cancels the call, ATC_ERROR_CANCELLED is
 * returned, `*out` is written nevertheless, and decisions that were made before are kept. Any thread may call the
 * function. The races (measurements) of several threads run one after the other.
 *
 * With `options->group` each problem that no rank has a decision for is measured by one rank. The report has the
 * problems of the other ranks after those of this one. ATC_ERROR_NOT_AGREED: nothing new is used; the error text names
 * the rank that is the reason, and `*out` is written nevertheless. ATC_ERROR_IO: this rank cannot reach the group's
 * store. */
atc_status atc1_tune(atc_tune_report** out, atc_device device, const atc_conv_problem* problems, size_t count,
                     const atc_tune_options* options, atc_tune_callback callback, void* payload);

/* Makes this process refuse a choice for a problem, as the correctness gate does: each later race with these options lists
 * the candidate as refused with `reason` and does not run it, nor does a plan. The refusal lasts until the process ends or
 * an engine is unregistered. For programs that tune in a process of their own and start it again after a candidate
 * (atc_tune_progress.candidate) has ended the process: the race then goes on with the other candidates, and the record
 * names the reason. `options` may be NULL. Any thread. ATC_ERROR_INVALID_ARGUMENT: the problem, an option, the choice's
 * text, or an empty reason. */
atc_status atc1_tune_refuse(atc_device device, const atc_conv_problem* problem, const atc_tune_options* options,
                            const char* choice, const char* reason);

void atc1_tune_report_destroy(atc_tune_report* report);

/* Marks of a problem that was tuned (bits): whether its decision was stored, and how certain it is. */
enum {
  ATC_TUNED_UNSTABLE = 1,   /* the decision is provisional (uncertain): clock frequencies kept changing, the
                             * fastest candidates could not be told apart in time, or the total budget left time
                             * for only some candidates. The decision is stored and used like a firm one. It is
                             * used until a firm decision replaces it, by a race with more budget,
                             * atc_tune_options.retune, an import or a merge */
  ATC_TUNED_INCOMPLETE = 2, /* the decision was not stored, because a candidate ran out of memory, no two
                             * candidates were compared in time, or the race was cancelled */
  ATC_TUNED_STORED = 4,     /* the decision was written to the store */
  ATC_TUNED_CANCELLED = 8,
  ATC_TUNED_UNWRITTEN = 16  /* the store could not be written, so only this process remembers the decision; `why`
                             * has the error */
};

typedef struct atc_tuned_problem {
  uint32_t struct_size;
  atc_status status;          /* status of this problem. The fields below are set if it is ATC_OK */
  int32_t source;             /* source of the decision, ATC_SOURCE_* */
  uint32_t flags;             /* bits: ATC_TUNED_* */
  int64_t winner;             /* index of the winning candidate; -1: none */
  int64_t default_candidate;  /* index of the candidate that would run without tuning; -1: none */
  uint64_t candidates;
  uint64_t executions;        /* number of executions of candidates by this call; 0 if the decision was known */
  double seconds;             /* seconds that this call has spent on this problem */
  double risk;                /* for a provisional decision, by how much its choice may be slower than another
                               * candidate (0.1: 10 %), as far as the technique of timing estimates it; else 0 */
  const char* description;
  const char* choice;         /* the chosen implementation (engine, version and configuration); "" if there is none */
  const char* why;            /* reasons for the flags, or the error's text; "" if there are none */
  uint64_t memory_bytes;      /* the most device memory (CPU: main memory) that the race of this call held at once, beyond
                               * the memory that the program holds; 0 where nothing was measured */
} atc_tuned_problem;

/* The following functions count the problems of a report, and write a problem or one of its candidates to `out`.
 * Strings are borrowed from the report. ATC_ERROR_INVALID_ARGUMENT: an index is out of range. */
atc_status atc1_tune_report_count(size_t* out, const atc_tune_report* report);
/* Writes the number of problems in the report whose decision is provisional (uncertain). */
atc_status atc1_tune_report_provisional(size_t* out, const atc_tune_report* report);
atc_status atc1_tune_report_problem(atc_tuned_problem* out, const atc_tune_report* report, size_t problem);
atc_status atc1_tune_report_candidate(atc_candidate* out, const atc_tune_report* report, size_t problem,
                                      size_t candidate);

/* atc: explanations of decisions. For a problem (a convolution) they have the decision in force (the implementation
 * that runs it), the rule by which it was chosen, the implementations that each engine offers, and the least time
 * that the device allows. docs/architecture.md explains the terms ("Words"). */

/* The rule by which a decision chose its winner among the candidates. The default is the candidate that runs without
 * tuning. */
enum {
  ATC_RULE_FIRST_OFFER = 1, /* nothing was measured, and the winner is the first offer of the default engine */
  ATC_RULE_ALONE = 2,       /* no candidate but the winner was timed */
  ATC_RULE_FASTEST = 3,     /* the winner is the fastest, and it is the default, or the default was not timed */
  ATC_RULE_FASTER = 4,      /* the winner is faster than the default by more than the tie margin */
  ATC_RULE_TIE_DEFAULT = 5, /* the winner is the default: no candidate is faster by more than the tie margin and
                             * the noise */
  ATC_RULE_TIE_KEPT = 6,    /* the winner is tied with the default. It is preferred because its compiled form is
                             * kept, while each process may have to compile the default */
  ATC_RULE_TIE_LIGHTER = 7, /* the winner is tied with a faster candidate, and has less to compile or needs less
                             * workspace */
  ATC_RULE_HOST = 8,        /* another candidate is faster on the device, but the host takes longer to issue it */
  ATC_RULE_PRECISE = 9      /* the winner is the fastest candidate that has the precision which strict_precision
                             * asks for */
};

/* Returns the name of a rule (ATC_RULE_*): "ATC_RULE_FASTER", …, or "unknown rule" for a number that this version
 * does not know. The string is static and never NULL. */
const char* atc1_rule_name(int32_t rule);

typedef struct atc_explanation atc_explanation;

/* Explains which decision a plan for (device, problem, options) would use if it measured nothing; `tune` and `retune`
 * are ignored. The call reads the store and the decisions of this process, and asks engines for their offers (the
 * implementations that they have for the problem). It executes, builds and writes nothing. `options` may be NULL. The
 * caller destroys `*out`. If no engine can run the problem, the call succeeds, and the explanation has no winner.
 * Candidates that only their own front end can run (ATC_ENGINE_RETURNS_OUTPUT) are included, as in atc1_tune. Any
 * thread may call the function. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field; a `batch` of 0 is such an error.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_BUSY: the call was made in a callback. */
atc_status atc1_conv_explain(atc_explanation** out, atc_device device, const atc_conv_problem* problem,
                             const atc_conv_options* options);
void atc1_explanation_destroy(atc_explanation* explanation);

typedef struct atc_explained {
  uint32_t struct_size;
  int32_t source;             /* source of the decision (ATC_SOURCE_*); 0 if no engine can run the problem */
  int32_t rule;               /* rule of the decision (ATC_RULE_*); 0 if no engine can run the problem */
  uint32_t flags;             /* bits: ATC_TUNED_UNSTABLE: the decision is provisional. ATC_TUNED_STORED: the
                               * decision is in the store */
  int64_t winner;             /* index of the winning candidate; -1: none */
  int64_t default_candidate;  /* index of the candidate that runs without tuning; -1: none */
  uint64_t candidates;
  uint64_t entrants;
  uint64_t bytes;             /* bytes of x, w, y, bias, scale and residual, each moved once; an output that is added
                               * to is moved twice */
  double flops;               /* operations of the direct method, including the products with padding */
  double bytes_per_second;    /* the most bytes that the device moves per second, as measured; 0: not measured */
  double flops_per_second;    /* the most operations of this kind that the device computes per second, as measured;
                               * 0: not measured */
  double risk;                /* as in atc_tuned_problem */
  const char* description;    /* text of the problem, as atc1_conv_problem_describe writes it */
  const char* choice;         /* text of the winner (engine, version and configuration); "" if no engine can run
                               * the problem */
  const char* why;            /* the rule with its figures; if no engine can run the problem, each engine's reason */
  const char* doubts;         /* why the decision is provisional (uncertain), or "" */
  const char* miss;           /* why the store has no decision, as a phrase; "" if it has one */
} atc_explained;

/* Computes a hash over the keys of `count` problems, and over the choices that calls with these options run. Processes
 * with equal digests run the same choices. The function reads the store. It executes, builds and writes nothing.
 *
 * The choices are those of a call that measures nothing, eager or captured. Pins in force decide first, then the store,
 * then the decisions of this process (unless options.tune is ATC_OFF), then a prediction (if options.tune is
 * ATC_TUNE_PREDICT), then the default engine. A choice that the correctness gate is known to refuse is left out. A
 * problem for which a call would fail counts as a problem without a choice.
 *
 * A key contains the device, the versions of libraries and the options that decisions depend on. So digests of
 * different kinds of machines differ. The order of the problems does not change the digest, and a problem that occurs
 * twice counts once. The elements of `problems` lie `problems[0].struct_size` bytes apart, and all have that
 * `struct_size`. `problems` may be NULL if `count` is 0, and `options` may be NULL. Any thread may call the function.
 * Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field and the index.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_BUSY: the call was made in a callback. */
atc_status atc1_conv_decisions_digest(uint64_t* out, atc_device device, const atc_conv_problem* problems, size_t count,
                                      const atc_conv_options* options);

/* Measures the two ceilings of the device, which are the limits of its speed. The first is the most bytes that it
 * moves per second; a copy measures it. The second is the most operations of the problem's data types that it
 * computes per second; the tuning of a product of matrices measures it, for at most 3 s. Ceilings that are known are
 * not measured again. The process remembers both. If the store of the call is open for writing, the ceilings are also
 * kept in its folder, for this device and these library versions. If only the slow reference can compute such
 * products, the second ceiling remains unknown, and the call succeeds. The function must not be called during a
 * stream capture. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field.
 * - ATC_ERROR_OUT_OF_MEMORY: on CUDA the measurement takes about 1.5 GiB, on the CPU 0.5 GiB.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_CAPTURING: a stream is being captured.
 * - ATC_ERROR_BUSY: the call was made in a callback. */
atc_status atc1_conv_measure_ceilings(atc_device device, const atc_conv_problem* problem,
                                      const atc_conv_options* options);

/* Writes the ceilings of the device for a problem: the most bytes that it moves and the most operations that it
 * computes per second, as far as they were measured (atc1_conv_measure_ceilings); 0 if not measured. These are the
 * fields bytes_per_second and flops_per_second of atc_explained. No engine is asked. Either pointer may be NULL. Any
 * thread may call the function. ATC_ERROR_INVALID_ARGUMENT: the error text names the field. ATC_ERROR_LIBRARY,
 * ATC_ERROR_DEVICE: CUDA or one of its libraries failed. */
atc_status atc1_conv_ceilings(double* bytes_per_second, double* flops_per_second, atc_device device,
                              const atc_conv_problem* problem, const atc_conv_options* options);

/* An engine or a rewrite that works on the device. A rewrite turns the problem into another one, which an engine
 * computes. */
typedef struct atc_entrant {
  uint32_t struct_size;
  int32_t is_rewrite;       /* 0: an engine. 1: a rewrite */
  uint64_t offers;          /* number of its offers (implementations) that the options allow; for a rewrite those
                             * of the engines behind it */
  const char* name;
  const char* version;
  const char* why_not;      /* why it offers nothing, or nothing more, or "" */
  const char* barriers;     /* the options and settings that exclude offers, and the number of offers that each
                             * excludes by itself: "workspace_limit:2,deterministic:1", separated by ',' without a
                             * space, or "" */
} atc_entrant;

/* The next three functions write a part of the explanation to `out`: its summary, a candidate, or an entrant (engine
 * or rewrite). Strings are borrowed from the explanation. ATC_ERROR_INVALID_ARGUMENT: the index is out of range. */
atc_status atc1_explanation_describe(atc_explained* out, const atc_explanation* explanation);
/* The candidate has the times that a race of this process or a record of the store has; otherwise its outcome is
 * ATC_OUTCOME_OFFERED. */
atc_status atc1_explanation_candidate(atc_candidate* out, const atc_explanation* explanation, size_t index);
atc_status atc1_explanation_entrant(atc_entrant* out, const atc_explanation* explanation, size_t index);

/* atc: extension points for authors of kernels and bindings. A program can register engines, which take part in races
 * (in a race the candidates for a problem are timed against each other). It can also register a source of settings,
 * an allocator and a log sink. Any number of engines may be registered; of the other three, one each for the process.
 * The options of a call may have an allocator, too (atc_conv_options).
 *
 * Rules for callbacks:
 * - A callback must return normally. No exception, longjmp or panic may leave it: atc's locks would remain locked.
 * - Several threads may call a callback at once, but a prepared object is used by one thread at a time. The code of
 *   callbacks must stay loaded until the process ends.
 * - A callback may always call atc1_error_set, atc1_conv_operand_shape and the queries of base.h. It may call other
 *   functions, too, but a call that would have to wait for the callback in which it is made returns ATC_ERROR_BUSY at
 *   once. These calls return it:
 *    in every callback (progress callbacks, too): atc1_tune, atc1_conv_explain, atc1_conv_measure_ceilings, and
 *      atc1_conv_plan_create, atc1_conv_plan_acquire and atc1_convolution if they would measure;
 *    in a settings source: also every function that reads or sets switches: atc1_settings_source_set, those of
 *      settings.h (except for the library path), all that make plans, atc1_store_get, the seeds and atc1_synchronize;
 *    in a log sink: every function that returns a status, except atc1_conv_operand_shape, atc_conv_problem_init,
 *      atc1_log_level_get and atc1_log_level_set. A log sink must not call a function whose name ends in destroy,
 *      release or close.
 *   Make such a call after the callback has returned.
 *   A callback must not wait for another thread that makes such a call: it would wait for ever.
 *
 * `user` and `destroy`: each struct of callbacks has a pointer `user`, which atc passes to its callbacks, and a
 * function `destroy`, which may be NULL. After a successful registration atc owns `user`. atc calls destroy(user)
 * once, after the last callback of this registration has returned. Plans and memory may outlive the registration, and
 * their callbacks count. atc calls `destroy` on any thread and holds no lock then, so `destroy` may call every
 * function of atc. If the registration fails, the caller keeps `user`. An allocator in the options of a call is not
 * registered, and its `user` remains the caller's. When the process ends, `destroy` is not called. */

/* ---- Engines ---------------------------------------------------------------------------------------- */

/* Flags of an offer (an implementation that an engine has for a problem). */
enum {
  ATC_ENGINE_NONDETERMINISTIC = 1, /* with equal inputs, two executions may give different bits */
  ATC_ENGINE_RETURNS_OUTPUT = 2,   /* the result is in a buffer of the engine's own (atc_engine_operands.result) */
  ATC_ENGINE_TRANSFORM = 4,        /* the method is Winograd or FFT. Its results on small integers must lie within
                                    * an error bound, while the results of other methods must be exact */
  ATC_ENGINE_ROUNDS_TWICE = 8,     /* the sum is rounded to the output's dtype before the bias is added, and again
                                    * afterwards */
  ATC_ENGINE_ORIGINAL = 16         /* the offer is the convolution that the program runs without atc. If its
                                    * partial sums are rounded more coarsely than the options allow, it is marked
                                    * and not refused (atc_conv_options.strict_precision). If its result is wrong,
                                    * it is refused */
};

/* A value of atc_engine.device_type: the engine works on the CPU and on CUDA. `limits->device` is the device of the
 * call. */
enum { ATC_ENGINE_EVERY_DEVICE = -1 };

/* The limits that the caller of a convolution sets to an engine. */
typedef struct atc_engine_limits {
  uint32_t struct_size;
  int32_t deterministic;    /* 1: offers with the flag ATC_ENGINE_NONDETERMINISTIC are ignored */
  int32_t allow_tf32;
  int32_t constant_weights; /* 1: the weights are constant: set_weights will be called. A call may pass w
                             * all the same, for example before that */
  atc_device device;
  uint64_t alignment;       /* the smallest alignment of x, w and y, in bytes */
  uint64_t workspace;       /* the most workspace, in bytes; offers that need more are ignored */
} atc_engine_limits;

typedef struct atc_engine_offer {
  uint32_t struct_size;
  uint32_t flags;            /* ATC_ENGINE_* */
  uint64_t workspace;        /* bytes */
  const char* configuration; /* text in printable ASCII; together with the engine's name and version it identifies
                              * the offer */
  const char* notes;         /* remarks for people; NULL: "" */
} atc_engine_offer;

/* A function of atc that an engine calls inside its callback `offers`. It hands one offer to atc, which copies it. If
 * it returns a status other than ATC_OK, `offers` must return this status. */
typedef atc_status (*atc_offer_callback)(const atc_engine_offer* offer, void* payload);

/* The addresses of one execution. They are named as in the problem, whose direction determines which of x, w and y is
 * the output. */
typedef struct atc_engine_operands {
  uint32_t struct_size;
  uint32_t reserved;
  void* x;
  void* w;          /* address of the weights; NULL: the weights of set_weights */
  const void* bias; /* address of the bias; NULL without an epilogue */
  void* y;
  void* workspace;
  uint64_t workspace_size;
  atc_stream stream;
  void* result;     /* for offers with ATC_ENGINE_RETURNS_OUTPUT: execute writes the address of the output here.
                     * The output is valid until the next call on `prepared` */
} atc_engine_operands;

typedef struct atc_engine {
  uint32_t struct_size;
  int32_t device_type;   /* the type of device on which the engine works (ATC_DEVICE_*), or ATC_ENGINE_EVERY_DEVICE */
  const char* name;      /* unique name of letters, digits, '_' and '-'; copied */
  const char* version;   /* version of the engine, which is stored with every decision for which the engine was
                          * asked; copied */
  void* user;            /* passed to each callback. Callbacks must return normally */
  /* Calls `offer` once for each configuration of the engine for the problem, the best first. An engine that does not
   * support the problem makes no offer and returns ATC_OK, or ATC_ERROR_UNSUPPORTED with a text. The problem is never
   * transposed, and its layout is always ATC_LAYOUT_STRIDED. Backward-data may have a bias, because atc passes a
   * transposed convolution as backward-data. */
  atc_status (*offers)(void* user, const atc_conv_problem* problem, const atc_engine_limits* limits,
                       atc_offer_callback offer, void* payload);
  /* Builds one configuration and writes a handle to `*prepared`, which is later passed to `release`. `problem` and
   * `limits` are valid only during the call. */
  atc_status (*prepare)(void** prepared, void* user, const atc_conv_problem* problem,
                        const atc_engine_limits* limits, const char* configuration);
  /* Packs constant weights for later executions. If the callback is NULL, atc keeps a copy of the weights on the CPU
   * and passes it to execute; on CUDA, setting weights then returns ATC_ERROR_UNSUPPORTED. */
  atc_status (*set_weights)(void* user, void* prepared, const void* w);
  /* Runs the prepared configuration. On CUDA the callback queues its work on `operands->stream` and does not wait for
   * it. The stream may be captured, by programs and by races; races count the launches of one execution in this way.
   * If the callback returns an error while a race captures it, the only consequence is that this configuration counts
   * as one that cannot be captured. */
  atc_status (*execute)(void* user, void* prepared, atc_engine_operands* operands);
  void (*release)(void* user, void* prepared);
  /* Frees `user`; may be NULL. It is called once, after the engine was unregistered and the last `release` has
   * returned. */
  void (*destroy)(void* user);
} atc_engine;

/* Registers an engine. The struct is copied, and atc owns `engine->user` from now on. ATC_ERROR_INVALID_ARGUMENT: a
 * callback is missing, or the name is taken or malformed. A registered engine never runs by default. It runs if a
 * call's choice or a record names it, or if it wins a race. Its results are checked before they are used
 * (docs/trust.md). Races check them on the problem itself; so does the first use of a record from outside. For a
 * choice that a call gives, they are checked once for each kind of problem. */
atc_status atc1_engine_register(const atc_engine* engine);
/* Unregisters an engine. ATC_ERROR_BUSY: plans of the engine exist, or a call is using it; a call of this function in
 * one of the engine's own callbacks is such a case. ATC_ERROR_INVALID_ARGUMENT: the name is unknown, or the engine is
 * built in. */
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
 * library must export. The library remains loaded. It must be linked with libatc (`-latc`), because the program may
 * have opened libatc with RTLD_LOCAL. ATC_ERROR_LIBRARY: the library cannot be opened or has no such function.
 * Otherwise the call returns the status of the function. */
atc_status atc1_plugin_load(const char* file);

/* ---- Settings source ---------------------------------------------------------------------------------- */

/* The switches whose values a settings source may hold in place of atc. */
enum {
  ATC_SETTING_BENCHMARK_CUDNN = 1,
  ATC_SETTING_BENCHMARK_LIMIT_CUDNN = 2,
  ATC_SETTING_USER_ENABLED_CUDNN = 3,
  ATC_SETTING_DETERMINISTIC_CUDNN = 4,
  ATC_SETTING_DETERMINISTIC_ALGORITHMS = 5,
  ATC_SETTING_ALLOW_TF32_CUDNN = 6
};

/* A source of settings: callbacks that read and write switches which another library (for example LibTorch) holds. If
 * a callback is NULL or returns ATC_ERROR_UNSUPPORTED, atc itself holds that switch or does that action. Callbacks
 * must return normally. */
typedef struct atc_settings_source {
  uint32_t struct_size;
  uint32_t reserved;
  void* user;
  atc_status (*get)(int64_t* out, void* user, int32_t setting);
  atc_status (*set)(void* user, int32_t setting, int64_t value);
  atc_status (*manual_seed)(void* user, uint64_t seed, int32_t all_devices);
  atc_status (*synchronize)(void* user, int32_t index);
  /* Frees `user`; may be NULL. It is called once, after the source was replaced and its last callback has returned. */
  void (*destroy)(void* user);
} atc_settings_source;

/* Registers the source of settings, which from now on holds the switches that it knows. Values that were set
 * explicitly (by a call or the environment) are written to it, and the others are read from it. If `source` is NULL,
 * atc holds all switches again, with the last values of the source. When the function returns, no thread runs a
 * callback of the previous source any more. */
atc_status atc1_settings_source_set(const atc_settings_source* source);

/* ---- Allocator ------------------------------------------------------------------------------------------ */

/* An allocator. It provides workspaces (except those of captured calls, which live as long as their graphs), the
 * scratch memory of tuning, and the memory of weights that are set. `alloc` returns NULL if there is no memory.
 * Otherwise it returns memory that may be used on `stream` and that is aligned to 64 bytes (CPU) or 256 bytes (CUDA).
 * Callbacks must return normally. */
typedef struct atc_allocator {
  uint32_t struct_size;
  int32_t device_type; /* type of the device (ATC_DEVICE_*) whose memory it provides; atc's own allocator provides
                        * the memory of the other type. 0: it provides both */
  void* user;
  void* (*alloc)(void* user, uint64_t size, atc_device device, atc_stream stream);
  void (*free)(void* user, void* pointer, atc_device device, atc_stream stream);
  /* Frees `user`; may be NULL. It is called once, after the allocator was replaced and the last `free` has returned. */
  void (*destroy)(void* user);
} atc_allocator;

/* Sets the process's allocator, which is used for calls without an allocator of their own
 * (atc_conv_options.allocator). If `allocator` is NULL, atc's own allocator is used again. Memory is always freed by
 * the allocator that has provided it. So the previous allocator is used until all of its memory is freed; then its
 * `destroy` is called. */
atc_status atc1_allocator_set(const atc_allocator* allocator);

/* ---- Log -------------------------------------------------------------------------------------------------- */

enum { ATC_LOG_OFF = 1, ATC_LOG_ERROR = 2, ATC_LOG_WARNING = 3, ATC_LOG_INFO = 4, ATC_LOG_DEBUG = 5 };

/* The format of log lines. In JSON each line is one object, in ASCII. Its members "time" (RFC 3339, UTC), "level",
 * "event" and "message" (the line as text) are strings. A line about a decision (the implementation that was chosen
 * for a convolution) has the event "decision" and these members: "problem", "device", "choice", "source" (the name of
 * ATC_SOURCE_*: "record", "tuned", "default", ...), "provisional", "time_ms" (median of an execution of the choice),
 * "gain" (the default's time divided by the choice's), "decided_in_ms" (how long deciding took), "store" (directory)
 * and "stored". An unknown value is null. Later versions may add members and change texts. */
enum { ATC_LOG_FORMAT_TEXT = 0, ATC_LOG_FORMAT_JSON = 1 };

typedef struct atc_log_sink {
  uint32_t struct_size;
  int32_t format; /* format of the lines that `write` gets (ATC_LOG_FORMAT_*); the variable ATC_LOG does not change
                   * it */
  void* user;
  /* Gets one line of the log. The line has no newline and is valid during the call. Any thread may call `write`,
   * which must return normally. */
  void (*write)(void* user, int32_t level, const char* line);
  /* Frees `user`; may be NULL. It is called once, after the sink was replaced and the last `write` has returned. */
  void (*destroy)(void* user);
} atc_log_sink;

/* Sends log lines to `sink`; if `sink` is NULL, to standard error. When the function returns, no thread runs a
 * callback of the previous sink any more. */
atc_status atc1_log_sink_set(const atc_log_sink* sink);
/* Set or read the level of the log: ATC_LOG_*, by default WARNING. The environment variable is
 * ATC_LOG=off|error|warning|info|debug. If ",json" follows the level there, standard error gets lines of JSON. At
 * INFO each decision about a convolution is one line. */
atc_status atc1_log_level_set(int32_t level);
atc_status atc1_log_level_get(int32_t* out);

/* atc: the ranks of a job decide together, so that equal ranks run equal implementations (docs/distributed.md). A rank
 * is one of the processes of a job. A decision is the choice of an implementation for a convolution.
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
 * A class is a set of ranks with equal devices, versions, engines and terms (options that change the choice). After the
 * call all ranks of a class use the same decisions. If one rank is missing or fails, atc1_tune returns
 * ATC_ERROR_NOT_AGREED on all ranks, and no rank uses a new decision.
 */

/* A function of atc that `create` and `get` call to pass the value of a key to atc, at most once each. atc copies the
 * value. If the function returns a status other than ATC_OK, the callback must return this status. */
typedef atc_status (*atc_group_answer)(const void* value, size_t size, void* payload);

/* A rank, and the store of keys and values that the rank shares with the other ranks. The store is a folder
 * (atc1_group_open_folder), LibTorch's c10d (docs/distributed.md), or any other store that the callbacks `create` and
 * `get` can use. Everybody who can write to this store can decide what the ranks run (docs/trust.md).
 *
 * atc promises that a key has at most 512 bytes of ASCII, and a value at most 1 MiB. In a call all ranks together write
 * at most 4 MiB to the store. atc asks `get` to wait for at most 1 s, and never changes or removes a key. The callbacks
 * are called by the thread that calls atc1_tune, without a lock of atc, and never inside a convolution. They must return
 * normally, and may set an error text (atc1_error_set). If a callback fails, atc1_tune returns ATC_ERROR_IO. */
typedef struct atc_group {
  uint32_t struct_size;
  uint32_t rank;           /* from 0 to size - 1 */
  uint32_t size;           /* the number of ranks of the job */
  uint32_t reserved;       /* 0 */
  double bound_seconds;    /* the most seconds that a rank waits without progress; 0: 60 s */
  const char* prefix;      /* the beginning of all keys, 1 to 380 bytes. Each job, and each attempt to run it, must have
                            * its own prefix. atc adds the number of the call, counted by prefix */
  void* user;              /* passed to each callback */
  /* Writes the value if the key does not exist, and does not change the key if it exists. Then passes the value of the
   * key to `answer`. */
  atc_status (*create)(void* user, const char* key, const void* value, size_t size, atc_group_answer answer,
                       void* payload);
  /* Waits until the key exists, but at most `timeout_seconds`. If the key exists, passes its value to `answer`; else
   * returns ATC_OK without a call of `answer`. */
  atc_status (*get)(void* user, const char* key, double timeout_seconds, atc_group_answer answer, void* payload);
  /* atc1_group_close calls this function, to free `user`. NULL: there is nothing to free. */
  void (*destroy)(void* user);
} atc_group;

/* Makes a group whose store is a folder that all ranks can read and write, for jobs without LibTorch. If the folder
 * does not exist, it is made. Each key becomes a small file. atc does not remove these files: remove the folder after
 * the job. A folder on NFS, version 3 or newer, is possible. Close `*out` with atc1_group_close. ATC_ERROR_IO: the
 * folder cannot be made. */
atc_status atc1_group_open_folder(atc_group* out, const char* path, uint32_t rank, uint32_t size, const char* prefix);
/* Calls `destroy` of the group and empties the struct. NULL, and a group that was not opened, are ignored. */
void atc1_group_close(atc_group* group);

/* The result of a call of atc1_tune with a group, apart from the decisions. */
typedef struct atc_agreement {
  uint32_t struct_size;
  int32_t agreed;       /* 1: the ranks have agreed. 0: no new decision is used; `rank` and `reason` tell why */
  uint64_t rank;        /* if the ranks have not agreed: the rank that is the reason */
  uint64_t classes;     /* the number of classes; 0 if the ranks have not agreed */
  uint64_t own_class;   /* the index of the class of this rank */
  const char* reason;   /* why the ranks have not agreed; "" if they have */
  const char* digest;   /* a hash of the decisions of this rank's class, which is equal on all ranks of the class; "" if
                         * the ranks have not agreed */
} atc_agreement;

/* A class: the ranks that have equal environments, and therefore use the same decisions. */
typedef struct atc_agreement_class {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t count;           /* the number of ranks of the class */
  const uint64_t* ranks;    /* the ranks of the class, in ascending order */
  const char* environment;  /* the environment as JSON: device and versions, engines, terms */
  const char* differences;  /* how the environment differs from that of the first class; "" for the first class */
} atc_agreement_class;

/* These functions write what the ranks of a call have agreed on, and the class with this index. The pointers in the
 * structs are valid until the report is destroyed. ATC_ERROR_INVALID_ARGUMENT: the call that made the report had no
 * group, or there is no class with this index. */
atc_status atc1_tune_report_agreement(atc_agreement* out, const atc_tune_report* report);
atc_status atc1_tune_report_class(atc_agreement_class* out, const atc_tune_report* report, size_t index);

/* atc: lists of problems (convolutions) to be tuned: problems that calls have noted, and problems of recordings.
 *
 * If a call has the option `tune` = ATC_TUNE_LATER, it measures nothing and notes its problem. Between its steps, a
 * program measures the problems that were noted:
 *
 *   atc_problems* problems = NULL;
 *   atc1_problems_create(&problems);
 *   atc1_problems_add_noted(problems);
 *   atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
 *   options.problems = problems;
 *   atc1_tune(NULL, device, NULL, 0, &options, NULL, NULL);
 *   atc1_problems_destroy(problems);
 *
 * Later calls use the new decisions, also if their plan was in the cache before. A plan that the program created
 * before (atc1_conv_plan_create) keeps its choice. */

/* A list of problems. It has each problem once, with the device and the options on which a decision depends. */
typedef struct atc_problems atc_problems;

/* Creates an empty list of problems. The caller destroys `*out`. */
atc_status atc1_problems_create(atc_problems** out);
void atc1_problems_destroy(atc_problems* problems);

/* Adds the problems that calls of this process have noted (ATC_TUNE_LATER) to the list, in the order of their first
 * calls. A call notes its problem when it looks the decision up, once for each device model and each set of options
 * that needs a decision of its own. A call whose plan is in the cache notes nothing. A note remains until atc1_tune
 * has decided its problem. A problem that atc1_tune could not decide is neither listed nor noted again. At most 4,096
 * problems are noted. If there are more, a warning is logged once, and a further problem is noted when its next call
 * comes after an atc1_tune. */
atc_status atc1_problems_add_noted(atc_problems* problems);
/* Forgets all notes of the process, also those of problems that could not be decided. A call whose plan is in the
 * cache notes its problem again after atc1_cache_clear. */
atc_status atc1_problems_forget_noted(void);

/* Adds the problems of a JSON text of `size` bytes to the list. Recordings (ATC_RECORD), atc1_problems_json and `atc
 * tune --json` write such texts. Either all problems are added or none. ATC_ERROR_INVALID_ARGUMENT: the error text
 * names the problem and the member. */
atc_status atc1_problems_add_json(atc_problems* problems, const char* text, size_t size);
/* Adds one problem to the list. `count` is the number of calls that need the problem (0: unknown). If `device` is
 * NULL, the problem is tuned on the device of atc1_tune. `options` may be NULL; of the options, those that
 * atc1_problems_get writes are kept. ATC_ERROR_INVALID_ARGUMENT: the error text names the field. */
atc_status atc1_problems_add(atc_problems* problems, const atc_device* device, const atc_conv_problem* problem,
                             const atc_conv_options* options, uint64_t count);

atc_status atc1_problems_count(size_t* out, const atc_problems* problems);
/* Writes one problem of the list. Each of the first four pointers may be NULL.
 * - `device`: type 0 stands for the device of atc1_tune. Index -1 stands for any device of the type; a problem that
 *   another process has noted has it.
 * - `problem`: is transposed if the caller's was, and has explicit strides.
 * - `options`: deterministic, allow_tf32, allow_reference, constant_weights, alignment, workspace_limit, front_end,
 *   require_firm, strict_precision and allow_reduced_precision_reduction are those of the call. use_store is ATC_OFF
 *   if the call used no store. All others are 0.
 * - `count`: the number of calls; 0 if unknown.
 *
 * ATC_ERROR_INVALID_ARGUMENT: `index` is not below atc1_problems_count. */
atc_status atc1_problems_get(atc_device* device, atc_conv_problem* problem, atc_conv_options* options, uint64_t* count,
                             const atc_problems* problems, size_t index);
/* Writes the list as JSON, a problem per line. `atc tune` and atc1_problems_add_json read this text. It does not say
 * which stores the calls used. The caller destroys `*out`. */
atc_status atc1_problems_json(atc_bytes** out, const atc_problems* problems);

/* atc: the store, which keeps decisions on disk. A decision names the implementation that runs a convolution. A store
 * is a directory with one folder for each environment (device, library versions). A folder has one small JSON file
 * (an entry) for each decision. If the decision's winner was compiled, a compressed file with its compiled form lies
 * beside the entry. Any number of processes may use a store at once. */

typedef int32_t atc_store_mode;
enum {
  ATC_STORE_OFF = 1,        /* the store is neither read nor written */
  ATC_STORE_READ = 2,
  ATC_STORE_READ_WRITE = 3, /* default */
  ATC_STORE_REPLAY_ONLY = 4 /* the store is only read, and a problem without a record is ATC_ERROR_NOT_TUNED */
};

/* A handle of an open store. May be used from several threads at once. */
typedef struct atc_store atc_store;

/* Opens the store in `directory`. If `mode` is 0 or read-write, a missing directory is made. ATC_ERROR_IO: the
 * directory cannot be used. The caller closes `*out`. */
atc_status atc1_store_open(atc_store** out, const char* directory, atc_store_mode mode);
/* Opens a store that consists of `count` directories (layers). The first directory is opened as by atc1_store_open, and
 * the others are only read. A look-up joins the decisions of all layers in the order of atc1_store_merge. Decisions that
 * another user or another machine wrote count as received. New decisions are written to the first layer. Imports,
 * exports, verify and prune work only on the first layer. If a further directory cannot be used, it is left out, with
 * one warning; in replay-only mode the function returns ATC_ERROR_IO. */
atc_status atc1_store_open_layers(atc_store** out, const char* const* directories, size_t count, atc_store_mode mode);
/* Closes the handle; NULL does nothing. If the store is in use (atc1_store_use), it remains in use. Plans that were
 * made with the handle keep working. */
void atc1_store_close(atc_store* store);

/* Sets the store in use: from now on plan creation, eager calls and atc1_tune of this process read and write `store`.
 * It replaces the store that was in use before, also that of ATC_STORE. NULL: no store is in use. Calls whose options
 * have a store of their own use that store. */
atc_status atc1_store_use(const atc_store* store);
/* Writes a new handle of the store in use, which the caller closes, or NULL if no store is in use. If ATC_MODE is
 * replay-only and ATC_STORE cannot be read (settings.h), the handle is that of a replay-only store without entries. */
atc_status atc1_store_in_use(atc_store** out);

typedef struct atc_store_info {
  uint32_t struct_size;
  atc_store_mode mode;
  uint64_t entries;
  char directory[1024];
} atc_store_info;

atc_status atc1_store_describe(atc_store_info* out, const atc_store* store);

/* Reads the entry that a plan for (device, problem, options) would use. `*out` is a JSON text: {"key":
 * {"environment": …, "problem": …}, "value": {"choice": …, "candidates": […], …}}. If the decision is provisional
 * (uncertain), the value has a member "provisional": {"risk": …, "why": …, "budget": …}. ATC_ERROR_NOT_TUNED: there
 * is no such entry. `options` may be NULL; its store and allocator are checked but not used, and its progress
 * callback is not called. */
atc_status atc1_store_get(atc_bytes** out, const atc_store* store, atc_device device, const atc_conv_problem* problem,
                          const atc_conv_options* options);

/* Options of atc1_store_put. A field that is 0 has its default. A switch is 0 (inherit), ATC_OFF or ATC_ON. The number 1 is
 * ATC_OFF: use atc_option_enable (base.h). */
typedef struct atc_store_put_options {
  uint32_t struct_size;
  int32_t replace_firm; /* 0: off. On: a provisional entry (its value has a member "provisional") replaces a firm
                         * one, too */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the entry are kept. Whoever wrote these parts decides
                           * which code runs here (docs/trust.md) */
  uint32_t reserved;      /* 0 */
} atc_store_put_options;

/* Writes an entry into the store, in place of an entry with the same key. The entry is a JSON text as atc1_store_get
 * returns it. A provisional entry (its value has a member "provisional") does not replace a firm one: the call then
 * returns ATC_OK and changes nothing. Compiled parts of the entry are left out, unless `options` trusts them. An
 * entry that was put is marked as "received", and its choice is checked before its first use (docs/trust.md).
 * `options` may be NULL. ATC_ERROR_BAD_RECORD: the text is no entry. ATC_ERROR_IO: the entry could not be written;
 * this process remembers it nevertheless. */
atc_status atc1_store_put(const atc_store* store, const char* entry, size_t size, const atc_store_put_options* options);
/* Writes all valid entries of the store to `*out`, as the text of a JSON array. */
atc_status atc1_store_list(atc_bytes** out, const atc_store* store);
/* Removes the entry whose "key" is equal to that of the JSON text `entry`. `*removed` (may be NULL) is 1 if there was
 * such an entry, else 0. */
atc_status atc1_store_remove(int32_t* removed, const atc_store* store, const char* entry, size_t size);

/* Writes the number of valid entries of the store that are provisional. The call reads every file. */
atc_status atc1_store_provisional(uint64_t* out, const atc_store* store);

/* ATC_REPLACE_JOIN is a third state of atc_store_import_options.replace. If the store and the bundle have entries
 * with the same key, the decisions of both are kept: for each set of engines and rewrites that were compared, the
 * best decision. A firm decision is better than a provisional one; then the one with more engines and rewrites is
 * better, then the one with the smaller risk; a hash decides between equal ones. Times are not compared. Stores that
 * join the same bundles have the same choices, whatever the order in which they join them. */
enum { ATC_REPLACE_JOIN = 3 };

/* Options of atc1_store_import. A field that is 0 has its default. A switch is 0 (inherit), ATC_OFF or ATC_ON. The number 1 is
 * ATC_OFF: use atc_option_enable (base.h). */
typedef struct atc_store_import_options {
  uint32_t struct_size;
  int32_t replace; /* 0: off: entries of the store remain. On: entries of the bundle replace entries of the store
                    * that have the same keys, but a provisional entry does not replace a firm one.
                    * ATC_REPLACE_JOIN: both are joined */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundle are kept, as in atc_store_put_options */
  uint32_t reserved;      /* 0 */
} atc_store_import_options;

/* Options of atc1_store_merge. A field that is 0 has its default. A switch is 0 (inherit), ATC_OFF or ATC_ON. The number 1 is
 * ATC_OFF: use atc_option_enable (base.h). */
typedef struct atc_store_merge_options {
  uint32_t struct_size;
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundles are kept, as in atc_store_put_options */
} atc_store_merge_options;

/* atc1_store_export writes all valid entries of a store, and the compiled files beside them, into one bundle (a
 * sequence of bytes). atc1_store_import adds the entries of a bundle to a store. An entry that the store already has
 * remains, except that a firm entry of the bundle replaces a provisional one. Compiled parts are left out unless
 * `options` trusts them, and imported entries are marked as "received", as by atc1_store_put. `added` is the number of
 * entries that were written, and `kept` is the number of the others; both may be NULL, and so may `options`.
 * ATC_ERROR_BAD_RECORD: the bundle is damaged, and nothing was changed. */
atc_status atc1_store_export(atc_bytes** out, const atc_store* store);
atc_status atc1_store_import(uint64_t* added, uint64_t* kept, const atc_store* store, const void* bundle, size_t size,
                             const atc_store_import_options* options);
/* Joins several bundles into one, by the rules of ATC_REPLACE_JOIN, so their order has no influence. Compiled parts
 * are left out unless `options`, which may be NULL, trusts them. */
atc_status atc1_store_merge(atc_bytes** out, const void* const* bundles, const size_t* sizes, size_t count,
                            const atc_store_merge_options* options);

/* Writes a digest (a hash) of the store. Stores with equal digests have equal choices for equal keys, whether firm or
 * provisional. If pins are in force (atc1_set_pins), their hash is a part of the digest: equal digests then mean equal
 * decisions. */
atc_status atc1_store_digest(uint64_t* out, const atc_store* store);
/* Checks every file of the store. `*out` has a line of text for each bad file, and is empty if all are good. */
atc_status atc1_store_verify(atc_bytes** out, const atc_store* store);
/* Removes files from the store: bad files, all entries except the newest `keep`, and compiled files that no entry
 * names and that are at least an hour old. `*removed` (may be NULL) is the number of files that were removed. It does
 * not count compiled files that were removed together with their entry. */
atc_status atc1_store_prune(uint64_t* removed, const atc_store* store, uint64_t keep);

/* atc: the entries of a store in a form for people and for reports: problems, decisions with their candidates (the
 * implementations that were compared), and the conditions under which they were measured. */

/* A copy of all valid entries of a store. The copy never changes, and any number of threads may read it. */
typedef struct atc_store_entries atc_store_entries;

/* Reads every entry of a store, in the order of atc1_store_list, and the ceilings (measured limits of the device's
 * speed) that the store keeps. The caller destroys `*out`, which does not change if the store does. Any thread may
 * call the function. ATC_ERROR_INVALID_ARGUMENT: the error text names a missing pointer. */
atc_status atc1_store_read(atc_store_entries** out, const atc_store* store);
void atc1_store_entries_destroy(atc_store_entries* entries);

atc_status atc1_store_entries_count(size_t* out, const atc_store_entries* entries);

/* One entry of a store. If the entry holds several decisions, the struct describes the decision that is used first.
 * If this version cannot read the form of the entry, `trouble` has the reason, and only the fields that can be read
 * are set. Texts are never NULL. */
typedef struct atc_store_entry {
  uint32_t struct_size;
  int32_t technique;          /* how candidates were timed, ATC_TECHNIQUE_*; 0: not known */
  int32_t provisional;        /* 1 if the decision is provisional (uncertain), else 0 */
  int32_t threads;            /* number of threads of a convolution on the CPU; 0: not known */
  int64_t winner;             /* index of the winning candidate; -1: none */
  int64_t default_candidate;  /* index of the candidate that runs without tuning; -1: none */
  int64_t original;           /* index of the candidate that is the program's own convolution
                               * (ATC_ENGINE_ORIGINAL); -1: none */
  uint64_t candidates;
  uint64_t executions;        /* number of executions of all candidates in the race */
  double seconds;             /* seconds that the race took */
  double risk;                /* as in atc_tuned_problem */
  double bytes;               /* bytes of x, w and y, each moved once; 0: not known */
  double flops;               /* operations of the direct method, including the products with padding; 0: not known */
  double bytes_per_second;    /* the most bytes that the entry's device moves per second, as measured; 0: not
                               * measured */
  double flops_per_second;    /* the most operations of this kind that the device computes per second, as measured;
                               * 0: not measured */
  double power_limit_watts;   /* power limit at the end of the race, like the next three fields; 0: not known */
  double temperature_celsius;
  double clock_hz;
  double memory_clock_hz;
  const char* entry;          /* the entry as JSON text, as atc1_store_get returns it */
  const char* key;            /* JSON text that is equal for entries of the same problem on the same machine */
  const char* problem;        /* the problem in one line, "forward f32 x 8×64×56×56 w …"; "" if it cannot be read */
  const char* choice;         /* the chosen implementation (engine, version and configuration); "" if it cannot be read */
  const char* why;            /* why the decision is provisional, or "" */
  const char* trouble;        /* why the decision cannot be read, or "" */
  const char* device;         /* type of the device, "cpu" or "cuda"; "": not known */
  const char* device_name;    /* name of the device; "": not known */
  const char* libraries;      /* the libraries whose versions the key has: "onednn:3.2", separated by ',' without a
                               * space, or "" */
  const char* host;           /* the machine that measured the decision, or "" */
  const char* date;           /* date and time of the race, "2026-01-31T12:00:00Z", or "" */
  const char* driver;         /* version of the device's driver; "": not known */
  const char* clocks_limited_by; /* the reasons that lowered the clocks during the race, one a line, or "" */
} atc_store_entry;

/* The next two functions describe the entry of an index, and one of its candidates. Strings are borrowed from
 * `entries`. ATC_ERROR_INVALID_ARGUMENT: an index is out of range. */
atc_status atc1_store_entries_describe(atc_store_entry* out, const atc_store_entries* entries, size_t index);
atc_status atc1_store_entries_candidate(atc_candidate* out, const atc_store_entries* entries, size_t index,
                                        size_t candidate);

/* atc: a trace of a running program: how often each convolution ran, by which choice (engine, version and
 * configuration), and how long it took.
 *
 * A trace counts the executions of plans (atc1_conv_plan_execute, atc1_conv_plan_sample), eager calls (atc1_convolution)
 * and the calls that front ends report (atc1_trace_call_begin). It does not count the executions of races. Of the
 * calls of each problem with each choice, the first is timed, and then each n-th. On the CPU the time is that of the
 * call; on CUDA two events around the work on its stream measure it. Calls in stream captures are counted once, when
 * they are captured, and are not timed.
 *
 * The process has at most one trace. ATC_TRACE=FILE in the environment, which is read once, starts a trace at the
 * first convolution. This trace is written to FILE at atc1_trace_stop, or else when the process exits by exit or by
 * the end of main; it is lost if the process ends by _exit or a signal. A malformed value is ignored with one log
 * line. A child made by fork is not traced.
 *
 * All functions may be called from any thread at any time. */

/* Options of a trace. A field that is 0 has its default. */
typedef struct atc_trace_options {
  uint32_t struct_size;
  uint32_t sample_every; /* which calls are timed: of the calls of a problem with a choice the first, and then each
                          * n-th. 0: 1 on the CPU, 8 on CUDA */
  uint32_t max_rows;     /* the largest number of pairs of a problem and a choice that have rows of their own. The
                          * calls of further pairs are counted together, as problem "other". 0: 1024. A pair takes
                          * up to 14 KB of memory, most of them below 2 KB */
  uint32_t max_events;   /* the largest number of timed calls in the timeline, which has the last ones. 0: 65,536.
                          * A call takes 32 bytes */
  const char* file;      /* name of the file, which is written by atc1_trace_stop, or else when the process exits.
                          * At the exit, calls that CUDA devices still run are left out. If the name ends in .txt,
                          * the file is a table, else JSON. %p stands for the process id, %% for a %. The folder
                          * must exist. A regular file of this name is replaced, and anything else is refused. The
                          * text is copied. NULL: no file */
} atc_trace_options;

/* Starts the trace of the process. `options` may be NULL. ATC_ERROR_BUSY: a trace is running.
 * ATC_ERROR_INVALID_ARGUMENT: the file name has a % that is neither %p nor %%, or is too long. ATC_ERROR_IO: the file
 * cannot be written. */
atc_status atc1_trace_start(const atc_trace_options* options);

/* The results of a trace (atc1_trace_stop). */
typedef struct atc_trace atc_trace;

/* Ends the trace, also one that ATC_TRACE has started, and writes its file if it has one. The call waits for the
 * timed calls that CUDA devices still run. Calls that other threads are making at this time may be missing. `out` may
 * be NULL; otherwise the caller destroys `*out`. ATC_ERROR_INVALID_ARGUMENT: no trace is running. ATC_ERROR_IO: the
 * file could not be written, and the trace is lost. */
atc_status atc1_trace_stop(atc_trace** out);
void atc1_trace_destroy(atc_trace* trace);

/* The kinds of rows in a trace: the calls that a row counts. */
enum {
  ATC_TRACE_ROW_PROBLEM = 1, /* the calls of one problem with one choice on one device */
  ATC_TRACE_ROW_CHOICE = 2,  /* the calls of one choice on one device, for all problems */
  ATC_TRACE_ROW_TOTAL = 3    /* all calls; the last row */
};

/* A row of a trace. Times are seconds per call, computed from the timed calls; they are 0 if no call was timed.
 * Median, p90 and p99 are the timed calls of index floor(q * (n - 1)) in ascending order, within 1 %; the other
 * figures are exact. */
typedef struct atc_trace_row {
  uint32_t struct_size;
  int32_t kind;        /* ATC_TRACE_ROW_* */
  atc_device device;   /* device of the calls; {0, 0} in the total */
  const char* problem; /* text of the problem, as atc1_conv_problem_describe writes it; "" unless `kind` is
                        * ATC_TRACE_ROW_PROBLEM */
  const char* choice;  /* text of the choice, "engine@version:configuration", or the text that a front end has
                        * reported; "" in the total */
  uint64_t calls;
  uint64_t timed;      /* how many of these calls were timed */
  double total;        /* estimated seconds of all calls: the sum of calls x mean of each pair of a problem and a
                        * choice */
  double mean;
  double median;
  double p90;
  double p99;
  double min;
  double max;
  double deviation;    /* standard deviation of a sample (divided by n - 1) */
} atc_trace_row;

/* The next two functions count the rows of a trace and write one of them to `out`. The order is: rows of kind
 * PROBLEM, grouped by device and problem, then those of kind CHOICE, then the TOTAL. In each kind the rows that took
 * the most time come first. Strings are borrowed from the trace. ATC_ERROR_INVALID_ARGUMENT: the index is out of
 * range. */
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

/* Writes 1 to `*out` if a trace is running, else 0. A front end uses it to skip the description of a problem that
 * only the trace needs. */
atc_status atc1_trace_is_running(int32_t* out);

/* A call of a front end that a trace is timing. One thread at a time. */
typedef struct atc_trace_call atc_trace_call;

/* Reports to the trace a convolution that a front end is about to run by itself, without a plan of atc. `choice`
 * names the library that computes it, for example "libtorch". `problem` may be NULL if it cannot be described. The
 * front end then gives its work to `stream` (ignored on the CPU) and calls atc1_trace_call_end. `*out` is NULL if the
 * call is not timed or no trace is running. If no trace is running, problem and device are not checked; otherwise
 * ATC_ERROR_INVALID_ARGUMENT is returned for a bad problem or device, and the error text names the field. */
atc_status atc1_trace_call_begin(atc_trace_call** out, atc_device device, const atc_conv_problem* problem,
                                 const char* choice, atc_stream stream);
/* Ends the report that atc1_trace_call_begin has begun. The front end calls it when the work has been given to the
 * stream; on the CPU, when the work is done. The function frees `call`; NULL does nothing. */
void atc1_trace_call_end(atc_trace_call* call);

/* ---- cdef ---- */

#ifdef __cplusplus
}
#endif
#endif /* ATC_ATC1_H_ */
