/* atc: the switches of a process, each with a setter and a getter, and one call that prepares a repeatable run.
 *
 * Every switch may be set on every machine. Without CUDA a setter returns ATC_OK, and the getter returns the value
 * that was set (the queries of device.h tell whether there is CUDA). On the CPU one of the switches named after cuDNN
 * has an effect, deterministic_cudnn: it excludes implementations that do not repeat their bits. A change takes
 * effect at the next plan creation and the next eager call, on every thread, also for problems that ran before.
 * Existing plans do not change.
 *
 * An explicit call takes precedence over the environment, and the environment over the default. The environment
 * (docs/environment.md lists the variables) is read once, at the first call that needs it. A malformed value is
 * ignored with one log line. There are these exceptions, since some variables are promises about results
 * (docs/trust.md):
 * - A malformed ATC_DETERMINISTIC counts as 1, with one log line.
 * - Each decision fails if ATC_PINS names no pin file, if ATC_MODE is malformed, or if ATC_MODE is replay-only and
 *   ATC_STORE names no store that can be read. The error text names the variable. The failures end when the program
 *   itself sets pins (atc_set_pins) or a store (atc_store_use). Switches can be set and read meanwhile.
 *
 * All functions may be called from any thread at any time. */
#ifndef ATC_SETTINGS_H_
#define ATC_SETTINGS_H_

#include "atc/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The technique by which candidates are timed (docs/tuning.md). The first three are defined as in cuDNN's frontend. */
typedef int32_t atc_technique;
enum {
  ATC_TECHNIQUE_ONCE = 1,
  ATC_TECHNIQUE_MEDIAN_OF_THREE = 2,
  ATC_TECHNIQUE_TILL_STABLE = 3,
  ATC_TECHNIQUE_INTERLEAVED = 4, /* default */
  ATC_TECHNIQUE_SUSTAINED = 5    /* compares candidates at the clock frequencies at which the device settles under
                                  * a long load */
};

/* The behaviour of an operation that has no deterministic implementation. */
enum {
  ATC_DETERMINISTIC_ALGORITHMS_OFF = 1, /* default */
  ATC_DETERMINISTIC_ALGORITHMS_WARN = 2,
  ATC_DETERMINISTIC_ALGORITHMS_ERROR = 3
};

/* ---- Switches. Booleans are 0 or 1; anything else is ATC_ERROR_INVALID_ARGUMENT. A NULL `out` is
 * ATC_ERROR_INVALID_ARGUMENT. ---------------------------------------------------------------------- */

/* benchmark_cudnn: 1: measure the candidates of CUDA convolutions and use the fastest. Default 0. */
ATC_API atc_status atc_set_benchmark_cudnn(int32_t enabled) ATC_NOEXCEPT ATC_SYM(set_benchmark_cudnn);
ATC_API atc_status atc_get_benchmark_cudnn(int32_t* out) ATC_NOEXCEPT ATC_SYM(get_benchmark_cudnn);

/* benchmark_limit_cudnn: how many of cuDNN's candidates are timed at most for one convolution; 0: all. Default 10.
 * With a bias, each of these candidates is timed in two forms: with the bias fused, and with the bias added by a
 * separate pass. The number of candidates of other engines is limited separately (docs/engines.md). A negative limit
 * is ATC_ERROR_INVALID_ARGUMENT. */
ATC_API atc_status atc_set_benchmark_limit_cudnn(int32_t limit) ATC_NOEXCEPT
    ATC_SYM(set_benchmark_limit_cudnn);
ATC_API atc_status atc_get_benchmark_limit_cudnn(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_benchmark_limit_cudnn);

/* user_enabled_cudnn: 0: the engine `cudnn` is not used. Default 1. */
ATC_API atc_status atc_set_user_enabled_cudnn(int32_t enabled) ATC_NOEXCEPT
    ATC_SYM(set_user_enabled_cudnn);
ATC_API atc_status atc_get_user_enabled_cudnn(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_user_enabled_cudnn);

/* deterministic_cudnn: 1: only deterministic convolution kernels are used. Default 0. */
ATC_API atc_status atc_set_deterministic_cudnn(int32_t enabled) ATC_NOEXCEPT
    ATC_SYM(set_deterministic_cudnn);
