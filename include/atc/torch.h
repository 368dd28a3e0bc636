/* atc: the bridge to LibTorch (libatc_torch). The switches of settings.h become LibTorch's own, and one call makes
 * every convolution of an existing model go through atc.
 *
 * The library itself contains no LibTorch. The first call that needs LibTorch finds the one of the process, else the one
 * that the dynamic linker finds, and loads the build of the bridge for that minor version, a file beside the library. If
 * there is no LibTorch, or no build for it, every function except atc_torch_describe and atc_torch_geometry_init returns
 * ATC_ERROR_LIBRARY, atc_last_error() names the versions, and LibTorch is not changed.
 *
 * Tensors are passed as `atc_torch_tensor*`, which is LibTorch's `at::Tensor*` (torch-sys calls it C_tensor). All
 * functions may be called from any thread; during the calls that atc_torch_install names no other thread may run a
 * convolution. atc_last_error() returns the texts of errors.
 */
#ifndef ATC_TORCH_H_
#define ATC_TORCH_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- One truth per process -------------------------------------------------------------------------- */

/* Connects atc with LibTorch. From now on at::globalContext() holds the switches that atc and LibTorch both have:
 * values set explicitly before (by a call or the environment) are written to it, the others are read from it. Seeds,
 * synchronization and memory for workspaces go through LibTorch too, and the engine `aten` is registered. ATC_RECORD,
 * if set, starts the recorder. Hooks are put under LibTorch's convolutions; until atc_torch_install they pass
 * everything through. No other thread may run a convolution during this call, since LibTorch reads its table of
 * operators without a lock. Once libtorch_cuda has been loaded, another call adds the hooks for CUDA; otherwise
 * another call does nothing. ATC_ERROR_LIBRARY: no LibTorch, or one that the bridge has no build for. */
ATC_API atc_status atc_torch_init(void) ATC_NOEXCEPT ATC_SYM(torch_init);

/* The state of LibTorch's CUDA library. */
enum {
  ATC_TORCH_CUDA_ABSENT = 1,     /* there is no libtorch_cuda beside libtorch_cpu */
  ATC_TORCH_CUDA_NOT_LOADED = 2, /* libtorch_cuda is there but not loaded by the program: LibTorch works without CUDA.
                                  * Link it with -Wl,--no-as-needed -ltorch_cuda, or call atc_torch_load_cuda before
                                  * anything asks LibTorch for CUDA */
  ATC_TORCH_CUDA_LOADED = 3
};

typedef struct atc_torch_info {
  uint32_t struct_size;
  int32_t initialized;         /* 1 after atc_torch_init */
  int32_t installed;           /* 1 between install and uninstall */
  int32_t cuda;                /* ATC_TORCH_CUDA_* */
  int32_t cuda_available;      /* 1: LibTorch has CUDA and sees a device */
  int32_t reserved;
  int64_t cudnn_version;       /* the cuDNN that LibTorch runs on; 0: none */
  int64_t cudnn_compiled_version; /* the cuDNN that LibTorch was built with; 0: none */
  char version[64];            /* of the running LibTorch, "2.11.0" */
  char built_for[64];          /* version of the headers of the build for this LibTorch; if there is none, the minor
                                * versions that there are builds for, "2.11, 2.13" */
  char file[1024];             /* libtorch_cpu */
  char cuda_file[1024];        /* path of libtorch_cuda, found or loaded, or "" */
} atc_torch_info;
#define ATC_TORCH_INFO_INIT ATC_SIZED(atc_torch_info)

/* Describes LibTorch and the bridge. Without CUDA it succeeds, with 0 or "" in the fields about CUDA; so it does with a
 * LibTorch that there is no build for. Needs no atc_torch_init. ATC_ERROR_LIBRARY: there is no LibTorch. */
ATC_API atc_status atc_torch_describe(atc_torch_info* out) ATC_NOEXCEPT ATC_SYM(torch_describe);

/* Loads libtorch_cuda (ATC_TORCH_CUDA_NOT_LOADED). Must be called before anything in the process asks LibTorch for
 * CUDA, because LibTorch remembers its first answer. ATC_OK when it is loaded already; ATC_ERROR_LIBRARY when it is
 * absent, cannot be loaded, or LibTorch has been asked before. */
ATC_API atc_status atc_torch_load_cuda(void) ATC_NOEXCEPT ATC_SYM(torch_load_cuda);

/* ---- Switches of LibTorch beyond settings.h ------------------------------------------------------------ */

/* Whether LibTorch fills uninitialized memory while deterministic_algorithms is on. 1 (LibTorch's default): it does;
 * 0: it leaves the memory as it is. */
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
/* ATC_ERROR_UNSUPPORTED when LibTorch's switches contradict each other, in which case LibTorch's own getter throws;
 * setting the precision resolves the contradiction. */
ATC_API atc_status atc_torch_get_float32_matmul_precision(atc_torch_precision* out) ATC_NOEXCEPT
    ATC_SYM(torch_get_float32_matmul_precision);

