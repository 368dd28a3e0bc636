/* atc: the switches of a process, each with a setter and a getter, and one call that prepares a repeatable run.
 *
 * Every switch may be set on every machine. Without CUDA a setter returns ATC_OK, and the getter
 * returns the value that was set. (The queries of device.h return whether there is CUDA.) Of the
 * switches whose names end in `_cudnn`, only deterministic_cudnn has an effect on the CPU: it
 * excludes implementations that are not bitwise repeatable. A change takes effect at the next plan
 * creation and the next eager call, on every thread, even if the problem ran before. Existing plans
 * do not change.
 *
 * A value that a call sets takes precedence over the environment. The environment takes precedence
 * over the default. The environment variables (docs/environment.md lists them) are read once, at
 * the first call that needs them. A malformed value is ignored, and one line is logged. Some
 * variables are promises about results (docs/trust.md), so their malformed values are not ignored:
 * - A malformed ATC_DETERMINISTIC counts as 1, and one line is logged.
 * - Every call that needs a decision fails in three cases: ATC_PINS does not name a valid pin file;
 *   ATC_MODE is malformed; ATC_MODE is replay-only and the store of ATC_STORE cannot be read. The
 *   error text names the variable. Such calls succeed again after the program itself has set pins
 *   (atc_set_pins) or a store (atc_store_use). Meanwhile switches can be set and read.
 *
 * All functions may be called from any thread at any time. */
#ifndef ATC_SETTINGS_H_
#define ATC_SETTINGS_H_

#include "atc/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The technique by which candidates are timed. docs/tuning.md describes the techniques. The first
 * three are defined as in cuDNN's frontend. */
typedef int32_t atc_technique;
enum {
  ATC_TECHNIQUE_ONCE = 1,
  ATC_TECHNIQUE_MEDIAN_OF_THREE = 2,
  ATC_TECHNIQUE_TILL_STABLE = 3,
  ATC_TECHNIQUE_INTERLEAVED = 4, /* default */
  ATC_TECHNIQUE_SUSTAINED = 5    /* each of the best candidates is executed for so long that the
                                  * clock frequencies of the device become stable, and only then is
                                  * timed */
};

/* The behaviour of an operation that has no deterministic implementation. */
enum {
  ATC_DETERMINISTIC_ALGORITHMS_OFF = 1, /* default */
  ATC_DETERMINISTIC_ALGORITHMS_WARN = 2,
  ATC_DETERMINISTIC_ALGORITHMS_ERROR = 3
};

/* ---- Switches. A setter returns ATC_ERROR_INVALID_ARGUMENT if a boolean is neither 0 nor 1. A getter
 * returns ATC_ERROR_INVALID_ARGUMENT if `out` is NULL. ---------------------------------------------- */

/* benchmark_cudnn: if 1, the candidates of CUDA convolutions are measured, and the fastest is used.
 * Default 0. */
ATC_API atc_status atc_set_benchmark_cudnn(int32_t enabled) ATC_NOEXCEPT ATC_SYM(set_benchmark_cudnn);
ATC_API atc_status atc_get_benchmark_cudnn(int32_t* out) ATC_NOEXCEPT ATC_SYM(get_benchmark_cudnn);

/* benchmark_limit_cudnn: the largest number of cuDNN's candidates that are timed for one
 * convolution. 0: no limit. Default 10. With a bias, each of these candidates is timed in two
 * forms: with the bias fused, and with the bias added by a separate pass. The number of candidates
 * of other engines is limited separately (docs/engines.md). A negative limit is
 * ATC_ERROR_INVALID_ARGUMENT. */
ATC_API atc_status atc_set_benchmark_limit_cudnn(int32_t limit) ATC_NOEXCEPT
    ATC_SYM(set_benchmark_limit_cudnn);
ATC_API atc_status atc_get_benchmark_limit_cudnn(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_benchmark_limit_cudnn);

/* user_enabled_cudnn: if 0, the engine `cudnn` is not used. Default 1. */
ATC_API atc_status atc_set_user_enabled_cudnn(int32_t enabled) ATC_NOEXCEPT
    ATC_SYM(set_user_enabled_cudnn);
ATC_API atc_status atc_get_user_enabled_cudnn(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_user_enabled_cudnn);

/* deterministic_cudnn: if 1, only deterministic convolution kernels are used. Default 0. */
ATC_API atc_status atc_set_deterministic_cudnn(int32_t enabled) ATC_NOEXCEPT
    ATC_SYM(set_deterministic_cudnn);
