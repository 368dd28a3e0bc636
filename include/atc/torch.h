/* atc: the bridge to LibTorch (libatc_torch). After atc_torch_init, the switches of settings.h are
 * LibTorch's own switches. After atc_torch_install, every convolution of an existing model goes
 * through atc.
 *
 * The library itself contains no LibTorch and is not linked with LibTorch. The first call that
 * needs LibTorch searches for it: first among the libraries that the process has loaded, then where
 * the dynamic linker searches. For each minor version of LibTorch there is a build of the bridge,
 * which is a file beside the library. The call loads the build for the LibTorch that was found. If
 * no LibTorch was found, or if there is no build for its version, every function except
 * atc_torch_describe and atc_torch_geometry_init returns ATC_ERROR_LIBRARY, atc_last_error() names
 * the versions, and LibTorch is not changed.
 *
 * Tensors are passed as `atc_torch_tensor*`, which is LibTorch's `at::Tensor*` (torch-sys calls it
 * C_tensor). All functions may be called from any thread. But during certain calls no other thread
 * may run a convolution: see atc_torch_install. atc_last_error() returns the texts of errors. */
#ifndef ATC_TORCH_H_
#define ATC_TORCH_H_

#include "atc/base.h"
#include "atc/conv.h"
#include "atc/group.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Connection with LibTorch -------------------------------------------------------------- */

/* Connects atc with LibTorch. From now on LibTorch (at::globalContext()) stores the switches that
 * both atc and LibTorch have. If a switch was set explicitly before (by a call or the environment),
 * its value is written to LibTorch. The values of all other switches are read from LibTorch. Seeds,
 * synchronization and memory for workspaces go through LibTorch, too. The engine `aten` (LibTorch's
 * own convolution) is registered. If the environment variable ATC_RECORD is set, the recorder is
 * started. atc's hooks are registered for LibTorch's convolution operators; until atc_torch_install
 * these hooks pass every call on to LibTorch. No other thread may run a convolution during this
 * call, since LibTorch reads its table of operators without a lock. The function may be called
 * again. If libtorch_cuda was loaded since the last call, the new call adds the hooks for CUDA.
 * Otherwise the new call does nothing. ATC_ERROR_LIBRARY: there is no LibTorch, or the bridge has
 * no build for it. */
ATC_API atc_status atc_torch_init(void) ATC_NOEXCEPT ATC_SYM(torch_init);

/* The state of LibTorch's CUDA library. */
enum {
  ATC_TORCH_CUDA_ABSENT = 1,     /* the file libtorch_cuda is not beside libtorch_cpu */
  ATC_TORCH_CUDA_NOT_LOADED = 2, /* the library libtorch_cuda exists as a file, but the program has
                                  * not loaded it, so LibTorch works without CUDA. To get CUDA, link
                                  * the program with -Wl,--no-as-needed -ltorch_cuda, or call
                                  * atc_torch_load_cuda before any code asks LibTorch for CUDA */
  ATC_TORCH_CUDA_LOADED = 3
};

typedef struct atc_torch_info {
  uint32_t struct_size;
  int32_t initialized;         /* 1 after atc_torch_init */
  int32_t installed;           /* 1 between atc_torch_install and atc_torch_uninstall */
  int32_t cuda;                /* ATC_TORCH_CUDA_* */
  int32_t cuda_available;      /* 1: LibTorch has CUDA and has found a device */
  int32_t reserved;
  int64_t cudnn_version;       /* version of the cuDNN that LibTorch uses; 0: none */
  int64_t cudnn_compiled_version; /* version of the cuDNN with which LibTorch was built; 0: none */
  char version[64];            /* version of the running LibTorch, "2.11.0" */
  char built_for[64];          /* the LibTorch version for which the loaded build of the bridge was
                                * compiled. If the bridge has no build for this LibTorch: the minor
                                * versions for which it has builds, "2.11, 2.13" */
  char file[1024];             /* path of libtorch_cpu */
  char cuda_file[1024];        /* path of libtorch_cuda, if it is loaded or was found; else "" */
} atc_torch_info;
#define ATC_TORCH_INFO_INIT ATC_SIZED(atc_torch_info)

