/* atc: convolutions. A program describes a convolution as a problem (its shapes, types and direction), creates a plan
 * (the implementation that atc has chosen for the problem, ready to run), and executes the plan. A
 * program that does not want to keep plans calls atc_convolution, which creates the plans and keeps
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
#ifndef ATC_CONV_H_
#define ATC_CONV_H_

#include "atc/base.h"
#include "atc/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#define atc_conv_problem_init(out, spatial_dims) \
  atc_conv_problem_init_sized(out, sizeof(atc_conv_problem), spatial_dims)
/* Fills all fields of `out`, `struct_size` included. The result is a forward fp32 problem of
 * `spatial_dims` (1, 2 or 3) dimensions. Stride, dilation, groups, batch, channels, kernel and
 * input extents are 1, the layout is channels first, and there is no epilogue. The parameter
 * `struct_size` is the size of the caller's atc_conv_problem in bytes. No byte after this size is
 * written. In atc.h the macro atc_conv_problem_init(&problem, 2) passes this size.
 * ATC_ERROR_INVALID_ARGUMENT: `spatial_dims` is not 1, 2 or 3, or `struct_size` is not the size of
 * any version of the struct. */
ATC_API atc_status atc_conv_problem_init_sized(atc_conv_problem* out, size_t struct_size,
                                               int32_t spatial_dims) ATC_NOEXCEPT
    ATC_SYM(conv_problem_init_sized);

/* Writes a description of a problem as text, in one line. Reports and messages describe problems by
 * the same text: "forward x=8x64x56x56 f32 w=…". The caller destroys `*out`.
 * ATC_ERROR_INVALID_ARGUMENT is returned if the problem is not valid. */
ATC_API atc_status atc_conv_problem_describe(atc_bytes** out, const atc_conv_problem* problem) ATC_NOEXCEPT
    ATC_SYM(conv_problem_describe);

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
ATC_API atc_status atc_conv_operand_shape(int64_t* shape, int64_t* strides, const atc_conv_problem* problem,
                                          int32_t operand) ATC_NOEXCEPT ATC_SYM(conv_operand_shape);

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
  ATC_SOURCE_PINNED = 8,     /* a pin, which prescribes the choice (atc_set_pins). A pin takes
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
ATC_API const char* atc_source_name(int32_t source) ATC_NOEXCEPT ATC_SYM(source_name);

/* The progress of a call that tunes (measures), as a progress callback receives it. Such a call is
 * atc_tune, which tunes a list of problems, or the creation of a plan (atc_conv_options.progress),
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
 * noted, so that a later atc_tune can measure it (problems.h). */
enum { ATC_TUNE_LATER = 3 };

/* ATC_TUNE_BESIDE is a fourth state of atc_conv_options.tune and atc_torch_options.tune. Calls
 * behave as with ATC_TUNE_LATER. In addition, calls with cached plans (atc_convolution,
 * atc_conv_plan_acquire) are used as measurements. First a background thread of atc checks which
 * candidates compute correct results. Then each call of the program runs one of the correct
 * candidates and is timed, until one candidate is known to be the fastest. No call waits for the
 * background thread. Until the decision is made, the last bits of the results may differ from call
 * to call. A plan of atc_conv_plan_create keeps its choice.
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
                             * atc_conv_plan_set_weights. So candidates are timed with packed
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
                                  * (atc_store_use or ATC_STORE) */
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
                               * use, as with atc_conv_plan_create_with_choice. That function
                               * ignores this field. The text is copied. NULL or "": none */
  uint64_t race_memory_limit; /* the most bytes that a race may allocate in addition to the memory
                               * that the program holds, or ATC_UNLIMITED. ATC_NONE is refused. 0:
                               * race_memory_limit of the process, else a quarter of the free memory
                               * (atc_set_race_memory_limit) */
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
#define ATC_CONV_OPTIONS_INIT ATC_SIZED(atc_conv_options)

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
 *   if (atc_conv_plan_create(&plan, (atc_device){ATC_DEVICE_CPU, 0}, &p, NULL)) puts(atc_last_error());
 *
 * Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field.
 * - ATC_ERROR_UNSUPPORTED: no engine can run the problem, or a pin cannot be obeyed.
 * - ATC_ERROR_NOT_TUNED: the store is replay-only and has no record of the problem.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_CAPTURING: `tune` is ATC_ON and the stream is being captured.
 * - ATC_ERROR_CANCELLED: the callback `options->progress` cancelled. */