ATC_API atc_status atc_get_deterministic_cudnn(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_deterministic_cudnn);

/* deterministic_algorithms: ATC_DETERMINISTIC_ALGORITHMS_*. For convolutions WARN and ERROR have
 * the same effect: only deterministic kernels are used. If a bridge (for example to LibTorch) is
 * loaded, the switch applies to all operators of the framework. */
ATC_API atc_status atc_set_deterministic_algorithms(int32_t mode) ATC_NOEXCEPT
    ATC_SYM(set_deterministic_algorithms);
ATC_API atc_status atc_get_deterministic_algorithms(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_deterministic_algorithms);

/* allow_tf32_cudnn: if 1, fp32 convolutions on CUDA may use TF32. Default 1, as in LibTorch. */
ATC_API atc_status atc_set_allow_tf32_cudnn(int32_t enabled) ATC_NOEXCEPT ATC_SYM(set_allow_tf32_cudnn);
ATC_API atc_status atc_get_allow_tf32_cudnn(int32_t* out) ATC_NOEXCEPT ATC_SYM(get_allow_tf32_cudnn);

/* benchmark_technique: the technique (ATC_TECHNIQUE_*) by which tuning times the candidates of a
 * convolution. Default ATC_TECHNIQUE_INTERLEAVED. */
ATC_API atc_status atc_set_benchmark_technique(atc_technique technique) ATC_NOEXCEPT
    ATC_SYM(set_benchmark_technique);
ATC_API atc_status atc_get_benchmark_technique(atc_technique* out) ATC_NOEXCEPT
    ATC_SYM(get_benchmark_technique);

/* workspace_limit: the most bytes of workspace that a candidate may use. The limit is rounded down to a class (0, 32
 * MiB, 256 MiB, 1 GiB, 4 GiB), and the getter returns the class. The decisions of different classes
 * are separate. ATC_UNLIMITED means the largest class. Default 1 GiB. */
ATC_API atc_status atc_set_workspace_limit(uint64_t bytes) ATC_NOEXCEPT ATC_SYM(set_workspace_limit);
ATC_API atc_status atc_get_workspace_limit(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_workspace_limit);

/* Sets race_memory_limit: the most bytes that a race may allocate on its device (on the CPU: in
 * main memory), in addition to the memory that the program holds. ATC_UNLIMITED: no limit.
 * ATC_AUTOMATIC (default): a quarter of the memory that is free when the race begins. If a race
 * needs more, it first uses fewer sets of operands; then candidates whose workspace does not fit
 * leave the race (docs/tuning.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment:
 * ATC_RACE_MEMORY_LIMIT. */
ATC_API atc_status atc_set_race_memory_limit(uint64_t bytes) ATC_NOEXCEPT ATC_SYM(set_race_memory_limit);
ATC_API atc_status atc_get_race_memory_limit(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_race_memory_limit);

/* Sets plan_memory_limit: the most bytes of host memory that the cached plans of the process may
 * take. The plans that cuDNN has built for cached plans count, too. ATC_UNLIMITED: no limit.
 * Default 2 GiB. If the plans take more, the least recently used plans are destroyed. The sizes are
 * estimates (docs/threading.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment:
 * ATC_PLAN_MEMORY_LIMIT. */
ATC_API atc_status atc_set_plan_memory_limit(uint64_t bytes) ATC_NOEXCEPT ATC_SYM(set_plan_memory_limit);
ATC_API atc_status atc_get_plan_memory_limit(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_plan_memory_limit);

/* Sets the directories, separated by ':', in which atc searches for libcuda, cuDNN, cuBLASLt and
 * NVML before all other places. NULL or "" clears the list. ATC_ERROR_BUSY: atc has already
 * searched for one of these libraries. */
ATC_API atc_status atc_set_library_path(const char* directories) ATC_NOEXCEPT ATC_SYM(set_library_path);
/* Writes the directories that atc_set_library_path or the environment variable ATC_LIBRARY_PATH has
 * set, separated by ':'; "" if there are none. `*out` is owned by the library and valid until this
 * thread's next call of this function. */
ATC_API atc_status atc_get_library_path(const char** out) ATC_NOEXCEPT ATC_SYM(get_library_path);

