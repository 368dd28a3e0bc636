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
const char* atc1_status_name(atc_status status);

/* Why the last failing call of this thread failed: one sentence, up to 8,191 bytes, that names the argument, its
 * value and a remedy. Only the next failing call of this thread replaces it; success and `destroy` leave it as it is.
 * Owned by the library and valid until then; "" before the first failure, never NULL. Programs should decide on the
 * status and show this text. */
const char* atc1_last_error(void);

/* For callbacks (of engines and settings sources): sets the text that belongs to the status which the callback is
 * about to return. NULL is taken as "". */
void atc1_error_set(const char* text);

/* ---- Versions ---------------------------------------------------------------------------------- */

/* The ATC_VERSION of the running library. The macro is that of the headers which the program was compiled with. */
uint32_t atc1_version(void);
/* "0.1.0", a static string. */
const char* atc1_version_string(void);
/* The ATC_ABI_VERSION of the running library. A program compiled with another one must not use the library. */
uint32_t atc1_abi_version(void);

/* ---- Limits ------------------------------------------------------------------------------------ */

/* For 64-bit limits in options structs, where 0 means "inherit". */
#define ATC_UNLIMITED 0xFFFFFFFFFFFFFFFFULL
#define ATC_NONE 0xFFFFFFFFFFFFFFFEULL /* a limit of zero */
#define ATC_AUTOMATIC 0xFFFFFFFFFFFFFFFDULL /* of atc1_set_race_memory_limit: atc chooses the limit */

/* For switches in options structs, where 0 means "inherit". The number 1, and `true`, is ATC_OFF: a condition goes through
 * atc_option_set. (The functions atc_set_… of settings.h take 0 and 1.) */
enum { ATC_OFF = 1, ATC_ON = 2 };

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

/* The bytes; text is followed by a NUL that `size` does not count. Valid until atc1_bytes_destroy.
 * NULL and 0 for a NULL handle. */
const char* atc1_bytes_data(const atc_bytes* bytes);
size_t atc1_bytes_size(const atc_bytes* bytes);
void atc1_bytes_destroy(atc_bytes* bytes);

/* atc: the switches of a process, each with a getter, and one call that prepares a repeatable run.
 *
 * Every switch may be set on every machine: without CUDA a setter returns ATC_OK and the getter returns that value
 * (the queries of device.h tell whether there is CUDA). Of the switches named after cuDNN only deterministic_cudnn
 * has an effect on the CPU: it excludes implementations that do not repeat their bits. A change takes effect at the
 * next plan creation and the next eager call, on every thread, also for problems that ran before. Existing plans do
 * not change.
 *
 * Precedence: an explicit call, then the environment, then the default. The environment (docs/environment.md lists
 * the variables) is read once, at the first call that needs it. A malformed value is ignored with one log line,
 * unless the variable is a promise about results (docs/trust.md): a malformed ATC_DETERMINISTIC counts as 1, with one
 * log line. Each decision fails, with a sentence that names the variable, if ATC_PINS names no pin file, if ATC_MODE
 * is malformed, or if it is replay-only and ATC_STORE names no store that can be read. This ends when the program
 * itself sets pins (atc1_set_pins) or a store (atc1_store_use). Switches can be set and read all the while.
 *
 * All functions may be called from any thread at any time.
 */

/* How candidates are timed (docs/tuning.md). The first three are defined as in cuDNN's frontend. */
typedef int32_t atc_technique;
enum {
  ATC_TECHNIQUE_ONCE = 1,
  ATC_TECHNIQUE_MEDIAN_OF_THREE = 2,
  ATC_TECHNIQUE_TILL_STABLE = 3,
  ATC_TECHNIQUE_INTERLEAVED = 4, /* default */
  ATC_TECHNIQUE_SUSTAINED = 5    /* compares candidates at the clocks that a long load settles at */
};

/* The behaviour of an operation that has no deterministic form. */
enum {
  ATC_DETERMINISTIC_ALGORITHMS_OFF = 1, /* default */
  ATC_DETERMINISTIC_ALGORITHMS_WARN = 2,
  ATC_DETERMINISTIC_ALGORITHMS_ERROR = 3
};

/* ---- Switches. Booleans are 0 or 1; anything else is ATC_ERROR_INVALID_ARGUMENT. A NULL `out` is
 * ATC_ERROR_INVALID_ARGUMENT. ---------------------------------------------------------------------- */

/* Measure candidates of CUDA convolutions and use the best one. Default 0. */
atc_status atc1_set_benchmark_cudnn(int32_t enabled);
atc_status atc1_get_benchmark_cudnn(int32_t* out);

/* How many of cuDNN's candidates race at most; 0 = all. With a bias each of them races in two forms: with the bias
 * fused, and with the bias added by a pass of its own. Default 10. Other engines have places of their own
 * (docs/engines.md). Negative: ATC_ERROR_INVALID_ARGUMENT. */
atc_status atc1_set_benchmark_limit_cudnn(int32_t limit);
atc_status atc1_get_benchmark_limit_cudnn(int32_t* out);

/* 0 bars the engine `cudnn`. Default 1. */
atc_status atc1_set_user_enabled_cudnn(int32_t enabled);
atc_status atc1_get_user_enabled_cudnn(int32_t* out);

/* Only deterministic convolution kernels. Default 0. */
atc_status atc1_set_deterministic_cudnn(int32_t enabled);
atc_status atc1_get_deterministic_cudnn(int32_t* out);

/* ATC_DETERMINISTIC_ALGORITHMS_*. With a bridge the switch holds for all operators of the program; for convolutions
 * WARN and ERROR both ask for deterministic kernels. */
atc_status atc1_set_deterministic_algorithms(int32_t mode);
atc_status atc1_get_deterministic_algorithms(int32_t* out);

/* TF32 in fp32 convolutions. Default 1, as in LibTorch. */
atc_status atc1_set_allow_tf32_cudnn(int32_t enabled);
atc_status atc1_get_allow_tf32_cudnn(int32_t* out);

/* ATC_TECHNIQUE_*. */
atc_status atc1_set_benchmark_technique(atc_technique technique);
atc_status atc1_get_benchmark_technique(atc_technique* out);

/* Most bytes of workspace a candidate may use, rounded down to a class (0, 32 MiB, 256 MiB, 1 GiB, 4 GiB). The class
 * is part of the key under which a decision is remembered. ATC_UNLIMITED is the largest class. Default 1 GiB. The
 * getter returns the class. */
atc_status atc1_set_workspace_limit(uint64_t bytes);
atc_status atc1_get_workspace_limit(uint64_t* out);

/* How many bytes a race may allocate beyond the memory that the program holds, on its device (on the CPU: main memory);
 * ATC_UNLIMITED; ATC_AUTOMATIC (default): a quarter of the memory that is free when the race begins. If a race needs
 * more, it first uses fewer sets of operands; then candidates whose workspace does not fit leave the race
 * (docs/tuning.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment: ATC_RACE_MEMORY_LIMIT. */
atc_status atc1_set_race_memory_limit(uint64_t bytes);
atc_status atc1_get_race_memory_limit(uint64_t* out);

/* How many bytes of host memory the kept plans of the process may take: those of the plan cache, and those that cuDNN
 * built for them; ATC_UNLIMITED. Default 2 GiB. If the plans take more, those that were used least recently are destroyed.
 * The sizes are estimates (docs/threading.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment:
 * ATC_PLAN_MEMORY_LIMIT. */
atc_status atc1_set_plan_memory_limit(uint64_t bytes);
atc_status atc1_get_plan_memory_limit(uint64_t* out);

/* The directories, separated by ':', in which libcuda, cuDNN, cuBLASLt and NVML are looked for first. NULL or ""
 * clears the list. ATC_ERROR_BUSY once one of these libraries has been looked for. */
atc_status atc1_set_library_path(const char* directories);
/* `*out` is owned by the library and valid until this thread's next call of this function. */
atc_status atc1_get_library_path(const char** out);

/* Reads the pin file `file` (docs/pins.md) and obeys it from now on, in place of the earlier one (that of ATC_PINS,
 * too); NULL or "": no pins. A pinned choice outranks records and tuning; a choice given with a call outranks pins.
 * The file is not read again when it changes. ATC_ERROR_IO: it cannot be read; ATC_ERROR_INVALID_ARGUMENT: it is no
 * pin file, and the message has the line, the field and its value. After an error the earlier pins remain in force.
 * If ATC_PINS names such a file, each decision fails with that error until the program sets another file. */
atc_status atc1_set_pins(const char* file);
/* The file in force, or "". `*out` is owned by the library and valid until this thread's next call of this function. */
atc_status atc1_get_pins(const char** out);
/* A hash of the patterns, choices and bars in force (not of their names and comments); 0: no pins. */
atc_status atc1_get_pins_hash(uint64_t* out);

/* ---- Snapshot ----------------------------------------------------------------------------------- */

/* All switches at once. Literal: 0 means 0, not a default. */
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

/* Writes the values in force, at most `out->struct_size` bytes; the caller sets `struct_size` first. */
atc_status atc1_settings_get(atc_settings* out);
/* Sets all or nothing: the first value that is refused leaves every switch as it was. */
atc_status atc1_settings_apply(const atc_settings* settings);
/* Reads the environment again and applies it over explicit calls. A malformed value is
 * ATC_ERROR_INVALID_ARGUMENT and changes nothing. ATC_STORE that cannot be opened, or ATC_PINS that cannot be read, is
 * ATC_ERROR_IO. A store that cannot be written is opened for reading, with one log line. */
atc_status atc1_settings_from_env(void);

/* ---- Repeatable runs ----------------------------------------------------------------------------- */

/* Conditions of a repeatable run that atc1_set_reproducible could not establish (bits of `missing`). */
enum {
  ATC_REPRODUCIBLE_NO_CUDA_SEED = 1,      /* no CUDA generator is known to atc (no bridge loaded) */
  ATC_REPRODUCIBLE_OPEN_SELECTION = 2,    /* a store is in use in read-write mode, which stores new choices */
  ATC_REPRODUCIBLE_CUBLAS_WORKSPACE = 4,  /* CUBLAS_WORKSPACE_CONFIG is not set in the environment */
  ATC_REPRODUCIBLE_CPU_THREADS = 8        /* OMP_NUM_THREADS is not set: sums depend on the core count */
};

typedef struct atc_reproducible_report {
  uint32_t struct_size;
  uint32_t missing; /* ATC_REPRODUCIBLE_* */
  char text[504];   /* `missing` in words, a line for each bit */
} atc_reproducible_report;

/* Sets deterministic_cudnn, deterministic_algorithms = ERROR and benchmark_cudnn = 0, and seeds all generators. `out`
 * may be NULL; it lists what could not be set, which is no failure. */
atc_status atc1_set_reproducible(atc_reproducible_report* out, uint64_t seed);