/* ---- Every convolution of the program ---------------------------------------------------------------- */

/* 0 everywhere = defaults. Switches: 0 or ATC_OFF, ATC_ON; 1 is ATC_OFF (atc_option_enable, base.h). */
typedef struct atc_torch_options {
  uint32_t struct_size;
  int32_t tune;             /* ATC_ON: measure convolutions for which no decision is known. ATC_TUNE_LATER: measure
                             * nothing, and note them for a later atc_tune (problems.h). ATC_TUNE_BESIDE: let
                             * the convolutions try candidates (conv.h). 0: ATC_TUNE, else
                             * benchmark_cudnn for CUDA, off on the CPU */
  int32_t constant_weights; /* 0: off. On: on the CPU, weights of a convolution that needs no gradient are packed when
                             * the convolution meets them a second time. Weights that need a gradient, or did in an
                             * earlier convolution, are not packed. Code that writes to some elements in a way that
                             * autograd's version counter does not see (.data) must call atc_torch_forget_weights.
                             * Tensors made in inference mode count no versions and are never packed */
  int32_t allow_reference;  /* 0: off */
  double budget_seconds;    /* of a race; 0: 2 s */
  int32_t require_firm;     /* 0: off; as in atc_conv_options */
  int32_t strict_precision; /* 0: off: LibTorch's own convolution runs where it is the fastest, even if it rounds
                             * partial sums more coarsely than is allowed. On: as in atc_conv_options */
  char choice[256];         /* atc_torch_convolution runs exactly this choice ("engine@version:configuration", as
                             * atc_conv_plan_choice returns it) or fails; "": none. Arguments that atc does not support are
                             * LibTorch's, as without a choice. atc_torch_install refuses a choice: for the convolutions of
                             * a program write a pin file (atc_set_pins) */
  char choice_backward_data[256];   /* the same for the gradient of x */
  char choice_backward_weight[256]; /* the same for the gradient of w */
} atc_torch_options;
#define ATC_TORCH_OPTIONS_INIT ATC_SIZED(atc_torch_options)

/* From now on every convolution of the process, forward and backward, goes through atc. If a record of the store in
 * use or a race names a faster implementation than LibTorch's own, it runs; otherwise LibTorch's own runs, bit for
 * bit. Without a store and without tuning nothing is measured and nothing changes. Convolutions that atc does not
 * support are passed to LibTorch and counted (atc_torch_statistics). On CUDA, LibTorch's switch benchmark_cudnn asks
 * for tuning: atc's race replaces LibTorch's search, which does not run during the race. Kernels are queued on
 * LibTorch's current stream of the tensors' device; outputs and workspaces come from LibTorch's allocator. In
 * replay-only mode a convolution that atc supports but that has no record throws c10::Error with the text of
 * ATC_ERROR_NOT_TUNED. Pins (atc_set_pins, ATC_PINS) are obeyed; if a pin cannot be obeyed, the convolution throws
 * c10::Error with the text of that error, and LibTorch's own does not run in its place.
 *
 * Backward reads the switches when it runs, as in LibTorch. Includes atc_torch_init. Another call replaces the
 * options, and serves CUDA tensors once libtorch_cuda has been loaded. `options` may be NULL. No other thread may run
 * a convolution during the first call of atc_torch_init, atc_torch_install or atc_torch_record_start in the process,
 * nor during the first such call after libtorch_cuda was loaded; later calls may run beside convolutions. Where
 * ATC_RECORD is set and none of them was called before, the first atc_torch_convolution is such a call, too. */
ATC_API atc_status atc_torch_install(const atc_torch_options* options) ATC_NOEXCEPT ATC_SYM(torch_install);
/* Ends atc_torch_install: LibTorch's own convolutions run again. The hooks stay and pass everything through. */
ATC_API atc_status atc_torch_uninstall(void) ATC_NOEXCEPT ATC_SYM(torch_uninstall);

/* Why a convolution was left to LibTorch. */
enum {
  ATC_TORCH_PASSED_NOTHING_KNOWN = 0, /* no store in use, no pins in force, no choice given and no tuning asked for; the
                                       * tensors were not looked at */
  ATC_TORCH_PASSED_CHOSEN = 1,        /* LibTorch's own convolution is the fastest, by a record or a race */
  ATC_TORCH_PASSED_DEVICE = 2,        /* operands on two devices, or on one that is neither the CPU nor CUDA */
  ATC_TORCH_PASSED_DTYPE = 3,         /* not fp32, bf16 or fp16, or mixed dtypes */
  ATC_TORCH_PASSED_LAYOUT = 4,        /* strides of 0 or overlapping. Sparse, quantized, mkldnn and meta tensors do
                                       * not reach atc under atc_torch_install and are not counted */
  ATC_TORCH_PASSED_SHAPE = 5,         /* empty, more than 3 spatial dimensions, or shapes LibTorch refuses */
  ATC_TORCH_PASSED_FAILED = 6,        /* atc returned an error; the first one of each kind is logged */
  ATC_TORCH_PASSED_NOT_RECORDED = 7,  /* there is no record for the convolution and nothing was measured. With
                                       * ATC_LOG=info the log names the differences to the nearest record */
  ATC_TORCH_PASSED_REASONS = 8
};

