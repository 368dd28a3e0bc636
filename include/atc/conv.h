/* atc: convolutions. Describe a problem, create a plan, execute it; or call atc_convolution, which keeps
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

#define atc_conv_problem_init(out, spatial_dims) \
  atc_conv_problem_init_sized(out, sizeof(atc_conv_problem), spatial_dims)
/* Fills `out` (struct_size included) for a forward fp32 problem of 1, 2 or 3 spatial dims: stride, dilation, groups,
 * batch, kernel and extents 1; channels first; no epilogue. `struct_size` is the size of the caller's
 * atc_conv_problem, in bytes; no byte beyond it is written; in atc.h the macro atc_conv_problem_init(&problem, 2)
 * passes it. ATC_ERROR_INVALID_ARGUMENT for another number of dims, and for a size that no version of the struct
 * has. */
ATC_API atc_status atc_conv_problem_init_sized(atc_conv_problem* out, size_t struct_size,
                                               int32_t spatial_dims) ATC_NOEXCEPT
    ATC_SYM(conv_problem_init_sized);

/* The problem as reports and messages have it, one line: "forward x=8x64x56x56 f32 w=…". The caller destroys `*out`.
 * ATC_ERROR_INVALID_ARGUMENT when the problem is not valid. */
ATC_API atc_status atc_conv_problem_describe(atc_bytes** out, const atc_conv_problem* problem) ATC_NOEXCEPT
    ATC_SYM(conv_problem_describe);

/* The tensors of a call. */
enum { ATC_OPERAND_X = 1, ATC_OPERAND_W = 2, ATC_OPERAND_BIAS = 3, ATC_OPERAND_Y = 4 };

/* Writes shape and strides of one operand, in elements: `spatial_dims + 2` entries each (bias: 1). Either pointer may
 * be NULL. ATC_ERROR_INVALID_ARGUMENT when the problem is not valid. */
ATC_API atc_status atc_conv_operand_shape(int64_t* shape, int64_t* strides, const atc_conv_problem* problem,
                                          int32_t operand) ATC_NOEXCEPT ATC_SYM(conv_operand_shape);

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
  ATC_SOURCE_PINNED = 8,    /* a pin (atc_set_pins), which is asked after GIVEN and before RECORD */
  ATC_SOURCE_AGREED = 9,    /* the ranks of a job have agreed on it (group.h); asked after PINNED and before RECORD */
  ATC_SOURCE_BESIDE = 10    /* measured by calls of this process (ATC_TUNE_BESIDE) */
};

/* "ATC_SOURCE_RECORD", …; "unknown source" for a number this version does not know. A static string, never NULL. */
ATC_API const char* atc_source_name(int32_t source) ATC_NOEXCEPT ATC_SYM(source_name);

/* How far tuning has come: with the problems of atc_tune, or with the one of a plan (atc_conv_options.progress). */
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
 * and is noted, so that a later atc_tune can measure it (problems.h). */
enum { ATC_TUNE_LATER = 3 };

/* A fourth state: as ATC_TUNE_LATER, and cached calls (atc_convolution, atc_conv_plan_acquire) find the decision
 * themselves. A thread of atc's passes candidates through the correctness gate, beside the program. Then each call runs
 * one of the candidates that are left and is timed, until one of them is known to be the fastest. No call waits. The
 * last bits of results change from call to call until then. Plans of atc_conv_plan_create keep the choice that they
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
  int32_t constant_weights; /* 0: off. On: candidates are ranked as if atc_conv_plan_set_weights had been called */
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
  const struct atc_store* store; /* read and written by this call in place of the store in use (atc_store_use or
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
  const char* choice;         /* the plan is made of exactly this choice, as by atc_conv_plan_create_with_choice (which
                               * ignores this field); the text is copied. NULL or "": none */
  uint64_t race_memory_limit; /* bytes that a race may allocate beyond the memory that the program holds; ATC_UNLIMITED;
                               * ATC_NONE is refused. 0: race_memory_limit of the process, else a quarter of the free
                               * memory (atc_set_race_memory_limit) */
  int32_t near_shapes;        /* whether a record serves a problem that has none of its own and differs from the recorded one
                               * in batch and spatial extents alone, each by at most a factor of 2, with equally aligned
                               * strides (docs/tuning.md). 0: on, except with a replay-only store. On: with such a store,
                               * too. Off: never, not even for another batch */
  int32_t reserved;           /* 0 */
} atc_conv_options;
#define ATC_CONV_OPTIONS_INIT ATC_SIZED(atc_conv_options)

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
 *   if (atc_conv_plan_create(&plan, (atc_device){ATC_DEVICE_CPU, 0}, &p, NULL)) puts(atc_last_error());
 *
 * ATC_ERROR_INVALID_ARGUMENT names the field; _UNSUPPORTED: no engine can, or a pin cannot be obeyed; _NOT_TUNED: the store is
 * replay-only and has no record; _LIBRARY, _DEVICE: CUDA; _CAPTURING: `tune` is ATC_ON in a capture; _CANCELLED by
 * `options->progress`. */
