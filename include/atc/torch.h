/* atc: the bridge to LibTorch (libatc_torch). With it the switches of settings.h become LibTorch's own, and one call
 * makes every convolution of an existing model go through atc.
 *
 * The library itself contains no LibTorch. The first call that needs LibTorch finds the LibTorch of the process, else
 * the one that the dynamic linker finds. It then loads the build of the bridge for that minor version, which is a
 * file beside the library. If there is no LibTorch, or no build for it, every function except atc_torch_describe and
 * atc_torch_geometry_init returns ATC_ERROR_LIBRARY, atc_last_error() names the versions, and LibTorch is not
 * changed.
 *
 * Tensors are passed as `atc_torch_tensor*`, which is LibTorch's `at::Tensor*` (torch-sys calls it C_tensor). All
 * functions may be called from any thread, but atc_torch_install names calls during which no other thread may run a
 * convolution. The texts of errors are returned by atc_last_error(). */
#ifndef ATC_TORCH_H_
#define ATC_TORCH_H_

#include "atc/base.h"
#include "atc/conv.h"
#include "atc/group.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- One truth per process -------------------------------------------------------------------------- */

/* Connects atc with LibTorch. From now on at::globalContext() holds the switches that atc and LibTorch both have.
 * Values that were set explicitly before (by a call or the environment) are written to it, and the others are read
 * from it. Seeds, synchronization and memory for workspaces go through LibTorch, too, and the engine `aten`
 * (LibTorch's own convolution) is registered. If ATC_RECORD is set, the recorder is started. Hooks are put under
 * LibTorch's convolutions; until atc_torch_install they pass every call on to LibTorch. No other thread may run a
 * convolution during this call, since LibTorch reads its table of operators without a lock. Once libtorch_cuda has
 * been loaded, another call adds the hooks for CUDA; otherwise another call does nothing. ATC_ERROR_LIBRARY: there is
 * no LibTorch, or the bridge has no build for it. */
ATC_API atc_status atc_torch_init(void) ATC_NOEXCEPT ATC_SYM(torch_init);

/* The state of LibTorch's CUDA library. */
enum {
  ATC_TORCH_CUDA_ABSENT = 1,     /* the file libtorch_cuda is not beside libtorch_cpu */
  ATC_TORCH_CUDA_NOT_LOADED = 2, /* the file libtorch_cuda is there, but the program has not loaded it: LibTorch
                                  * works without CUDA. Link it with -Wl,--no-as-needed -ltorch_cuda, or call
                                  * atc_torch_load_cuda before anything asks LibTorch for CUDA */
  ATC_TORCH_CUDA_LOADED = 3
};

typedef struct atc_torch_info {
  uint32_t struct_size;
  int32_t initialized;         /* 1 after atc_torch_init */
  int32_t installed;           /* 1 between atc_torch_install and atc_torch_uninstall */
  int32_t cuda;                /* ATC_TORCH_CUDA_* */
  int32_t cuda_available;      /* 1: LibTorch has CUDA and sees a device */
  int32_t reserved;
  int64_t cudnn_version;       /* version of the cuDNN that LibTorch uses; 0: none */
  int64_t cudnn_compiled_version; /* version of the cuDNN with which LibTorch was built; 0: none */
  char version[64];            /* version of the running LibTorch, "2.11.0" */
  char built_for[64];          /* the LibTorch version for which the loaded build of the bridge was compiled. If
                                * there is no build for this LibTorch: the minor versions that have a build, "2.11,
                                * 2.13" */
  char file[1024];             /* path of libtorch_cpu */
  char cuda_file[1024];        /* path of libtorch_cuda, found or loaded, or "" */
} atc_torch_info;
#define ATC_TORCH_INFO_INIT ATC_SIZED(atc_torch_info)

/* Describes LibTorch and the bridge. Without CUDA the call succeeds and writes 0 or "" to the fields about CUDA. It
 * also succeeds with a LibTorch for which the bridge has no build. atc_torch_init need not be called before.
 * ATC_ERROR_LIBRARY: there is no LibTorch. */
ATC_API atc_status atc_torch_describe(atc_torch_info* out) ATC_NOEXCEPT ATC_SYM(torch_describe);

/* Loads libtorch_cuda, for programs in which it is not loaded (ATC_TORCH_CUDA_NOT_LOADED). The function must be
 * called before anything in the process asks LibTorch for CUDA, because LibTorch remembers its first answer. It
 * returns ATC_OK if libtorch_cuda is loaded already. ATC_ERROR_LIBRARY: libtorch_cuda is absent or cannot be loaded,
 * or LibTorch was asked before. */