typedef struct atc_torch_statistics {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t taken;     /* convolutions that atc ran; each direction counts as one */
  uint64_t passed[8]; /* by ATC_TORCH_PASSED_* */
} atc_torch_statistics;
#define ATC_TORCH_STATISTICS_INIT ATC_SIZED(atc_torch_statistics)

ATC_API atc_status atc_torch_statistics_get(atc_torch_statistics* out) ATC_NOEXCEPT
    ATC_SYM(torch_statistics_get);
ATC_API atc_status atc_torch_statistics_reset(void) ATC_NOEXCEPT ATC_SYM(torch_statistics_reset);

/* Frees the packed weights of `constant_weights`, and forgets which weights needed a gradient in earlier convolutions.
 * While packed weights exist, atc_engine_unregister of the engine that they are packed for returns ATC_ERROR_BUSY. */
ATC_API atc_status atc_torch_forget_weights(void) ATC_NOEXCEPT ATC_SYM(torch_forget_weights);

/* ---- One convolution --------------------------------------------------------------------------------- */

/* LibTorch's at::Tensor. */
typedef struct atc_torch_tensor atc_torch_tensor;

/* The arguments of at::convolution. The arrays have `spatial_dims` entries. */
typedef struct atc_torch_geometry {
  uint32_t struct_size;
  int32_t spatial_dims; /* 1, 2 or 3 */
  int32_t transposed;   /* 0 or 1 */
  int32_t reserved;
  int64_t groups;
  int64_t stride[3];
  int64_t padding[3];   /* both sides */
  int64_t dilation[3];
  int64_t output_padding[3]; /* transposed only */
} atc_torch_geometry;

#define atc_torch_geometry_init(out, spatial_dims) \
  atc_torch_geometry_init_sized(out, sizeof(atc_torch_geometry), spatial_dims)
/* Fills `out` (struct_size included): stride, dilation and groups 1, the rest 0. `struct_size` is the size of the
 * caller's atc_torch_geometry, in bytes; no byte beyond it is written; in C and C++ the macro
 * atc_torch_geometry_init(&geometry, 2) passes it. ATC_ERROR_INVALID_ARGUMENT for a number of dims other than 1, 2 or
 * 3, and for a size that no version of the struct has. */
ATC_API atc_status atc_torch_geometry_init_sized(atc_torch_geometry* out, size_t struct_size,
                                                 int32_t spatial_dims) ATC_NOEXCEPT
    ATC_SYM(torch_geometry_init_sized);

/* One convolution through atc, installed or not, differentiable any number of times. `bias` and `options` may be
 * NULL. `*out` is a new tensor, which the caller frees as LibTorch's own (delete (at::Tensor*); tch:
 * Tensor::from_ptr). The options, and the switches as they are now, also hold for backward and double backward,
 * whenever these run, except user_enabled_cudnn, which is read when they run. LibTorch's own convolution runs where
 * atc does not support the arguments.
 * ATC_ERROR_INVALID_ARGUMENT: LibTorch refuses the shapes; the text is LibTorch's. ATC_ERROR_UNSUPPORTED: a choice of
 * the options or a pin cannot be obeyed. */
ATC_API atc_status atc_torch_convolution(atc_torch_tensor** out, const atc_torch_tensor* x,
                                         const atc_torch_tensor* w, const atc_torch_tensor* bias,
                                         const atc_torch_geometry* geometry,
                                         const atc_torch_options* options) ATC_NOEXCEPT
    ATC_SYM(torch_convolution);

/* ---- Recorder ------------------------------------------------------------------------------------------ */

/* Starts a recording, which notes each distinct convolution of the process: direction, shapes, dtypes, layouts, how
 * often it ran, and whether its weights stayed the same. Works with and without atc_torch_install. ATC_ERROR_BUSY: a
 * recording is going on. ATC_ERROR_IO: `file` cannot be written. With ATC_RECORD=FILE in the environment the first
 * call of atc_torch_init, atc_torch_install, atc_torch_convolution or this function starts a recording of its own,
 * whose file is written at the end of the process; no other recording is. */
ATC_API atc_status atc_torch_record_start(const char* file) ATC_NOEXCEPT ATC_SYM(torch_record_start);
/* Ends the recording and writes its file, which `atc tune` reads. `out_distinct` (may be NULL): the number of
 * convolutions in it. ATC_ERROR_INVALID_ARGUMENT: nothing is being recorded. ATC_ERROR_IO: the file could not be
 * written; the recording goes on, and another call may end it. */
ATC_API atc_status atc_torch_record_stop(uint64_t* out_distinct) ATC_NOEXCEPT ATC_SYM(torch_record_stop);

#ifdef __cplusplus
}
#endif
#endif /* ATC_TORCH_H_ */
