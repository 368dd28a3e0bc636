/* atc: the store, which keeps decisions on disk. A decision names the implementation that runs a convolution. A store
 * is a directory with one folder for each environment (device, library versions). A folder has one small JSON file
 * (an entry) for each decision. If the decision's winner was compiled, a compressed file with the
 * compiled form of the winner lies beside the entry. Any number of processes may use a store at
 * once. */
#ifndef ATC_STORE_H_
#define ATC_STORE_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t atc_store_mode;
enum {
  ATC_STORE_OFF = 1,        /* the store is neither read nor written */
  ATC_STORE_READ = 2,
  ATC_STORE_READ_WRITE = 3, /* default */
  ATC_STORE_REPLAY_ONLY = 4 /* the store is only read, and nothing is measured. A call whose problem
                             * has no record fails with ATC_ERROR_NOT_TUNED */
};

/* A handle of an open store. Several threads may use it at once. */
typedef struct atc_store atc_store;

/* Opens the store in `directory`. `mode` is ATC_STORE_*, or 0 for the default (read-write). In
 * read-write mode the directory is created if it does not exist. ATC_ERROR_IO: the directory cannot
 * be used. The caller closes `*out`. */
ATC_API atc_status atc_store_open(atc_store** out, const char* directory, atc_store_mode mode) ATC_NOEXCEPT
    ATC_SYM(store_open);
/* Opens a store that consists of `count` directories (layers). The first directory is opened as by atc_store_open, and
 * the others are only read. If several layers have decisions for a problem, the best decision is
 * used, by the rules of ATC_REPLACE_JOIN. If another user or another machine wrote a decision, atc
 * checks its choice before the first use (docs/trust.md). New decisions are written to the first
 * layer. Imports, exports, verify and prune work only on the first layer. If one of the other
 * directories cannot be used, this directory is skipped, and one warning is logged; in replay-only
 * mode the function returns ATC_ERROR_IO instead. */
ATC_API atc_status atc_store_open_layers(atc_store** out, const char* const* directories, size_t count,
                                         atc_store_mode mode) ATC_NOEXCEPT ATC_SYM(store_open_layers);
/* Closes the handle; NULL does nothing. If the store is in use (atc_store_use), it remains in use. Plans that were
 * made with the handle keep working. */
ATC_API void atc_store_close(atc_store* store) ATC_NOEXCEPT ATC_SYM(store_close);

/* Sets the store in use: from now on plan creation, eager calls and atc_tune of this process read
 * and write `store`. This store replaces the store that was in use before, also the store of
 * ATC_STORE. NULL: no store is in use. If the options of a call have a store, the call uses that
 * store. */
ATC_API atc_status atc_store_use(const atc_store* store) ATC_NOEXCEPT ATC_SYM(store_use);
/* Writes a new handle of the store in use to `*out`. The caller closes the handle. If no store is
 * in use, writes NULL. If ATC_MODE is replay-only and ATC_STORE cannot be read (settings.h), the
 * function writes the handle of a replay-only store without entries. */
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

/* Reads the entry (the stored decision) that a plan of this device, problem and options would use.
 * `*out` is a JSON text: {"key": {"environment": …, "problem": …}, "value": {"choice": …,
 * "candidates": […], …}}. If the decision is provisional (uncertain), the value has a member
 * "provisional": {"risk": …, "why": …, "budget": …}. ATC_ERROR_NOT_TUNED: there is no such entry.
 * `options` may be NULL. The fields `store` and `allocator` of `options` are checked but not used.
 * The progress callback is not called. */
ATC_API atc_status atc_store_get(atc_bytes** out, const atc_store* store, atc_device device,
                                 const atc_conv_problem* problem, const atc_conv_options* options)
    ATC_NOEXCEPT ATC_SYM(store_get);

/* Options of atc_store_put. A field that is 0 has its default. A switch is 0 (default), ATC_OFF or
 * ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h). */
typedef struct atc_store_put_options {
  uint32_t struct_size;
  int32_t replace_firm; /* 0: off. On: the new entry may replace a firm entry even if the new entry
                         * is provisional, that is, uncertain (its value has a member
                         * "provisional") */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the entry (machine code of its winner)
                           * are kept. Whoever wrote these parts determines which code runs here
                           * (docs/trust.md) */
  uint32_t reserved;      /* 0 */
} atc_store_put_options;
#define ATC_STORE_PUT_OPTIONS_INIT ATC_SIZED(atc_store_put_options)

/* Writes an entry into the store. The entry is a JSON text in the form that atc_store_get returns.
 * If the store has an entry with the same key, the new entry replaces it. But a provisional entry
 * (its value has a member "provisional") does not replace a firm entry, unless `replace_firm` is
 * on: the call then returns ATC_OK and changes nothing. Compiled parts of the entry are removed,
 * unless `trust_compiled` is on. The entry is marked as "received" (not measured here), so its
 * choice is checked before its first use (docs/trust.md). `options` may be NULL.
 * ATC_ERROR_BAD_RECORD: the text is not a valid entry. ATC_ERROR_IO: the entry could not be
 * written; but this process remembers the entry and uses it. */
ATC_API atc_status atc_store_put(const atc_store* store, const char* entry, size_t size,
                                 const atc_store_put_options* options) ATC_NOEXCEPT ATC_SYM(store_put);
