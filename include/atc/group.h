/* atc: the ranks of a job decide together, so that ranks on equal machines run the same
 * implementations (docs/distributed.md). A rank is one of the processes of a job. A decision is the
 * choice of an implementation for a convolution.
 *
 * In the steps of the job, calls with the option `tune` = ATC_TUNE_LATER measure nothing. Between two steps all ranks
 * call atc_tune with a group:
 *
 *   atc_group group = ATC_GROUP_INIT;
 *   atc_group_open_folder(&group, "/shared/job-17", rank, size, "attempt-0");
 *   options.group = &group, options.problems = problems;  (problems.h)
 *   atc_tune(&report, device, NULL, 0, &options, NULL, NULL);
 *   atc_group_close(&group);
 *
 * A class is a set of ranks that have the same device, library versions, engines and terms (options
 * on which a choice depends). After the call all ranks of a class use the same decisions. If one
 * rank is missing or fails, atc_tune returns ATC_ERROR_NOT_AGREED on all ranks, and no rank uses a
 * new decision.
 */
#ifndef ATC_GROUP_H_
#define ATC_GROUP_H_

#include "atc/base.h"
#include "atc/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function of atc. The callbacks `create` and `get` of a group call it to pass the value of a key
 * to atc, at most once in each of their calls. atc copies the value. If the function returns a
 * status other than ATC_OK, the callback (`create` or `get`) must return this status. */
typedef atc_status (*atc_group_answer)(const void* value, size_t size, void* payload);

/* A rank, and the store of keys and values that the rank shares with the other ranks. The store may
 * be a folder (atc_group_open_folder), a store of LibTorch's c10d (docs/distributed.md), or any
 * other store that the callbacks `create` and `get` can access. Everybody who can write to this
 * store can determine which implementations the ranks run (docs/trust.md).
 *
 * atc promises that a key has at most 512 bytes, all ASCII, and that a value has at most 1 MiB. In
 * a call all ranks together write at most 4 MiB to the store. atc asks `get` to wait for at most 1
 * s, and never changes or removes a key. The callbacks are called by the thread that calls
 * atc_tune, without a lock of atc, and never inside a convolution. They must return normally, and
 * may set an error text (atc_error_set). If a callback fails, atc_tune returns ATC_ERROR_IO. */
typedef struct atc_group {
  uint32_t struct_size;
  uint32_t rank;           /* from 0 to size - 1 */
  uint32_t size;           /* the number of ranks of the job */
  uint32_t reserved;       /* 0 */
  double bound_seconds;    /* the longest time, in seconds, that a rank waits for the other ranks
                            * while none of them makes progress; 0: 60 s */
  const char* prefix;      /* the text with which all keys of the group begin, 1 to 380 bytes. Each
                            * job, and each attempt to run it, must have its own prefix. atc appends
                            * a number to the prefix, which counts the calls of atc_tune with this
                            * prefix */
  void* user;              /* passed to each callback */
  /* A callback. If the key does not exist, it writes the value. If the key exists, it leaves the
   * key unchanged. In both cases it passes the value that the key has now to `answer`. */
  atc_status (*create)(void* user, const char* key, const void* value, size_t size, atc_group_answer answer,
                       void* payload);
  /* A callback. It waits until the key exists, but at most `timeout_seconds`. If the key exists, it
   * passes the value to `answer`. Otherwise it returns ATC_OK without a call of `answer`. */
  atc_status (*get)(void* user, const char* key, double timeout_seconds, atc_group_answer answer, void* payload);
  /* atc_group_close calls this function, to free `user`. NULL: there is nothing to free. */
  void (*destroy)(void* user);
} atc_group;
#define ATC_GROUP_INIT ATC_SIZED(atc_group)

/* Makes a group for jobs without LibTorch. The ranks communicate through a folder that all of them
 * can read and write. If the folder does not exist, it is made. Each key becomes a small file. atc
 * does not remove these files: remove the folder after the job. A folder on NFS, version 3 or
 * newer, is possible. Close `*out` with atc_group_close. ATC_ERROR_IO: the folder cannot be
 * made. */
ATC_API atc_status atc_group_open_folder(atc_group* out, const char* path, uint32_t rank, uint32_t size,
                                         const char* prefix) ATC_NOEXCEPT ATC_SYM(group_open_folder);
/* Calls `destroy` of the group and sets the pointers of the struct to NULL. If `group` is NULL or
 * was not opened, nothing happens. */
ATC_API void atc_group_close(atc_group* group) ATC_NOEXCEPT ATC_SYM(group_close);

/* The outcome of a call of atc_tune with a group: whether the ranks have agreed, and why not. (The
 * decisions are in the report.) */
typedef struct atc_agreement {
  uint32_t struct_size;
  int32_t agreed;       /* 1: the ranks have agreed. 0: no new decision is used; `rank` and `reason`
                         * have the cause */
  uint64_t rank;        /* if the ranks have not agreed: the number of the rank that caused this */
  uint64_t classes;     /* the number of classes; 0 if the ranks have not agreed */
  uint64_t own_class;   /* the index of the class of this rank */
  const char* reason;   /* why the ranks have not agreed; "" if the ranks have agreed */
  const char* digest;   /* a hash of the decisions of this rank's class. The hash is equal on all
                         * ranks of the class. "" if the ranks have not agreed */
} atc_agreement;
#define ATC_AGREEMENT_INIT ATC_SIZED(atc_agreement)

/* A class: ranks that have equal environments (device, versions, engines, terms), and therefore use
 * the same decisions. */
typedef struct atc_agreement_class {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t count;           /* the number of ranks of the class */
  const uint64_t* ranks;    /* the ranks of the class, in ascending order */
  const char* environment;  /* the environment as JSON: device and versions, engines, terms */
  const char* differences;  /* the differences between this environment and the environment of the
                             * first class; "" for the first class */
} atc_agreement_class;
#define ATC_AGREEMENT_CLASS_INIT ATC_SIZED(atc_agreement_class)

/* atc_tune_report_agreement writes the agreement of the ranks. atc_tune_report_class writes the
 * class `index`. The pointers in the structs are valid until the report is destroyed.
 * ATC_ERROR_INVALID_ARGUMENT: the call that made the report had no group, or there is no class with
 * this index. */
ATC_API atc_status atc_tune_report_agreement(atc_agreement* out, const atc_tune_report* report) ATC_NOEXCEPT
    ATC_SYM(tune_report_agreement);
ATC_API atc_status atc_tune_report_class(atc_agreement_class* out, const atc_tune_report* report, size_t index)
    ATC_NOEXCEPT ATC_SYM(tune_report_class);

#ifdef __cplusplus
}
#endif
#endif /* ATC_GROUP_H_ */