/* atc: convolutions. Describe a problem, create a plan, execute it; or call atc1_convolution, which keeps
 * the plans itself.
 *
 * Forward:          y[n,k,o] = bias[k] + sum over c,t of x[n,c, o*stride + t*dilation - padding_low] * w[k,c,t]
 * Backward-data:    x from w and y.   Backward-weight: w from x and y.   (x, w, y keep their roles.)
 * Transposed:       the same three for y = (the adjoint of a convolution)(x).
 *
 * Shapes, in elements, always in logical order whatever the layout:
 *   x [batch, in_channels, input…]     y [batch, out_channels, output…]     bias [channels of the output]
 *   w [out_channels, in_channels / groups, kernel…], transposed: [in_channels, out_channels / groups, kernel…]
 *   output = (input + padding_low + padding_high - dilation*(kernel-1) - 1) / stride + 1, rounded down;
 *   transposed: (input-1)*stride - padding_low - padding_high + dilation*(kernel-1) + output_padding + 1.
 *
 * Products are added up in fp32 or better, and the sum is rounded once to the output's type. Four exceptions:
 * - where TF32 is allowed, CUDA may round f32 operands to TF32 before multiplying them;
 * - with `accumulate`, the sum may be rounded before the old value is added, and again afterwards;
 * - partial sums may be rounded to the operands' type where allow_reduced_precision_reduction allows it, and by
 *   offers with ATC_ENGINE_ORIGINAL unless strict_precision forbids it;
 * - an engine registered with ATC_ENGINE_ROUNDS_TWICE may round the sum before the bias is added, and again afterwards.
 */

typedef int32_t atc_direction;
enum { ATC_FORWARD = 1, ATC_BACKWARD_DATA = 2, ATC_BACKWARD_WEIGHT = 3 };

typedef int32_t atc_dtype;
enum { ATC_DTYPE_F32 = 1, ATC_DTYPE_BF16 = 2, ATC_DTYPE_F16 = 3 };

typedef int32_t atc_layout;
enum {
  ATC_LAYOUT_CHANNELS_FIRST = 1, /* x, w, y dense, last dimension fastest */
  ATC_LAYOUT_CHANNELS_LAST = 2,  /* x, w, y dense, dimension 1 fastest */
  ATC_LAYOUT_STRIDED = 3         /* as x_strides, w_strides and y_strides say */
};

typedef int32_t atc_epilogue;
enum { ATC_EPILOGUE_NONE = 1, ATC_EPILOGUE_BIAS = 2, ATC_EPILOGUE_BIAS_RELU = 3 };

/* Literal: 0 means 0, not a default; atc_conv_problem_init sets usual values. Entries of arrays beyond the spatial
 * dims are not read. */
typedef struct atc_conv_problem {
  uint32_t struct_size;
  atc_direction direction;
  int32_t spatial_dims;      /* 1, 2 or 3 */
  int32_t transposed;        /* 0 or 1 */
  int64_t batch;             /* >= 0; with 0 every call succeeds (backward-weight gives zeros) */
  int64_t in_channels;       /* channels of x, a multiple of groups */
  int64_t out_channels;      /* channels of y, a multiple of groups */
  int64_t groups;            /* >= 1 */
  int64_t input[3];          /* spatial extents of x, >= 1; D,H,W or H,W or W */
  int64_t kernel[3];         /* >= 1 */
  int64_t stride[3];         /* >= 1 */
  int64_t dilation[3];       /* >= 1 */
  int64_t padding_low[3];    /* >= 0, zeros before the first element */
  int64_t padding_high[3];   /* >= 0, zeros after the last one */
  int64_t output_padding[3]; /* transposed only: >= 0, below the larger of stride and dilation */
  atc_dtype x_dtype;
  atc_dtype w_dtype;
  atc_dtype y_dtype;
  atc_layout layout;
  atc_epilogue epilogue;     /* forward only; bias has the output's dtype */
  int32_t accumulate;        /* 0: output = result; 1: output += result (then relu, where asked for) */
  int64_t x_strides[5];      /* elements, logical order, ATC_LAYOUT_STRIDED only */
  int64_t w_strides[5];
  int64_t y_strides[5];
} atc_conv_problem;

/* Fills `out` (struct_size included) for a forward fp32 problem of 1, 2 or 3 spatial dims: stride, dilation, groups,
 * batch, kernel and extents 1; channels first; no epilogue. `struct_size` is the size of the caller's
 * atc_conv_problem, in bytes; no byte beyond it is written; in atc.h the macro atc_conv_problem_init(&problem, 2)
 * passes it. ATC_ERROR_INVALID_ARGUMENT for another number of dims, and for a size that no version of the struct
 * has. */
atc_status atc1_conv_problem_init_sized(atc_conv_problem* out, size_t struct_size, int32_t spatial_dims);

/* The problem as reports and messages have it, one line: "forward x=8x64x56x56 f32 w=…". The caller destroys `*out`.
 * ATC_ERROR_INVALID_ARGUMENT when the problem is not valid. */
atc_status atc1_conv_problem_describe(atc_bytes** out, const atc_conv_problem* problem);

/* The tensors of a call. */
enum { ATC_OPERAND_X = 1, ATC_OPERAND_W = 2, ATC_OPERAND_BIAS = 3, ATC_OPERAND_Y = 4 };

/* Writes shape and strides of one operand, in elements: `spatial_dims + 2` entries each (bias: 1). Either pointer may
 * be NULL. ATC_ERROR_INVALID_ARGUMENT when the problem is not valid. */
atc_status atc1_conv_operand_shape(int64_t* shape, int64_t* strides, const atc_conv_problem* problem, int32_t operand);

/* ---- Plans ----------------------------------------------------------------------------------------- */

/* How a decision came about. */
enum {
  ATC_SOURCE_GIVEN = 1,     /* the caller's choice */
  ATC_SOURCE_RECORD = 2,    /* a record of the store */
  ATC_SOURCE_INHERITED = 3, /* a record of the same problem at the nearest size (near_shapes) */
  ATC_SOURCE_MEMORY = 4,    /* measured earlier in this process */
  ATC_SOURCE_TUNED = 5,     /* measured now */
  ATC_SOURCE_DEFAULT = 6,   /* the default engine's first choice, nothing measured */
  ATC_SOURCE_REFERENCE = 7, /* no other engine can run it: the slow reference */
  ATC_SOURCE_PINNED = 8,    /* a pin (atc1_set_pins), which is asked after GIVEN and before RECORD */
  ATC_SOURCE_AGREED = 9,    /* the ranks of a job have agreed on it (group.h); asked after PINNED and before RECORD */
  ATC_SOURCE_BESIDE = 10    /* measured by calls of this process (ATC_TUNE_BESIDE) */
};

/* "ATC_SOURCE_RECORD", …; "unknown source" for a number this version does not know. A static string, never NULL. */
const char* atc1_source_name(int32_t source);

/* How far tuning has come: with the problems of atc1_tune, or with the one of a plan (atc_conv_options.progress). */
typedef struct atc_tune_progress {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t problem;         /* index of the problem being worked on, from 0 */
  uint64_t problems;        /* 1 for a plan */
  double problem_fraction;  /* 0 at the problem's start; never falls; 1 once, when it is decided or has failed */
  double seconds;           /* since the call began */
  const char* description;  /* of the problem, valid during the callback */
  const char* candidate;    /* the choice that is prepared, checked or timed next, "" if none is; valid during the
                             * callback. It is told before its work begins */
} atc_tune_progress;

/* Called at the start and the end of each problem, and between measurements, on the thread of the call. If it returns
 * non-zero, the call is cancelled and the callback is not called again. The callback must return normally: if an
 * exception, longjmp or panic left it, every later race would wait for this one. Calls inside the callback that would
 * measure return ATC_ERROR_BUSY (extend.h lists all such calls). */
typedef int32_t (*atc_tune_callback)(const atc_tune_progress* progress, void* payload);

struct atc_store;     /* store.h */
struct atc_allocator; /* extend.h */

/* A third state of atc_conv_options.tune and atc_torch_options.tune: calls measure nothing and use what this process has
 * measured. A problem without a decision of its own runs by a record of a near size, else by the default,
 * and is noted, so that a later atc1_tune can measure it (problems.h). */
enum { ATC_TUNE_LATER = 3 };

/* A fourth state: as ATC_TUNE_LATER, and cached calls (atc1_convolution, atc1_conv_plan_acquire) find the decision
 * themselves. A thread of atc's passes candidates through the correctness gate, beside the program. Then each call runs
 * one of the candidates that are left and is timed, until one of them is known to be the fastest. No call waits. The
 * last bits of results change from call to call until then. Plans of atc1_conv_plan_create keep the choice that they
 * have. Off, with one warning, if deterministic results, firm decisions or constant weights are asked for, in
 * replay-only mode, and if WORLD_SIZE is above 1: then as ATC_TUNE_LATER. */
enum { ATC_TUNE_BESIDE = 4 };

/* 0 everywhere = defaults. Switches: 0 inherit, ATC_OFF, ATC_ON. `options.tune = 1` is ATC_OFF: write ATC_ON,
 * atc_option_enable(&options.tune) or atc_option_set (base.h).
 *
 * `store`, `use_store` and `allocator` are for libraries that share the process with other users of atc. Decisions of
 * calls with a `store` are written to that store, and the process uses its copies of them only for calls with the same
 * handle. Decisions of calls with `use_store` off are used only for such calls. */
typedef struct atc_conv_options {
  uint32_t struct_size;
  int32_t tune;             /* ATC_ON: measure where no decision is known. ATC_TUNE_LATER: note the problem there.
                             * ATC_TUNE_BESIDE: let the calls try candidates.
                             * 0: ATC_TUNE, else benchmark_cudnn for CUDA, off on the CPU (ATC_TUNE: environment variable) */
  int32_t deterministic;    /* 0: deterministic_cudnn or deterministic_algorithms */
  int32_t allow_tf32;       /* 0: allow_tf32_cudnn */
  int32_t allow_reference;  /* 0: on. Off: where only `reference` could run the problem, the call returns
                             * ATC_ERROR_UNSUPPORTED with each engine's reason (with a batch of 0 it succeeds) */
  int32_t constant_weights; /* 0: off. On: candidates are ranked as if atc1_conv_plan_set_weights had been called */
  atc_technique technique;  /* 0: benchmark_technique */
  uint32_t alignment;       /* bytes, a power of 2: the addresses of x, w and y are multiples of it. 0: 16 on CUDA,
                             * where more than 16 counts as 16; with less cuDNN has few engines, and for f16 and bf16
                             * channels last only slow ones. On the CPU the element size suffices whatever is set */
  uint64_t workspace_limit; /* bytes; 0: workspace_limit on CUDA, 1 GiB on the CPU; ATC_NONE; ATC_UNLIMITED */
  double budget_seconds;    /* of a race; 0: 2 s */
  char front_end[64];       /* name of the registered engine that belongs to the calling front end; "": none. This
                             * engine is the default engine of the call. Only calls with its name may use offers of it
                             * that return a buffer of its own (ATC_ENGINE_RETURNS_OUTPUT) */
  int32_t require_firm;     /* 0: off. On: provisional records are ignored, and a provisional decision is not stored */
  int32_t strict_precision; /* about engines that run the program's own convolution (ATC_ENGINE_ORIGINAL). 0: off:
                             * their partial sums may be rounded to the operands' type (f32: to TF32's 11 bits); such
                             * a candidate is marked (ATC_CANDIDATE_IMPRECISE) and races. On: such a candidate is
                             * refused, and the fastest unmarked candidate takes the place of a marked winner */
  int32_t allow_reduced_precision_reduction; /* 0: off. On: partial sums of every candidate may be rounded to the
                                              * operands' type (f32: to TF32's 11 bits) */
  int32_t use_store;        /* 0: on. Off: no store is read or written; `store` must be NULL */
  const struct atc_store* store; /* read and written by this call in place of the store in use (atc1_store_use or
                                  * ATC_STORE); may be closed once the call has returned. NULL: the store in use */
  const struct atc_allocator* allocator; /* provides the memory of races, the weights that are set and, where the caller
                                          * gives none, workspaces (not of captured calls), in place of the process's allocator; each
                                          * workspace is freed after its execution. The struct is copied. Its
                                          * `destroy` must be NULL: `user` stays the caller's and must live until the
                                          * plan is destroyed or handed back. NULL: the process's */
  atc_tune_callback progress; /* called while candidates are timed, and never if nothing is measured. If it cancels,
                               * the call returns ATC_ERROR_CANCELLED, makes no plan and discards the decision, even
                               * at `problem_fraction` 1. NULL: none */
  void* progress_payload;     /* handed to `progress` */
  const char* choice;         /* the plan is made of exactly this choice, as by atc1_conv_plan_create_with_choice (which
                               * ignores this field); the text is copied. NULL or "": none */
  uint64_t race_memory_limit; /* bytes that a race may allocate beyond the memory that the program holds; ATC_UNLIMITED;
                               * ATC_NONE is refused. 0: race_memory_limit of the process, else a quarter of the free
                               * memory (atc1_set_race_memory_limit) */
  int32_t near_shapes;        /* whether a record serves a problem that has none of its own and differs from the recorded one
                               * in batch and spatial extents alone, each by at most a factor of 2, with equally aligned
                               * strides (docs/tuning.md). 0: on, except with a replay-only store. On: with such a store,
                               * too. Off: never, not even for another batch */
  int32_t reserved;           /* 0 */
} atc_conv_options;