ATC_API atc_status atc_torch_load_cuda(void) ATC_NOEXCEPT ATC_SYM(torch_load_cuda);

/* ---- Switches of LibTorch beyond settings.h ------------------------------------------------------------ */

/* Set and read LibTorch's switch fill_uninitialized_memory. 1 (LibTorch's default): LibTorch fills uninitialized
 * memory while deterministic_algorithms is on. 0: it leaves the memory as it is. */
ATC_API atc_status atc_torch_set_fill_uninitialized_memory(int32_t enabled) ATC_NOEXCEPT
    ATC_SYM(torch_set_fill_uninitialized_memory);
ATC_API atc_status atc_torch_get_fill_uninitialized_memory(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(torch_get_fill_uninitialized_memory);

/* Precision inside fp32 matrix products, LibTorch's "highest", "high", "medium". */
typedef int32_t atc_torch_precision;
enum {
  ATC_TORCH_PRECISION_HIGHEST = 1, /* fp32 (default) */
  ATC_TORCH_PRECISION_HIGH = 2,    /* TF32 or two bf16 */
  ATC_TORCH_PRECISION_MEDIUM = 3   /* bf16 */
};
ATC_API atc_status atc_torch_set_float32_matmul_precision(atc_torch_precision precision) ATC_NOEXCEPT
    ATC_SYM(torch_set_float32_matmul_precision);
/* Reads the precision of fp32 matrix products. ATC_ERROR_UNSUPPORTED: LibTorch's switches contradict each other
 * (LibTorch's own getter then throws); setting the precision resolves the contradiction. */
ATC_API atc_status atc_torch_get_float32_matmul_precision(atc_torch_precision* out) ATC_NOEXCEPT
    ATC_SYM(torch_get_float32_matmul_precision);

/* ---- Every convolution of the program ---------------------------------------------------------------- */

/* Options of the bridge. A field that is 0 has its default. A switch is 0 or ATC_OFF, or ATC_ON. The number 1 is
 * ATC_OFF: use atc_option_enable (base.h). */
typedef struct atc_torch_options {
  uint32_t struct_size;
  int32_t tune;             /* ATC_ON: measure convolutions for which no decision is known. ATC_TUNE_LATER: measure
                             * nothing, and note such convolutions for a later atc_tune (problems.h).
                             * ATC_TUNE_BESIDE: let the convolutions try and time candidates (conv.h).
                             * ATC_TUNE_PREDICT: measure nothing, and predict the choice (conv.h). 0: ATC_TUNE,
                             * else benchmark_cudnn for CUDA, off on the CPU */
  int32_t constant_weights; /* 0: off. On: on the CPU, the weights of a convolution that needs no gradient are
                             * packed when a convolution uses them for the second time. Weights that need a
                             * gradient, or needed one in an earlier convolution, are not packed. Code that changes
                             * weights in a way that autograd's version counter does not see (.data) must call
                             * atc_torch_forget_weights. Tensors that were made in inference mode have no version
                             * counter and are never packed */
  int32_t allow_reference;  /* 0: off. On: the slow reference runs convolutions that no other engine can run */
  double budget_seconds;    /* most seconds that measuring a convolution (a race) may take. 0: 2 s */
  int32_t require_firm;     /* 0: off; as in atc_conv_options */
  int32_t strict_precision; /* 0: off: LibTorch's own convolution may be chosen as the fastest even if it rounds
                             * partial sums more coarsely than is allowed. On: as in atc_conv_options */
  char choice[256];         /* the choice ("engine@version:configuration", as atc_conv_plan_choice returns it) that
                             * atc_torch_convolution must run; if it cannot, the call fails. "": none. If atc does
                             * not support the arguments, LibTorch's own convolution runs, as without a choice.
                             * atc_torch_install refuses a choice: for the convolutions of a program write a pin
                             * file (atc_set_pins) */
  char choice_backward_data[256];   /* the choice that computes the gradient of x; like `choice` */
  char choice_backward_weight[256]; /* the choice that computes the gradient of w; like `choice` */
} atc_torch_options;
#define ATC_TORCH_OPTIONS_INIT ATC_SIZED(atc_torch_options)

/* Installs atc in LibTorch: from now on every convolution of the process, forward and backward, goes through atc. If
 * a record of the store in use or a race (a measurement of the candidates) names a faster implementation than
 * LibTorch's own, that implementation runs. Otherwise LibTorch's own runs, bit for bit. Without a store and without
 * tuning, nothing is measured and nothing changes. Convolutions that atc does not support are passed to LibTorch and
 * counted (atc_torch_statistics).
 *
 * On CUDA, LibTorch's switch benchmark_cudnn asks for tuning: atc's race replaces LibTorch's search, which does not
 * run during the race. Kernels are queued on LibTorch's current stream of the tensors' device. Outputs and workspaces
 * come from LibTorch's allocator.
 *
 * In replay-only mode a convolution that atc supports but that has no record throws c10::Error with the text of
 * ATC_ERROR_NOT_TUNED. Pins (atc_set_pins, ATC_PINS) are obeyed. If a pin cannot be obeyed, the convolution throws
 * c10::Error with the text of that error, and LibTorch's own convolution does not run in its place. Backward reads
 * the switches when it runs, as in LibTorch.
 *
 * The call includes atc_torch_init. Another call replaces the options; once libtorch_cuda has been loaded, it also
 * adds the hooks for CUDA tensors. `options` may be NULL.
 *
 * No other thread may run a convolution during the first call of atc_torch_init, atc_torch_install or
 * atc_torch_record_start in the process, nor during the first such call after libtorch_cuda was loaded. Later calls
 * may run beside convolutions. If ATC_RECORD is set and none of these functions was called before, the first
 * atc_torch_convolution is such a call, too. */
ATC_API atc_status atc_torch_install(const atc_torch_options* options) ATC_NOEXCEPT ATC_SYM(torch_install);
/* Ends the effect of atc_torch_install: LibTorch's own convolutions run again. The hooks remain and pass every call
 * on to LibTorch. */
ATC_API atc_status atc_torch_uninstall(void) ATC_NOEXCEPT ATC_SYM(torch_uninstall);

/* The reason why LibTorch's own convolution ran and not one of atc's implementations. */
enum {
  ATC_TORCH_PASSED_NOTHING_KNOWN = 0, /* no store is in use, no pins are in force, no choice is given and tuning is
                                       * off; the tensors were not looked at */
  ATC_TORCH_PASSED_CHOSEN = 1,        /* LibTorch's own convolution is the fastest, as a record or a race shows */
  ATC_TORCH_PASSED_DEVICE = 2,        /* the operands are on two devices, or on a device that is neither the CPU
                                       * nor CUDA */
  ATC_TORCH_PASSED_DTYPE = 3,         /* the dtype is not fp32, bf16 or fp16, or the dtypes are mixed */
  ATC_TORCH_PASSED_LAYOUT = 4,        /* strides are 0, or elements overlap. Sparse, quantized, mkldnn and meta
                                       * tensors do not reach atc under atc_torch_install and are not counted */
  ATC_TORCH_PASSED_SHAPE = 5,         /* a tensor is empty, has more than 3 spatial dimensions, or has a shape that
                                       * LibTorch refuses */
  ATC_TORCH_PASSED_FAILED = 6,        /* atc returned an error; the first one of each kind is logged */
  ATC_TORCH_PASSED_NOT_RECORDED = 7,  /* there is no record for the convolution and nothing was measured. With
                                       * ATC_LOG=info the log names the differences to the nearest record */
  ATC_TORCH_PASSED_REASONS = 8
};

typedef struct atc_torch_statistics {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t taken;     /* number of convolutions that atc ran; each direction counts as one */
  uint64_t passed[8]; /* number of convolutions that LibTorch ran, by reason (ATC_TORCH_PASSED_*) */
} atc_torch_statistics;
#define ATC_TORCH_STATISTICS_INIT ATC_SIZED(atc_torch_statistics)

ATC_API atc_status atc_torch_statistics_get(atc_torch_statistics* out) ATC_NOEXCEPT
    ATC_SYM(torch_statistics_get);
ATC_API atc_status atc_torch_statistics_reset(void) ATC_NOEXCEPT ATC_SYM(torch_statistics_reset);

/* Frees the packed weights of the option `constant_weights`, and forgets which weights needed a gradient in earlier
 * convolutions. While packed weights exist, atc_engine_unregister returns ATC_ERROR_BUSY for the engine that uses
 * them. */
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
  int64_t padding[3];   /* zeros on both sides of each dimension */
  int64_t dilation[3];
  int64_t output_padding[3]; /* for transposed convolutions only */
} atc_torch_geometry;

