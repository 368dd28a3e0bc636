/* atc: remembered decisions. A store is a directory with one folder per environment (device, library versions). A
 * folder has one small JSON file per decision and, beside that, a compressed file with the compiled form of the
 * decision's winner, if it was compiled. Any number of processes may use a store at once. */
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
  ATC_STORE_REPLAY_ONLY = 4 /* read only; a problem without a record is ATC_ERROR_NOT_TUNED */
};

/* May be used from several threads at once. */
typedef struct atc_store atc_store;

/* Opens the store in `directory`, which read-write mode makes if it is missing. `mode` 0: read-write. ATC_ERROR_IO
 * when the directory cannot be used. The caller closes `*out`. */
ATC_API atc_status atc_store_open(atc_store** out, const char* directory, atc_store_mode mode) ATC_NOEXCEPT
    ATC_SYM(store_open);
/* Opens a store in `count` layers: the first directory as atc_store_open does, the others for reading. A look-up joins the
 * decisions of all layers (the order of atc_store_merge), and decisions that another user or another machine wrote count
 * as received. New decisions are written to the first layer. Imports, exports, verify and prune work on the first layer
 * alone. A further directory that cannot be used is left out, with one warning; in replay-only mode it is ATC_ERROR_IO. */
ATC_API atc_status atc_store_open_layers(atc_store** out, const char* const* directories, size_t count,
                                         atc_store_mode mode) ATC_NOEXCEPT ATC_SYM(store_open_layers);
/* Closes the handle; NULL does nothing. A store in use (atc_store_use) stays in use, and plans that were made with the
 * handle work on. */
ATC_API void atc_store_close(atc_store* store) ATC_NOEXCEPT ATC_SYM(store_close);

/* From now on plan creation, eager calls and atc_tune of this process read and write `store`, in place of the store
 * used before (ATC_STORE's included); NULL: none. Calls whose options have a store of their own do not change. */
ATC_API atc_status atc_store_use(const atc_store* store) ATC_NOEXCEPT ATC_SYM(store_use);
/* `*out` is a new handle of the store in use, which the caller closes; NULL if none is in use. If ATC_MODE is
 * replay-only and ATC_STORE cannot be read (settings.h), it is a replay-only store without entries. */
ATC_API atc_status atc_store_in_use(atc_store** out) ATC_NOEXCEPT ATC_SYM(store_in_use);

typedef struct atc_store_info {
  uint32_t struct_size;
  atc_store_mode mode;
  uint64_t entries;
  char directory[1024];
} atc_store_info;
#define ATC_STORE_INFO_INIT ATC_SIZED(atc_store_info)

ATC_API atc_status atc_store_describe(atc_store_info* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_describe);

/* Reads the entry that a plan for (device, problem, options) would use, as JSON text: {"key": {"environment": …,
 * "problem": …}, "value": {"choice": …, "candidates": […], …}}. The value of a provisional decision has a member
 * "provisional": {"risk": …, "why": …, "budget": …}.
 * ATC_ERROR_NOT_TUNED when there is none. `options` may be NULL; its store and allocator are checked but not used, its progress is not called. */
ATC_API atc_status atc_store_get(atc_bytes** out, const atc_store* store, atc_device device,
                                 const atc_conv_problem* problem, const atc_conv_options* options)
    ATC_NOEXCEPT ATC_SYM(store_get);

/* 0 everywhere = defaults. Switches: 0 inherit, ATC_OFF, ATC_ON; 1 is ATC_OFF (atc_option_enable, base.h). */
typedef struct atc_store_put_options {
  uint32_t struct_size;
  int32_t replace_firm; /* 0: off. On: an entry whose value has "provisional" replaces one without, too */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the entry are kept. Whoever wrote them decides what runs
                           * here (docs/trust.md) */
  uint32_t reserved;      /* 0 */
} atc_store_put_options;
#define ATC_STORE_PUT_OPTIONS_INIT ATC_SIZED(atc_store_put_options)

/* Writes an entry, a JSON text as atc_store_get returns it, in place of one with the same key. An entry whose value has
 * "provisional" does not replace one without: the call then returns ATC_OK and changes nothing. `options` may be NULL.
 * ATC_ERROR_BAD_RECORD when the text is no entry; ATC_ERROR_IO when the entry could not be written (this process then
 * remembers it).
 * Compiled parts of the entry are left out, unless `options` trusts them. An entry that was put is marked as
 * "received", and its choice is checked before its first use (docs/trust.md). */