/* A decision that is ready to be executed, with the packed weights if any were set. Any thread, one at a time. */
typedef struct atc_conv_plan atc_conv_plan;

/* Decides how to run the problem and prepares the plan. The decision comes from the first source that has one, in the
 * order of ATC_SOURCE_* (pins before records). `options` may be NULL. The caller destroys `*out`.
 *
 *   atc_conv_plan* plan = NULL;
 *   atc_conv_problem p;
 *   atc_conv_problem_init(&p, 2);
 *   p.batch = 8; p.in_channels = 64; p.out_channels = 64; p.input[0] = p.input[1] = 56;
 *   p.kernel[0] = p.kernel[1] = 3; p.padding_low[0] = p.padding_low[1] = 1; … padding_high too
 *   if (atc1_conv_plan_create(&plan, (atc_device){ATC_DEVICE_CPU, 0}, &p, NULL)) puts(atc1_last_error());
 *
 * ATC_ERROR_INVALID_ARGUMENT names the field; _UNSUPPORTED: no engine can, or a pin cannot be obeyed; _NOT_TUNED: the store is
 * replay-only and has no record; _LIBRARY, _DEVICE: CUDA; _CAPTURING: `tune` is ATC_ON in a capture; _CANCELLED by
 * `options->progress`. */
atc_status atc1_conv_plan_create(atc_conv_plan** out, atc_device device, const atc_conv_problem* problem,
                                 const atc_conv_options* options);
/* Makes a plan of exactly `choice`, a text of the form that atc1_conv_plan_choice returns, or fails. The caller
 * destroys `*out`.
 *
 * ATC_ERROR_INVALID_ARGUMENT names the field, or says that `choice` is not of that form; _UNSUPPORTED: its
 * engine is not here, has another version or cannot build it, or the correctness gate refuses it; _OUT_OF_MEMORY;
 * _LIBRARY: a library of CUDA or cuDNN that the engine needs is missing or cannot be used; _DEVICE: CUDA failed. */
atc_status atc1_conv_plan_create_with_choice(atc_conv_plan** out, atc_device device, const atc_conv_problem* problem,
                                             const atc_conv_options* options, const char* choice);
/* The pins in force (atc1_set_pins) that a plan for (device, problem, options) obeys, as the text of a JSON array of
 * {"number": …, "line": …, "name": …} with a member "choice" or "bar": the pin whose choice it takes, or all bars that
 * hold; empty where no pin is for the problem. `number`: in the file, from 1. If a bar has names that no engine or rewrite is known
 * by, "unknown" has each with the known name most like it, or "": {"onedn": "onednn"}. Nothing is built. `options` may be NULL.
 * The caller destroys `*out`. ATC_ERROR_INVALID_ARGUMENT names the field; errors of ATC_PINS as atc1_set_pins. */
atc_status atc1_conv_pins(atc_bytes** out, atc_device device, const atc_conv_problem* problem,
                          const atc_conv_options* options);
/* The effect of the pins that atc1_conv_pins lists. */
enum {
  ATC_PINS_CHOOSE = 1, /* a pin gives the choice */
  ATC_PINS_BAR = 2     /* no pin gives the choice, and engines, rewrites or choices are barred */
};
/* `*out` is ATC_PINS_CHOOSE, ATC_PINS_BAR, or 0 if no pin is for the problem. Otherwise as atc1_conv_pins. */
atc_status atc1_conv_pins_effect(int32_t* out, atc_device device, const atc_conv_problem* problem,
                                 const atc_conv_options* options);
/* May be called while work of the plan is queued or captured on CUDA: the work still runs. Until then the operands,
 * and a workspace that the caller provided, must remain valid. */
void atc1_conv_plan_destroy(atc_conv_plan* plan);

/* Bytes that atc1_conv_plan_execute needs as workspace, which must be aligned to 64 bytes on the CPU and 256 on CUDA. */
atc_status atc1_conv_plan_workspace_size(uint64_t* out, const atc_conv_plan* plan);

/* Runs the plan. Forward reads x, w, bias and writes y; backward-data reads w, y and writes x; backward-weight reads
 * x, y and writes w; `bias` is NULL unless the problem has an epilogue. Views must have the problem's shapes, strides
 * and dtypes and lie on the plan's device; x, w and y start at multiples of its alignment (atc_conv_options). The output's memory
 * must not overlap that of another operand or of the workspace: bytes in common are ATC_ERROR_INVALID_ARGUMENT, views
 * that lie between each other's elements are not. Inputs may overlap each other. `w` may be NULL after
 * atc1_conv_plan_set_weights. `workspace` holds `workspace_size` bytes, at least atc1_conv_plan_workspace_size; NULL: the
 * allocator provides it for this call. On the CPU the call ignores `stream` and returns when the output is written; on
 * CUDA it queues its work on `stream`.
 * In a stream capture, a `workspace` of NULL is device memory of atc's own that lives as long as the graph; the
 * captured calls of one stream share it. All executables of a graph use the same workspace and the same operands:
 * executables that are to run at the same time must come from different graphs, with operands and `workspace` of
 * their own.
 * ATC_ERROR_INVALID_ARGUMENT names the operand and what is wrong with it; ATC_ERROR_UNSUPPORTED: the choice is the
 * front end's own engine, which the front end calls itself. */
atc_status atc1_conv_plan_execute(atc_conv_plan* plan, const atc_tensor_view* x, const atc_tensor_view* w,
                                  const atc_tensor_view* bias, const atc_tensor_view* y, void* workspace,
                                  uint64_t workspace_size, atc_stream stream);

/* Packs the weights `w` for this plan, once: atc1_conv_plan_execute then takes `w` = NULL and uses them. The buffer is
 * read before the call returns and is not needed afterwards. On CUDA it is read in the order of the legacy stream:
 * work that writes the buffer on another stream must have finished. May be called again with other weights: queued
 * and captured executions go on reading the earlier ones.
 * ATC_ERROR_INVALID_ARGUMENT for backward-weight, whose w is the output. */
atc_status atc1_conv_plan_set_weights(atc_conv_plan* plan, const atc_tensor_view* w);

/* Runs the plan once on operands of its own, filled with normally distributed numbers that `seed` determines, and
 * writes `count` elements of the output to `out`, evenly spread: element i * elements / count in logical order. Equal
 * seeds give equal operands on every machine, so that results of two libraries or devices can be compared. Returns
 * when the device has finished; must not be called during a stream capture.
 * ATC_ERROR_INVALID_ARGUMENT: the output has no elements, or fewer than `count`; ATC_ERROR_OUT_OF_MEMORY: the operands do not fit;
 * ATC_ERROR_LIBRARY on CUDA where atc was built without device kernels. */
atc_status atc1_conv_plan_sample(double* out, size_t count, atc_conv_plan* plan, uint64_t seed);

/* The choice, "engine@version:configuration", with "rewrite@version>" in front for each rewrite; borrowed from the
 * plan. */
atc_status atc1_conv_plan_choice(const char** out, const atc_conv_plan* plan);
/* ATC_SOURCE_*. */
atc_status atc1_conv_plan_source(int32_t* out, const atc_conv_plan* plan);

/* `*out`: 1 if the decision is provisional: its race could not show with certainty that the choice is the fastest;
 * else 0. `*risk` (may be NULL): by how much the choice may be slower than another candidate (0.1: 10 %), as far as the
 * technique estimates it. */
atc_status atc1_conv_plan_provisional(int32_t* out, double* risk, const atc_conv_plan* plan);

/* The result of a candidate. */
enum {
  ATC_OUTCOME_WON = 1,
  ATC_OUTCOME_LOST = 2,          /* timed to the end, slower */
  ATC_OUTCOME_DROPPED = 3,       /* timed, fell behind early */
  ATC_OUTCOME_TIED = 4,          /* within the tie margin of the winner, not taken */
  ATC_OUTCOME_NOT_PREPARED = 5,  /* could not be built */
  ATC_OUTCOME_WRONG_RESULT = 6,  /* refused by the correctness gate */
  ATC_OUTCOME_FAILED = 7,        /* an execution failed */
  ATC_OUTCOME_OUT_OF_MEMORY = 8,
  ATC_OUTCOME_SKIPPED = 9,       /* left out: budget, candidate limit or cancellation */
  ATC_OUTCOME_OFFERED = 10       /* nothing was measured */
};

/* "ATC_OUTCOME_WON", …; "unknown outcome" for a number this version does not know. A static string, never NULL. */
const char* atc1_outcome_name(int32_t outcome);

/* Further marks of a candidate (bits). */
enum {
  ATC_CANDIDATE_IN_GRAPH = 1,   /* timed in CUDA graphs, because the host could not issue this candidate, or one that
                                 * it was compared with, as fast as the device runs it */
  ATC_CANDIDATE_HOST_BOUND = 2, /* the host takes longer to issue an execution than the device takes to run it */
  ATC_CANDIDATE_CAPTURED = 4,   /* the choice of plans that are made in a stream capture, where it differs from the
                                 * winner */
  ATC_CANDIDATE_IMPRECISE = 8   /* right, but less precise than the options allow: `reason` says how
                                 * (atc_conv_options.strict_precision) */
};

/* One candidate. Strings are never NULL and are borrowed from the plan or report that filled it. */
typedef struct atc_candidate {
  uint32_t struct_size;
  int32_t outcome;           /* ATC_OUTCOME_* */
  const char* engine;
  const char* version;
  const char* configuration;
  const char* notes;
  const char* reason;        /* why it was not taken, or how it is imprecise, or "" */
  uint64_t workspace;        /* bytes */
  uint64_t samples;          /* batches timed; 0: the times below mean nothing */
  uint64_t executions;
  double mean;               /* seconds per execution, over the samples */
  double median;
  double min;
  double max;
  double deviation;          /* standard deviation, seconds */
  double clock_hz;           /* median clock during the samples; 0: unknown */
  const char* rewrites;      /* the part of its choice in front of the engine ("nhwc@1>"), or "" */
  double host;               /* seconds the host takes to issue one execution, median; 0: not known */
  uint64_t launches;         /* kernels, copies and fills of one execution; 0: not known */
  uint32_t flags;            /* ATC_CANDIDATE_* */
  uint32_t reserved;         /* 0 */
} atc_candidate;