ATC_API atc_status atc_conv_plan_create(atc_conv_plan** out, atc_device device,
                                        const atc_conv_problem* problem,
                                        const atc_conv_options* options) ATC_NOEXCEPT
    ATC_SYM(conv_plan_create);
/* Makes a plan of exactly `choice`, a text of the form that atc_conv_plan_choice returns, or fails. The caller
 * destroys `*out`.
 *
 * ATC_ERROR_INVALID_ARGUMENT names the field, or says that `choice` is not of that form; _UNSUPPORTED: its
 * engine is not here, has another version or cannot build it, or the correctness gate refuses it; _OUT_OF_MEMORY;
 * _LIBRARY: a library of CUDA or cuDNN that the engine needs is missing or cannot be used; _DEVICE: CUDA failed. */
ATC_API atc_status atc_conv_plan_create_with_choice(atc_conv_plan** out, atc_device device,
                                                    const atc_conv_problem* problem,
                                                    const atc_conv_options* options,
                                                    const char* choice) ATC_NOEXCEPT
    ATC_SYM(conv_plan_create_with_choice);
/* The pins in force (atc_set_pins) that a plan for (device, problem, options) obeys, as the text of a JSON array of
 * {"number": …, "line": …, "name": …} with a member "choice" or "bar": the pin whose choice it takes, or all bars that
 * hold; empty where no pin is for the problem. `number`: in the file, from 1. If a bar has names that no engine or rewrite is known
 * by, "unknown" has each with the known name most like it, or "": {"onedn": "onednn"}. Nothing is built. `options` may be NULL.
 * The caller destroys `*out`. ATC_ERROR_INVALID_ARGUMENT names the field; errors of ATC_PINS as atc_set_pins. */
ATC_API atc_status atc_conv_pins(atc_bytes** out, atc_device device, const atc_conv_problem* problem,
                                 const atc_conv_options* options) ATC_NOEXCEPT ATC_SYM(conv_pins);
/* The effect of the pins that atc_conv_pins lists. */
enum {
  ATC_PINS_CHOOSE = 1, /* a pin gives the choice */
  ATC_PINS_BAR = 2     /* no pin gives the choice, and engines, rewrites or choices are barred */
};
/* `*out` is ATC_PINS_CHOOSE, ATC_PINS_BAR, or 0 if no pin is for the problem. Otherwise as atc_conv_pins. */
ATC_API atc_status atc_conv_pins_effect(int32_t* out, atc_device device, const atc_conv_problem* problem,
                                        const atc_conv_options* options) ATC_NOEXCEPT ATC_SYM(conv_pins_effect);
/* May be called while work of the plan is queued or captured on CUDA: the work still runs. Until then the operands,
 * and a workspace that the caller provided, must remain valid. */
ATC_API void atc_conv_plan_destroy(atc_conv_plan* plan) ATC_NOEXCEPT ATC_SYM(conv_plan_destroy);