ATC_API atc_status atc_conv_plan_create(atc_conv_plan** out, atc_device device,
                                        const atc_conv_problem* problem,
                                        const atc_conv_options* options) ATC_NOEXCEPT
    ATC_SYM(conv_plan_create);
/* Makes a plan that runs the given `choice`. If the choice cannot be used, the call fails, and no
 * other choice is taken. `choice` is a text in the form that atc_conv_plan_choice returns. The
 * caller destroys `*out`. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field, or says that `choice` is not of that form.
 * - ATC_ERROR_UNSUPPORTED: the engine of the choice does not exist here, has another version or
 *   cannot build the choice, or the choice computed wrong results when atc checked them.
 * - ATC_ERROR_OUT_OF_MEMORY: memory does not suffice.
 * - ATC_ERROR_LIBRARY: a library of CUDA or cuDNN that the engine needs is missing or cannot be used.
 * - ATC_ERROR_DEVICE: CUDA failed. */
ATC_API atc_status atc_conv_plan_create_with_choice(atc_conv_plan** out, atc_device device,
                                                    const atc_conv_problem* problem,
                                                    const atc_conv_options* options,
                                                    const char* choice) ATC_NOEXCEPT
    ATC_SYM(conv_plan_create_with_choice);
/* Lists the pins that a plan of this device, problem and options obeys. A pin is an entry of the
 * pin file (atc_set_pins): it gives the choice for certain problems, or bars engines, rewrites or
 * choices. `*out` is the text of a JSON array of {"number": …, "line": …, "name": …}, each with a
 * member "choice" or "bar". If a pin gives the choice, the array has this pin alone. Otherwise the
 * array has all bars for the problem. If no pin is for the problem, the array is empty. `number` is
 * the position of the pin in its file, from 1. If a bar names an unknown engine or rewrite, the
 * member "unknown" maps this name to the most similar known name, or to "": {"onedn": "onednn"}.
 * The call builds no plan. `options` may be NULL. The caller destroys `*out`.
 * ATC_ERROR_INVALID_ARGUMENT: the error text names the field. If the file of ATC_PINS has an error,
 * the status is that of atc_set_pins. */
ATC_API atc_status atc_conv_pins(atc_bytes** out, atc_device device, const atc_conv_problem* problem,
                                 const atc_conv_options* options) ATC_NOEXCEPT ATC_SYM(conv_pins);
/* The effect of the pin file on a problem. (A pin prescribes the choice of certain problems, or
 * bars implementations. atc_conv_pins lists the pins.) */
enum {
  ATC_PINS_CHOOSE = 1, /* a pin gives the choice */
  ATC_PINS_BAR = 2     /* no pin gives the choice, but pins bar engines, rewrites or choices */
};
/* Writes the effect of the pins on a problem: ATC_PINS_CHOOSE, ATC_PINS_BAR, or 0 if no pin is for the problem.
 * Arguments and errors are those of atc_conv_pins. */
ATC_API atc_status atc_conv_pins_effect(int32_t* out, atc_device device, const atc_conv_problem* problem,
                                        const atc_conv_options* options) ATC_NOEXCEPT ATC_SYM(conv_pins_effect);
/* Destroys a plan. If `plan` is NULL, nothing happens. A plan may be destroyed while its work is
 * queued or captured on CUDA: the work still runs. The operands, and a workspace that the caller
 * provided, must remain valid until the work has run. */
ATC_API void atc_conv_plan_destroy(atc_conv_plan* plan) ATC_NOEXCEPT ATC_SYM(conv_plan_destroy);

/* Writes the number of bytes of workspace that atc_conv_plan_execute needs for the plan. A
 * workspace must be aligned to 64 bytes on the CPU and to 256 bytes on CUDA. */
ATC_API atc_status atc_conv_plan_workspace_size(uint64_t* out, const atc_conv_plan* plan) ATC_NOEXCEPT
    ATC_SYM(conv_plan_workspace_size);