/* The candidates among which the plan's decision was made. They have times if a race of this process or a record
 * measured them. */
atc_status atc1_conv_plan_candidate_count(size_t* out, const atc_conv_plan* plan);
atc_status atc1_conv_plan_candidate(atc_candidate* out, const atc_conv_plan* plan, size_t index);

/* ---- Eager ------------------------------------------------------------------------------------------ */

/* Creates a plan or takes one from the cache, and executes it. The device is that of the views, and the alignment
 * that of their addresses; the store is the store in use, and workspaces come from the process's allocator. Any number
 * of threads at once. Statuses as for plan creation and execution. */
atc_status atc1_convolution(const atc_conv_problem* problem, const atc_tensor_view* x, const atc_tensor_view* w,
                            const atc_tensor_view* bias, const atc_tensor_view* y, atc_stream stream);

/* Takes a plan for (device, problem, options) from the cache of atc1_convolution; meant for front ends. If a switch,
 * the store or the known decisions of the problem have changed since, the decision is made anew. Only the caller uses
 * the plan until it is handed back (atc1_conv_plan_release), which any thread may do. Weights cannot be set on it.
 * `stream` is the stream on which it will be executed. A race waits for that stream. While the stream is being
 * captured nothing is measured: the plan uses a known decision or the default engine, and a later call measures.
 * Statuses as for plan creation. */
atc_status atc1_conv_plan_acquire(atc_conv_plan** out, atc_device device, const atc_conv_problem* problem,
                                  const atc_conv_options* options, atc_stream stream);
/* Hands `plan` back to the cache; NULL does nothing. A plan made by atc1_conv_plan_create is destroyed. */
void atc1_conv_plan_release(atc_conv_plan* plan);

/* For front ends that run the choice of a plan themselves (their own convolution, ATC_ENGINE_RETURNS_OUTPUT), so that
 * ATC_TUNE_BESIDE can time it. Called directly before and after the work is issued to `stream`, between acquiring the
 * plan and handing it back, on one thread. Nothing in between may use the plan. `timed` (may be NULL) becomes 1 if this
 * run is timed: then nothing else should be issued before the end. The end is not called if the run has failed. */
atc_status atc1_conv_plan_own_run_begin(int32_t* timed, atc_conv_plan* plan, atc_stream stream);
atc_status atc1_conv_plan_own_run_end(atc_conv_plan* plan, atc_stream stream);

typedef struct atc_cache_statistics {
  uint32_t struct_size;
  uint32_t capacity;  /* 0: the number of calls that are remembered has no limit (`byte_limit` has one) */
  uint64_t plans;     /* kept now: for each call as many as threads ran it at the same time */
  uint64_t hits;
  uint64_t misses;
  uint64_t evictions;
  uint64_t put_off;   /* calls whose measuring was postponed, because their stream was being captured: they ran by a
                       * known decision or on the default engine */
  uint64_t bytes;     /* of host memory that the cached plans take, by an estimate */
  uint64_t byte_limit; /* atc1_set_plan_memory_limit; the plans that engines keep by themselves count, too */
} atc_cache_statistics;

/* Frees the cached plans that no call is using, the workspaces kept for later calls, and those of captured graphs
 * that no longer exist. Plans that a library keeps for a running thread are freed at that thread's next call. Counts
 * are kept. */
atc_status atc1_cache_clear(void);
atc_status atc1_cache_stats(atc_cache_statistics* out);

/* atc: queries about the devices and libraries of this machine, and actions on its devices. On a machine or in a
 * build without CUDA every query succeeds and returns 0, and every action succeeds and does nothing about CUDA. Any
 * thread, any time. */

/* ---- Queries. A NULL `out` is ATC_ERROR_INVALID_ARGUMENT. ----------------------------------------- */

atc_status atc1_cuda_is_available(int32_t* out);
atc_status atc1_cuda_device_count(int32_t* out);
atc_status atc1_cudnn_is_available(int32_t* out);
/* The running cuDNN as it numbers itself (90100 is 9.1.0); 0: none. */
atc_status atc1_cudnn_version(int64_t* out);
/* The cuDNN whose headers atc was compiled with; 0: none. */
atc_status atc1_cudnn_compiled_version(int64_t* out);

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

/* ATC_ERROR_INVALID_ARGUMENT for a device type or index this machine does not have; ATC_ERROR_DEVICE for a CUDA
 * device in a forked child of a process that had opened CUDA. */
atc_status atc1_device_describe(atc_device_info* out, atc_device device);

/* A library that atc uses or would use. atc1_library_describe opens the libraries of CUDA if there is a CUDA device. */
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

atc_status atc1_library_count(size_t* out);
atc_status atc1_library_describe(atc_library_info* out, size_t index);

/* The known faults of oneDNN, cuDNN and cuBLASLt that atc works around, as a JSON array of objects: the table that comes
 * with atc, and the rules of the file that CUDNN_ERRATA_JSON_FILE names. Members: "name", "library", "running" (version,
 * or ""), "versions", "device", "directions", "implementations", "condition", "consequence", "handling", "description" and
 * "source" are strings; "applies" says whether the running library has the fault on a device of this machine. *out is the
 * caller's: atc1_bytes_destroy. Opens the libraries of CUDA if there is a CUDA device. */
atc_status atc1_faults_describe(atc_bytes** out);

/* ---- Actions --------------------------------------------------------------------------------------- */

/* Seeds the data that tuning uses. If a bridge (to LibTorch) is loaded, also seeds its default generator. */
atc_status atc1_manual_seed(uint64_t seed);
/* Like atc1_manual_seed, but seeds the bridge's generators of all devices. */
atc_status atc1_manual_seed_all(uint64_t seed);
/* Waits for all work of CUDA device `index`; -1 is the current one. Without CUDA: ATC_OK. ATC_ERROR_INVALID_ARGUMENT:
 * `index` is below -1 or, with CUDA, not below the device count; ATC_ERROR_DEVICE: this is a forked child of a
 * process that had opened CUDA. */
atc_status atc1_synchronize(int32_t index);

/* atc: tuning ahead of use: measures a list of problems and stores the decisions. */

struct atc_problems; /* problems.h */
struct atc_group;    /* group.h */

/* A third state of atc_tune_options.retune. */
enum { ATC_RETUNE_PROVISIONAL = 3 };

/* 0 everywhere = defaults. Switches: 0 inherit, ATC_OFF, ATC_ON; 1 is ATC_OFF (atc_option_enable, base.h). */
typedef struct atc_tune_options {
  uint32_t struct_size;
  atc_technique technique;      /* 0: benchmark_technique */
  int32_t deterministic;        /* 0: deterministic_cudnn or deterministic_algorithms */
  int32_t allow_tf32;           /* 0: allow_tf32_cudnn */
  int32_t constant_weights;     /* 0: off; as in atc_conv_options */
  int32_t retune;               /* 0: off. ATC_ON: problems with a known decision are measured again;
                                 * ATC_RETUNE_PROVISIONAL: of these, only the ones with a provisional decision */
  uint32_t alignment;           /* bytes; as in atc_conv_options */
  int32_t widen;                /* 0: on. Off: no more candidates than benchmark_limit_cudnn. On: if that limit has its
                                 * default value, cuDNN's further proposals are tried, too, as far as that is expected
                                 * to pay (docs/tuning.md) */
  uint64_t workspace_limit;     /* bytes; 0: workspace_limit on CUDA, 1 GiB on the CPU; ATC_NONE; ATC_UNLIMITED */
  uint64_t max_candidates;      /* per problem; 0: benchmark_limit_cudnn on CUDA, all on the CPU; ATC_UNLIMITED */
  uint64_t seed;                /* of the data; 0: the last atc1_manual_seed, else a fixed one */
  double problem_budget_seconds; /* for preparing, checking and timing together; 0: 2 s */
  double total_budget_seconds;  /* of the whole call; 0: no limit. If it leaves no time for a problem, the report says
                                 * so. If it leaves time for some candidates only, the decision is provisional */
  double tie_margin;            /* relative; 0: 0.01. The default wins ties: the program's own convolution
                                 * (ATC_ENGINE_ORIGINAL) if it takes part, else the default engine's choice */
  const char* engines_allowed;  /* names separated by ','; NULL: all */
  const char* engines_barred;   /* names separated by ','; NULL: none */
  int32_t require_firm;         /* 0: off; as in atc_conv_options */
  int32_t strict_precision;     /* 0: off; as in atc_conv_options */
  int32_t allow_reduced_precision_reduction; /* 0: off; as in atc_conv_options */
  int32_t use_store;            /* 0: on; as in atc_conv_options */
  const struct atc_store* store; /* NULL: the store in use; as in atc_conv_options */
  const struct atc_allocator* allocator; /* provides the memory of the races, during the call; copied. NULL: the
                                          * process's */
  const struct atc_problems* problems; /* tuned after the problems that are given as an array, and reported after them.
                                        * A noted problem is tuned on its own device and under the options of its call,
                                        * for the store of its call (ATC_ERROR_NOT_TUNED if that is closed); deterministic, allow_tf32, constant_weights,
                                        * alignment, workspace_limit, require_firm, strict_precision,
                                        * allow_reduced_precision_reduction, use_store and store of this struct hold
                                        * for problems that have no such option. NULL: none */
  double expected_calls;        /* above 0, or infinity: the calls in which a decision is expected to be used. A candidate
                                 * is tried if it is expected to save more time in them than trying takes.
                                 * 0: ATC_EXPECTED_CALLS, else 30000 (ATC_EXPECTED_CALLS: environment variable) */
  const struct atc_group* group; /* the call is collective: all ranks of the group call atc1_tune, and decide all their
                                  * problems together. NULL: this process alone */
  uint64_t race_memory_limit;   /* bytes; 0: race_memory_limit of the process, else a quarter of the free memory; as in
                                 * atc_conv_options */
} atc_tune_options;

typedef struct atc_tune_report atc_tune_report;

/* Decides each problem (those of `options->problems`, too): takes the decision from the store or the memory of this process if there is one, else
 * measures, and keeps the result there. `callback` may be NULL; else it is called with `payload` as conv.h says, also
 * for problems that are not measured. Elements of `problems` lie `problems[0].struct_size` bytes apart and all have
 * that `struct_size`. `out` may be NULL, else the caller destroys `*out`, which is also written when the call was
 * cancelled (ATC_ERROR_CANCELLED: decisions made by then are kept). A problem that fails is reported with its status
 * and does not stop the others; the call then still returns ATC_OK. If a problem of the list is not valid, the whole
 * call is refused before anything is measured, and the error names the index. Any thread; races of several threads
 * run one after the other.
 * With `options->group` each problem that no rank has a decision for is measured by one rank, and the report has the
 * problems of the other ranks after those of this one. ATC_ERROR_NOT_AGREED names the rank because of which nothing new
 * is used; `*out` is written, too. ATC_ERROR_IO: this rank cannot reach the group's store. */
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