ATC_API atc_status atc_get_deterministic_cudnn(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_deterministic_cudnn);

/* deterministic_algorithms: ATC_DETERMINISTIC_ALGORITHMS_*. For convolutions WARN and ERROR both ask for
 * deterministic kernels. With a bridge (for example to LibTorch) the switch holds for all operators of the program. */
ATC_API atc_status atc_set_deterministic_algorithms(int32_t mode) ATC_NOEXCEPT
    ATC_SYM(set_deterministic_algorithms);
ATC_API atc_status atc_get_deterministic_algorithms(int32_t* out) ATC_NOEXCEPT
    ATC_SYM(get_deterministic_algorithms);

/* allow_tf32_cudnn: 1: fp32 convolutions on CUDA may use TF32. Default 1, as in LibTorch. */
ATC_API atc_status atc_set_allow_tf32_cudnn(int32_t enabled) ATC_NOEXCEPT ATC_SYM(set_allow_tf32_cudnn);
ATC_API atc_status atc_get_allow_tf32_cudnn(int32_t* out) ATC_NOEXCEPT ATC_SYM(get_allow_tf32_cudnn);

/* benchmark_technique: how candidates are timed, ATC_TECHNIQUE_*. */
ATC_API atc_status atc_set_benchmark_technique(atc_technique technique) ATC_NOEXCEPT
    ATC_SYM(set_benchmark_technique);
ATC_API atc_status atc_get_benchmark_technique(atc_technique* out) ATC_NOEXCEPT
    ATC_SYM(get_benchmark_technique);

/* workspace_limit: the most bytes of workspace that a candidate may use. The limit is rounded down to a class (0, 32
 * MiB, 256 MiB, 1 GiB, 4 GiB), and the getter returns the class. Decisions are kept separately for each class.
 * ATC_UNLIMITED is the largest class. Default 1 GiB. */
ATC_API atc_status atc_set_workspace_limit(uint64_t bytes) ATC_NOEXCEPT ATC_SYM(set_workspace_limit);
ATC_API atc_status atc_get_workspace_limit(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_workspace_limit);

/* Sets how many bytes a race may allocate on its device (on the CPU: in main memory) beyond the memory that the program
 * holds. ATC_UNLIMITED: no limit. ATC_AUTOMATIC (default): a quarter of the memory that is free when the race begins.
 * If a race needs more, it first uses fewer sets of operands; then candidates whose workspace does not fit leave the
 * race (docs/tuning.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT. Environment: ATC_RACE_MEMORY_LIMIT. */
ATC_API atc_status atc_set_race_memory_limit(uint64_t bytes) ATC_NOEXCEPT ATC_SYM(set_race_memory_limit);
ATC_API atc_status atc_get_race_memory_limit(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_race_memory_limit);

/* Sets how many bytes of host memory the kept plans of the process may take: the plans of the plan cache, and the plans
 * that cuDNN built for them. ATC_UNLIMITED: no limit. Default 2 GiB. If the plans take more, those that were used least
 * recently are destroyed. The sizes are estimates (docs/threading.md). 0 and ATC_NONE: ATC_ERROR_INVALID_ARGUMENT.
 * Environment: ATC_PLAN_MEMORY_LIMIT. */
ATC_API atc_status atc_set_plan_memory_limit(uint64_t bytes) ATC_NOEXCEPT ATC_SYM(set_plan_memory_limit);
ATC_API atc_status atc_get_plan_memory_limit(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_plan_memory_limit);

/* Sets the directories, separated by ':', in which libcuda, cuDNN, cuBLASLt and NVML are looked for first. NULL or ""
 * clears the list. ATC_ERROR_BUSY: one of these libraries has already been looked for. */
ATC_API atc_status atc_set_library_path(const char* directories) ATC_NOEXCEPT ATC_SYM(set_library_path);
/* `*out` is owned by the library and valid until this thread's next call of this function. */
ATC_API atc_status atc_get_library_path(const char** out) ATC_NOEXCEPT ATC_SYM(get_library_path);

