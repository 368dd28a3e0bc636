/* atc: lists of problems to be tuned: those that calls have noted, and those of recordings.
 *
 * Calls with the option `tune` = ATC_TUNE_LATER measure nothing. Between steps the program measures what they noted:
 *
 *   atc_problems* problems = NULL;
 *   atc_problems_create(&problems);
 *   atc_problems_add_noted(problems);
 *   atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
 *   options.problems = problems;
 *   atc_tune(NULL, device, NULL, 0, &options, NULL, NULL);
 *   atc_problems_destroy(problems);
 *
 * Later calls use the decisions, calls whose plan was cached before among them. A plan that was created before
 * (atc_conv_plan_create) keeps its choice.
 */
#ifndef ATC_PROBLEMS_H_
#define ATC_PROBLEMS_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Problems, each once, with the device and the options that a decision depends on. */
typedef struct atc_problems atc_problems;

/* An empty list. The caller destroys `*out`. */
ATC_API atc_status atc_problems_create(atc_problems** out) ATC_NOEXCEPT ATC_SYM(problems_create);
ATC_API void atc_problems_destroy(atc_problems* problems) ATC_NOEXCEPT ATC_SYM(problems_destroy);

/* Adds the problems that calls of this process have noted (ATC_TUNE_LATER), in the order of their first calls. A problem
 * is noted once for each device model and each set of options that needs a decision of its own, when a call looks its
 * decision up; calls whose plan is cached note nothing. The notes stay until atc_tune has measured their problems: it
 * removes the note of a problem that it has decided. A problem that it could not decide is neither listed nor noted
 * again. At most 4,096 problems are noted. Beyond that a warning is logged once, and further problems are noted when
 * their next call comes after an atc_tune. */
ATC_API atc_status atc_problems_add_noted(atc_problems* problems) ATC_NOEXCEPT
    ATC_SYM(problems_add_noted);
/* Forgets all notes of the process, those of problems that could not be decided among them. A call with a cached plan
 * notes its problem again after atc_cache_clear. */
ATC_API atc_status atc_problems_forget_noted(void) ATC_NOEXCEPT ATC_SYM(problems_forget_noted);

/* Adds the problems of a text of `size` bytes in the JSON that recordings (ATC_RECORD), atc_problems_json and
 * `atc tune --json` write. All are added or none. ATC_ERROR_INVALID_ARGUMENT names the problem and the member. */
ATC_API atc_status atc_problems_add_json(atc_problems* problems, const char* text, size_t size) ATC_NOEXCEPT
    ATC_SYM(problems_add_json);
/* Adds one problem, which `count` calls need (0: unknown). `device` may be NULL: the device of atc_tune. `options` may
 * be NULL; kept of it are the fields that atc_problems_get writes. ATC_ERROR_INVALID_ARGUMENT names the field. */
ATC_API atc_status atc_problems_add(atc_problems* problems, const atc_device* device,
                                    const atc_conv_problem* problem, const atc_conv_options* options,
                                    uint64_t count) ATC_NOEXCEPT ATC_SYM(problems_add);

ATC_API atc_status atc_problems_count(size_t* out, const atc_problems* problems) ATC_NOEXCEPT
    ATC_SYM(problems_count);
/* Writes one problem of the list; each of the first four may be NULL. `device`: type 0 for the device of atc_tune, index
 * -1 for any of that type (of another process's noted problem). `problem`: transposed where the caller's was, with
 * explicit strides. `options`: deterministic, allow_tf32, allow_reference, constant_weights, alignment, workspace_limit,
 * front_end, require_firm, strict_precision and allow_reduced_precision_reduction as in the call, and use_store
 * ATC_OFF if the call used no store; all others are 0. `count`: 0 if unknown. ATC_ERROR_INVALID_ARGUMENT: `index` is not below
 * atc_problems_count. */
ATC_API atc_status atc_problems_get(atc_device* device, atc_conv_problem* problem,
                                    atc_conv_options* options, uint64_t* count,
                                    const atc_problems* problems, size_t index) ATC_NOEXCEPT
    ATC_SYM(problems_get);
/* The list as JSON, a problem per line, which `atc tune` and atc_problems_add_json read. Stores of calls are not part of
 * it. The caller destroys `*out`. */
ATC_API atc_status atc_problems_json(atc_bytes** out, const atc_problems* problems) ATC_NOEXCEPT
    ATC_SYM(problems_json);

#ifdef __cplusplus
}
#endif
#endif /* ATC_PROBLEMS_H_ */