ATC_API atc_status atc_store_put(const atc_store* store, const char* entry, size_t size,
                                 const atc_store_put_options* options) ATC_NOEXCEPT ATC_SYM(store_put);
/* All valid entries, as the text of a JSON array. */
ATC_API atc_status atc_store_list(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_list);
/* Removes the entry that has the "key" of the JSON text `entry`. `*removed` (may be NULL) is 0 if there was none. */
ATC_API atc_status atc_store_remove(int32_t* removed, const atc_store* store, const char* entry,
                                    size_t size) ATC_NOEXCEPT ATC_SYM(store_remove);

/* How many of the valid entries are provisional. Reads every file. */
ATC_API atc_status atc_store_provisional(uint64_t* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_provisional);

/* A third state of atc_store_import_options.replace: the decisions of both entries, the best for each set of engines
 * and rewrites that were compared. Firm is better than provisional, then more engines and rewrites, then the smaller
 * risk; a hash decides between equal ones. Times are not compared. Stores that join the same bundles have the same
 * choices, whatever the order in which they join them. */
enum { ATC_REPLACE_JOIN = 3 };

/* 0 everywhere = defaults. Switches: 0 inherit, ATC_OFF, ATC_ON; 1 is ATC_OFF (atc_option_enable, base.h). */
typedef struct atc_store_import_options {
  uint32_t struct_size;
  int32_t replace; /* 0: off. On: entries of the bundle replace those of the store with the same keys, except firm ones
                    * for which the bundle has a provisional one. ATC_REPLACE_JOIN: both are joined */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundle are kept, as in atc_store_put_options */
  uint32_t reserved;      /* 0 */
} atc_store_import_options;
#define ATC_STORE_IMPORT_OPTIONS_INIT ATC_SIZED(atc_store_import_options)

/* 0 everywhere = defaults. Switches: 0 inherit, ATC_OFF, ATC_ON; 1 is ATC_OFF (atc_option_enable, base.h). */
typedef struct atc_store_merge_options {
  uint32_t struct_size;
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundles are kept, as in atc_store_put_options */
} atc_store_merge_options;
#define ATC_STORE_MERGE_OPTIONS_INIT ATC_SIZED(atc_store_merge_options)

/* Export writes all valid entries, with the compiled files beside them, into one bundle; import adds the entries of a
 * bundle to a store. Import keeps an entry that the store has already, except a provisional one for which the bundle
 * has a firm one. `added` is the number of entries written, new or in place of others, `kept` that of the rest; both
 * may be NULL, and so may `options`. Compiled parts are left out unless `options` trusts them, and entries are
 * marked, as by atc_store_put. ATC_ERROR_BAD_RECORD: the bundle is damaged, and nothing was changed. */
ATC_API atc_status atc_store_export(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_export);
ATC_API atc_status atc_store_import(uint64_t* added, uint64_t* kept, const atc_store* store,
                                    const void* bundle, size_t size,
                                    const atc_store_import_options* options) ATC_NOEXCEPT
    ATC_SYM(store_import);
/* Joins bundles as ATC_REPLACE_JOIN does, so that their order has no influence. Compiled parts are left out unless `options`, which may be NULL, trusts them. */
ATC_API atc_status atc_store_merge(atc_bytes** out, const void* const* bundles, const size_t* sizes,
                                   size_t count, const atc_store_merge_options* options) ATC_NOEXCEPT
    ATC_SYM(store_merge);

/* Stores with equal digests have equal choices for equal keys, whether firm or provisional. Where pins are in force
 * (atc_set_pins), their hash is a part of the digest: equal digests then mean equal decisions. */
ATC_API atc_status atc_store_digest(uint64_t* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_digest);
/* Reads every file. `*out` has a line for each bad file, and is empty when all are good. */
ATC_API atc_status atc_store_verify(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_verify);
/* Removes bad files, all entries but the newest `keep`, and compiled files that no entry names, the latter once they
 * are an hour old. `*removed` (may be NULL): the number of files removed, not counting compiled files that went with
 * their entry. */
ATC_API atc_status atc_store_prune(uint64_t* removed, const atc_store* store, uint64_t keep) ATC_NOEXCEPT
    ATC_SYM(store_prune);

#ifdef __cplusplus
}
#endif
#endif /* ATC_STORE_H_ */