/* Whether a decision was stored, and how far it can be trusted (bits). */
enum {
  ATC_TUNED_UNSTABLE = 1,   /* clocks kept changing, the leaders could not be told apart in time, or the total budget
                             * left time for some candidates only: the decision is provisional. It is stored and used
                             * like a firm one until a firm one replaces it, by a race with more budget,
                             * atc_tune_options.retune, an import or a merge */
  ATC_TUNED_INCOMPLETE = 2, /* a candidate ran out of memory, no two were compared in time, or the race was cancelled:
                             * not stored */
  ATC_TUNED_STORED = 4,     /* written to the store */
  ATC_TUNED_CANCELLED = 8,
  ATC_TUNED_UNWRITTEN = 16  /* the store that should keep it could not be written (`why` tells the error): this process
                             * alone remembers it */
};

typedef struct atc_tuned_problem {
  uint32_t struct_size;
  atc_status status;          /* of this problem; the fields below hold for ATC_OK */
  int32_t source;             /* ATC_SOURCE_* */
  uint32_t flags;             /* ATC_TUNED_* */
  int64_t winner;             /* index of the candidate, -1: none */
  int64_t default_candidate;  /* index of the candidate that would run without tuning, -1: none */
  uint64_t candidates;
  uint64_t executions;        /* of candidates by this call; 0 where the decision was known */
  double seconds;             /* spent on this problem by this call */
  double risk;                /* by how much the choice of a provisional decision may be slower than another
                               * candidate, relative, as far as the technique judges it; else 0 */
  const char* description;
  const char* choice;         /* "" where there is none */
  const char* why;            /* reasons for the flags, or the error's text; "" if there are none */
  uint64_t memory_bytes;      /* the most device memory (CPU: main memory) that the race of this call held at once, beyond
                               * the memory that the program holds; 0 where nothing was measured */
} atc_tuned_problem;

/* Strings are borrowed from the report. ATC_ERROR_INVALID_ARGUMENT for an index out of range. */
atc_status atc1_tune_report_count(size_t* out, const atc_tune_report* report);
/* The number of problems in the report whose decision is provisional. */
atc_status atc1_tune_report_provisional(size_t* out, const atc_tune_report* report);
atc_status atc1_tune_report_problem(atc_tuned_problem* out, const atc_tune_report* report, size_t problem);
atc_status atc1_tune_report_candidate(atc_candidate* out, const atc_tune_report* report, size_t problem,
                                      size_t candidate);

/* atc: why a problem runs as it runs: the decision in force, the rule behind it, what each engine offers, and the
 * least time that the device allows. */

/* The rule by which a decision chose its winner. The default is the candidate that runs without tuning. */
enum {
  ATC_RULE_FIRST_OFFER = 1, /* nothing was measured: the first offer of the default engine */
  ATC_RULE_ALONE = 2,       /* no other candidate was timed */
  ATC_RULE_FASTEST = 3,     /* the default, which is the fastest; or the fastest, if the default was not timed */
  ATC_RULE_FASTER = 4,      /* faster than the default, beyond the tie margin */
  ATC_RULE_TIE_DEFAULT = 5, /* the default: no candidate is faster beyond the tie margin and the noise */
  ATC_RULE_TIE_KEPT = 6,    /* tied with the default, which may compile in each process; the choice's compiled form is kept */
  ATC_RULE_TIE_LIGHTER = 7, /* tied with a faster candidate: less to compile, or less workspace */
  ATC_RULE_HOST = 8,        /* a candidate that is faster on the device takes the host longer to issue */
  ATC_RULE_PRECISE = 9      /* the fastest candidate with the precision that strict_precision asks for */
};

/* "ATC_RULE_FASTER", …; "unknown rule" for a number this version does not know. A static string, never NULL. */
const char* atc1_rule_name(int32_t rule);

typedef struct atc_explanation atc_explanation;

/* Explains which decision a plan for (device, problem, options) would use if it measured nothing (`tune` and
 * `retune` are ignored). Reads the store and the decisions of this process, and asks engines for their
 * offers. Executes, builds and writes nothing. `options` may be NULL. The caller destroys `*out`. If no
 * engine can run the problem, the call succeeds, and the explanation has no winner. Candidates that only
 * their own front end can run (ATC_ENGINE_RETURNS_OUTPUT) are included, as in atc1_tune. Any thread.
 * ATC_ERROR_INVALID_ARGUMENT names the field, also `batch` where it is 0; _LIBRARY, _DEVICE: CUDA; _BUSY in a
 * callback. */
atc_status atc1_conv_explain(atc_explanation** out, atc_device device, const atc_conv_problem* problem,
                             const atc_conv_options* options);
void atc1_explanation_destroy(atc_explanation* explanation);

typedef struct atc_explained {
  uint32_t struct_size;
  int32_t source;             /* ATC_SOURCE_*; 0 where nothing can run */
  int32_t rule;               /* ATC_RULE_*; 0 where nothing can run */
  uint32_t flags;             /* ATC_TUNED_UNSTABLE: the decision is provisional; ATC_TUNED_STORED: it is in the store */
  int64_t winner;             /* index of the candidate, -1: none */
  int64_t default_candidate;  /* index of the candidate that runs without tuning, -1: none */
  uint64_t candidates;
  uint64_t entrants;
  uint64_t bytes;             /* x, w, y and bias, each moved once; an output that is added to, twice */
  double flops;               /* of the direct method, products with padding included */
  double bytes_per_second;    /* the most that the device moves, as measured; 0: not measured */
  double flops_per_second;    /* the most operations of this kind that it computes, as measured; 0: not measured */
  double risk;                /* as in atc_tuned_problem */
  const char* description;    /* of the problem, as atc1_conv_problem_describe writes it */
  const char* choice;         /* "" where nothing can run */
  const char* why;            /* the rule with its figures; or each engine's reason, where nothing can run */
  const char* doubts;         /* why a decision is provisional, or "" */
  const char* miss;           /* if the store has no decision: why not, as a phrase; otherwise "" */
} atc_explained;

/* A hash over the keys of `count` problems and the choices that calls with these options run, eager and captured ones.
 * Processes with equal digests run the same choices. The choices are those of a call that measures nothing: pins in
 * force decide first, then the store, then (where options.tune is ATC_ON or ATC_TUNE_LATER) the decisions of this
 * process, then the default engine. A choice that the correctness gate is known to refuse is left out. A problem for
 * which a call would fail counts as one without a choice. A key has the device, the versions of libraries and the
 * options that decisions depend on, so digests of different kinds of machines differ. The order of the problems has no
 * influence, nor has a problem that occurs twice. Reads the store; executes, builds and writes nothing. Elements of
 * `problems` lie `problems[0].struct_size` bytes apart and all have that `struct_size`; `problems` may be NULL if
 * `count` is 0. `options` may be NULL. Any thread. ATC_ERROR_INVALID_ARGUMENT names the field and the index; _LIBRARY,
 * _DEVICE: CUDA; _BUSY in a callback. */
atc_status atc1_conv_decisions_digest(uint64_t* out, atc_device device, const atc_conv_problem* problems, size_t count,
                                      const atc_conv_options* options);

/* Measures the two ceilings of the device: the most bytes that it moves per second (by a copy), and the most
 * operations of the problem's data types that it computes per second (by tuning a product of matrices for at most 3
 * s). Known ceilings are not measured again. The process remembers both. If the store of the call is open for
 * writing, they are also kept in its folder, for this device and these library versions. If only the reference can
 * compute such products, that ceiling remains unknown, and the call succeeds. Must not be called during a stream
 * capture. ATC_ERROR_INVALID_ARGUMENT names the field; _OUT_OF_MEMORY: on CUDA it takes about 1.5 GiB, on the CPU 0.5
 * GiB; _LIBRARY, _DEVICE: CUDA; _CAPTURING; _BUSY in a callback. */
atc_status atc1_conv_measure_ceilings(atc_device device, const atc_conv_problem* problem,
                                      const atc_conv_options* options);

/* The ceilings of the device for the problem, as an explanation has them (atc_explained), without asking an engine: the
 * most bytes and operations per second, 0 if not measured. Either pointer may be NULL. Any thread.
 * ATC_ERROR_INVALID_ARGUMENT names the field; _LIBRARY, _DEVICE: CUDA. */
atc_status atc1_conv_ceilings(double* bytes_per_second, double* flops_per_second, atc_device device,
                              const atc_conv_problem* problem, const atc_conv_options* options);

/* An engine or rewrite that works on the device. */
typedef struct atc_entrant {
  uint32_t struct_size;
  int32_t is_rewrite;       /* 0: an engine */
  uint64_t offers;          /* within the options; of a rewrite: with the engines behind it */
  const char* name;
  const char* version;
  const char* why_not;      /* why it offers nothing, or no more, or "" */
  const char* barriers;     /* switches that leave offers out, and how many each by itself: "workspace_limit:2,
                             * deterministic:1", separated by ',' without a space, or "". The names are those of
                             * options and settings */
} atc_entrant;

/* Strings are borrowed from the explanation. ATC_ERROR_INVALID_ARGUMENT for an index out of range. */
atc_status atc1_explanation_describe(atc_explained* out, const atc_explanation* explanation);
/* With the times that a race of this process or a record measured; without, ATC_OUTCOME_OFFERED. */
atc_status atc1_explanation_candidate(atc_candidate* out, const atc_explanation* explanation, size_t index);
atc_status atc1_explanation_entrant(atc_entrant* out, const atc_explanation* explanation, size_t index);

/* atc: extension points for authors of kernels and bindings: engines that take part in races, a source of settings,
 * an allocator and a log sink. Any number of engines may be registered; of the other three, one each for
 * the process (options of a call may bring an allocator, too: atc_conv_options).
 *
 * Callbacks.
 *  - Each must return normally. No exception, longjmp or panic may leave it: atc's locks would remain locked.
 *  - Several threads may call them at once, but a prepared object is used by one thread at a time. Their code must
 *    stay loaded until the process ends.
 *  - They may always call atc1_error_set, atc1_conv_operand_shape and the queries of base.h. They may call other functions,
 *    too, but a call that would have to wait for the callback in which it is made returns ATC_ERROR_BUSY at once:
 *      in every callback (those of progress, too): atc1_tune, atc1_conv_explain, atc1_conv_measure_ceilings, and
 *        atc1_conv_plan_create, atc1_conv_plan_acquire and atc1_convolution if they would measure;
 *      in a settings source: also every function that reads or sets switches: atc1_settings_source_set, those of
 *        settings.h (except for the library path), all that make plans, atc1_store_get, the seeds and atc1_synchronize;
 *      in a log sink: every function that returns a status, except atc1_conv_operand_shape, atc_conv_problem_init,
 *        atc1_log_level_get and atc1_log_level_set. A log sink must not call a function whose name ends in destroy,
 *        release or close.
 *    Make such a call after the callback has returned.
 *    A callback must not wait for another thread that makes such a call: it would wait for ever.
 *
 * `user` and `destroy`. Each struct of callbacks has a `user`, which its callbacks are handed, and a `destroy`, which
 * may be NULL. After a successful registration atc owns `user`, and calls destroy(user) once: after the last callback
 * of this registration has returned (also those of plans and memory that outlive its replacement), on any thread,
 * while it holds no lock, so that `destroy` may call every function of atc. If the registration fails, the caller
 * keeps `user`. An allocator in the options of a call is not registered, and its `user` remains the caller's. When
 * the process ends, `destroy` is not called.
 */

/* ---- Engines ---------------------------------------------------------------------------------------- */