#define atc_torch_geometry_init(out, spatial_dims) \
  atc_torch_geometry_init_sized(out, sizeof(atc_torch_geometry), spatial_dims)
/* Fills `out`, with its struct_size: stride, dilation and groups become 1, the rest 0. `struct_size` is the size of
 * the caller's atc_torch_geometry in bytes, and no byte beyond it is written. In C and C++ the macro
 * atc_torch_geometry_init(&geometry, 2) passes this size. ATC_ERROR_INVALID_ARGUMENT: the number of dims is not 1, 2
 * or 3, or no version of the struct has this size. */
ATC_API atc_status atc_torch_geometry_init_sized(atc_torch_geometry* out, size_t struct_size,
                                                 int32_t spatial_dims) ATC_NOEXCEPT
    ATC_SYM(torch_geometry_init_sized);

/* Runs one convolution through atc, whether atc is installed in LibTorch or not. The result is differentiable any
 * number of times. `bias` and `options` may be NULL. `*out` is a new tensor, which the caller frees like LibTorch's
 * own (delete (at::Tensor*); tch: Tensor::from_ptr). The options, and the switches as they are now, also hold for
 * backward and double backward, whenever these run. The exception is user_enabled_cudnn, which is read when they run.
 * If atc does not support the arguments, LibTorch's own convolution runs. ATC_ERROR_INVALID_ARGUMENT: LibTorch
 * refuses the shapes, and the error text is LibTorch's. ATC_ERROR_UNSUPPORTED: a choice of the options or a pin
 * cannot be obeyed. */
