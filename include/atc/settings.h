/* atc: the switches of a process, each with a getter, and one call that prepares a repeatable run.
 *
 * Every switch may be set on every machine: without CUDA a setter returns ATC_OK and the getter returns that value
 * (the queries of device.h tell whether there is CUDA). Of the switches named after cuDNN only deterministic_cudnn
 * has an effect on the CPU: it excludes implementations that do not repeat their bits. A change takes effect at the
 * next plan creation and the next eager call, on every thread, also for problems that ran before. Existing plans do
 * not change.
 *
 * Precedence: an explicit call, then the environment, then the default. The environment (docs/environment.md lists
 * the variables) is read once, at the first call that needs it. A malformed value is ignored with one log line,
 * unless the variable is a promise about results (docs/trust.md): a malformed ATC_DETERMINISTIC counts as 1, with one
 * log line. Each decision fails, with a sentence that names the variable, if ATC_PINS names no pin file, if ATC_MODE
 * is malformed, or if it is replay-only and ATC_STORE names no store that can be read. This ends when the program
 * itself sets pins (atc_set_pins) or a store (atc_store_use). Switches can be set and read all the while.
 *
 * All functions may be called from any thread at any time.
 */
#ifndef ATC_SETTINGS_H_
#define ATC_SETTINGS_H_

#include "atc/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How candidates are timed (docs/tuning.md). The first three are defined as in cuDNN's frontend. */
typedef int32_t atc_technique;
enum {
  ATC_TECHNIQUE_ONCE = 1,
  ATC_TECHNIQUE_MEDIAN_OF_THREE = 2,
  ATC_TECHNIQUE_TILL_STABLE = 3,
  ATC_TECHNIQUE_INTERLEAVED = 4, /* default */
  ATC_TECHNIQUE_SUSTAINED = 5    /* compares candidates at the clocks that a long load settles at */
};

/* The behaviour of an operation that has no deterministic form. */
enum {
  ATC_DETERMINISTIC_ALGORITHMS_OFF = 1, /* default */
  ATC_DETERMINISTIC_ALGORITHMS_WARN = 2,
  ATC_DETERMINISTIC_ALGORITHMS_ERROR = 3
};

/* ---- Switches. Booleans are 0 or 1; anything else is ATC_ERROR_INVALID_ARGUMENT. A NULL `out` is
 * ATC_ERROR_INVALID_ARGUMENT. ---------------------------------------------------------------------- */

/* Measure candidates of CUDA convolutions and use the best one. Default 0. */
ATC_API atc_status atc_set_benchmark_cudnn(int32_t enabled) ATC_NOEXCEPT ATC_SYM(set_benchmark_cudnn);
ATC_API atc_status atc_get_benchmark_cudnn(int32_t* out) ATC_NOEXCEPT ATC_SYM(get_benchmark_cudnn);

/* How many of cuDNN's candidates race at most; 0 = all. With a bias each of them races in two forms: with the bias
 * fused, and with the bias added by a pass of its own. Default 10. Other engines have places of their own
 * (docs/engines.md). Negative: ATC_ERROR_INVALID_ARGUMENT. */
ATC_API atc_status atc_set_benchmark_limit_cudnn(int32_t limit) ATC_NOEXCEPT
    ATC_SYM(set_benchmark_limit_cudnn);
ATC_API atc_status atc_get_benchmark_limit_cudnn(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_benchmark_limit_cudnn);

/* 0 bars the engine `cudnn`. Default 1. */
ATC_API atc_status atc_set_user_enabled_cudnn(int32_t enabled) ATC_NOEXCEPT
    ATC_SYM(set_user_enabled_cudnn);
ATC_API atc_status atc_get_user_enabled_cudnn(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_user_enabled_cudnn);

/* Only deterministic convolution kernels. Default 0. */
ATC_API atc_status atc_set_deterministic_cudnn(int32_t enabled) ATC_NOEXCEPT
    ATC_SYM(set_deterministic_cudnn);
ATC_API atc_status atc_get_deterministic_cudnn(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_deterministic_cudnn);

/* ATC_DETERMINISTIC_ALGORITHMS_*. With a bridge the switch holds for all operators of the program; for convolutions
 * WARN and ERROR both ask for deterministic kernels. */
ATC_API atc_status atc_set_deterministic_algorithms(int32_t mode) ATC_NOEXCEPT
    ATC_SYM(set_deterministic_algorithms);
ATC_API atc_status atc_get_deterministic_algorithms(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_deterministic_algorithms);

/* TF32 in fp32 convolutions. Default 1, as in LibTorch. */
ATC_API atc_status atc_set_allow_tf32_cudnn(int32_t enabled) ATC_NOEXCEPT ATC_SYM(set_allow_tf32_cudnn);
ATC_API atc_status atc_get_allow_tf32_cudnn(int32_t* out) ATC_NOEXCEPT ATC_SYM(get_allow_tf32_cudnn);

/* ATC_TECHNIQUE_*. */
ATC_API atc_status atc_set_benchmark_technique(atc_technique technique) ATC_NOEXCEPT
    ATC_SYM(set_benchmark_technique);
ATC_API atc_status atc_get_benchmark_technique(atc_technique* out) ATC_NOEXCEPT
    ATC_SYM(get_benchmark_technique);

/* Most bytes of workspace a candidate may use, rounded down to a class (0, 32 MiB, 256 MiB, 1 GiB, 4 GiB). The class
 * is part of the key under which a decision is remembered. ATC_UNLIMITED is the largest class. Default 1 GiB. The
 * getter returns the class. */