/* Flags of an offer. */
enum {
  ATC_ENGINE_NONDETERMINISTIC = 1, /* equal inputs may give unequal bits */
  ATC_ENGINE_RETURNS_OUTPUT = 2,   /* the result is the engine's own buffer (atc_engine_operands.result) */
  ATC_ENGINE_TRANSFORM = 4,        /* Winograd or FFT: its results on small integers must lie within an error bound,
                                    * where direct and GEMM forms must be exact */
  ATC_ENGINE_ROUNDS_TWICE = 8,     /* the sum is rounded to the output's dtype before the bias is added, and again
                                    * afterwards */
  ATC_ENGINE_ORIGINAL = 16         /* the offer is the convolution that the program runs without atc: if its partial
                                    * sums are rounded more coarsely than is allowed, it is marked instead of refused
                                    * (atc_conv_options.strict_precision). A wrong result is refused */
};

/* For atc_engine.device_type: the engine works on the CPU and on CUDA. `limits->device` is the device of the call. */
enum { ATC_ENGINE_EVERY_DEVICE = -1 };

/* The limits of a call. */
typedef struct atc_engine_limits {
  uint32_t struct_size;
  int32_t deterministic;    /* 1: offers flagged nondeterministic are ignored */
  int32_t allow_tf32;
  int32_t constant_weights; /* 1: set_weights will be called */
  atc_device device;
  uint64_t alignment;       /* bytes: the least alignment among x, w and y */
  uint64_t workspace;       /* bytes at most; offers that need more are ignored */
} atc_engine_limits;

typedef struct atc_engine_offer {
  uint32_t struct_size;
  uint32_t flags;            /* ATC_ENGINE_* */
  uint64_t workspace;        /* bytes */
  const char* configuration; /* printable ASCII; with name and version the identity of the choice */
  const char* notes;         /* for people; NULL: "" */
} atc_engine_offer;

/* Hands one offer to atc, which copies it. The engine returns any status but ATC_OK from `offers`. A function of atc,
 * for the engine to call inside `offers`. */
typedef atc_status (*atc_offer_callback)(const atc_engine_offer* offer, void* payload);

/* Addresses of one call, named as in the problem, whose direction says which of x, w and y is the output. */
typedef struct atc_engine_operands {
  uint32_t struct_size;
  uint32_t reserved;
  void* x;
  void* w;          /* NULL after set_weights */
  const void* bias; /* NULL without an epilogue */
  void* y;
  void* workspace;
  uint64_t workspace_size;
  atc_stream stream;
  void* result;     /* ATC_ENGINE_RETURNS_OUTPUT: written by execute, valid until the next call on `prepared` */
} atc_engine_operands;

typedef struct atc_engine {
  uint32_t struct_size;
  int32_t device_type;   /* ATC_DEVICE_* it serves, or ATC_ENGINE_EVERY_DEVICE */
  const char* name;      /* unique: letters, digits, '_', '-'; copied */
  const char* version;   /* recorded with every decision for which the engine was asked; copied */
  void* user;            /* handed to each callback. All of them return normally */
  /* Calls `offer` once per configuration, best first. An engine that does not take the problem makes no offer and
   * returns ATC_OK, or ATC_ERROR_UNSUPPORTED with a text. The problem is never transposed, its layout is always
   * ATC_LAYOUT_STRIDED; backward-data may have a bias (from a transposed convolution). */
  atc_status (*offers)(void* user, const atc_conv_problem* problem, const atc_engine_limits* limits,
                       atc_offer_callback offer, void* payload);
  /* Builds one configuration; `*prepared` is released with `release`. `problem` and `limits` are valid only during
   * the call. */
  atc_status (*prepare)(void** prepared, void* user, const atc_conv_problem* problem,
                        const atc_engine_limits* limits, const char* configuration);
  /* NULL: on the CPU atc keeps a copy of the weights and passes it to execute; on CUDA setting weights is
   * ATC_ERROR_UNSUPPORTED. */
  atc_status (*set_weights)(void* user, void* prepared, const void* w);
  /* On CUDA it queues its work on `operands->stream` and does not wait for it. The stream may be captured: by
   * programs, and by races, which count the launches of one execution. An error in the capture of a race means only
   * that this execution cannot be captured. */
  atc_status (*execute)(void* user, void* prepared, atc_engine_operands* operands);
  void (*release)(void* user, void* prepared);
  /* NULL: nothing. Called once, after the engine was unregistered and the last `release` has returned. */
  void (*destroy)(void* user);
} atc_engine;

/* Adds an engine; the struct is copied, and atc owns `engine->user` from now on. ATC_ERROR_INVALID_ARGUMENT: a
 * callback is missing, or the name is taken or malformed. A registered engine never runs by default: only if a call's
 * choice or a record names it, or after a race. Its results are checked before (docs/trust.md): in races and for
 * records from outside on the problem itself, for a call's choice once for each kind of problem. */
atc_status atc1_engine_register(const atc_engine* engine);
/* ATC_ERROR_BUSY while plans of the engine exist or a call uses it (in its own callbacks, too),
 * ATC_ERROR_INVALID_ARGUMENT for an unknown or built-in name. */
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

/* Opens a shared library and calls `atc_status atc1_plugin_init(void)`, which it must export; the library remains
 * loaded. It must be linked with libatc (`-latc`), because the program may have opened libatc with RTLD_LOCAL.
 * ATC_ERROR_LIBRARY: the library cannot be opened or has no such function. Otherwise the status of the function is
 * returned. */
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

/* If a callback is NULL or returns ATC_ERROR_UNSUPPORTED, atc itself holds that switch or does that action. Callbacks
 * return normally. */
typedef struct atc_settings_source {
  uint32_t struct_size;
  uint32_t reserved;
  void* user;
  atc_status (*get)(int64_t* out, void* user, int32_t setting);
  atc_status (*set)(void* user, int32_t setting, int64_t value);
  atc_status (*manual_seed)(void* user, uint64_t seed, int32_t all_devices);
  atc_status (*synchronize)(void* user, int32_t index);
  /* NULL: nothing. Called once, after the source was replaced and its last callback has returned. */
  void (*destroy)(void* user);
} atc_settings_source;

/* From now on `source` holds the switches it knows: values set explicitly (by a call or the environment) are written
 * to it, the others are read from it. NULL: atc holds all switches again, with the last values of the source. When
 * the function returns, no thread is in the previous source any more. */
atc_status atc1_settings_source_set(const atc_settings_source* source);

/* ---- Allocator ------------------------------------------------------------------------------------------ */

/* Provides workspaces (except those of captured calls, which live as long as their graphs), the scratch memory of
 * tuning, and the memory of weights that are set. `alloc` returns NULL if there is no memory, else memory aligned to
 * 64 (CPU) or 256 bytes (CUDA) that may be used on `stream`. Callbacks return normally. */
typedef struct atc_allocator {
  uint32_t struct_size;
  int32_t device_type; /* ATC_DEVICE_* whose memory it provides; atc's own allocator provides that of the other type.
                        * 0: it provides both */
  void* user;
  void* (*alloc)(void* user, uint64_t size, atc_device device, atc_stream stream);
  void (*free)(void* user, void* pointer, atc_device device, atc_stream stream);
  /* NULL: nothing. Called once, after the allocator was replaced and the last `free` has returned. */
  void (*destroy)(void* user);
} atc_allocator;

/* Sets the process's allocator, which is used for calls without an allocator of their own
 * (atc_conv_options.allocator). NULL: atc's own again. Memory is always freed by the allocator it came from: the
 * previous allocator is used for that until all of its memory is freed, and its `destroy` is called then. */
atc_status atc1_allocator_set(const atc_allocator* allocator);

/* ---- Log -------------------------------------------------------------------------------------------------- */

enum { ATC_LOG_OFF = 1, ATC_LOG_ERROR = 2, ATC_LOG_WARNING = 3, ATC_LOG_INFO = 4, ATC_LOG_DEBUG = 5 };

/* The format of log lines. JSON: each line is one object, in ASCII, with the strings "time" (RFC 3339, UTC), "level",
 * "event" and "message" (the line as text). With the event "decision" it also has "problem", "device", "choice",
 * "source" (ATC_SOURCE_*: "record", "tuned", "default", ...), "provisional", "time_ms" (median of an execution of the
 * choice), "gain" (the default's time divided by the choice's), "decided_in_ms" (how long deciding took), "store"
 * (directory) and "stored"; an unknown value is null. Members may be added; texts may change. */
enum { ATC_LOG_FORMAT_TEXT = 0, ATC_LOG_FORMAT_JSON = 1 };

typedef struct atc_log_sink {
  uint32_t struct_size;
  int32_t format; /* ATC_LOG_FORMAT_* of the lines that `write` takes, whatever ATC_LOG says */
  void* user;
  /* Takes one line, without its newline and valid during the call. Comes from any thread, and returns normally. */
  void (*write)(void* user, int32_t level, const char* line);
  /* NULL: nothing. Called once, after the sink was replaced and the last `write` has returned. */
  void (*destroy)(void* user);
} atc_log_sink;

/* Sends log lines to `sink`; NULL: to standard error again. When the function returns, no thread is in the previous
 * sink any more. */
atc_status atc1_log_sink_set(const atc_log_sink* sink);
/* ATC_LOG_*; default WARNING (environment: ATC_LOG=off|error|warning|info|debug, and with ",json" behind that
 * standard error gets lines of JSON). At INFO each decision about a convolution is one line. */
atc_status atc1_log_level_set(int32_t level);
atc_status atc1_log_level_get(int32_t* out);

/* atc: the ranks of a job decide together (docs/distributed.md).
 *
 * A rank is one of the processes of a job. Calls with the option `tune` = ATC_TUNE_LATER measure nothing. Between two
 * steps all ranks call atc1_tune with a group:
 *
 *   atc_group group = ATC_GROUP_INIT;
 *   atc1_group_open_folder(&group, "/shared/job-17", rank, size, "attempt-0");
 *   options.group = &group;
 *   options.problems = problems;                    (problems.h)
 *   atc1_tune(&report, device, NULL, 0, &options, NULL, NULL);
 *   atc1_group_close(&group);
 *
 * Afterwards all ranks of a class (ranks with equal devices, versions, engines and terms) use the same decisions. If one
 * rank is missing or fails, atc1_tune returns ATC_ERROR_NOT_AGREED on all of them, and nothing new is used.
 */

/* Takes the value of a key; atc copies it. A function of atc, for `create` and `get` to call once at most. The callback
 * returns any status but ATC_OK. */
typedef atc_status (*atc_group_answer)(const void* value, size_t size, void* payload);

/* A rank, and the store of keys that it shares with the other ranks: a folder (atc1_group_open_folder), LibTorch's c10d
 * (docs/distributed.md), or any other store with two functions. Whoever writes to this store decides what the ranks
 * run (docs/trust.md).
 *
 * atc promises: a key has at most 512 bytes of ASCII, a value at most 1 MiB; all ranks together leave at most 4 MiB
 * behind in a call; `get` is asked to wait for 1 s at most; no key is changed or removed. The callbacks are called by
 * the thread that calls atc1_tune, without a lock of atc's, and never inside a convolution. They return normally, and
 * may set a text (atc1_error_set). If one fails, atc1_tune returns ATC_ERROR_IO. */