/* Bytes that atc_conv_plan_execute needs as workspace, which must be aligned to 64 bytes on the CPU and 256 on CUDA. */
ATC_API atc_status atc_conv_plan_workspace_size(uint64_t* out, const atc_conv_plan* plan) ATC_NOEXCEPT
    ATC_SYM(conv_plan_workspace_size);

/* Runs the plan. Forward reads x, w, bias and writes y; backward-data reads w, y and writes x; backward-weight reads
 * x, y and writes w; `bias` is NULL unless the problem has an epilogue. Views must have the problem's shapes, strides
 * and dtypes and lie on the plan's device; x, w and y start at multiples of its alignment (atc_conv_options). The output's memory
 * must not overlap that of another operand or of the workspace: bytes in common are ATC_ERROR_INVALID_ARGUMENT, views
 * that lie between each other's elements are not. Inputs may overlap each other. `w` may be NULL after
 * atc_conv_plan_set_weights. `workspace` holds `workspace_size` bytes, at least atc_conv_plan_workspace_size; NULL: the
 * allocator provides it for this call. On the CPU the call ignores `stream` and returns when the output is written; on
 * CUDA it queues its work on `stream`.
 * In a stream capture, a `workspace` of NULL is device memory of atc's own that lives as long as the graph; the
 * captured calls of one stream share it. All executables of a graph use the same workspace and the same operands:
 * executables that are to run at the same time must come from different graphs, with operands and `workspace` of
 * their own.
 * ATC_ERROR_INVALID_ARGUMENT names the operand and what is wrong with it; ATC_ERROR_UNSUPPORTED: the choice is the
 * front end's own engine, which the front end calls itself. */