/* Runs the plan. A forward plan reads x, w and bias, and writes y. A backward-data plan reads w and
 * y, and writes x. A backward-weight plan reads x and y, and writes w. `bias` is NULL unless the
 * problem has an epilogue (a bias, with or without a ReLU). `w` may be NULL after
 * atc_conv_plan_set_weights.
 *
 * The views must have the problem's shapes, strides and dtypes, and their memory must be on the
 * plan's device. The addresses of x, w, y and the residual must be multiples of the plan's alignment
 * (atc_conv_options). The output must not share a byte with another operand or with the workspace;
 * if it does, the status is ATC_ERROR_INVALID_ARGUMENT. The output may interleave with another
 * operand (its elements lie in the gaps that the other operand's strides leave). Inputs may overlap
 * each other.
 *
 * `workspace` holds `workspace_size` bytes, at least atc_conv_plan_workspace_size. If `workspace`
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
ATC_API atc_status atc_conv_plan_execute(atc_conv_plan* plan, const atc_tensor_view* x,
                                         const atc_tensor_view* w, const atc_tensor_view* bias,
                                         const atc_tensor_view* y, void* workspace,
                                         uint64_t workspace_size, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(conv_plan_execute);

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
#define ATC_CONV_OPERANDS_INIT ATC_SIZED(atc_conv_operands)

/* Runs the plan like atc_conv_plan_execute. This function also supports problems with a scale or a
 * residual. */
