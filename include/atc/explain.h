/* atc: why a problem runs as it runs: the decision in force, the rule behind it, what each engine offers, and the
 * least time that the device allows. */
#ifndef ATC_EXPLAIN_H_
#define ATC_EXPLAIN_H_

#include "atc/base.h"
#include "atc/conv.h"
#include "atc/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

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
ATC_API const char* atc_rule_name(int32_t rule) ATC_NOEXCEPT ATC_SYM(rule_name);

typedef struct atc_explanation atc_explanation;

/* Explains which decision a plan for (device, problem, options) would use if it measured nothing (`tune` and
 * `retune` are ignored). Reads the store and the decisions of this process, and asks engines for their
 * offers. Executes, builds and writes nothing. `options` may be NULL. The caller destroys `*out`. If no
 * engine can run the problem, the call succeeds, and the explanation has no winner. Candidates that only
 * their own front end can run (ATC_ENGINE_RETURNS_OUTPUT) are included, as in atc_tune. Any thread.
 * ATC_ERROR_INVALID_ARGUMENT names the field, also `batch` where it is 0; _LIBRARY, _DEVICE: CUDA; _BUSY in a
 * callback. */
ATC_API atc_status atc_conv_explain(atc_explanation** out, atc_device device, const atc_conv_problem* problem,
                                    const atc_conv_options* options) ATC_NOEXCEPT ATC_SYM(conv_explain);
ATC_API void atc_explanation_destroy(atc_explanation* explanation) ATC_NOEXCEPT ATC_SYM(explanation_destroy);

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
  const char* description;    /* of the problem, as atc_conv_problem_describe writes it */
  const char* choice;         /* "" where nothing can run */
  const char* why;            /* the rule with its figures; or each engine's reason, where nothing can run */
  const char* doubts;         /* why a decision is provisional, or "" */
  const char* miss;           /* if the store has no decision: why not, as a phrase; otherwise "" */
} atc_explained;
#define ATC_EXPLAINED_INIT ATC_SIZED(atc_explained)

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
ATC_API atc_status atc_conv_decisions_digest(uint64_t* out, atc_device device, const atc_conv_problem* problems,
                                             size_t count, const atc_conv_options* options) ATC_NOEXCEPT
    ATC_SYM(conv_decisions_digest);

/* Measures the two ceilings of the device: the most bytes that it moves per second (by a copy), and the most
 * operations of the problem's data types that it computes per second (by tuning a product of matrices for at most 3
 * s). Known ceilings are not measured again. The process remembers both. If the store of the call is open for
 * writing, they are also kept in its folder, for this device and these library versions. If only the reference can
 * compute such products, that ceiling remains unknown, and the call succeeds. Must not be called during a stream
 * capture. ATC_ERROR_INVALID_ARGUMENT names the field; _OUT_OF_MEMORY: on CUDA it takes about 1.5 GiB, on the CPU 0.5
 * GiB; _LIBRARY, _DEVICE: CUDA; _CAPTURING; _BUSY in a callback. */
ATC_API atc_status atc_conv_measure_ceilings(atc_device device, const atc_conv_problem* problem,
                                             const atc_conv_options* options) ATC_NOEXCEPT
    ATC_SYM(conv_measure_ceilings);

/* The ceilings of the device for the problem, as an explanation has them (atc_explained), without asking an engine: the
 * most bytes and operations per second, 0 if not measured. Either pointer may be NULL. Any thread.
 * ATC_ERROR_INVALID_ARGUMENT names the field; _LIBRARY, _DEVICE: CUDA. */
ATC_API atc_status atc_conv_ceilings(double* bytes_per_second, double* flops_per_second, atc_device device,
                                     const atc_conv_problem* problem, const atc_conv_options* options) ATC_NOEXCEPT
    ATC_SYM(conv_ceilings);

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
#define ATC_ENTRANT_INIT ATC_SIZED(atc_entrant)

/* Strings are borrowed from the explanation. ATC_ERROR_INVALID_ARGUMENT for an index out of range. */
ATC_API atc_status atc_explanation_describe(atc_explained* out, const atc_explanation* explanation) ATC_NOEXCEPT
    ATC_SYM(explanation_describe);
/* With the times that a race of this process or a record measured; without, ATC_OUTCOME_OFFERED. */
ATC_API atc_status atc_explanation_candidate(atc_candidate* out, const atc_explanation* explanation,
                                             size_t index) ATC_NOEXCEPT ATC_SYM(explanation_candidate);
ATC_API atc_status atc_explanation_entrant(atc_entrant* out, const atc_explanation* explanation,
                                           size_t index) ATC_NOEXCEPT ATC_SYM(explanation_entrant);

#ifdef __cplusplus
}
#endif
#endif /* ATC_EXPLAIN_H_ */