ATC_API atc_status atc_set_workspace_limit(uint64_t bytes) ATC_NOEXCEPT ATC_SYM(set_workspace_limit);
ATC_API atc_status atc_get_workspace_limit(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_workspace_limit);

/* How many bytes a race may allocate beyond the memory that the program holds, on its device (on the CPU: main memory);
 * ATC_UNLIMITED; ATC_AUTOMATIC (default): a quarter of the memory that is free when the race begins. If a race needs
 * more, it first uses fewer sets of operands; then candidates whose workspace does not fit leave the race
 * (docs/tuning.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment: ATC_RACE_MEMORY_LIMIT. */
ATC_API atc_status atc_set_race_memory_limit(uint64_t bytes) ATC_NOEXCEPT ATC_SYM(set_race_memory_limit);
ATC_API atc_status atc_get_race_memory_limit(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_race_memory_limit);

/* How many bytes of host memory the kept plans of the process may take: those of the plan cache, and those that cuDNN
 * built for them; ATC_UNLIMITED. Default 2 GiB. If the plans take more, those that were used least recently are destroyed.
 * The sizes are estimates (docs/threading.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment:
 * ATC_PLAN_MEMORY_LIMIT. */
ATC_API atc_status atc_set_plan_memory_limit(uint64_t bytes) ATC_NOEXCEPT ATC_SYM(set_plan_memory_limit);
ATC_API atc_status atc_get_plan_memory_limit(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_plan_memory_limit);

/* The directories, separated by ':', in which libcuda, cuDNN, cuBLASLt and NVML are looked for first. NULL or ""
 * clears the list. ATC_ERROR_BUSY once one of these libraries has been looked for. */
ATC_API atc_status atc_set_library_path(const char* directories) ATC_NOEXCEPT ATC_SYM(set_library_path);
/* `*out` is owned by the library and valid until this thread's next call of this function. */
ATC_API atc_status atc_get_library_path(const char** out) ATC_NOEXCEPT ATC_SYM(get_library_path);

/* Reads the pin file `file` (docs/pins.md) and obeys it from now on, in place of the earlier one (that of ATC_PINS,
 * too); NULL or "": no pins. A pinned choice outranks records and tuning; a choice given with a call outranks pins.
 * The file is not read again when it changes. ATC_ERROR_IO: it cannot be read; ATC_ERROR_INVALID_ARGUMENT: it is no
 * pin file, and the message has the line, the field and its value. After an error the earlier pins remain in force.
 * If ATC_PINS names such a file, each decision fails with that error until the program sets another file. */
ATC_API atc_status atc_set_pins(const char* file) ATC_NOEXCEPT ATC_SYM(set_pins);
/* The file in force, or "". `*out` is owned by the library and valid until this thread's next call of this function. */
ATC_API atc_status atc_get_pins(const char** out) ATC_NOEXCEPT ATC_SYM(get_pins);
/* A hash of the patterns, choices and bars in force (not of their names and comments); 0: no pins. */
ATC_API atc_status atc_get_pins_hash(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_pins_hash);

/* ---- Snapshot ----------------------------------------------------------------------------------- */

/* All switches at once. Literal: 0 means 0, not a default. */
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

/* Writes the values in force, at most `out->struct_size` bytes; the caller sets `struct_size` first. */
ATC_API atc_status atc_settings_get(atc_settings* out) ATC_NOEXCEPT ATC_SYM(settings_get);
/* Sets all or nothing: the first value that is refused leaves every switch as it was. */
ATC_API atc_status atc_settings_apply(const atc_settings* settings) ATC_NOEXCEPT ATC_SYM(settings_apply);
/* Reads the environment again and applies it over explicit calls. A malformed value is
 * ATC_ERROR_INVALID_ARGUMENT and changes nothing. ATC_STORE that cannot be opened, or ATC_PINS that cannot be read, is
 * ATC_ERROR_IO. A store that cannot be written is opened for reading, with one log line. */
ATC_API atc_status atc_settings_from_env(void) ATC_NOEXCEPT ATC_SYM(settings_from_env);

/* ---- Repeatable runs ----------------------------------------------------------------------------- */

/* Conditions of a repeatable run that atc_set_reproducible could not establish (bits of `missing`). */
enum {
  ATC_REPRODUCIBLE_NO_CUDA_SEED = 1,      /* no CUDA generator is known to atc (no bridge loaded) */
  ATC_REPRODUCIBLE_OPEN_SELECTION = 2,    /* a store is in use in read-write mode, which stores new choices */
  ATC_REPRODUCIBLE_CUBLAS_WORKSPACE = 4,  /* CUBLAS_WORKSPACE_CONFIG is not set in the environment */
  ATC_REPRODUCIBLE_CPU_THREADS = 8        /* OMP_NUM_THREADS is not set: sums depend on the core count */
};

typedef struct atc_reproducible_report {
  uint32_t struct_size;
  uint32_t missing; /* ATC_REPRODUCIBLE_* */
  char text[504];   /* `missing` in words, a line for each bit */
} atc_reproducible_report;
#define ATC_REPRODUCIBLE_REPORT_INIT ATC_SIZED(atc_reproducible_report)

/* Sets deterministic_cudnn, deterministic_algorithms = ERROR and benchmark_cudnn = 0, and seeds all generators. `out`
 * may be NULL; it lists what could not be set, which is no failure. */
ATC_API atc_status atc_set_reproducible(atc_reproducible_report* out, uint64_t seed) ATC_NOEXCEPT
    ATC_SYM(set_reproducible);

#ifdef __cplusplus
}
#endif
#endif /* ATC_SETTINGS_H_ */
