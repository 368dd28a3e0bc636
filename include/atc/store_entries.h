/* atc: the entries of a store as C structs, for programs that print or report them. An entry has a
 * problem, its decision, the candidates (the implementations that were compared), and the
 * conditions of the measurement. */
#ifndef ATC_STORE_ENTRIES_H_
#define ATC_STORE_ENTRIES_H_

#include "atc/base.h"
#include "atc/conv.h"
#include "atc/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A copy of all valid entries of a store. The copy never changes, and any number of threads may read it. */
typedef struct atc_store_entries atc_store_entries;

/* Reads every entry of a store, in the order of atc_store_list, and the ceilings (measured limits of the device's
 * speed) that the store keeps. The caller destroys `*out`. If the store changes later, `*out` does
 * not change. Any thread may call the function. ATC_ERROR_INVALID_ARGUMENT: the error text names a
 * missing pointer. */
ATC_API atc_status atc_store_read(atc_store_entries** out, const atc_store* store) ATC_NOEXCEPT ATC_SYM(store_read);
ATC_API void atc_store_entries_destroy(atc_store_entries* entries) ATC_NOEXCEPT ATC_SYM(store_entries_destroy);

ATC_API atc_status atc_store_entries_count(size_t* out, const atc_store_entries* entries) ATC_NOEXCEPT
    ATC_SYM(store_entries_count);

/* One entry of a store. If the entry holds several decisions, the struct describes the decision that is used first.
 * If this version of atc cannot read an entry (for example an entry of a newer version), `trouble`
 * has the reason, and only the readable fields are set. Texts are never NULL. */
typedef struct atc_store_entry {
  uint32_t struct_size;
  int32_t technique;          /* how candidates were timed, ATC_TECHNIQUE_*; 0: not known */
  int32_t provisional;        /* 1 if the decision is provisional (uncertain), else 0 */
  int32_t threads;            /* number of threads with which convolutions ran in the race, if the
                               * device is a CPU; 0: not known */
  int64_t winner;             /* index of the winning candidate; -1: none */
  int64_t default_candidate;  /* index of the candidate that runs without tuning; -1: none */
  int64_t original;           /* index of the candidate that is the program's own convolution
                               * (ATC_ENGINE_ORIGINAL); -1: none */
  uint64_t candidates;
  uint64_t executions;        /* number of executions of all candidates in the race */
  double seconds;             /* seconds that the race took */
  double risk;                /* for a provisional decision: the fraction by which the choice may be
                               * slower than another candidate; as in atc_tuned_problem */
  double bytes;               /* the sizes of x, w and y together, in bytes; 0: not known */
  double flops;               /* number of floating-point operations if the sums are computed as
                               * defined, including products with the zeros of the padding; 0: not
                               * known */
  double bytes_per_second;    /* the largest measured rate at which the device of the entry moves
                               * data, in bytes per second; 0: not measured */
  double flops_per_second;    /* the largest measured rate at which the device computes with the
                               * problem's data types, in operations per second; 0: not measured */
  double power_limit_watts;   /* power limit of the device in watts. Like the next three fields
                               * (temperature and clocks), it was read at the end of the race. 0:
                               * not known */
  double temperature_celsius;
  double clock_hz;
  double memory_clock_hz;
  const char* entry;          /* the entry as JSON text, as atc_store_get returns it */
  const char* key;            /* the key of the entry as JSON text: the problem, the options that
                               * change which results are allowed, and the environment (device,
                               * driver and versions of libraries) */
  const char* problem;        /* the problem in one line, "forward f32 x 8×64×56×56 w …"; "" if it cannot be read */
  const char* choice;         /* the chosen implementation (engine, version and configuration); "" if it cannot be read */
  const char* why;            /* why the decision is provisional, or "" */
  const char* trouble;        /* why the decision cannot be read, or "" */
  const char* device;         /* type of the device, "cpu" or "cuda"; "": not known */
  const char* device_name;    /* name of the device; "": not known */
  const char* libraries;      /* the libraries whose versions the key of the entry contains, with
                               * these versions: "onednn:3.2". Several are separated by ',' without
                               * a space. "": none */
  const char* host;           /* the machine that measured the decision, or "" */
  const char* date;           /* date and time of the race, "2026-01-31T12:00:00Z", or "" */
  const char* driver;         /* version of the device's driver; "": not known */
  const char* clocks_limited_by; /* the reasons why the clocks were lowered during the race, one per
                                  * line; or "" */
} atc_store_entry;
#define ATC_STORE_ENTRY_INIT ATC_SIZED(atc_store_entry)

/* atc_store_entries_describe writes the entry `index`. atc_store_entries_candidate writes one
 * candidate of this entry. Strings are valid as long as `entries`. ATC_ERROR_INVALID_ARGUMENT: an
 * index is out of range. */
ATC_API atc_status atc_store_entries_describe(atc_store_entry* out, const atc_store_entries* entries,
                                              size_t index) ATC_NOEXCEPT ATC_SYM(store_entries_describe);
ATC_API atc_status atc_store_entries_candidate(atc_candidate* out, const atc_store_entries* entries, size_t index,
                                               size_t candidate) ATC_NOEXCEPT ATC_SYM(store_entries_candidate);

#ifdef __cplusplus
}
#endif
#endif /* ATC_STORE_ENTRIES_H_ */
