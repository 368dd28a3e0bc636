/* atc: the store, which keeps decisions on disk. A decision names the implementation that runs a convolution. A store
 * is a directory with one folder for each environment (device, library versions). A folder has one small JSON file
 * (an entry) for each decision. If the decision's winner was compiled, a compressed file with its compiled form lies
 * beside the entry. Any number of processes may use a store at once. */
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
  ATC_STORE_REPLAY_ONLY = 4 /* the store is only read, and a problem without a record is ATC_ERROR_NOT_TUNED */
};

/* A handle of an open store. May be used from several threads at once. */
typedef struct atc_store atc_store;

/* Opens the store in `directory`. If `mode` is 0 or read-write, a missing directory is made. ATC_ERROR_IO: the
 * directory cannot be used. The caller closes `*out`. */
ATC_API atc_status atc_store_open(atc_store** out, const char* directory, atc_store_mode mode) ATC_NOEXCEPT
    ATC_SYM(store_open);
/* Opens a store that consists of `count` directories (layers). The first directory is opened as by atc_store_open, and
 * the others are only read. A look-up joins the decisions of all layers in the order of atc_store_merge. Decisions that
 * another user or another machine wrote count as received. New decisions are written to the first layer. Imports,
 * exports, verify and prune work only on the first layer. If a further directory cannot be used, it is left out, with
 * one warning; in replay-only mode the function returns ATC_ERROR_IO. */
ATC_API atc_status atc_store_open_layers(atc_store** out, const char* const* directories, size_t count,
                                         atc_store_mode mode) ATC_NOEXCEPT ATC_SYM(store_open_layers);
/* Closes the handle; NULL does nothing. If the store is in use (atc_store_use), it remains in use. Plans that were
 * made with the handle keep working. */
ATC_API void atc_store_close(atc_store* store) ATC_NOEXCEPT ATC_SYM(store_close);

/* Sets the store in use: from now on plan creation, eager calls and atc_tune of this process read and write `store`.
 * It replaces the store that was in use before, also that of ATC_STORE. NULL: no store is in use. Calls whose options
 * have a store of their own use that store. */
ATC_API atc_status atc_store_use(const atc_store* store) ATC_NOEXCEPT ATC_SYM(store_use);
/* Writes a new handle of the store in use, which the caller closes, or NULL if no store is in use. If ATC_MODE is
 * replay-only and ATC_STORE cannot be read (settings.h), the handle is that of a replay-only store without entries. */
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

/* Reads the entry that a plan for (device, problem, options) would use. `*out` is a JSON text: {"key":
 * {"environment": …, "problem": …}, "value": {"choice": …, "candidates": […], …}}. If the decision is provisional
 * (uncertain), the value has a member "provisional": {"risk": …, "why": …, "budget": …}. ATC_ERROR_NOT_TUNED: there
 * is no such entry. `options` may be NULL; its store and allocator are checked but not used, and its progress
 * callback is not called. */
ATC_API atc_status atc_store_get(atc_bytes** out, const atc_store* store, atc_device device,
                                 const atc_conv_problem* problem, const atc_conv_options* options)
    ATC_NOEXCEPT ATC_SYM(store_get);

/* Options of atc_store_put. A field that is 0 has its default. A switch is 0 (inherit), ATC_OFF or ATC_ON. The number 1 is
 * ATC_OFF: use atc_option_enable (base.h). */
typedef struct atc_store_put_options {
  uint32_t struct_size;
  int32_t replace_firm; /* 0: off. On: a provisional entry (its value has a member "provisional") replaces a firm
                         * one, too */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the entry are kept. Whoever wrote these parts decides
                           * which code runs here (docs/trust.md) */
  uint32_t reserved;      /* 0 */
} atc_store_put_options;
#define ATC_STORE_PUT_OPTIONS_INIT ATC_SIZED(atc_store_put_options)

/* Writes an entry into the store, in place of an entry with the same key. The entry is a JSON text as atc_store_get
 * returns it. A provisional entry (its value has a member "provisional") does not replace a firm one: the call then
 * returns ATC_OK and changes nothing. Compiled parts of the entry are left out, unless `options` trusts them. An
 * entry that was put is marked as "received", and its choice is checked before its first use (docs/trust.md).
 * `options` may be NULL. ATC_ERROR_BAD_RECORD: the text is no entry. ATC_ERROR_IO: the entry could not be written;
 * this process remembers it nevertheless. */
ATC_API atc_status atc_store_put(const atc_store* store, const char* entry, size_t size,
                                 const atc_store_put_options* options) ATC_NOEXCEPT ATC_SYM(store_put);
