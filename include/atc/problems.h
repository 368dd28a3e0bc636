/* atc: lists of problems (convolutions) to be tuned. A list can contain problems that calls have
 * noted, and problems of recordings.
 *
 * If a call has the option `tune` = ATC_TUNE_LATER, the call measures nothing and notes its
 * problem. Later, for example between two training steps, the program measures the noted problems:
 *
 *   atc_problems* problems = NULL;
 *   atc_problems_create(&problems);
 *   atc_problems_add_noted(problems);
 *   atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
 *   options.problems = problems;
 *   atc_tune(NULL, device, NULL, 0, &options, NULL, NULL);
 *   atc_problems_destroy(problems);
 *
 * Later calls use the new decisions, even if the cache has an older plan for the call. If the
 * program has created a plan before (atc_conv_plan_create), this plan keeps its choice. */
#ifndef ATC_PROBLEMS_H_
#define ATC_PROBLEMS_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list of problems. Each problem is listed with the device and the options on which its decision
 * depends. If the problem, the device and the options are equal, the problem is listed once. */
typedef struct atc_problems atc_problems;

/* Creates an empty list of problems. The caller destroys `*out`. */
ATC_API atc_status atc_problems_create(atc_problems** out) ATC_NOEXCEPT ATC_SYM(problems_create);
ATC_API void atc_problems_destroy(atc_problems* problems) ATC_NOEXCEPT ATC_SYM(problems_destroy);

/* Adds the problems that calls of this process have noted (ATC_TUNE_LATER) to the list, in the
 * order of their first calls. A call notes its problem when it looks up the decision. The problem
 * is noted once for each device model, and once for each combination of options that needs a
 * decision of its own. If the plan of a call is in the cache, the call looks up no decision, and so
 * notes nothing. A note is removed when atc_tune has decided its problem. If atc_tune could not
 * decide a problem, the problem is not listed again and not noted again. At most 4,096 problems are
 * noted. If there are more, one warning is logged, and the other problems are noted by their next
 * calls after an atc_tune. */
ATC_API atc_status atc_problems_add_noted(atc_problems* problems) ATC_NOEXCEPT
    ATC_SYM(problems_add_noted);
/* Removes all notes (problems that calls have noted because of ATC_TUNE_LATER), and forgets which
 * problems could not be decided. Afterwards the problems can be noted again. A call whose plan is
 * cached notes nothing, so call atc_cache_clear if such calls are to note their problems, too. */
ATC_API atc_status atc_problems_forget_noted(void) ATC_NOEXCEPT ATC_SYM(problems_forget_noted);

/* Adds the problems of a JSON text of `size` bytes to the list. Recordings (the environment
 * variable ATC_RECORD), atc_problems_json and `atc tune --json` write such texts. If the call
 * fails, no problem is added. ATC_ERROR_INVALID_ARGUMENT: the error text names the problem and the
 * member. */
ATC_API atc_status atc_problems_add_json(atc_problems* problems, const char* text, size_t size) ATC_NOEXCEPT
    ATC_SYM(problems_add_json);
/* Adds one problem to the list. `count` says how many calls of the program run this problem (0:
 * unknown). If `device` is NULL, the problem is tuned on the device of atc_tune. `options` may be
 * NULL. Only the options that atc_problems_get writes are kept; all others are ignored.
 * ATC_ERROR_INVALID_ARGUMENT: the error text names the field. */
ATC_API atc_status atc_problems_add(atc_problems* problems, const atc_device* device,
                                    const atc_conv_problem* problem, const atc_conv_options* options,
                                    uint64_t count) ATC_NOEXCEPT ATC_SYM(problems_add);

ATC_API atc_status atc_problems_count(size_t* out, const atc_problems* problems) ATC_NOEXCEPT
    ATC_SYM(problems_count);
/* Writes one problem of the list. Each of the first four pointers may be NULL.
 * - `device`: type 0 means the device of atc_tune. Index -1 means any device of the type; problems
 *   that another process has noted have index -1.
 * - `problem`: has explicit strides (ATC_LAYOUT_STRIDED). It is transposed if the problem of the
 *   noting call was transposed.
 * - `options`: deterministic, allow_tf32, allow_reference, constant_weights, alignment, workspace_limit, front_end,
 *   require_firm, strict_precision and allow_reduced_precision_reduction are those of the noting
 *   call. use_store is ATC_OFF if this call used no store. All other options are 0.
 * - `count`: the number of calls; 0 if unknown.
 *
 * ATC_ERROR_INVALID_ARGUMENT: `index` is not below atc_problems_count. */
ATC_API atc_status atc_problems_get(atc_device* device, atc_conv_problem* problem,
                                    atc_conv_options* options, uint64_t* count,
                                    const atc_problems* problems, size_t index) ATC_NOEXCEPT
    ATC_SYM(problems_get);
/* Writes the list as JSON text, one problem per line. `atc tune` and atc_problems_add_json read
 * this text. The text does not contain the stores that the calls used. The caller destroys
 * `*out`. */
ATC_API atc_status atc_problems_json(atc_bytes** out, const atc_problems* problems) ATC_NOEXCEPT
    ATC_SYM(problems_json);

#ifdef __cplusplus
}
#endif
#endif /* ATC_PROBLEMS_H_ */
