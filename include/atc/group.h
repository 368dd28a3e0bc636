/* atc: the ranks of a job decide together (docs/distributed.md).
 *
 * A rank is one of the processes of a job. Calls with the option `tune` = ATC_TUNE_LATER measure nothing. Between two
 * steps all ranks call atc_tune with a group:
 *
 *   atc_group group = ATC_GROUP_INIT;
 *   atc_group_open_folder(&group, "/shared/job-17", rank, size, "attempt-0");
 *   options.group = &group;
 *   options.problems = problems;                    (problems.h)
 *   atc_tune(&report, device, NULL, 0, &options, NULL, NULL);
 *   atc_group_close(&group);
 *
 * Afterwards all ranks of a class (ranks with equal devices, versions, engines and terms) use the same decisions. If one
 * rank is missing or fails, atc_tune returns ATC_ERROR_NOT_AGREED on all of them, and nothing new is used.
 */
#ifndef ATC_GROUP_H_
#define ATC_GROUP_H_

#include "atc/base.h"
#include "atc/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the value of a key; atc copies it. A function of atc, for `create` and `get` to call once at most. The callback
 * returns any status but ATC_OK. */
typedef atc_status (*atc_group_answer)(const void* value, size_t size, void* payload);

/* A rank, and the store of keys that it shares with the other ranks: a folder (atc_group_open_folder), LibTorch's c10d
 * (docs/distributed.md), or any other store with two functions. Whoever writes to this store decides what the ranks
 * run (docs/trust.md).
 *
 * atc promises: a key has at most 512 bytes of ASCII, a value at most 1 MiB; all ranks together leave at most 4 MiB
 * behind in a call; `get` is asked to wait for 1 s at most; no key is changed or removed. The callbacks are called by
 * the thread that calls atc_tune, without a lock of atc's, and never inside a convolution. They return normally, and
 * may set a text (atc_error_set). If one fails, atc_tune returns ATC_ERROR_IO. */
typedef struct atc_group {
  uint32_t struct_size;
  uint32_t rank;           /* from 0 to size - 1 */
  uint32_t size;           /* how many ranks the job has */
  uint32_t reserved;       /* 0 */
  double bound_seconds;    /* how long a rank waits without progress at most; 0: 60 s */
  const char* prefix;      /* 1 to 380 bytes, with which all keys begin: of this job and this attempt alone. atc adds the
                            * number of the call, which each process counts for each prefix */
  void* user;              /* handed to each callback */
  /* Writes the value if the key does not exist. Passes the value that the key has afterwards to `answer`. */
  atc_status (*create)(void* user, const char* key, const void* value, size_t size, atc_group_answer answer,
                       void* payload);
  /* Waits until the key exists, `timeout_seconds` at most. Passes its value to `answer`, or returns ATC_OK without an
   * answer if it does not exist by then. */
  atc_status (*get)(void* user, const char* key, double timeout_seconds, atc_group_answer answer, void* payload);
  /* Called by atc_group_close; NULL: nothing. */
  void (*destroy)(void* user);
} atc_group;
#define ATC_GROUP_INIT ATC_SIZED(atc_group)

/* A group over a folder that all ranks see, for jobs without LibTorch. The folder is made if it does not exist. Each key
 * becomes a small file, which atc does not remove: remove the folder after the job. NFS, version 3 or newer, is enough.
 * `*out` is closed by atc_group_close. ATC_ERROR_IO if the folder cannot be made. */
ATC_API atc_status atc_group_open_folder(atc_group* out, const char* path, uint32_t rank, uint32_t size,
                                         const char* prefix) ATC_NOEXCEPT ATC_SYM(group_open_folder);
/* Calls `destroy` of the group and empties the struct. NULL, and a group that was not opened, are ignored. */
ATC_API void atc_group_close(atc_group* group) ATC_NOEXCEPT ATC_SYM(group_close);

/* What the ranks of a call have agreed on. */
typedef struct atc_agreement {
  uint32_t struct_size;
  int32_t agreed;       /* 0: nothing new is used; `rank` and `reason` say why */
  uint64_t rank;        /* because of which the ranks have not agreed */
  uint64_t classes;     /* how many there are; 0 unless agreed */
  uint64_t own_class;   /* the index of the class of this rank */
  const char* reason;   /* "" if agreed */
  const char* digest;   /* of the decisions of this rank's class, equal on all its ranks; "" unless agreed */
} atc_agreement;
#define ATC_AGREEMENT_INIT ATC_SIZED(atc_agreement)

/* Ranks that decided together, because they have equal environments. */
typedef struct atc_agreement_class {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t count;           /* of its ranks */
  const uint64_t* ranks;    /* in ascending order */
  const char* environment;  /* JSON: device and versions, engines, terms */
  const char* differences;  /* from the environment of the first class; "" for the first class */
} atc_agreement_class;
#define ATC_AGREEMENT_CLASS_INIT ATC_SIZED(atc_agreement_class)

/* Pointers are borrowed from the report. ATC_ERROR_INVALID_ARGUMENT if the call of the report had no group, or for an
 * index out of range. */
ATC_API atc_status atc_tune_report_agreement(atc_agreement* out, const atc_tune_report* report) ATC_NOEXCEPT
    ATC_SYM(tune_report_agreement);
ATC_API atc_status atc_tune_report_class(atc_agreement_class* out, const atc_tune_report* report, size_t index)
    ATC_NOEXCEPT ATC_SYM(tune_report_class);

#ifdef __cplusplus
}
#endif
#endif /* ATC_GROUP_H_ */
