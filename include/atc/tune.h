/* atc: tuning ahead of use. atc_tune measures the candidates (implementations) of a list of problems (convolutions)
 * and stores the decisions. docs/architecture.md explains the terms ("Words"), docs/tuning.md the measurements. */
#ifndef ATC_TUNE_H_
#define ATC_TUNE_H_

#include "atc/base.h"
#include "atc/conv.h"
#include "atc/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

struct atc_problems; /* problems.h */
struct atc_group;    /* group.h */

/* ATC_RETUNE_PROVISIONAL is a third state of atc_tune_options.retune: only problems whose decision is provisional
 * (uncertain) are measured again. */
enum { ATC_RETUNE_PROVISIONAL = 3 };

/* Options of atc_tune. A field that is 0 has its default. A switch is 0 (inherit), ATC_OFF or ATC_ON. The number 1 is
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
  uint64_t seed;                /* seed of the random data in the tensors. 0: the last atc_manual_seed, else a
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
                                  * atc_tune, and decide all their problems together. NULL: this process alone */
  uint64_t race_memory_limit;   /* as in atc_conv_options, in bytes. 0: race_memory_limit of the process, else a
                                 * quarter of the free memory */
} atc_tune_options;
#define ATC_TUNE_OPTIONS_INIT ATC_SIZED(atc_tune_options)

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
ATC_API atc_status atc_tune(atc_tune_report** out, atc_device device, const atc_conv_problem* problems,
                            size_t count, const atc_tune_options* options, atc_tune_callback callback,
                            void* payload) ATC_NOEXCEPT ATC_SYM(tune);

/* Makes this process refuse a choice for a problem, as the correctness gate does: each later race with these options lists
 * the candidate as refused with `reason` and does not run it, nor does a plan. The refusal lasts until the process ends or
 * an engine is unregistered. For programs that tune in a process of their own and start it again after a candidate
 * (atc_tune_progress.candidate) has ended the process: the race then goes on with the other candidates, and the record
 * names the reason. `options` may be NULL. Any thread. ATC_ERROR_INVALID_ARGUMENT: the problem, an option, the choice's
 * text, or an empty reason. */
ATC_API atc_status atc_tune_refuse(atc_device device, const atc_conv_problem* problem, const atc_tune_options* options,
                                   const char* choice, const char* reason) ATC_NOEXCEPT ATC_SYM(tune_refuse);

ATC_API void atc_tune_report_destroy(atc_tune_report* report) ATC_NOEXCEPT ATC_SYM(tune_report_destroy);

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
#define ATC_TUNED_PROBLEM_INIT ATC_SIZED(atc_tuned_problem)

/* The following functions count the problems of a report, and write a problem or one of its candidates to `out`.
 * Strings are borrowed from the report. ATC_ERROR_INVALID_ARGUMENT: an index is out of range. */
ATC_API atc_status atc_tune_report_count(size_t* out, const atc_tune_report* report) ATC_NOEXCEPT
    ATC_SYM(tune_report_count);
/* Writes the number of problems in the report whose decision is provisional (uncertain). */
ATC_API atc_status atc_tune_report_provisional(size_t* out, const atc_tune_report* report) ATC_NOEXCEPT
    ATC_SYM(tune_report_provisional);
ATC_API atc_status atc_tune_report_problem(atc_tuned_problem* out, const atc_tune_report* report,
                                           size_t problem) ATC_NOEXCEPT ATC_SYM(tune_report_problem);
ATC_API atc_status atc_tune_report_candidate(atc_candidate* out, const atc_tune_report* report,
                                             size_t problem, size_t candidate) ATC_NOEXCEPT
    ATC_SYM(tune_report_candidate);

#ifdef __cplusplus
}
#endif
#endif /* ATC_TUNE_H_ */