/* Writes all valid entries of the store to `*out`, as the text of a JSON array. */
ATC_API atc_status atc_store_list(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_list);
/* Removes the entry whose "key" is equal to that of the JSON text `entry`. `*removed` (may be NULL) is 1 if there was
 * such an entry, else 0. */
ATC_API atc_status atc_store_remove(int32_t* removed, const atc_store* store, const char* entry,
                                    size_t size) ATC_NOEXCEPT ATC_SYM(store_remove);

/* Writes the number of valid entries of the store that are provisional. The call reads every file. */
ATC_API atc_status atc_store_provisional(uint64_t* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_provisional);

/* ATC_REPLACE_JOIN is a third state of atc_store_import_options.replace. If the store and the bundle have entries
 * with the same key, the decisions of both are kept: for each set of engines and rewrites that were compared, the
 * best decision. A firm decision is better than a provisional one; then the one with more engines and rewrites is
 * better, then the one with the smaller risk; a hash decides between equal ones. Times are not compared. Stores that
 * join the same bundles have the same choices, whatever the order in which they join them. */
enum { ATC_REPLACE_JOIN = 3 };

/* Options of atc_store_import. A field that is 0 has its default. A switch is 0 (inherit), ATC_OFF or ATC_ON. The number 1 is
 * ATC_OFF: use atc_option_enable (base.h). */
typedef struct atc_store_import_options {
  uint32_t struct_size;
  int32_t replace; /* 0: off: entries of the store remain. On: entries of the bundle replace entries of the store
                    * that have the same keys, but a provisional entry does not replace a firm one.
                    * ATC_REPLACE_JOIN: both are joined */
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundle are kept, as in atc_store_put_options */
  uint32_t reserved;      /* 0 */
} atc_store_import_options;
#define ATC_STORE_IMPORT_OPTIONS_INIT ATC_SIZED(atc_store_import_options)

/* Options of atc_store_merge. A field that is 0 has its default. A switch is 0 (inherit), ATC_OFF or ATC_ON. The number 1 is
 * ATC_OFF: use atc_option_enable (base.h). */
typedef struct atc_store_merge_options {
  uint32_t struct_size;
  int32_t trust_compiled; /* 0: off. On: compiled parts of the bundles are kept, as in atc_store_put_options */
} atc_store_merge_options;
#define ATC_STORE_MERGE_OPTIONS_INIT ATC_SIZED(atc_store_merge_options)

/* atc_store_export writes all valid entries of a store, and the compiled files beside them, into one bundle (a
 * sequence of bytes). atc_store_import adds the entries of a bundle to a store. An entry that the store already has
 * remains, except that a firm entry of the bundle replaces a provisional one. Compiled parts are left out unless
 * `options` trusts them, and imported entries are marked as "received", as by atc_store_put. `added` is the number of
 * entries that were written, and `kept` is the number of the others; both may be NULL, and so may `options`.
 * ATC_ERROR_BAD_RECORD: the bundle is damaged, and nothing was changed. */
ATC_API atc_status atc_store_export(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_export);
ATC_API atc_status atc_store_import(uint64_t* added, uint64_t* kept, const atc_store* store,
                                    const void* bundle, size_t size,
                                    const atc_store_import_options* options) ATC_NOEXCEPT
    ATC_SYM(store_import);
/* Joins several bundles into one, by the rules of ATC_REPLACE_JOIN, so their order has no influence. Compiled parts
 * are left out unless `options`, which may be NULL, trusts them. */
ATC_API atc_status atc_store_merge(atc_bytes** out, const void* const* bundles, const size_t* sizes,
                                   size_t count, const atc_store_merge_options* options) ATC_NOEXCEPT
    ATC_SYM(store_merge);

/* Writes a digest (a hash) of the store. Stores with equal digests have equal choices for equal keys, whether firm or
 * provisional. If pins are in force (atc_set_pins), their hash is a part of the digest: equal digests then mean equal
 * decisions. */
ATC_API atc_status atc_store_digest(uint64_t* out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_digest);
/* Checks every file of the store. `*out` has a line of text for each bad file, and is empty if all are good. */
ATC_API atc_status atc_store_verify(atc_bytes** out, const atc_store* store) ATC_NOEXCEPT
    ATC_SYM(store_verify);
/* Removes files from the store: bad files, all entries except the newest `keep`, and compiled files that no entry
 * names and that are at least an hour old. `*removed` (may be NULL) is the number of files that were removed. It does
 * not count compiled files that were removed together with their entry. */
ATC_API atc_status atc_store_prune(uint64_t* removed, const atc_store* store, uint64_t keep) ATC_NOEXCEPT
    ATC_SYM(store_prune);

#ifdef __cplusplus
}
#endif
#endif /* ATC_STORE_H_ */