typedef struct atc_group {
  uint32_t struct_size;
  uint32_t rank;           /* from 0 to size - 1 */
  uint32_t size;           /* how many ranks the job has */
  uint32_t reserved;       /* 0 */
  double bound_seconds;    /* how long a rank waits without progress at most; 0: 60 s */
  const char* prefix;      /* 1 to 380 bytes, with which all keys begin: of this job and this attempt alone. atc adds the
                            * number of the call, which each process counts for each prefix */
  void* user;              /* handed to each callback */
  /* Writes the value if the key does not exist. Passes the value that the key has afterwards to `answer`. */
  atc_status (*create)(void* user, const char* key, const void* value, size_t size, atc_group_answer answer,
                       void* payload);
  /* Waits until the key exists, `timeout_seconds` at most. Passes its value to `answer`, or returns ATC_OK without an
   * answer if it does not exist by then. */
  atc_status (*get)(void* user, const char* key, double timeout_seconds, atc_group_answer answer, void* payload);
  /* Called by atc1_group_close; NULL: nothing. */
  void (*destroy)(void* user);
} atc_group;

/* A group over a folder that all ranks see, for jobs without LibTorch. The folder is made if it does not exist. Each key
 * becomes a small file, which atc does not remove: remove the folder after the job. NFS, version 3 or newer, is enough.
 * `*out` is closed by atc1_group_close. ATC_ERROR_IO if the folder cannot be made. */
atc_status atc1_group_open_folder(atc_group* out, const char* path, uint32_t rank, uint32_t size, const char* prefix);
/* Calls `destroy` of the group and empties the struct. NULL, and a group that was not opened, are ignored. */
void atc1_group_close(atc_group* group);

/* What the ranks of a call have agreed on. */
typedef struct atc_agreement {
  uint32_t struct_size;
  int32_t agreed;       /* 0: nothing new is used; `rank` and `reason` say why */
  uint64_t rank;        /* because of which the ranks have not agreed */
  uint64_t classes;     /* how many there are; 0 unless agreed */
  uint64_t own_class;   /* the index of the class of this rank */
  const char* reason;   /* "" if agreed */
  const char* digest;   /* of the decisions of this rank's class, equal on all its ranks; "" unless agreed */
} atc_agreement;

/* Ranks that decided together, because they have equal environments. */
typedef struct atc_agreement_class {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t count;           /* of its ranks */
  const uint64_t* ranks;    /* in ascending order */
  const char* environment;  /* JSON: device and versions, engines, terms */
  const char* differences;  /* from the environment of the first class; "" for the first class */
} atc_agreement_class;

/* Pointers are borrowed from the report. ATC_ERROR_INVALID_ARGUMENT if the call of the report had no group, or for an
 * index out of range. */
atc_status atc1_tune_report_agreement(atc_agreement* out, const atc_tune_report* report);
atc_status atc1_tune_report_class(atc_agreement_class* out, const atc_tune_report* report, size_t index);

/* atc: lists of problems to be tuned: those that calls have noted, and those of recordings.
 *
 * Calls with the option `tune` = ATC_TUNE_LATER measure nothing. Between steps the program measures what they noted:
 *
 *   atc_problems* problems = NULL;
 *   atc1_problems_create(&problems);
 *   atc1_problems_add_noted(problems);
 *   atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
 *   options.problems = problems;
 *   atc1_tune(NULL, device, NULL, 0, &options, NULL, NULL);
 *   atc1_problems_destroy(problems);
 *
 * Later calls use the decisions, calls whose plan was cached before among them. A plan that was created before
 * (atc1_conv_plan_create) keeps its choice.
 */

/* Problems, each once, with the device and the options that a decision depends on. */
typedef struct atc_problems atc_problems;

/* An empty list. The caller destroys `*out`. */
atc_status atc1_problems_create(atc_problems** out);
void atc1_problems_destroy(atc_problems* problems);

/* Adds the problems that calls of this process have noted (ATC_TUNE_LATER), in the order of their first calls. A problem
 * is noted once for each device model and each set of options that needs a decision of its own, when a call looks its
 * decision up; calls whose plan is cached note nothing. The notes stay until atc1_tune has measured their problems: it
 * removes the note of a problem that it has decided. A problem that it could not decide is neither listed nor noted
 * again. At most 4,096 problems are noted. Beyond that a warning is logged once, and further problems are noted when
 * their next call comes after an atc1_tune. */
atc_status atc1_problems_add_noted(atc_problems* problems);
/* Forgets all notes of the process, those of problems that could not be decided among them. A call with a cached plan
 * notes its problem again after atc1_cache_clear. */
atc_status atc1_problems_forget_noted(void);

/* Adds the problems of a text of `size` bytes in the JSON that recordings (ATC_RECORD), atc1_problems_json and
 * `atc tune --json` write. All are added or none. ATC_ERROR_INVALID_ARGUMENT names the problem and the member. */
atc_status atc1_problems_add_json(atc_problems* problems, const char* text, size_t size);
/* Adds one problem, which `count` calls need (0: unknown). `device` may be NULL: the device of atc1_tune. `options` may
 * be NULL; kept of it are the fields that atc1_problems_get writes. ATC_ERROR_INVALID_ARGUMENT names the field. */
atc_status atc1_problems_add(atc_problems* problems, const atc_device* device, const atc_conv_problem* problem,
                             const atc_conv_options* options, uint64_t count);

atc_status atc1_problems_count(size_t* out, const atc_problems* problems);
/* Writes one problem of the list; each of the first four may be NULL. `device`: type 0 for the device of atc1_tune, index
 * -1 for any of that type (of another process's noted problem). `problem`: transposed where the caller's was, with
 * explicit strides. `options`: deterministic, allow_tf32, allow_reference, constant_weights, alignment, workspace_limit,
 * front_end, require_firm, strict_precision and allow_reduced_precision_reduction as in the call, and use_store
 * ATC_OFF if the call used no store; all others are 0. `count`: 0 if unknown. ATC_ERROR_INVALID_ARGUMENT: `index` is not below
 * atc1_problems_count. */
atc_status atc1_problems_get(atc_device* device, atc_conv_problem* problem, atc_conv_options* options, uint64_t* count,
                             const atc_problems* problems, size_t index);
/* The list as JSON, a problem per line, which `atc tune` and atc1_problems_add_json read. Stores of calls are not part of
 * it. The caller destroys `*out`. */
atc_status atc1_problems_json(atc_bytes** out, const atc_problems* problems);

/* atc: remembered decisions. A store is a directory with one folder per environment (device, library versions). A
 * folder has one small JSON file per decision and, beside that, a compressed file with the compiled form of the
 * decision's winner, if it was compiled. Any number of processes may use a store at once. */

typedef int32_t atc_store_mode;
enum {
  ATC_STORE_OFF = 1,        /* neither read nor written */
  ATC_STORE_READ = 2,
  ATC_STORE_READ_WRITE = 3, /* default */
  ATC_STORE_REPLAY_ONLY = 4 /* read only; a problem without a record is ATC_ERROR_NOT_TUNED */
};

/* May be used from several threads at once. */
typedef struct atc_store atc_store;

/* Opens the store in `directory`, which read-write mode makes if it is missing. `mode` 0: read-write. ATC_ERROR_IO
 * when the directory cannot be used. The caller closes `*out`. */
atc_status atc1_store_open(atc_store** out, const char* directory, atc_store_mode mode);
/* Opens a store in `count` layers: the first directory as atc1_store_open does, the others for reading. A look-up joins the
 * decisions of all layers (the order of atc1_store_merge), and decisions that another user or another machine wrote count
 * as received. New decisions are written to the first layer. Imports, exports, verify and prune work on the first layer
 * alone. A further directory that cannot be used is left out, with one warning; in replay-only mode it is ATC_ERROR_IO. */
atc_status atc1_store_open_layers(atc_store** out, const char* const* directories, size_t count, atc_store_mode mode);
/* Closes the handle; NULL does nothing. A store in use (atc1_store_use) stays in use, and plans that were made with the
 * handle work on. */
void atc1_store_close(atc_store* store);

/* From now on plan creation, eager calls and atc1_tune of this process read and write `store`, in place of the store
 * used before (ATC_STORE's included); NULL: none. Calls whose options have a store of their own do not change. */
atc_status atc1_store_use(const atc_store* store);
/* `*out` is a new handle of the store in use, which the caller closes; NULL if none is in use. If ATC_MODE is
 * replay-only and ATC_STORE cannot be read (settings.h), it is a replay-only store without entries. */
atc_status atc1_store_in_use(atc_store** out);

typedef struct atc_store_info {
  uint32_t struct_size;
  atc_store_mode mode;
  uint64_t entries;
  char directory[1024];
} atc_store_info;

atc_status atc1_store_describe(atc_store_info* out, const atc_store* store);

/* Reads the entry that a plan for (device, problem, options) would use, as JSON text: {"key": {"environment": …,
 * "problem": …}, "value": {"choice": …, "candidates": […], …}}. The value of a provisional decision has a member
 * "provisional": {"risk": …, "why": …, "budget": …}.
 * ATC_ERROR_NOT_TUNED when there is none. `options` may be NULL; its store and allocator are checked but not used, its progress is not called. */
atc_status atc1_store_get(atc_bytes** out, const atc_store* store, atc_device device, const atc_conv_problem* problem,
                          const atc_conv_options* options);

/* 0 everywhere = defaults. Switches: 0 inherit, ATC_OFF, ATC_ON; 1 is ATC_OFF (atc_option_enable, base.h). */
typedef struct atc_store_put_options {
  uint32_t struct_size;
  int32_t replace_firm; /* 0: off. On: an entry whose value has "provisional" replaces one without, too */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the entry are kept. Whoever wrote them decides what runs
                           * here (docs/trust.md) */
  uint32_t reserved;      /* 0 */
} atc_store_put_options;

/* Writes an entry, a JSON text as atc1_store_get returns it, in place of one with the same key. An entry whose value has
 * "provisional" does not replace one without: the call then returns ATC_OK and changes nothing. `options` may be NULL.
 * ATC_ERROR_BAD_RECORD when the text is no entry; ATC_ERROR_IO when the entry could not be written (this process then
 * remembers it).
 * Compiled parts of the entry are left out, unless `options` trusts them. An entry that was put is marked as
 * "received", and its choice is checked before its first use (docs/trust.md). */
atc_status atc1_store_put(const atc_store* store, const char* entry, size_t size, const atc_store_put_options* options);
/* All valid entries, as the text of a JSON array. */
atc_status atc1_store_list(atc_bytes** out, const atc_store* store);
/* Removes the entry that has the "key" of the JSON text `entry`. `*removed` (may be NULL) is 0 if there was none. */
atc_status atc1_store_remove(int32_t* removed, const atc_store* store, const char* entry, size_t size);

/* How many of the valid entries are provisional. Reads every file. */
atc_status atc1_store_provisional(uint64_t* out, const atc_store* store);

/* A third state of atc_store_import_options.replace: the decisions of both entries, the best for each set of engines
 * and rewrites that were compared. Firm is better than provisional, then more engines and rewrites, then the smaller
 * risk; a hash decides between equal ones. Times are not compared. Stores that join the same bundles have the same
 * choices, whatever the order in which they join them. */
enum { ATC_REPLACE_JOIN = 3 };

/* 0 everywhere = defaults. Switches: 0 inherit, ATC_OFF, ATC_ON; 1 is ATC_OFF (atc_option_enable, base.h). */
typedef struct atc_store_import_options {
  uint32_t struct_size;
  int32_t replace; /* 0: off. On: entries of the bundle replace those of the store with the same keys, except firm ones
                    * for which the bundle has a provisional one. ATC_REPLACE_JOIN: both are joined */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundle are kept, as in atc_store_put_options */
  uint32_t reserved;      /* 0 */
} atc_store_import_options;