/* Writes all valid entries of the store to `*out`, as the text of one JSON array. Each element has
 * the form that atc_store_get describes. */
ATC_API atc_status atc_store_list(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_list);
/* Removes an entry. `entry` is a JSON text of `size` bytes, as atc_store_get returns it; the entry
 * with the same "key" is removed. `*removed` (`removed` may be NULL) is 1 if the store had this
 * entry, else 0. */
ATC_API atc_status atc_store_remove(int32_t* removed, const atc_store* store, const char* entry,
                                    size_t size) ATC_NOEXCEPT ATC_SYM(store_remove);

/* Writes the number of valid entries of the store whose decision is provisional (uncertain). The
 * call reads all files of the store. */
ATC_API atc_status atc_store_provisional(uint64_t* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_provisional);

/* ATC_REPLACE_JOIN is a third state of atc_store_import_options.replace. If the store and the
 * bundle have entries with the same key, the two entries are joined. Each decision was made by
 * comparing a certain set of engines and rewrites. For each such set, the joined entry keeps the
 * best decision. A firm decision is better than a provisional decision. Between two firm or two
 * provisional decisions, the one that compared more engines and rewrites is better, then the one
 * with the smaller risk. If all of these are equal, a hash decides. Times are not compared. If two
 * stores join the same bundles, they have the same choices, and the order of joining has no
 * influence. */
enum { ATC_REPLACE_JOIN = 3 };

/* Options of atc_store_import. A field that is 0 has its default. A switch is 0 (default), ATC_OFF
 * or ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h). */
typedef struct atc_store_import_options {
  uint32_t struct_size;
  int32_t replace; /* the rule for an entry of the bundle whose key the store already has. 0: off:
                    * the store's entry remains, unless it is provisional (uncertain) and the
                    * bundle's entry is firm. On: the bundle's entry replaces the store's entry,
                    * unless it is provisional and the store's entry is firm. ATC_REPLACE_JOIN: the
                    * two entries are joined */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundle (machine code) are kept.
                           * Whoever wrote these parts determines which code runs here
                           * (docs/trust.md) */
  uint32_t reserved;      /* 0 */
} atc_store_import_options;
#define ATC_STORE_IMPORT_OPTIONS_INIT ATC_SIZED(atc_store_import_options)

/* Options of atc_store_merge. A field that is 0 has its default. A switch is 0 (default), ATC_OFF
 * or ATC_ON. The number 1 means ATC_OFF: to turn a switch on, use atc_option_enable (base.h). */
typedef struct atc_store_merge_options {
  uint32_t struct_size;
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundles (machine code) are kept.
                           * Whoever wrote these parts determines which code runs here
                           * (docs/trust.md) */
} atc_store_merge_options;
#define ATC_STORE_MERGE_OPTIONS_INIT ATC_SIZED(atc_store_merge_options)

/* atc_store_export writes all valid entries of a store, and the compiled files beside them, into one bundle (a
 * sequence of bytes). atc_store_import adds the entries of a bundle to a store. If the store
 * already has an entry with the same key, `options->replace` decides. By default the entry of the
 * store remains, except that a firm entry of the bundle replaces a provisional one. As in
 * atc_store_put, compiled parts are removed unless `trust_compiled` is on, and imported entries are
 * marked as "received". `*added` is the number of entries of the bundle that were written. `*kept`
 * is the number of entries of the bundle that were not written. `added`, `kept` and `options` may
 * be NULL. ATC_ERROR_BAD_RECORD: the bundle is damaged, and nothing was changed. */
ATC_API atc_status atc_store_export(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_export);
ATC_API atc_status atc_store_import(uint64_t* added, uint64_t* kept, const atc_store* store,
                                    const void* bundle, size_t size,
                                    const atc_store_import_options* options) ATC_NOEXCEPT
    ATC_SYM(store_import);
/* Joins several bundles into one bundle, by the rules of ATC_REPLACE_JOIN. The order of the bundles
 * has no influence on the result. Compiled parts are removed unless `trust_compiled` is on.
 * `options` may be NULL. The caller destroys `*out`. */
ATC_API atc_status atc_store_merge(atc_bytes** out, const void* const* bundles, const size_t* sizes,
                                   size_t count, const atc_store_merge_options* options) ATC_NOEXCEPT
    ATC_SYM(store_merge);

/* Writes a digest (a hash) of the store. If two stores have equal digests, they have equal choices
 * for equal keys; firm and provisional choices count alike. If pins are in force (atc_set_pins),
 * the hash of the pins is a part of the digest. So processes with equal digests make equal
 * decisions, even with pins. */
ATC_API atc_status atc_store_digest(uint64_t* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_digest);
/* Checks every file of the store. `*out` is a text with one line for each damaged file. The text is
 * empty if no file is damaged. The caller destroys `*out`. */
ATC_API atc_status atc_store_verify(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_verify);
/* Removes files from the store. Three kinds of files are removed: damaged files; all entries except
 * the newest `keep`; and compiled files that no entry names and that are at least one hour old.
 * `*removed` (`removed` may be NULL) is the number of removed files. If a compiled file is removed
 * together with its entry, only the entry counts. */
ATC_API atc_status atc_store_prune(uint64_t* removed, const atc_store* store, uint64_t keep) ATC_NOEXCEPT
    ATC_SYM(store_prune);

#ifdef __cplusplus
}
#endif
#endif /* ATC_STORE_H_ */
