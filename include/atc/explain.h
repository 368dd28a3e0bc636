/* atc: explanations of decisions. The explanation of a problem (a convolution) has four parts: the
 * decision in force (the implementation that runs the problem), the rule by which this
 * implementation was chosen, the implementations that each engine offers, and the limits of the
 * device's speed. docs/architecture.md explains the terms ("Words"). */
#ifndef ATC_EXPLAIN_H_
#define ATC_EXPLAIN_H_

#include "atc/base.h"
#include "atc/conv.h"
#include "atc/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rule by which a decision chose its winner among the candidates. The default is the candidate that runs without
 * tuning. */
enum {
  ATC_RULE_FIRST_OFFER = 1, /* nothing was measured, and the winner is the first offer of the default engine */
  ATC_RULE_ALONE = 2,       /* no candidate but the winner was timed */
  ATC_RULE_FASTEST = 3,     /* the winner is the fastest candidate, and no comparison with the
                             * default was needed: the winner is the default itself, or the default
                             * was not timed */
  ATC_RULE_FASTER = 4,      /* the winner is faster than the default by more than the tie margin */
  ATC_RULE_TIE_DEFAULT = 5, /* the winner is the default: no other candidate is faster than it by
                             * more than the tie margin and the noise of the measurement */
  ATC_RULE_TIE_KEPT = 6,    /* the winner and the default are tied (equally fast within the tie
                             * margin). The winner is preferred because the store keeps its compiled
                             * form, while each process may have to compile the default */
  ATC_RULE_TIE_LIGHTER = 7, /* another candidate is slightly faster, but by less than the tie
                             * margin. The winner is preferred because it has less to compile or
                             * needs less workspace */
  ATC_RULE_HOST = 8,        /* another candidate is faster on the device, but the host takes longer
                             * to issue that candidate, so the winner is preferred */
  ATC_RULE_PRECISE = 9      /* strict_precision is on, and the winner is the fastest candidate that
                             * is precise enough */
};

/* Returns the name of a rule (ATC_RULE_*): "ATC_RULE_FASTER", …, or "unknown rule" for a number that this version
 * does not know. The string is static and never NULL. */
ATC_API const char* atc_rule_name(int32_t rule) ATC_NOEXCEPT ATC_SYM(rule_name);

typedef struct atc_explanation atc_explanation;

/* Explains which decision a plan of this device, problem and options would use if its creation
 * measured nothing. So the option `tune` is ignored, unless it is ATC_TUNE_PREDICT. The call reads
 * the store and the decisions of this process, and asks engines for their offers (the
 * implementations that they have for the problem). It executes, builds and writes nothing.
 * `options` may be NULL. The caller destroys `*out`. If no engine can run the problem, the call
 * succeeds, and the explanation has no winner. As in atc_tune, candidates that only a front end
 * such as the LibTorch bridge can run (ATC_ENGINE_RETURNS_OUTPUT) are listed, too. Any thread may
 * call the function. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field. A `batch` of 0 is an error, too.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_BUSY: the call was made in a callback. */
ATC_API atc_status atc_conv_explain(atc_explanation** out, atc_device device, const atc_conv_problem* problem,
                                    const atc_conv_options* options) ATC_NOEXCEPT ATC_SYM(conv_explain);
ATC_API void atc_explanation_destroy(atc_explanation* explanation) ATC_NOEXCEPT ATC_SYM(explanation_destroy);

typedef struct atc_explained {
  uint32_t struct_size;
  int32_t source;             /* source of the decision (ATC_SOURCE_*); 0 if no engine can run the problem */
  int32_t rule;               /* rule of the decision (ATC_RULE_*); 0 if no engine can run the problem */
  uint32_t flags;             /* bits: ATC_TUNED_UNSTABLE: the decision is provisional (uncertain).
                               * ATC_TUNED_STORED: the decision is in the store */
  int64_t winner;             /* index of the winning candidate; -1: none */
  int64_t default_candidate;  /* index of the candidate that runs without tuning; -1: none */
  uint64_t candidates;
  uint64_t entrants;
  uint64_t bytes;             /* bytes that the convolution must read and write at least: the sizes
                               * of x, w, y, bias, scale and residual. If the result is added to the
                               * old output (`accumulate`), the output counts twice */
  double flops;               /* number of floating-point operations if the sums are computed as
                               * defined, including products with the zeros of the padding */
  double bytes_per_second;    /* the largest measured rate at which the device moves data, in bytes
                               * per second; 0: not measured */
  double flops_per_second;    /* the largest measured rate at which the device computes with the
                               * problem's data types, in operations per second; 0: not measured */
  double risk;                /* for a provisional decision: the fraction by which the choice may be
                               * slower than another candidate; as in atc_tuned_problem */
  const char* description;    /* text of the problem, as atc_conv_problem_describe writes it */
  const char* choice;         /* text of the winner (engine, version and configuration); "" if no engine can run
                               * the problem */
  const char* why;            /* a sentence that states the rule by which the winner was chosen,
                               * with the times. If no engine can run the problem: the reason of
                               * each engine */
  const char* doubts;         /* why the decision is provisional (uncertain), or "" */
  const char* miss;           /* why the store has no usable decision for the problem, as a part of
                               * a sentence; "" if the store has one */
} atc_explained;
#define ATC_EXPLAINED_INIT ATC_SIZED(atc_explained)

