/* atc: what the entries of a store say, for people and for reports: problems, decisions with their candidates, and the
 * conditions under which they were measured. */
#ifndef ATC_STORE_ENTRIES_H_
#define ATC_STORE_ENTRIES_H_

#include "atc/base.h"
#include "atc/conv.h"
#include "atc/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A copy of all valid entries of a store. It never changes, and any number of threads may read it. */
typedef struct atc_store_entries atc_store_entries;

/* Reads every entry, in the order of atc_store_list, and the ceilings that the store keeps. The caller destroys `*out`.
 * The entries do not change if the store does. Any thread. ATC_ERROR_INVALID_ARGUMENT names a missing pointer. */
ATC_API atc_status atc_store_read(atc_store_entries** out, const atc_store* store) ATC_NOEXCEPT ATC_SYM(store_read);
ATC_API void atc_store_entries_destroy(atc_store_entries* entries) ATC_NOEXCEPT ATC_SYM(store_entries_destroy);

ATC_API atc_status atc_store_entries_count(size_t* out, const atc_store_entries* entries) ATC_NOEXCEPT
    ATC_SYM(store_entries_count);

/* One entry. If an entry holds several decisions, it is the one that is used first. An entry of another form than this
 * version writes has a `trouble`, and only those fields that can be read. Texts are never NULL. */
typedef struct atc_store_entry {
  uint32_t struct_size;
  int32_t technique;          /* ATC_TECHNIQUE_*; 0: not known */
  int32_t provisional;        /* 0 or 1 */
  int32_t threads;            /* of a CPU; 0: not known */
  int64_t winner;             /* index of the candidate, -1: none */
  int64_t default_candidate;  /* index of the candidate that runs without tuning, -1: none */
  int64_t original;           /* index of the program's own convolution (ATC_ENGINE_ORIGINAL), -1: none */
  uint64_t candidates;
  uint64_t executions;        /* of the race, all candidates together */
  double seconds;             /* that the race took */
  double risk;                /* as in atc_tuned_problem */
  double bytes;               /* x, w and y, each moved once; 0: not known */
  double flops;               /* of the direct method, products with padding included; 0: not known */
  double bytes_per_second;    /* the most that the entry's device moves, as measured; 0: not measured */
  double flops_per_second;    /* the most operations of this kind that it computes, as measured; 0: not measured */
  double power_limit_watts;   /* these four at the end of the race; 0: not known */
  double temperature_celsius;
  double clock_hz;
  double memory_clock_hz;
  const char* entry;          /* JSON text, as atc_store_get returns it */
  const char* key;            /* JSON text: equal for the same problem on the same machine */
  const char* problem;        /* one line: "forward f32 x 8×64×56×56 w …"; "" if it cannot be read */
  const char* choice;         /* "" if it cannot be read */
  const char* why;            /* why the decision is provisional, or "" */
  const char* trouble;        /* why the decision cannot be read, or "" */
  const char* device;         /* "cpu" or "cuda"; "": not known */
  const char* device_name;    /* "": not known */
  const char* libraries;      /* whose versions the key has: "onednn:3.2", separated by ',' without a space, or "" */
  const char* host;           /* the machine that measured the decision, or "" */
  const char* date;           /* of the race: "2026-01-31T12:00:00Z", or "" */
  const char* driver;         /* of the device; "": not known */
  const char* clocks_limited_by; /* the reasons that lowered the clocks during the race, one a line, or "" */
} atc_store_entry;
#define ATC_STORE_ENTRY_INIT ATC_SIZED(atc_store_entry)

/* Strings are borrowed from the entries. ATC_ERROR_INVALID_ARGUMENT for an index out of range. */
ATC_API atc_status atc_store_entries_describe(atc_store_entry* out, const atc_store_entries* entries,
                                              size_t index) ATC_NOEXCEPT ATC_SYM(store_entries_describe);
ATC_API atc_status atc_store_entries_candidate(atc_candidate* out, const atc_store_entries* entries, size_t index,
                                               size_t candidate) ATC_NOEXCEPT ATC_SYM(store_entries_candidate);

#ifdef __cplusplus
}
#endif
#endif /* ATC_STORE_ENTRIES_H_ */