/* Reads the pin file `file`, and obeys its pins from now on. A pin prescribes the implementation of
 * certain problems, or bars implementations (docs/pins.md). The new pins replace the pins of an
 * earlier pin file, also of the file of ATC_PINS. NULL or "" means no pins. A pinned choice takes
 * precedence over records and tuning. A choice that a call gives (atc_conv_options.choice) takes
 * precedence over pins. If the file changes later, it is not read again. ATC_ERROR_IO: the file
 * cannot be read. ATC_ERROR_INVALID_ARGUMENT: the file is not a valid pin file; the error text has
 * the line, the field and its value. After an error the earlier pins remain in force. If ATC_PINS
 * names a file with such an error, every call that needs a decision fails with this error until the
 * program sets another pin file. */
ATC_API atc_status atc_set_pins(const char* file) ATC_NOEXCEPT ATC_SYM(set_pins);
/* Returns the name of the pin file in force, or "". `*out` is owned by the library and valid until this thread's next
 * call of this function. */
ATC_API atc_status atc_get_pins(const char** out) ATC_NOEXCEPT ATC_SYM(get_pins);
/* Writes a hash of the pins in force: of their patterns, choices and bars, but not of their names
 * and comments. Writes 0 if there are no pins. */
ATC_API atc_status atc_get_pins_hash(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_pins_hash);

/* ---- Snapshot ----------------------------------------------------------------------------------- */

/* The values of all switches. Each field is taken literally: 0 means the number 0, and never "the
 * default". */
typedef struct atc_settings {
  uint32_t struct_size;
  int32_t benchmark_cudnn;
  int32_t benchmark_limit_cudnn;
  int32_t user_enabled_cudnn;
  int32_t deterministic_cudnn;
  int32_t deterministic_algorithms;
  int32_t allow_tf32_cudnn;
  atc_technique benchmark_technique;
  uint64_t workspace_limit;
} atc_settings;
#define ATC_SETTINGS_INIT ATC_SIZED(atc_settings)

/* Writes the values of all switches to `out`. The caller sets `out->struct_size` before the call.
 * No byte after this size is written. */
ATC_API atc_status atc_settings_get(atc_settings* out) ATC_NOEXCEPT ATC_SYM(settings_get);
/* Sets all switches to the values of the struct. If one of the values is not valid, the call fails
 * and changes no switch. */
ATC_API atc_status atc_settings_apply(const atc_settings* settings) ATC_NOEXCEPT ATC_SYM(settings_apply);
/* Reads the environment variables again and sets the switches accordingly, even if a call has set a
 * switch before. ATC_ERROR_INVALID_ARGUMENT: a value is malformed, and nothing was changed.
 * ATC_ERROR_IO: the store of ATC_STORE cannot be opened, or the file of ATC_PINS cannot be read. If
 * the store can be read but not written, it is opened for reading, and one line is logged. */
ATC_API atc_status atc_settings_from_env(void) ATC_NOEXCEPT ATC_SYM(settings_from_env);

/* ---- Repeatable runs ----------------------------------------------------------------------------- */

/* The conditions of a repeatable run that atc_set_reproducible could not establish. They are bits
 * of atc_reproducible_report.missing. */
enum {
  ATC_REPRODUCIBLE_NO_CUDA_SEED = 1,      /* atc cannot seed random numbers on CUDA, because no
                                           * bridge (for example to LibTorch) is loaded */
  ATC_REPRODUCIBLE_OPEN_SELECTION = 2,    /* a store is in use in read-write mode, so a run may
                                           * store new choices, and later runs may then differ from
                                           * this run */
  ATC_REPRODUCIBLE_CUBLAS_WORKSPACE = 4,  /* the environment variable CUBLAS_WORKSPACE_CONFIG is not set */
  ATC_REPRODUCIBLE_CPU_THREADS = 8        /* the environment variable OMP_NUM_THREADS is not set, so sums depend on
                                           * the number of cores */
};

typedef struct atc_reproducible_report {
  uint32_t struct_size;
  uint32_t missing; /* bits: ATC_REPRODUCIBLE_* */
  char text[504];   /* a text with one line for each bit of `missing` */
} atc_reproducible_report;
#define ATC_REPRODUCIBLE_REPORT_INIT ATC_SIZED(atc_reproducible_report)

/* Prepares a repeatable run: sets deterministic_cudnn = 1, deterministic_algorithms = ERROR and benchmark_cudnn = 0,
 * and seeds all generators of random numbers. `out` (may be NULL) receives the conditions that
 * could not be established. The call succeeds even if there are such conditions. */
ATC_API atc_status atc_set_reproducible(atc_reproducible_report* out, uint64_t seed) ATC_NOEXCEPT
    ATC_SYM(set_reproducible);

#ifdef __cplusplus
}
#endif
#endif /* ATC_SETTINGS_H_ */
