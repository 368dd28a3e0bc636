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

/* Options of atc_tune. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or
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
                                 * the last atc_manual_seed, else a fixed one */
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
                                  * the call is collective: all ranks must call atc_tune, and they
                                  * decide all their problems together. NULL: this process alone */
  uint64_t race_memory_limit;   /* the most bytes that a race may allocate in addition to the memory
                                 * that the program holds; as in atc_conv_options. 0:
                                 * race_memory_limit of the process, else a quarter of the free
                                 * memory (atc_set_race_memory_limit) */
  int32_t other_versions;       /* whether a race times a candidate first that has won an earlier race
                                 * on the same device model with another cuDNN (on the CPU: oneDNN) or
                                 * another LibTorch; as in atc_conv_options. 0: ATC_OTHER_VERSIONS,
                                 * else off */
  int32_t reserved;             /* 0 */
} atc_tune_options;
#define ATC_TUNE_OPTIONS_INIT ATC_SIZED(atc_tune_options)

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
ATC_API atc_status atc_tune(atc_tune_report** out, atc_device device, const atc_conv_problem* problems,
                            size_t count, const atc_tune_options* options, atc_tune_callback callback,
                            void* payload) ATC_NOEXCEPT ATC_SYM(tune);

/* Makes this process refuse a choice for a problem, as if the correctness gate (atc's check of
 * results) had found that the choice computes wrong results. Later races with these options list
 * the choice as a refused candidate, with `reason`, and do not run the choice. Plans do not run the
 * choice either. The refusal lasts until the process ends or an engine is unregistered. The
 * function is for programs that tune in a separate process. If a candidate crashes this process,
 * the program starts a new process, and refuses the candidate there (atc_tune_progress.candidate
 * names it). The race then runs with the other candidates, and the record contains the reason.
 * `options` may be NULL. Any thread may call the function. ATC_ERROR_INVALID_ARGUMENT: the problem,
 * an option or the text of the choice is not valid, or the reason is empty. */
ATC_API atc_status atc_tune_refuse(atc_device device, const atc_conv_problem* problem, const atc_tune_options* options,
                                   const char* choice, const char* reason) ATC_NOEXCEPT ATC_SYM(tune_refuse);

ATC_API void atc_tune_report_destroy(atc_tune_report* report) ATC_NOEXCEPT ATC_SYM(tune_report_destroy);

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
#define ATC_TUNED_PROBLEM_INIT ATC_SIZED(atc_tuned_problem)

/* These functions read a report of atc_tune. They write the number of its problems, one problem, or
 * one candidate of a problem to `out`. Strings are valid as long as the report.
 * ATC_ERROR_INVALID_ARGUMENT: an index is out of range. */
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