ATC_API atc_status atc_torch_convolution(atc_torch_tensor** out, const atc_torch_tensor* x,
                                         const atc_torch_tensor* w, const atc_torch_tensor* bias,
                                         const atc_torch_geometry* geometry,
                                         const atc_torch_options* options) ATC_NOEXCEPT
    ATC_SYM(torch_convolution);

/* ---- Recorder ------------------------------------------------------------------------------------------ */

/* Starts a recording, which notes each distinct convolution of the process: direction, shapes, dtypes, layouts, how
 * often it ran, and whether its weights remained the same. A recording works with and without atc_torch_install. If
 * ATC_RECORD=FILE is in the environment, the first call of atc_torch_init, atc_torch_install, atc_torch_convolution
 * or this function starts another recording, whose file is written at the end of the process. The file of a recording
 * that this function starts is written by atc_torch_record_stop only. ATC_ERROR_BUSY: a recording is going on.
 * ATC_ERROR_IO: `file` cannot be written. */
ATC_API atc_status atc_torch_record_start(const char* file) ATC_NOEXCEPT ATC_SYM(torch_record_start);
/* Ends the recording and writes its file, which `atc tune` reads. `out_distinct` (may be NULL) is the number of
 * convolutions in the file. ATC_ERROR_INVALID_ARGUMENT: nothing is being recorded. ATC_ERROR_IO: the file could not
 * be written; the recording goes on, and another call may end it. */
ATC_API atc_status atc_torch_record_stop(uint64_t* out_distinct) ATC_NOEXCEPT ATC_SYM(torch_record_stop);

/* ---- The ranks of a job ---------------------------------------------------------------------------------- */

/* Opens a group (group.h) whose store of keys is a store of LibTorch's c10d. `url` is one of:
 *
 *   env://             a TCPStore at the variables MASTER_ADDR and MASTER_PORT, as torchrun sets them. If `size` is 0,
 *                      the rank and the size are those of the variables RANK and WORLD_SIZE
 *   tcp://HOST:PORT    a TCPStore at this address. HOST is the machine of rank 0; an IPv6 address stands in brackets
 *   file:///PATH       a FileStore in this file, on a disk that all ranks see. The file must be new for each job
 *
 * If torchrun does not serve the TCPStore, rank 0 serves it. The server remains until the process ends. So
 * atc_group_close on rank 0 waits until the other ranks that have opened the group have closed it, but at most
 * `timeout_seconds`. All ranks open the same number of groups at an address, in the same order. The prefix of the group
 * consists of torchrun's number of the job and of the attempt (TORCHELASTIC_RUN_ID, TORCHELASTIC_RESTART_COUNT).
 *
 * `timeout_seconds` is also the most seconds that the call waits for the server, and the `bound_seconds` of the group.
 * 0: 60 s. The call does not wait for the other ranks: atc_tune does. Close `*out` with atc_group_close.
 * ATC_ERROR_INVALID_ARGUMENT: the URL, a variable, the rank or the time is wrong. ATC_ERROR_IO: the store cannot be
 * reached. ATC_ERROR_LIBRARY: there is no LibTorch, it has no c10d, or the bridge has no build for it. */
ATC_API atc_status atc_torch_group_open(atc_group* out, const char* url, uint32_t rank, uint32_t size,
                                        double timeout_seconds) ATC_NOEXCEPT ATC_SYM(torch_group_open);

#ifdef __cplusplus
}
#endif
#endif /* ATC_TORCH_H_ */
