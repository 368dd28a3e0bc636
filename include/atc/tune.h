/* atc: tuning ahead of use: measures a list of problems and stores the decisions. */
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
  uint64_t seed;                /* of the data; 0: the last atc_manual_seed, else a fixed one */
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
  const struct atc_group* group; /* the call is collective: all ranks of the group call atc_tune, and decide all their
                                  * problems together. NULL: this process alone */
  uint64_t race_memory_limit;   /* bytes; 0: race_memory_limit of the process, else a quarter of the free memory; as in
                                 * atc_conv_options */
} atc_tune_options;
#define ATC_TUNE_OPTIONS_INIT ATC_SIZED(atc_tune_options)

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
#define ATC_TUNED_PROBLEM_INIT ATC_SIZED(atc_tuned_problem)

/* Strings are borrowed from the report. ATC_ERROR_INVALID_ARGUMENT for an index out of range. */
ATC_API atc_status atc_tune_report_count(size_t* out, const atc_tune_report* report) ATC_NOEXCEPT
    ATC_SYM(tune_report_count);
/* The number of problems in the report whose decision is provisional. */
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