/* Describes LibTorch and the bridge. Without CUDA the call succeeds and writes 0 or "" to the
 * fields about CUDA. The call also succeeds if the bridge has no build for this LibTorch. The
 * function may be called before atc_torch_init. ATC_ERROR_LIBRARY: there is no LibTorch. */
ATC_API atc_status atc_torch_describe(atc_torch_info* out) ATC_NOEXCEPT ATC_SYM(torch_describe);

/* Loads libtorch_cuda, for programs in which it is not loaded (ATC_TORCH_CUDA_NOT_LOADED). The
 * function must be called before any code of the process asks LibTorch whether CUDA is available,
 * because LibTorch remembers its first answer. If libtorch_cuda is already loaded, the function
 * returns ATC_OK. ATC_ERROR_LIBRARY: libtorch_cuda is absent or cannot be loaded, or LibTorch was
 * already asked for CUDA. */
ATC_API atc_status atc_torch_load_cuda(void) ATC_NOEXCEPT ATC_SYM(torch_load_cuda);

/* ---- Switches of LibTorch beyond settings.h ------------------------------------------------------------ */

/* Set and read LibTorch's switch fill_uninitialized_memory. 1 (LibTorch's default): LibTorch fills uninitialized
 * memory while deterministic_algorithms is on. 0: LibTorch does not fill uninitialized memory. */
ATC_API atc_status atc_torch_set_fill_uninitialized_memory(int32_t enabled) ATC_NOEXCEPT
    ATC_SYM(torch_set_fill_uninitialized_memory);