/* Computes a digest: a hash over `count` problems (their keys, see below) and the choices that
 * calls with these options run for them. If two processes have equal digests, they run the same
 * choices. The function reads the store. It executes, builds and writes nothing.
 *
 * The choices are those of a call that measures nothing; eager calls and captured calls are both
 * included. The choice of a problem comes from the first source that has one. The order is: the
 * pins in force (atc_set_pins), then the store, then the decisions of this process (unless
 * options.tune is ATC_OFF), then a prediction (if options.tune is ATC_TUNE_PREDICT), then the
 * default engine. If the correctness gate (the check of results against a reference) has refused a
 * choice, this choice is not used. A problem for which a call would fail counts as a problem
 * without a choice.
 *
 * A key contains the device, the versions of libraries and the options that decisions depend on. So digests of
 * different kinds of machines differ. The order of the problems does not change the digest, and a
 * problem that occurs twice counts once. The elements of `problems` lie `problems[0].struct_size`
 * bytes apart. All elements must have this `struct_size`. `problems` may be NULL if `count` is 0,
 * and `options` may be NULL. Any thread may call the function. Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field and the index.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_BUSY: the call was made in a callback. */
ATC_API atc_status atc_conv_decisions_digest(uint64_t* out, atc_device device, const atc_conv_problem* problems,
                                             size_t count, const atc_conv_options* options) ATC_NOEXCEPT
    ATC_SYM(conv_decisions_digest);

/* Measures the two ceilings of the device, which are the limits of its speed. The first ceiling is
 * the most bytes per second that the device moves. It is measured by a copy. The second ceiling is
 * the most operations per second that the device computes with the problem's data types. It is
 * measured by tuning a product of matrices, for at most 3 s. A ceiling that is already known is not
 * measured again. The process remembers both ceilings. If the store of the call is open for
 * writing, the ceilings are also kept in the store, for this device and these library versions. If
 * only the slow engine `reference` can compute products of these data types, the second ceiling
 * remains unknown, and the call succeeds. The function must not be called during a stream capture.
 * Errors:
 * - ATC_ERROR_INVALID_ARGUMENT: the error text names the field.
 * - ATC_ERROR_OUT_OF_MEMORY: on CUDA the measurement takes about 1.5 GiB, on the CPU 0.5 GiB.
 * - ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE: CUDA or one of its libraries failed.
 * - ATC_ERROR_CAPTURING: a stream is being captured.
 * - ATC_ERROR_BUSY: the call was made in a callback. */
ATC_API atc_status atc_conv_measure_ceilings(atc_device device, const atc_conv_problem* problem,
                                             const atc_conv_options* options) ATC_NOEXCEPT
    ATC_SYM(conv_measure_ceilings);

/* Writes the ceilings of the device for a problem: the most bytes per second that the device moves,
 * and the most operations per second that the device computes. A ceiling that was not measured
 * (atc_conv_measure_ceilings) is 0. The values are those of the fields bytes_per_second and
 * flops_per_second of atc_explained. The call is cheaper than atc_conv_explain, because it does not
 * ask engines for their offers. Either pointer may be NULL. Any thread may call the function.
 * ATC_ERROR_INVALID_ARGUMENT: the error text names the field. ATC_ERROR_LIBRARY, ATC_ERROR_DEVICE:
 * CUDA or one of its libraries failed. */
ATC_API atc_status atc_conv_ceilings(double* bytes_per_second, double* flops_per_second, atc_device device,
                                     const atc_conv_problem* problem, const atc_conv_options* options) ATC_NOEXCEPT
    ATC_SYM(conv_ceilings);

/* An engine or a rewrite that works on the device. A rewrite turns the problem into another
 * problem, which an engine computes. */
typedef struct atc_entrant {
  uint32_t struct_size;
  int32_t is_rewrite;       /* 0: an engine. 1: a rewrite */
  uint64_t offers;          /* number of implementations that the engine offers for the problem and
                             * that the options allow. For a rewrite: number of implementations that
                             * engines offer for the rewritten problem */
  const char* name;
  const char* version;
  const char* why_not;      /* why the engine or rewrite has no offers, or no further offers; "" if
                             * there is no reason to state */
  const char* barriers;     /* the options and settings that exclude offers of the engine. Each is
                             * followed by the number of offers that only this option or setting
                             * excludes: "workspace_limit:2,deterministic:1". Separated by ','
                             * without a space. "": none */
} atc_entrant;
#define ATC_ENTRANT_INIT ATC_SIZED(atc_entrant)

/* The next three functions write a part of the explanation to `out`: its summary, a candidate, or an entrant (engine
 * or rewrite). Strings are valid as long as the explanation. ATC_ERROR_INVALID_ARGUMENT: the index
 * is out of range. */
ATC_API atc_status atc_explanation_describe(atc_explained* out, const atc_explanation* explanation) ATC_NOEXCEPT
    ATC_SYM(explanation_describe);
/* Writes the candidate `index`. The candidate has times if a race of this process or a record of
 * the store has measured the candidate. Otherwise its outcome is ATC_OUTCOME_OFFERED. */
ATC_API atc_status atc_explanation_candidate(atc_candidate* out, const atc_explanation* explanation,
                                             size_t index) ATC_NOEXCEPT ATC_SYM(explanation_candidate);
ATC_API atc_status atc_explanation_entrant(atc_entrant* out, const atc_explanation* explanation,
                                           size_t index) ATC_NOEXCEPT ATC_SYM(explanation_entrant);

#ifdef __cplusplus
}
#endif
#endif /* ATC_EXPLAIN_H_ */