/* Reads the pin file `file` (docs/pins.md), which sets choices and bars for problems, and obeys it from now on. It
 * replaces the earlier pin file, also that of ATC_PINS. NULL or "" means no pins. A pinned choice takes precedence
 * over records and tuning; a choice that a call gives takes precedence over pins. If the file changes later, it is
 * not read again. ATC_ERROR_IO: the file cannot be read. ATC_ERROR_INVALID_ARGUMENT: it is no pin file; the error
 * text has the line, the field and its value. After an error the earlier pins remain in force. If ATC_PINS names a
 * file with such an error, each decision fails with this error until the program sets another file. */
ATC_API atc_status atc_set_pins(const char* file) ATC_NOEXCEPT ATC_SYM(set_pins);
/* Returns the name of the pin file in force, or "". `*out` is owned by the library and valid until this thread's next
 * call of this function. */
ATC_API atc_status atc_get_pins(const char** out) ATC_NOEXCEPT ATC_SYM(get_pins);
/* Writes a hash of the patterns, choices and bars of the pins in force (without their names and comments); 0 if there
 * are no pins. */
ATC_API atc_status atc_get_pins_hash(uint64_t* out) ATC_NOEXCEPT ATC_SYM(get_pins_hash);

/* ---- Snapshot ----------------------------------------------------------------------------------- */

/* All switches at once. Each field is taken literally: 0 means 0 and stands for no default. */
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

/* Writes the values of all switches to `out`, at most `out->struct_size` bytes. The caller sets `struct_size` before. */
ATC_API atc_status atc_settings_get(atc_settings* out) ATC_NOEXCEPT ATC_SYM(settings_get);
/* Sets all switches. If one value is refused, no switch is changed. */
ATC_API atc_status atc_settings_apply(const atc_settings* settings) ATC_NOEXCEPT ATC_SYM(settings_apply);
/* Reads the environment again and sets the switches by it, also those that explicit calls have set.
 * ATC_ERROR_INVALID_ARGUMENT: a value is malformed, and nothing was changed. ATC_ERROR_IO: the store of ATC_STORE
 * cannot be opened, or the file of ATC_PINS cannot be read. A store that cannot be written is opened for reading,
 * with one log line. */
ATC_API atc_status atc_settings_from_env(void) ATC_NOEXCEPT ATC_SYM(settings_from_env);

/* ---- Repeatable runs ----------------------------------------------------------------------------- */

/* The conditions of a repeatable run that atc_set_reproducible could not establish (bits of `missing`). */
enum {
  ATC_REPRODUCIBLE_NO_CUDA_SEED = 1,      /* atc knows no generator of random numbers on CUDA, because no bridge is
                                           * loaded */
  ATC_REPRODUCIBLE_OPEN_SELECTION = 2,    /* a store is in use in read-write mode, so new choices may be stored and
                                           * then used by later runs */
  ATC_REPRODUCIBLE_CUBLAS_WORKSPACE = 4,  /* the environment variable CUBLAS_WORKSPACE_CONFIG is not set */
  ATC_REPRODUCIBLE_CPU_THREADS = 8        /* the environment variable OMP_NUM_THREADS is not set, so sums depend on
                                           * the number of cores */
};

typedef struct atc_reproducible_report {
  uint32_t struct_size;
  uint32_t missing; /* bits: ATC_REPRODUCIBLE_* */
  char text[504];   /* the conditions that are missing in words, a line for each bit */
} atc_reproducible_report;
#define ATC_REPRODUCIBLE_REPORT_INIT ATC_SIZED(atc_reproducible_report)

/* Prepares a repeatable run: sets deterministic_cudnn = 1, deterministic_algorithms = ERROR and benchmark_cudnn = 0,
 * and seeds all generators of random numbers. `out` (may be NULL) lists the conditions that could not be established.
 * The call succeeds even if some could not be. */
ATC_API atc_status atc_set_reproducible(atc_reproducible_report* out, uint64_t seed) ATC_NOEXCEPT
    ATC_SYM(set_reproducible);

#ifdef __cplusplus
}
#endif
#endif /* ATC_SETTINGS_H_ */