ATC_API atc_status atc_torch_get_fill_uninitialized_memory(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(torch_get_fill_uninitialized_memory);

/* The internal precision of fp32 matrix products. LibTorch calls the values "highest", "high" and
 * "medium". */
typedef int32_t atc_torch_precision;
enum {
  ATC_TORCH_PRECISION_HIGHEST = 1, /* fp32 (default) */
  ATC_TORCH_PRECISION_HIGH = 2,    /* TF32 or two bf16 */
  ATC_TORCH_PRECISION_MEDIUM = 3   /* bf16 */
};
ATC_API atc_status atc_torch_set_float32_matmul_precision(atc_torch_precision precision) ATC_NOEXCEPT
    ATC_SYM(torch_set_float32_matmul_precision);
/* Reads the precision of fp32 matrix products. ATC_ERROR_UNSUPPORTED: LibTorch has several switches
 * for this precision, and their values contradict each other. (LibTorch's own getter throws in this
 * case.) To make them agree, set the precision. */
ATC_API atc_status atc_torch_get_float32_matmul_precision(atc_torch_precision* out) ATC_NOEXCEPT
    ATC_SYM(torch_get_float32_matmul_precision);

/* ---- Every convolution of the program ---------------------------------------------------------------- */

/* Options of the bridge. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or
 * ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h). */
typedef struct atc_torch_options {
  uint32_t struct_size;
  int32_t tune;             /* ATC_ON: measure convolutions for which no decision is known. ATC_TUNE_LATER: measure
                             * nothing, and note such convolutions for a later atc_tune (problems.h).
                             * ATC_TUNE_BESIDE: let the convolutions try and time candidates (conv.h).
                             * ATC_TUNE_PREDICT: measure nothing, and predict the choice (conv.h). 0: ATC_TUNE,
                             * else benchmark_cudnn for CUDA, off on the CPU */
  int32_t constant_weights; /* 0: off. On: on the CPU, atc packs the weights of convolutions that
                             * need no gradient, when a convolution uses the same weights for the
                             * second time. If weights need a gradient, or needed a gradient in an
                             * earlier convolution, they are not packed. If code changes weights
                             * without changing autograd's version counter (by .data), the program
                             * must call atc_torch_forget_weights afterwards. Tensors that were made
                             * in inference mode have no version counter, so they are never
                             * packed */
  int32_t allow_reference;  /* 0: off. On: if no other engine can run a convolution, atc's slow
                             * engine `reference` runs it */
  double budget_seconds;    /* the longest time, in seconds, that measuring a convolution (a race)
                             * may take. 0: 2 s */
  int32_t require_firm;     /* 0: off. On: provisional (uncertain) records are ignored, and
                             * provisional decisions are not stored; as in atc_conv_options */
  int32_t strict_precision; /* 0: off: LibTorch's own convolution may be chosen even if it rounds
                             * partial sums more coarsely than the precision switches allow. On: in
                             * this case it is not chosen; as in atc_conv_options */
  char choice[256];         /* the choice that atc_torch_convolution must run:
                             * "engine@version:configuration", as atc_conv_plan_choice returns it.
                             * If the choice cannot run, the call fails. "": none. If atc does not
                             * support the arguments at all, LibTorch's own convolution runs, as
                             * without a choice. atc_torch_install refuses options with a choice. To
                             * prescribe the choices of a whole program, write a pin file
                             * (atc_set_pins) */
  char choice_backward_data[256];   /* the choice that computes the gradient of x; like `choice` */
  char choice_backward_weight[256]; /* the choice that computes the gradient of w; like `choice` */
} atc_torch_options;
#define ATC_TORCH_OPTIONS_INIT ATC_SIZED(atc_torch_options)

/* Installs atc in LibTorch: from now on every convolution of the process, forward and backward,
 * goes through atc. If a record of the store in use or a race (a measurement of the candidates) has
 * found an implementation that is faster than LibTorch's own convolution, this implementation runs.
 * Otherwise LibTorch's own convolution runs, and the result is bitwise the same as without atc.
 * Without a store and without tuning, nothing is measured, and all results remain the same.
 * Convolutions that atc does not support are passed to LibTorch and counted (atc_torch_statistics).
 *
 * On CUDA, LibTorch's switch benchmark_cudnn turns tuning on. A race of atc then replaces
 * LibTorch's own search for the fastest algorithm; that search does not run inside the race.
 * Kernels are queued on LibTorch's current stream of the tensors' device. Outputs and workspaces
 * come from LibTorch's allocator.
 *
 * In replay-only mode a convolution that atc supports but that has no record throws c10::Error with the text of
 * ATC_ERROR_NOT_TUNED. Pins (atc_set_pins, ATC_PINS) are obeyed. If a pin cannot be obeyed, the convolution throws
 * c10::Error with the text of that error, and LibTorch's own convolution does not run in its place.
 * A backward convolution uses the values that the switches have when it runs, as in LibTorch.
 *
 * The call includes atc_torch_init. The function may be called again: the new options replace the
 * old ones. If libtorch_cuda was loaded since the last call, the new call also adds the hooks for
 * CUDA tensors. `options` may be NULL.
 *
 * No other thread may run a convolution during the first call of atc_torch_init, atc_torch_install or
 * atc_torch_record_start in the process, nor during the first call of one of these functions after
 * libtorch_cuda was loaded. The reason is that LibTorch reads its table of operators without a
 * lock. During all later calls other threads may run convolutions. If ATC_RECORD is set and none of
 * these functions was called before, the same rule holds for the first call of
 * atc_torch_convolution. */
ATC_API atc_status atc_torch_install(const atc_torch_options* options) ATC_NOEXCEPT ATC_SYM(torch_install);
/* Ends the effect of atc_torch_install: LibTorch's own convolutions run again. The hooks remain and pass every call
 * on to LibTorch. */
ATC_API atc_status atc_torch_uninstall(void) ATC_NOEXCEPT ATC_SYM(torch_uninstall);

/* The reasons why LibTorch's own convolution ran, and not an implementation of atc. */
enum {
  ATC_TORCH_PASSED_NOTHING_KNOWN = 0, /* atc had no reason to look at the convolution: no store is
                                       * in use, no pins are in force, no choice is given, and
                                       * tuning is off */
  ATC_TORCH_PASSED_CHOSEN = 1,        /* a measurement, now or earlier (a record), has shown that
                                       * LibTorch's own convolution is the fastest */
  ATC_TORCH_PASSED_DEVICE = 2,        /* the operands are on two devices, or on a device that is neither the CPU
                                       * nor CUDA */
  ATC_TORCH_PASSED_DTYPE = 3,         /* the dtype is not fp32, bf16 or fp16, or the dtypes are mixed */
  ATC_TORCH_PASSED_LAYOUT = 4,        /* a stride is 0, or elements overlap. Convolutions with
                                       * sparse, quantized, mkldnn or meta tensors do not reach the
                                       * hooks of atc_torch_install, so they are not counted */
  ATC_TORCH_PASSED_SHAPE = 5,         /* a tensor is empty, has more than 3 spatial dimensions, or has a shape that
                                       * LibTorch refuses */
  ATC_TORCH_PASSED_FAILED = 6,        /* atc returned an error. The first error of each kind is
                                       * logged */
  ATC_TORCH_PASSED_NOT_RECORDED = 7,  /* there is no record (stored decision) for the convolution,
                                       * and nothing was measured. With ATC_LOG=info the log names
                                       * the most similar record and how it differs */
  ATC_TORCH_PASSED_REASONS = 8
};

typedef struct atc_torch_statistics {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t taken;     /* number of convolutions that an implementation of atc ran. The forward
                       * convolution and its two gradients count as three */
  uint64_t passed[8]; /* number of convolutions that LibTorch ran, by reason (ATC_TORCH_PASSED_*) */
} atc_torch_statistics;
#define ATC_TORCH_STATISTICS_INIT ATC_SIZED(atc_torch_statistics)

ATC_API atc_status atc_torch_statistics_get(atc_torch_statistics* out) ATC_NOEXCEPT
    ATC_SYM(torch_statistics_get);
ATC_API atc_status atc_torch_statistics_reset(void) ATC_NOEXCEPT ATC_SYM(torch_statistics_reset);

/* Frees the packed weights of the option `constant_weights`, and forgets which weights needed a
 * gradient in earlier convolutions. As long as an engine's packed weights exist,
 * atc_engine_unregister returns ATC_ERROR_BUSY for this engine. */
ATC_API atc_status atc_torch_forget_weights(void) ATC_NOEXCEPT ATC_SYM(torch_forget_weights);

/* ---- One convolution --------------------------------------------------------------------------------- */

/* LibTorch's at::Tensor. */
typedef struct atc_torch_tensor atc_torch_tensor;

/* The arguments of LibTorch's at::convolution. The arrays have `spatial_dims` entries. */
typedef struct atc_torch_geometry {
  uint32_t struct_size;
  int32_t spatial_dims; /* 1, 2 or 3 */
  int32_t transposed;   /* 0 or 1 */
  int32_t reserved;
  int64_t groups;
  int64_t stride[3];
  int64_t padding[3];   /* the padding: number of zeros on each of the two sides of this
                         * dimension */
  int64_t dilation[3];
  int64_t output_padding[3]; /* for transposed convolutions only */
} atc_torch_geometry;

#define atc_torch_geometry_init(out, spatial_dims) \
  atc_torch_geometry_init_sized(out, sizeof(atc_torch_geometry), spatial_dims)
/* Fills all fields of `out`, `struct_size` included: stride, dilation and groups are 1, and all
 * other fields are 0. The parameter `struct_size` is the size of the caller's atc_torch_geometry in
 * bytes. No byte after this size is written. In C and C++ the macro
 * atc_torch_geometry_init(&geometry, 2) passes this size. ATC_ERROR_INVALID_ARGUMENT:
 * `spatial_dims` is not 1, 2 or 3, or `struct_size` is not the size of any version of the
 * struct. */
ATC_API atc_status atc_torch_geometry_init_sized(atc_torch_geometry* out, size_t struct_size,
                                                 int32_t spatial_dims) ATC_NOEXCEPT
    ATC_SYM(torch_geometry_init_sized);

/* Runs one convolution through atc, even if atc is not installed in LibTorch (atc_torch_install).
 * The result is differentiable any number of times. `bias` and `options` may be NULL. `*out` is a
 * new tensor. The caller frees it like a tensor of LibTorch (delete (at::Tensor*); in tch:
 * Tensor::from_ptr takes ownership). Backward and double backward, whenever they run, use the
 * options of this call and the values that the switches have during this call. The exception is the
 * switch user_enabled_cudnn: backward and double backward read its value when they run. If atc does
 * not support the arguments, LibTorch's own convolution runs. ATC_ERROR_INVALID_ARGUMENT: LibTorch
 * refuses the shapes, and the error text is LibTorch's. ATC_ERROR_UNSUPPORTED: a choice in the
 * options cannot run here, or a pin cannot be obeyed. */
ATC_API atc_status atc_torch_convolution(atc_torch_tensor** out, const atc_torch_tensor* x,
                                         const atc_torch_tensor* w, const atc_torch_tensor* bias,
                                         const atc_torch_geometry* geometry,
                                         const atc_torch_options* options) ATC_NOEXCEPT
    ATC_SYM(torch_convolution);

/* ---- Recorder ------------------------------------------------------------------------------------------ */

/* Starts a recording. A recording lists each distinct convolution of the process: direction,
 * shapes, dtypes, layouts, how often the convolution ran, and whether its weights remained the
 * same. A recording works with and without atc_torch_install. atc_torch_record_stop writes the file
 * of this recording. If the program does not call atc_torch_record_stop, the file is not written.
 * The environment variable ATC_RECORD=FILE starts a second recording, at the first call of
 * atc_torch_init, atc_torch_install, atc_torch_convolution or this function. The file of the second
 * recording is written at the end of the process. ATC_ERROR_BUSY: a recording that this function
 * has started is still running. ATC_ERROR_IO: `file` cannot be written. */
ATC_API atc_status atc_torch_record_start(const char* file) ATC_NOEXCEPT ATC_SYM(torch_record_start);
/* Ends the recording and writes its file, which `atc tune` reads. `out_distinct` (may be NULL) is the number of
 * convolutions in the file. ATC_ERROR_INVALID_ARGUMENT: no recording is running. ATC_ERROR_IO: the
 * file could not be written. The recording then continues, and this function may be called
 * again. */
ATC_API atc_status atc_torch_record_stop(uint64_t* out_distinct) ATC_NOEXCEPT ATC_SYM(torch_record_stop);

/* ---- The ranks of a job ---------------------------------------------------------------------------------- */

/* Opens a group (group.h) whose store of keys is a store of LibTorch's c10d. `url` is one of:
 *
 *   env://           a TCPStore at the address in the variables MASTER_ADDR and MASTER_PORT, as
 *                    torchrun sets them. If `size` is 0, the rank and the size are taken from the
 *                    variables RANK and WORLD_SIZE
 *   tcp://HOST:PORT  a TCPStore at this address. HOST is the machine of rank 0; an IPv6 address
 *                    stands in brackets
 *   file:///PATH     a FileStore in this file, on a disk that all ranks see. The file must be new
 *                    for each job
 *
 * A TCPStore needs a server. If torchrun does not run the server, rank 0 runs it. The server exists
 * until the process of rank 0 ends. So atc_group_close on rank 0 waits until all other ranks that
 * have opened the group have closed it, but at most `timeout_seconds`. All ranks must open the same
 * number of groups at an address, in the same order. The prefix of the group's keys consists of two
 * variables of torchrun: the id of the job (TORCHELASTIC_RUN_ID) and the number of the attempt
 * (TORCHELASTIC_RESTART_COUNT).
 *
 * `timeout_seconds` is also the longest time that this call waits for the server, and the
 * `bound_seconds` of the group. 0: 60 s. This call does not wait for the other ranks. atc_tune
 * waits for them. Close `*out` with atc_group_close. ATC_ERROR_INVALID_ARGUMENT: the URL, a
 * variable, the rank or the time is wrong. ATC_ERROR_IO: the store cannot be reached.
 * ATC_ERROR_LIBRARY: there is no LibTorch, it has no c10d, or the bridge has no build for it. */
ATC_API atc_status atc_torch_group_open(atc_group* out, const char* url, uint32_t rank, uint32_t size,
                                        double timeout_seconds) ATC_NOEXCEPT ATC_SYM(torch_group_open);

#ifdef __cplusplus
}
#endif
#endif /* ATC_TORCH_H_ */
