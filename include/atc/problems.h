/* atc: lists of problems (convolutions) to be tuned: problems that calls have noted, and problems of recordings.
 *
 * If a call has the option `tune` = ATC_TUNE_LATER, it measures nothing and notes its problem. Between its steps, a
 * program measures the problems that were noted:
 *
 *   atc_problems* problems = NULL;
 *   atc_problems_create(&problems);
 *   atc_problems_add_noted(problems);
 *   atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
 *   options.problems = problems;
 *   atc_tune(NULL, device, NULL, 0, &options, NULL, NULL);
 *   atc_problems_destroy(problems);
 *
 * Later calls use the new decisions, also if their plan was in the cache before. A plan that the program created
 * before (atc_conv_plan_create) keeps its choice. */
#ifndef ATC_PROBLEMS_H_
#define ATC_PROBLEMS_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list of problems. It has each problem once, with the device and the options on which a decision depends. */
typedef struct atc_problems atc_problems;

/* Creates an empty list of problems. The caller destroys `*out`. */
ATC_API atc_status atc_problems_create(atc_problems** out) ATC_NOEXCEPT ATC_SYM(problems_create);
ATC_API void atc_problems_destroy(atc_problems* problems) ATC_NOEXCEPT ATC_SYM(problems_destroy);

/* Adds the problems that calls of this process have noted (ATC_TUNE_LATER) to the list, in the order of their first
 * calls. A call notes its problem when it looks the decision up, once for each device model and each set of options
 * that needs a decision of its own. A call whose plan is in the cache notes nothing. A note remains until atc_tune
 * has decided its problem. A problem that atc_tune could not decide is neither listed nor noted again. At most 4,096
 * problems are noted. If there are more, a warning is logged once, and a further problem is noted when its next call
 * comes after an atc_tune. */
ATC_API atc_status atc_problems_add_noted(atc_problems* problems) ATC_NOEXCEPT
    ATC_SYM(problems_add_noted);
/* Forgets all notes of the process, also those of problems that could not be decided. A call whose plan is in the
 * cache notes its problem again after atc_cache_clear. */
ATC_API atc_status atc_problems_forget_noted(void) ATC_NOEXCEPT ATC_SYM(problems_forget_noted);

/* Adds the problems of a JSON text of `size` bytes to the list. Recordings (ATC_RECORD), atc_problems_json and `atc
 * tune --json` write such texts. Either all problems are added or none. ATC_ERROR_INVALID_ARGUMENT: the error text
 * names the problem and the member. */
ATC_API atc_status atc_problems_add_json(atc_problems* problems, const char* text, size_t size) ATC_NOEXCEPT
    ATC_SYM(problems_add_json);
/* Adds one problem to the list. `count` is the number of calls that need the problem (0: unknown). If `device` is
 * NULL, the problem is tuned on the device of atc_tune. `options` may be NULL; of the options, those that
 * atc_problems_get writes are kept. ATC_ERROR_INVALID_ARGUMENT: the error text names the field. */
ATC_API atc_status atc_problems_add(atc_problems* problems, const atc_device* device,
                                    const atc_conv_problem* problem, const atc_conv_options* options,
                                    uint64_t count) ATC_NOEXCEPT ATC_SYM(problems_add);

ATC_API atc_status atc_problems_count(size_t* out, const atc_problems* problems) ATC_NOEXCEPT
    ATC_SYM(problems_count);
/* Writes one problem of the list. Each of the first four pointers may be NULL.
 * - `device`: type 0 stands for the device of atc_tune. Index -1 stands for any device of the type; a problem that
 *   another process has noted has it.
 * - `problem`: is transposed if the caller's was, and has explicit strides.
 * - `options`: deterministic, allow_tf32, allow_reference, constant_weights, alignment, workspace_limit, front_end,
 *   require_firm, strict_precision and allow_reduced_precision_reduction are those of the call. use_store is ATC_OFF
 *   if the call used no store. All others are 0.
 * - `count`: the number of calls; 0 if unknown.
 *
 * ATC_ERROR_INVALID_ARGUMENT: `index` is not below atc_problems_count. */
ATC_API atc_status atc_problems_get(atc_device* device, atc_conv_problem* problem,
                                    atc_conv_options* options, uint64_t* count,
                                    const atc_problems* problems, size_t index) ATC_NOEXCEPT
    ATC_SYM(problems_get);
/* Writes the list as JSON, a problem per line. `atc tune` and atc_problems_add_json read this text. It does not say
 * which stores the calls used. The caller destroys `*out`. */
ATC_API atc_status atc_problems_json(atc_bytes** out, const atc_problems* problems) ATC_NOEXCEPT
    ATC_SYM(problems_json);

#ifdef __cplusplus
}
#endif
#endif /* ATC_PROBLEMS_H_ */