/* 0 everywhere = defaults. Switches: 0 inherit, ATC_OFF, ATC_ON; 1 is ATC_OFF (atc_option_enable, base.h). */
typedef struct atc_store_merge_options {
  uint32_t struct_size;
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundles are kept, as in atc_store_put_options */
} atc_store_merge_options;

/* Export writes all valid entries, with the compiled files beside them, into one bundle; import adds the entries of a
 * bundle to a store. Import keeps an entry that the store has already, except a provisional one for which the bundle
 * has a firm one. `added` is the number of entries written, new or in place of others, `kept` that of the rest; both
 * may be NULL, and so may `options`. Compiled parts are left out unless `options` trusts them, and entries are
 * marked, as by atc1_store_put. ATC_ERROR_BAD_RECORD: the bundle is damaged, and nothing was changed. */
atc_status atc1_store_export(atc_bytes** out, const atc_store* store);
atc_status atc1_store_import(uint64_t* added, uint64_t* kept, const atc_store* store, const void* bundle, size_t size,
                             const atc_store_import_options* options);
/* Joins bundles as ATC_REPLACE_JOIN does, so that their order has no influence. Compiled parts are left out unless `options`, which may be NULL, trusts them. */
atc_status atc1_store_merge(atc_bytes** out, const void* const* bundles, const size_t* sizes, size_t count,
                            const atc_store_merge_options* options);

/* Stores with equal digests have equal choices for equal keys, whether firm or provisional. Where pins are in force
 * (atc1_set_pins), their hash is a part of the digest: equal digests then mean equal decisions. */
atc_status atc1_store_digest(uint64_t* out, const atc_store* store);
/* Reads every file. `*out` has a line for each bad file, and is empty when all are good. */
atc_status atc1_store_verify(atc_bytes** out, const atc_store* store);
/* Removes bad files, all entries but the newest `keep`, and compiled files that no entry names, the latter once they
 * are an hour old. `*removed` (may be NULL): the number of files removed, not counting compiled files that went with
 * their entry. */
atc_status atc1_store_prune(uint64_t* removed, const atc_store* store, uint64_t keep);

/* atc: what the entries of a store say, for people and for reports: problems, decisions with their candidates, and the
 * conditions under which they were measured. */

/* A copy of all valid entries of a store. It never changes, and any number of threads may read it. */
typedef struct atc_store_entries atc_store_entries;

/* Reads every entry, in the order of atc1_store_list, and the ceilings that the store keeps. The caller destroys `*out`.
 * The entries do not change if the store does. Any thread. ATC_ERROR_INVALID_ARGUMENT names a missing pointer. */
atc_status atc1_store_read(atc_store_entries** out, const atc_store* store);
void atc1_store_entries_destroy(atc_store_entries* entries);

atc_status atc1_store_entries_count(size_t* out, const atc_store_entries* entries);

/* One entry. If an entry holds several decisions, it is the one that is used first. An entry of another form than this
 * version writes has a `trouble`, and only those fields that can be read. Texts are never NULL. */
typedef struct atc_store_entry {
  uint32_t struct_size;
  int32_t technique;          /* ATC_TECHNIQUE_*; 0: not known */
  int32_t provisional;        /* 0 or 1 */
  int32_t threads;            /* of a CPU; 0: not known */
  int64_t winner;             /* index of the candidate, -1: none */
  int64_t default_candidate;  /* index of the candidate that runs without tuning, -1: none */
  int64_t original;           /* index of the program's own convolution (ATC_ENGINE_ORIGINAL), -1: none */
  uint64_t candidates;
  uint64_t executions;        /* of the race, all candidates together */
  double seconds;             /* that the race took */
  double risk;                /* as in atc_tuned_problem */
  double bytes;               /* x, w and y, each moved once; 0: not known */
  double flops;               /* of the direct method, products with padding included; 0: not known */
  double bytes_per_second;    /* the most that the entry's device moves, as measured; 0: not measured */
  double flops_per_second;    /* the most operations of this kind that it computes, as measured; 0: not measured */
  double power_limit_watts;   /* these four at the end of the race; 0: not known */
  double temperature_celsius;
  double clock_hz;
  double memory_clock_hz;
  const char* entry;          /* JSON text, as atc1_store_get returns it */
  const char* key;            /* JSON text: equal for the same problem on the same machine */
  const char* problem;        /* one line: "forward f32 x 8×64×56×56 w …"; "" if it cannot be read */
  const char* choice;         /* "" if it cannot be read */
  const char* why;            /* why the decision is provisional, or "" */
  const char* trouble;        /* why the decision cannot be read, or "" */
  const char* device;         /* "cpu" or "cuda"; "": not known */
  const char* device_name;    /* "": not known */
  const char* libraries;      /* whose versions the key has: "onednn:3.2", separated by ',' without a space, or "" */
  const char* host;           /* the machine that measured the decision, or "" */
  const char* date;           /* of the race: "2026-01-31T12:00:00Z", or "" */
  const char* driver;         /* of the device; "": not known */
  const char* clocks_limited_by; /* the reasons that lowered the clocks during the race, one a line, or "" */
} atc_store_entry;

/* Strings are borrowed from the entries. ATC_ERROR_INVALID_ARGUMENT for an index out of range. */
atc_status atc1_store_entries_describe(atc_store_entry* out, const atc_store_entries* entries, size_t index);
atc_status atc1_store_entries_candidate(atc_candidate* out, const atc_store_entries* entries, size_t index,
                                        size_t candidate);

/* atc: a trace of a live program: how often each convolution ran, by which choice, and how long it took.
 *
 * A trace counts the executions of plans (atc1_conv_plan_execute, atc1_conv_plan_sample), eager calls (atc1_convolution)
 * and the calls that front ends report (atc1_trace_call_begin); races are not in it. Of the calls of each problem and
 * choice the first and then each n-th is timed: on the CPU by the time of the call, on CUDA by two events around the
 * work on its stream. Calls in stream captures are counted once, when they are captured, and not timed.
 *
 * The process has at most one trace. ATC_TRACE=FILE in the environment, read once, starts one at the first convolution
 * and writes it to FILE when the process exits (by exit or the end of main; not by _exit or a signal) or at
 * atc1_trace_stop. A malformed value is ignored with one log line. A child made by fork is not traced.
 *
 * All functions may be called from any thread at any time.
 */

/* 0 everywhere = defaults. */
typedef struct atc_trace_options {
  uint32_t struct_size;
  uint32_t sample_every; /* of the calls of a problem and choice, the first and then each n-th is timed; 0: 1 on the CPU,
                          * 8 on CUDA */
  uint32_t max_rows;     /* most pairs of a problem and a choice; the calls of further ones are counted together, as
                          * problem "other". 0: 1024. A pair takes up to 14 KB, most of them below 2 KB */
  uint32_t max_events;   /* most timed calls, the last ones, in the timeline; 0: 65,536. A call takes 32 bytes */
  const char* file;      /* written by atc1_trace_stop, or else when the process exits, without the calls that CUDA
                          * devices still run then. A name ending in .txt: the table; else JSON. %p stands for the
                          * process id, %% for a %. The folder must exist; a regular file of this name is replaced, and
                          * anything else is refused. Copied. NULL: no file */
} atc_trace_options;

/* Starts the trace of the process; `options` may be NULL. ATC_ERROR_BUSY while a trace runs;
 * ATC_ERROR_INVALID_ARGUMENT: `file` has another % or is too long; ATC_ERROR_IO: `file` cannot be written. */
atc_status atc1_trace_start(const atc_trace_options* options);

/* The results of a trace. */
typedef struct atc_trace atc_trace;

/* Ends the trace, also the one of ATC_TRACE, and writes its file if it has one. Waits for the timed calls that CUDA
 * devices still run; calls that other threads are in may be missing. `out` may be NULL; else the caller destroys
 * `*out`. ATC_ERROR_INVALID_ARGUMENT where no trace runs; ATC_ERROR_IO: the file could not be written, and the trace is
 * lost. */
atc_status atc1_trace_stop(atc_trace** out);
void atc1_trace_destroy(atc_trace* trace);

/* The calls that a row counts. */
enum {
  ATC_TRACE_ROW_PROBLEM = 1, /* the calls of one problem with one choice on one device */
  ATC_TRACE_ROW_CHOICE = 2,  /* those of one choice on one device, for all problems */
  ATC_TRACE_ROW_TOTAL = 3    /* all calls; the last row */
};

/* Times are seconds per call, over the timed calls; 0 without one. Median, p90 and p99 are the timed calls of index
 * floor(q * (n - 1)) in ascending order, within 1 %; the other figures are exact. */
typedef struct atc_trace_row {
  uint32_t struct_size;
  int32_t kind;        /* ATC_TRACE_ROW_* */
  atc_device device;   /* {0, 0} in the total */
  const char* problem; /* as atc1_conv_problem_describe has it; "" where `kind` is not ATC_TRACE_ROW_PROBLEM */
  const char* choice;  /* "engine@version:configuration", or what a front end reported; "" in the total */
  uint64_t calls;
  uint64_t timed;      /* of these calls */
  double total;        /* estimate for all calls: for each problem and choice, calls x mean */
  double mean;
  double median;
  double p90;
  double p99;
  double min;
  double max;
  double deviation;    /* standard deviation of a sample (n - 1) */
} atc_trace_row;

/* Rows of kind PROBLEM, grouped by device and problem, then CHOICE, then TOTAL. In each kind the rows that took the
 * most time come first. Strings are borrowed from the trace. ATC_ERROR_INVALID_ARGUMENT for an index out of range. */
atc_status atc1_trace_row_count(size_t* out, const atc_trace* trace);
atc_status atc1_trace_row_get(atc_trace_row* out, const atc_trace* trace, size_t index);

enum {
  ATC_TRACE_TABLE = 1, /* for people */
  ATC_TRACE_JSON = 2   /* a Chrome trace for Perfetto, in the time base of PyTorch's profiler; its key `atc` has the
                        * rows (docs/tracing.md) */
};

/* The trace as text, UTF-8. The caller destroys `*out`. ATC_ERROR_INVALID_ARGUMENT for another `format`. */
atc_status atc1_trace_text(atc_bytes** out, const atc_trace* trace, int32_t format);

/* ---- For front ends ------------------------------------------------------------------------------- */

/* `*out`: 1 while a trace runs, else 0. Lets a front end skip describing a problem that only the trace needs. */
atc_status atc1_trace_is_running(int32_t* out);

/* A call that is being timed. One thread at a time. */
typedef struct atc_trace_call atc_trace_call;

/* Reports a convolution that the front end is about to run by itself, without a plan of atc. `choice` names who computes
 * it, for example "libtorch"; `problem` may be NULL where it cannot be described. The front end then gives its work to
 * `stream` (CPU: ignored) and calls atc1_trace_call_end. `*out` is NULL where the call is not timed, and where no trace
 * runs; without a trace, problem and device are not looked at.
 * ATC_ERROR_INVALID_ARGUMENT names the field of the problem, or the device. */
atc_status atc1_trace_call_begin(atc_trace_call** out, atc_device device, const atc_conv_problem* problem,
                                 const char* choice, atc_stream stream);
/* The work has been given to the stream; on the CPU, it is done. Frees `call`; NULL does nothing. */
void atc1_trace_call_end(atc_trace_call* call);

/* ---- cdef ---- */

#ifdef __cplusplus
}
#endif
#endif /* ATC_ATC1_H_ */