ATC_API atc_status atc_conv_plan_execute(atc_conv_plan* plan, const atc_tensor_view* x,
                                         const atc_tensor_view* w, const atc_tensor_view* bias,
                                         const atc_tensor_view* y, void* workspace,
                                         uint64_t workspace_size, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(conv_plan_execute);

/* Packs the weights `w` for this plan, once: atc_conv_plan_execute then takes `w` = NULL and uses them. The buffer is
 * read before the call returns and is not needed afterwards. On CUDA it is read in the order of the legacy stream:
 * work that writes the buffer on another stream must have finished. May be called again with other weights: queued
 * and captured executions go on reading the earlier ones.
 * ATC_ERROR_INVALID_ARGUMENT for backward-weight, whose w is the output. */
ATC_API atc_status atc_conv_plan_set_weights(atc_conv_plan* plan, const atc_tensor_view* w) ATC_NOEXCEPT
    ATC_SYM(conv_plan_set_weights);

/* Runs the plan once on operands of its own, filled with normally distributed numbers that `seed` determines, and
 * writes `count` elements of the output to `out`, evenly spread: element i * elements / count in logical order. Equal
 * seeds give equal operands on every machine, so that results of two libraries or devices can be compared. Returns
 * when the device has finished; must not be called during a stream capture.
 * ATC_ERROR_INVALID_ARGUMENT: the output has no elements, or fewer than `count`; ATC_ERROR_OUT_OF_MEMORY: the operands do not fit;
 * ATC_ERROR_LIBRARY on CUDA where atc was built without device kernels. */
ATC_API atc_status atc_conv_plan_sample(double* out, size_t count, atc_conv_plan* plan,
                                        uint64_t seed) ATC_NOEXCEPT ATC_SYM(conv_plan_sample);

/* The choice, "engine@version:configuration", with "rewrite@version>" in front for each rewrite; borrowed from the
 * plan. */
ATC_API atc_status atc_conv_plan_choice(const char** out, const atc_conv_plan* plan) ATC_NOEXCEPT
    ATC_SYM(conv_plan_choice);
/* ATC_SOURCE_*. */
ATC_API atc_status atc_conv_plan_source(int32_t* out, const atc_conv_plan* plan) ATC_NOEXCEPT
    ATC_SYM(conv_plan_source);

/* `*out`: 1 if the decision is provisional: its race could not show with certainty that the choice is the fastest;
 * else 0. `*risk` (may be NULL): by how much the choice may be slower than another candidate (0.1: 10 %), as far as the
 * technique estimates it. */
ATC_API atc_status atc_conv_plan_provisional(int32_t* out, double* risk, const atc_conv_plan* plan)
    ATC_NOEXCEPT ATC_SYM(conv_plan_provisional);

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
ATC_API const char* atc_outcome_name(int32_t outcome) ATC_NOEXCEPT ATC_SYM(outcome_name);

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
#define ATC_CANDIDATE_INIT ATC_SIZED(atc_candidate)

/* The candidates among which the plan's decision was made. They have times if a race of this process or a record
 * measured them. */
ATC_API atc_status atc_conv_plan_candidate_count(size_t* out, const atc_conv_plan* plan) ATC_NOEXCEPT
    ATC_SYM(conv_plan_candidate_count);
ATC_API atc_status atc_conv_plan_candidate(atc_candidate* out, const atc_conv_plan* plan,
                                           size_t index) ATC_NOEXCEPT ATC_SYM(conv_plan_candidate);

/* ---- Eager ------------------------------------------------------------------------------------------ */

/* Creates a plan or takes one from the cache, and executes it. The device is that of the views, and the alignment
 * that of their addresses; the store is the store in use, and workspaces come from the process's allocator. Any number
 * of threads at once. Statuses as for plan creation and execution. */
ATC_API atc_status atc_convolution(const atc_conv_problem* problem, const atc_tensor_view* x,
                                   const atc_tensor_view* w, const atc_tensor_view* bias,
                                   const atc_tensor_view* y, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(convolution);

/* Takes a plan for (device, problem, options) from the cache of atc_convolution; meant for front ends. If a switch,
 * the store or the known decisions of the problem have changed since, the decision is made anew. Only the caller uses
 * the plan until it is handed back (atc_conv_plan_release), which any thread may do. Weights cannot be set on it.
 * `stream` is the stream on which it will be executed. A race waits for that stream. While the stream is being
 * captured nothing is measured: the plan uses a known decision or the default engine, and a later call measures.
 * Statuses as for plan creation. */
ATC_API atc_status atc_conv_plan_acquire(atc_conv_plan** out, atc_device device,
                                         const atc_conv_problem* problem,
                                         const atc_conv_options* options, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(conv_plan_acquire);
/* Hands `plan` back to the cache; NULL does nothing. A plan made by atc_conv_plan_create is destroyed. */
ATC_API void atc_conv_plan_release(atc_conv_plan* plan) ATC_NOEXCEPT ATC_SYM(conv_plan_release);

/* For front ends that run the choice of a plan themselves (their own convolution, ATC_ENGINE_RETURNS_OUTPUT), so that
 * ATC_TUNE_BESIDE can time it. Called directly before and after the work is issued to `stream`, between acquiring the
 * plan and handing it back, on one thread. Nothing in between may use the plan. `timed` (may be NULL) becomes 1 if this
 * run is timed: then nothing else should be issued before the end. The end is not called if the run has failed. */
ATC_API atc_status atc_conv_plan_own_run_begin(int32_t* timed, atc_conv_plan* plan, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(conv_plan_own_run_begin);
ATC_API atc_status atc_conv_plan_own_run_end(atc_conv_plan* plan, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(conv_plan_own_run_end);

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
  uint64_t byte_limit; /* atc_set_plan_memory_limit; the plans that engines keep by themselves count, too */
} atc_cache_statistics;
#define ATC_CACHE_STATISTICS_INIT ATC_SIZED(atc_cache_statistics)

/* Frees the cached plans that no call is using, the workspaces kept for later calls, and those of captured graphs
 * that no longer exist. Plans that a library keeps for a running thread are freed at that thread's next call. Counts
 * are kept. */
ATC_API atc_status atc_cache_clear(void) ATC_NOEXCEPT ATC_SYM(cache_clear);
ATC_API atc_status atc_cache_stats(atc_cache_statistics* out) ATC_NOEXCEPT ATC_SYM(cache_stats);

#ifdef __cplusplus
}
#endif
#endif /* ATC_CONV_H_ */