ATC_API atc_status atc_conv_plan_execute_v2(atc_conv_plan* plan, const atc_conv_operands* operands, void* workspace,
                                            uint64_t workspace_size, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(conv_plan_execute_v2);

/* Packs the weights `w` for this plan, so that atc_conv_plan_execute can be called with `w` = NULL. The buffer of `w`
 * is read before the call returns and is not needed afterwards. On CUDA the buffer is read on the
 * legacy default stream. If work on another stream writes the buffer, this work must have finished
 * before the call. The function may be called again with other weights. Executions that were queued
 * or captured earlier still use the earlier weights. ATC_ERROR_INVALID_ARGUMENT: the problem is
 * backward-weight, so w is the output. */
ATC_API atc_status atc_conv_plan_set_weights(atc_conv_plan* plan, const atc_tensor_view* w) ATC_NOEXCEPT
    ATC_SYM(conv_plan_set_weights);

/* Runs the plan once on operands that atc fills with normally distributed numbers, and writes `count` elements of the
 * output to `out`. The elements are spread evenly over the output: out[i] is the element with the
 * index i * (number of elements) / count, in row-major order of the shape. `seed` determines the
 * numbers. Equal seeds give equal operands on every machine, so the results of two libraries or
 * devices can be compared. The call returns when the device has finished. The call must not be made
 * during a stream capture. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the output has no elements, or fewer than `count`.
 * - ATC_ERROR_OUT_OF_MEMORY: the operands do not fit into memory.
 * - ATC_ERROR_LIBRARY: the plan is for CUDA, and atc was built without device kernels. */
ATC_API atc_status atc_conv_plan_sample(double* out, size_t count, atc_conv_plan* plan,
                                        uint64_t seed) ATC_NOEXCEPT ATC_SYM(conv_plan_sample);

/* Returns the plan's choice as text: "engine@version:configuration", with a prefix
 * "rewrite@version>" for each rewrite. (A rewrite turns the problem into another problem, which the
 * engine computes.) The text is valid as long as the plan. */
ATC_API atc_status atc_conv_plan_choice(const char** out, const atc_conv_plan* plan) ATC_NOEXCEPT
    ATC_SYM(conv_plan_choice);
/* Returns the source of the plan's decision: ATC_SOURCE_*. */
ATC_API atc_status atc_conv_plan_source(int32_t* out, const atc_conv_plan* plan) ATC_NOEXCEPT
    ATC_SYM(conv_plan_source);

/* Writes 1 to `*out` if the plan's decision is provisional, else 0. A decision is provisional if
 * its race could not show with certainty that the choice is the fastest. For a provisional
 * decision, `*risk` estimates by which fraction the choice may be slower than another candidate
 * (0.1: 10 %). `*risk` is 0 if the decision is not provisional, or if the technique of timing gives
 * no estimate. `risk` may be NULL. */
ATC_API atc_status atc_conv_plan_provisional(int32_t* out, double* risk, const atc_conv_plan* plan)
    ATC_NOEXCEPT ATC_SYM(conv_plan_provisional);

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
ATC_API const char* atc_outcome_name(int32_t outcome) ATC_NOEXCEPT ATC_SYM(outcome_name);

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
#define ATC_CANDIDATE_INIT ATC_SIZED(atc_candidate)

/* atc_conv_plan_candidate_count writes the number of candidates of the plan's decision.
 * atc_conv_plan_candidate writes the candidate `index` to `out`. A candidate has times if a race of
 * this process measured the candidate, or if the store's record has its times. */
ATC_API atc_status atc_conv_plan_candidate_count(size_t* out, const atc_conv_plan* plan) ATC_NOEXCEPT
    ATC_SYM(conv_plan_candidate_count);
ATC_API atc_status atc_conv_plan_candidate(atc_candidate* out, const atc_conv_plan* plan,
                                           size_t index) ATC_NOEXCEPT ATC_SYM(conv_plan_candidate);

/* ---- Eager ------------------------------------------------------------------------------------------ */

/* Runs a convolution: creates a plan or takes one from the cache, and executes it. The views
 * determine the device. The plan's alignment is the alignment of the views' addresses. Decisions
 * come from the store in use, and workspaces from the process's allocator. Any number of threads
 * may call the function at once. The errors are those of atc_conv_plan_create and
 * atc_conv_plan_execute. */
ATC_API atc_status atc_convolution(const atc_conv_problem* problem, const atc_tensor_view* x,
                                   const atc_tensor_view* w, const atc_tensor_view* bias,
                                   const atc_tensor_view* y, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(convolution);

/* Runs a convolution like atc_convolution. This function also supports problems with a scale or a
 * residual. */
ATC_API atc_status atc_convolution_v2(const atc_conv_problem* problem, const atc_conv_operands* operands,
                                      atc_stream stream) ATC_NOEXCEPT ATC_SYM(convolution_v2);

/* Takes a plan for this device, problem and options out of the cache in which atc_convolution, too,
 * keeps its plans. If the cache has none, the function makes a plan. This function is for front
 * ends (programs that call atc for their own users). If a switch, the store or the known decisions
 * of the problem have changed since the plan was made, the decision is made again. No other caller
 * gets the plan until it is returned to the cache (atc_conv_plan_release, on any thread). Weights
 * cannot be set on such a plan. `stream` is the stream on which the plan will be executed. If the
 * call measures, it first waits for `stream`. If `stream` is being captured, nothing is measured:
 * the plan uses a known decision or the default engine, and a later call measures. The errors are
 * those of atc_conv_plan_create. */
ATC_API atc_status atc_conv_plan_acquire(atc_conv_plan** out, atc_device device,
                                         const atc_conv_problem* problem,
                                         const atc_conv_options* options, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(conv_plan_acquire);
/* Returns `plan` to the cache from which atc_conv_plan_acquire took it. If `plan` was made by
 * atc_conv_plan_create, the plan is destroyed. NULL does nothing. */
ATC_API void atc_conv_plan_release(atc_conv_plan* plan) ATC_NOEXCEPT ATC_SYM(conv_plan_release);

/* For front ends (programs that call atc for their own users, such as the LibTorch bridge) that
 * have registered their own convolution as an engine (ATC_ENGINE_RETURNS_OUTPUT). If this
 * convolution is the choice, the front end runs it without atc_conv_plan_execute. With these two
 * functions ATC_TUNE_BESIDE can time such a run. The front end acquires the plan
 * (atc_conv_plan_acquire), calls atc_conv_plan_own_run_begin directly before it issues the work to
 * `stream`, and atc_conv_plan_own_run_end directly afterwards. Then the front end releases the
 * plan. Both calls are made on one thread. The plan must not be used between the two calls.
 * `*timed` (`timed` may be NULL) is 1 if this run is timed, else 0. If the run is timed, the front
 * end should issue nothing else to `stream` before the second call. If the run fails, the front end
 * must not make the second call. */
ATC_API atc_status atc_conv_plan_own_run_begin(int32_t* timed, atc_conv_plan* plan, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(conv_plan_own_run_begin);
ATC_API atc_status atc_conv_plan_own_run_end(atc_conv_plan* plan, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(conv_plan_own_run_end);

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
  uint64_t byte_limit; /* the limit of atc_set_plan_memory_limit, in bytes. The plans that a library
                        * such as cuDNN keeps for each thread count towards the limit, too */
} atc_cache_statistics;
#define ATC_CACHE_STATISTICS_INIT ATC_SIZED(atc_cache_statistics)

/* Frees the cached plans that no call is using, the workspaces that are kept for later calls, and
 * the workspaces of captured graphs that no longer exist. A library such as cuDNN keeps plans for
 * each thread. The plans of a running thread are freed at this thread's next call of atc. The call
 * does not reset the counts of atc_cache_stats. */
ATC_API atc_status atc_cache_clear(void) ATC_NOEXCEPT ATC_SYM(cache_clear);
ATC_API atc_status atc_cache_stats(atc_cache_statistics* out) ATC_NOEXCEPT ATC_SYM(cache_stats);

#ifdef __cplusplus
}
#endif
#endif /* ATC_CONV_H_ */
