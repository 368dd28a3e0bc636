/* atc: remembered decisions. A store is a directory: one small JSON file per decision, below one folder
 * per environment (device, library versions), and beside it, compressed, what the decision's winner was
 * compiled to. Any number of processes may use it at once. */
#ifndef ATC_STORE_H_
#define ATC_STORE_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t atc_store_mode;
enum {
  ATC_STORE_OFF = 1,        /* neither read nor written */
  ATC_STORE_READ = 2,
  ATC_STORE_READ_WRITE = 3, /* default */
  ATC_STORE_REPLAY_ONLY = 4 /* read; a problem without a record is ATC_ERROR_NOT_TUNED */
};

/* May be used from several threads at once. */
typedef struct atc_store atc_store;

/* Opens or, in read-write mode, makes `directory`. `mode` 0: read-write. ATC_ERROR_IO when the place
 * cannot be used. The caller closes `*out`. */
ATC_API atc_status atc_store_open(atc_store** out, const char* directory, atc_store_mode mode) ATC_NOEXCEPT
    ATC_SYM(store_open);
/* A store in use goes on being used. */
ATC_API void atc_store_close(atc_store* store) ATC_NOEXCEPT ATC_SYM(store_close);

/* Makes it the store that plan creation, eager calls and atc_tune of this process read and write, in
 * place of the one before (ATC_STORE's included); NULL: none. */
ATC_API atc_status atc_store_use(const atc_store* store) ATC_NOEXCEPT ATC_SYM(store_use);
/* A handle of the store in use, which the caller closes; `*out` is NULL when there is none. */
ATC_API atc_status atc_store_in_use(atc_store** out) ATC_NOEXCEPT ATC_SYM(store_in_use);

typedef struct atc_store_info {
  uint32_t struct_size;
  atc_store_mode mode;
  uint64_t entries;
  char directory[1024];
} atc_store_info;

ATC_API atc_status atc_store_describe(atc_store_info* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_describe);

/* The entry a plan for (device, problem, options) would use, as JSON text:
 * {"key": {"environment": …, "problem": …}, "value": {"choice": …, "candidates": […], …}}. A provisional decision
 * has "provisional": {"risk": …, "why": …, "budget": …} in its value.
 * ATC_ERROR_NOT_TUNED when there is none. `options` may be NULL. */
ATC_API atc_status atc_store_get(atc_bytes** out, const atc_store* store, atc_device device,
                                 const atc_conv_problem* problem, const atc_conv_options* options)
    ATC_NOEXCEPT ATC_SYM(store_get);
/* Puts an entry of that form. One with a "provisional" in its value does not replace one without: the call then
 * returns ATC_OK and changes nothing. ATC_ERROR_BAD_RECORD when it is not one; ATC_ERROR_IO when it could not be
 * written (it is then remembered by this process). */
ATC_API atc_status atc_store_put(const atc_store* store, const char* entry, size_t size) ATC_NOEXCEPT
    ATC_SYM(store_put);
/* All valid entries, a JSON array. */
ATC_API atc_status atc_store_list(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_list);
/* Removes the entry that has the "key" of this entry's JSON. `*removed` (may be NULL): 0, there was none. */
ATC_API atc_status atc_store_remove(int32_t* removed, const atc_store* store, const char* entry,
                                    size_t size) ATC_NOEXCEPT ATC_SYM(store_remove);

/* How many of the valid entries are provisional. Reads every file. */
ATC_API atc_status atc_store_provisional(uint64_t* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_provisional);

/* All valid entries as one bundle, with the files beside them, and back. Import keeps local entries, but for
 * provisional ones where the bundle has a firm one, which counts as added; `added` and `kept` may be NULL.
 * ATC_ERROR_BAD_RECORD changes nothing. */
ATC_API atc_status atc_store_export(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_export);
ATC_API atc_status atc_store_import(uint64_t* added, uint64_t* kept, const atc_store* store,
                                    const void* bundle, size_t size) ATC_NOEXCEPT ATC_SYM(store_import);
/* Joins bundles; the first that has a key wins, or the first whose entry of it is firm. */
ATC_API atc_status atc_store_merge(atc_bytes** out, const void* const* bundles, const size_t* sizes,
                                   size_t count) ATC_NOEXCEPT ATC_SYM(store_merge);

/* Equal digests = equal choices for equal keys, whether firm or provisional. */
ATC_API atc_status atc_store_digest(uint64_t* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_digest);
/* Reads every file; a line per bad one, empty when all are good. */
ATC_API atc_status atc_store_verify(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_verify);
/* Removes bad files, all but the newest `keep` entries, and files beside entries that none of them names, an hour
 * after they were written; `*removed` (may be NULL) says how many, what was beside a removed entry not counted. */
ATC_API atc_status atc_store_prune(uint64_t* removed, const atc_store* store, uint64_t keep) ATC_NOEXCEPT
    ATC_SYM(store_prune);

#ifdef __cplusplus
}
#endif
#endif /* ATC_STORE_H_ */
