/* atc: extension points for authors of kernels and bindings. A program can register engines. Their
 * implementations are candidates in races. (In a race the candidates for a problem are timed and
 * compared.) A program can also register a source of settings, an allocator and a log sink. A
 * process may have any number of registered engines, but at most one source of settings, one
 * allocator and one log sink. In addition, the options of a call may have an allocator for this
 * call (atc_conv_options).
 *
 * Rules for callbacks:
 * - A callback must return normally. No exception, longjmp or panic may leave a callback, because
 *   atc's locks would remain locked.
 * - Several threads may call a callback at once. But a prepared object (see `prepare` below) is
 *   used by one thread at a time. The code of callbacks must remain loaded until the process ends.
 * - A callback may always call atc_error_set, atc_conv_operand_shape and the queries of base.h. A
 *   callback may call other functions, too. But if such a call would have to wait until the
 *   callback returns, the call fails at once with ATC_ERROR_BUSY. These calls return
 *   ATC_ERROR_BUSY:
 *    in every callback (progress callbacks, too): atc_tune, atc_conv_explain,
 *      atc_conv_measure_ceilings, and, if they would measure, atc_conv_plan_create,
 *      atc_conv_plan_acquire and atc_convolution;
 *    in a settings source: the same calls, and every function that reads or sets switches:
 *      atc_settings_source_set, the functions of settings.h (except those for the library path),
 *      all functions that make plans, atc_store_get, atc_manual_seed, atc_manual_seed_all and
 *      atc_synchronize;
 *    in a log sink: every function that returns a status, except atc_conv_operand_shape,
 *      atc_conv_problem_init, atc_log_level_get and atc_log_level_set. A log sink must not call a
 *      function whose name ends in destroy, release or close.
 *   Make such a call after the callback has returned. A callback must not wait for another thread
 *   that makes such a call: both would wait for ever.
 *
 * `user` and `destroy`: each struct of callbacks has a pointer `user`, which atc passes to its callbacks, and a
 * function `destroy`, which may be NULL. After a successful registration atc owns `user`. atc calls
 * destroy(user) once, after the last callback of this registration has returned. If plans or memory
 * exist longer than the registration, atc calls `destroy` after the last callback of these plans
 * and this memory. atc calls `destroy` on any thread. atc holds no lock during the call, so
 * `destroy` may call every function of atc. If the registration fails, the caller keeps `user`. An
 * allocator in the options of a call is not registered, so its `user` still belongs to the caller.
 * When the process ends, `destroy` is not called. */
#ifndef ATC_EXTEND_H_
#define ATC_EXTEND_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Engines ---------------------------------------------------------------------------------------- */

/* Flags of an offer (an implementation that an engine has for a problem). */
enum {
  ATC_ENGINE_NONDETERMINISTIC = 1, /* with equal inputs, two executions may give different bits */
  ATC_ENGINE_RETURNS_OUTPUT = 2,   /* the engine does not write to the caller's output: `execute`
                                    * returns the result in a buffer of the engine's own
                                    * (atc_engine_operands.result) */
  ATC_ENGINE_TRANSFORM = 4,        /* the method (Winograd or FFT, for example) transforms the data,
                                    * so that it rounds even if all operands are small integers. atc
                                    * checks each offer on small integers. Without this flag the
                                    * results must be exact; with it they must lie within an error
                                    * bound */
  ATC_ENGINE_ROUNDS_TWICE = 8,     /* the sum is rounded to the output's dtype twice: before and
                                    * after the bias is added */
  ATC_ENGINE_ORIGINAL = 16         /* the offer is the convolution that the program runs without
                                    * atc. If the offer rounds partial sums more coarsely than the
                                    * options allow, the offer is marked and not refused
                                    * (atc_conv_options.strict_precision). If its result is wrong,
                                    * the offer is refused */
};

/* ATC_ENGINE_EVERY_DEVICE is a value of atc_engine.device_type: the engine works both on the CPU
 * and on CUDA. Its callbacks get the device of the call in `limits->device`. */
enum { ATC_ENGINE_EVERY_DEVICE = -1 };

/* The limits within which an engine must offer and build implementations. They follow from the
 * options of the call and the process's switches. */
typedef struct atc_engine_limits {
  uint32_t struct_size;
  int32_t deterministic;    /* 1: atc ignores offers with the flag ATC_ENGINE_NONDETERMINISTIC */
  int32_t allow_tf32;
  int32_t constant_weights; /* 1: the weights are constant, and atc will call `set_weights` with
                             * them. Nevertheless an execution may pass w, for example before that
                             * call */
  atc_device device;
  uint64_t alignment;       /* the alignment in bytes: the addresses of x, w and y are multiples of
                             * this number */
  uint64_t workspace;       /* the largest workspace, in bytes, that an offer may need. Offers that
                             * need more are ignored */
} atc_engine_limits;

typedef struct atc_engine_offer {
  uint32_t struct_size;
  uint32_t flags;            /* ATC_ENGINE_* */
  uint64_t workspace;        /* bytes */
  const char* configuration; /* the text by which the engine names this offer, in printable ASCII.
                              * The engine's name, its version and this text together identify the
                              * offer */
  const char* notes;         /* remarks for people. NULL counts as "" */
} atc_engine_offer;
#define ATC_ENGINE_OFFER_INIT ATC_SIZED(atc_engine_offer)

/* A function of atc that an engine calls inside its callback `offers`, to pass one offer to atc.
 * atc copies the offer. If this function returns a status other than ATC_OK, `offers` must return
 * this status. */
typedef atc_status (*atc_offer_callback)(const atc_engine_offer* offer, void* payload);

/* The memory of one execution: addresses of operands and workspace. The problem's direction
 * determines which of x, w and y is the output. */
typedef struct atc_engine_operands {
  uint32_t struct_size;
  uint32_t reserved;
  void* x;
  void* w;          /* address of the weights. NULL: use the weights of set_weights */
  const void* bias; /* address of the bias; NULL if the problem has no bias (no epilogue) */
  void* y;
  void* workspace;
  uint64_t workspace_size;
  atc_stream stream;
  void* result;     /* for offers with ATC_ENGINE_RETURNS_OUTPUT: `execute` writes the address of
                     * the output to this field. The output must remain valid until the next
                     * callback with the same `prepared` */
} atc_engine_operands;

typedef struct atc_engine {
  uint32_t struct_size;
  int32_t device_type;   /* the type of device on which the engine works (ATC_DEVICE_*), or ATC_ENGINE_EVERY_DEVICE */
  const char* name;      /* unique name of letters, digits, '_' and '-'. The text is copied */
  const char* version;   /* version of the engine. If atc asks the engine for offers for a decision,
                          * atc stores this version with the decision. The text is copied */
  void* user;            /* passed to each callback. Callbacks must return normally */
  /* A callback that calls `offer` once for each configuration that the engine has for the problem.
   * The configuration that is probably the fastest comes first. If the engine does not support the
   * problem, the callback makes no offer. It then returns ATC_OK, or ATC_ERROR_UNSUPPORTED with an
   * error text (atc_error_set) that says why. The problem is never transposed, and its layout is
   * always ATC_LAYOUT_STRIDED. Backward-data may have a bias, because atc passes a transposed
   * convolution as backward-data. */
  atc_status (*offers)(void* user, const atc_conv_problem* problem, const atc_engine_limits* limits,
                       atc_offer_callback offer, void* payload);
  /* Builds one configuration and writes a handle of it to `*prepared`. atc passes this handle to
   * `set_weights`, `execute` and, in the end, `release`. `problem` and `limits` are valid only
   * during the call. */
  atc_status (*prepare)(void** prepared, void* user, const atc_conv_problem* problem,
                        const atc_engine_limits* limits, const char* configuration);
  /* Packs constant weights for later executions. The callback may be NULL. Then, on the CPU, atc
   * keeps a copy of the weights and passes it to `execute`. On CUDA, atc_conv_plan_set_weights then
   * returns ATC_ERROR_UNSUPPORTED. */
  atc_status (*set_weights)(void* user, void* prepared, const void* w);
  /* Runs the prepared configuration. On CUDA the callback queues its work on `operands->stream` and
   * does not wait for the work. The stream may be in capture mode: programs capture the stream, and
   * a race captures one execution to count its launches. If the callback returns an error in such a
   * capture by a race, the race goes on, and atc regards this configuration as one that cannot be
   * captured. */
  atc_status (*execute)(void* user, void* prepared, atc_engine_operands* operands);
  void (*release)(void* user, void* prepared);
  /* Frees `user`. May be NULL. atc calls `destroy` once, after the engine was unregistered and the
   * last `release` has returned. */
  void (*destroy)(void* user);
} atc_engine;
#define ATC_ENGINE_INIT ATC_SIZED(atc_engine)

/* Registers an engine. The struct is copied, and atc owns `engine->user` from now on.
 * ATC_ERROR_INVALID_ARGUMENT: a callback is missing, or the name is taken or malformed. A
 * registered engine never runs by default. It runs if the choice of a call or a record of the store
 * names it, or if it wins a race. atc checks the results of a registered engine before it uses them
 * (docs/trust.md). A race checks them on the problem itself. If the engine runs because of a record
 * from another machine or user, they are also checked on the problem itself, before the first use.
 * If a call gives the choice, they are checked once for each kind of problem (for example the same
 * direction, types and groups). */
ATC_API atc_status atc_engine_register(const atc_engine* engine) ATC_NOEXCEPT ATC_SYM(engine_register);
/* Unregisters an engine. ATC_ERROR_BUSY: plans of the engine exist, or a call is using the engine.
 * So a callback of the engine cannot unregister the engine. ATC_ERROR_INVALID_ARGUMENT: the name is
 * unknown, or the engine is built in. */
ATC_API atc_status atc_engine_unregister(const char* name) ATC_NOEXCEPT ATC_SYM(engine_unregister);

typedef struct atc_engine_info {
  uint32_t struct_size;
  int32_t built_in;
  int32_t serves_cpu;
  int32_t serves_cuda;
  char name[64];
  char version[64];
} atc_engine_info;
#define ATC_ENGINE_INFO_INIT ATC_SIZED(atc_engine_info)

ATC_API atc_status atc_engine_count(size_t* out) ATC_NOEXCEPT ATC_SYM(engine_count);
ATC_API atc_status atc_engine_describe(atc_engine_info* out, size_t index) ATC_NOEXCEPT
    ATC_SYM(engine_describe);

/* Loads a plug-in: opens a shared library and calls its function `atc_status atc1_plugin_init(void)`, which the
 * library must export. The library remains loaded. The plug-in must be linked with libatc
 * (`-latc`), because the program may have opened libatc with RTLD_LOCAL. ATC_ERROR_LIBRARY: the
 * library cannot be opened or does not export atc1_plugin_init. Otherwise the call returns the
 * status of atc1_plugin_init. */
ATC_API atc_status atc_plugin_load(const char* file) ATC_NOEXCEPT ATC_SYM(plugin_load);

/* ---- Settings source ---------------------------------------------------------------------------------- */

/* The switches (settings.h) whose values a settings source may store in place of atc. */
enum {
  ATC_SETTING_BENCHMARK_CUDNN = 1,
  ATC_SETTING_BENCHMARK_LIMIT_CUDNN = 2,
  ATC_SETTING_USER_ENABLED_CUDNN = 3,
  ATC_SETTING_DETERMINISTIC_CUDNN = 4,
  ATC_SETTING_DETERMINISTIC_ALGORITHMS = 5,
  ATC_SETTING_ALLOW_TF32_CUDNN = 6
};

/* A source of settings: callbacks that read and write switches which another library (for example
 * LibTorch) stores. If `get` or `set` is NULL or returns ATC_ERROR_UNSUPPORTED for a switch, atc
 * itself stores this switch. If `manual_seed` or `synchronize` is NULL or returns
 * ATC_ERROR_UNSUPPORTED, atc itself does the action. Callbacks must return normally. */
typedef struct atc_settings_source {
  uint32_t struct_size;
  uint32_t reserved;
  void* user;
  atc_status (*get)(int64_t* out, void* user, int32_t setting);
  atc_status (*set)(void* user, int32_t setting, int64_t value);
  atc_status (*manual_seed)(void* user, uint64_t seed, int32_t all_devices);
  atc_status (*synchronize)(void* user, int32_t index);
  /* Frees `user`. May be NULL. atc calls `destroy` once, after the source was replaced and its last
   * callback has returned. */
  void (*destroy)(void* user);
} atc_settings_source;
#define ATC_SETTINGS_SOURCE_INIT ATC_SIZED(atc_settings_source)

/* Registers the source of settings (the callbacks that read and write another library's switches).
 * From now on this source, and not atc, stores the switches that it supports. If a switch was set
 * explicitly (by a call or the environment), atc writes its value to the source. The values of all
 * other switches are read from the source. If `source` is NULL, atc stores all switches again, with
 * the last values of the previous source. When the function returns, no thread runs a callback of
 * the previous source any more. */
ATC_API atc_status atc_settings_source_set(const atc_settings_source* source) ATC_NOEXCEPT
    ATC_SYM(settings_source_set);

/* ---- Allocator ------------------------------------------------------------------------------------------ */

/* An allocator. It provides workspaces, the scratch memory of tuning, and the memory of weights
 * that are set (atc_conv_plan_set_weights). It does not provide the workspaces of captured calls,
 * because these live as long as their graphs. `alloc` returns NULL if there is no memory. Otherwise
 * it returns memory that may be used on `stream` and that is aligned to 64 bytes (CPU) or 256 bytes
 * (CUDA). Callbacks must return normally. */
typedef struct atc_allocator {
  uint32_t struct_size;
  int32_t device_type; /* the type of device (ATC_DEVICE_*) for which this allocator provides
                        * memory. For the other type, atc's own allocator is used. 0: this allocator
                        * provides memory for both types */
  void* user;
  void* (*alloc)(void* user, uint64_t size, atc_device device, atc_stream stream);
  void (*free)(void* user, void* pointer, atc_device device, atc_stream stream);
  /* Frees `user`. May be NULL. atc calls `destroy` once, after the allocator was replaced and the
   * last `free` has returned. */
  void (*destroy)(void* user);
} atc_allocator;
#define ATC_ALLOCATOR_INIT ATC_SIZED(atc_allocator)

/* Sets the process's allocator. It is used for calls whose options have no allocator
 * (atc_conv_options.allocator). If `allocator` is NULL, atc's own allocator is used again. Memory
 * is always freed by the allocator that has allocated it. So `free` of the previous allocator may
 * still be called. When all memory of the previous allocator is freed, the `destroy` of the
 * previous allocator is called. */
ATC_API atc_status atc_allocator_set(const atc_allocator* allocator) ATC_NOEXCEPT ATC_SYM(allocator_set);

/* ---- Log -------------------------------------------------------------------------------------------------- */

enum { ATC_LOG_OFF = 1, ATC_LOG_ERROR = 2, ATC_LOG_WARNING = 3, ATC_LOG_INFO = 4, ATC_LOG_DEBUG = 5 };

/* The format of log lines. In the format JSON each line is one object, in ASCII. Its members "time"
 * (RFC 3339, UTC), "level", "event" and "message" (the line as text) are strings. A line about a
 * decision (the implementation that was chosen for a convolution) has the event "decision" and
 * these members: "problem", "device", "choice", "source" (the name of ATC_SOURCE_*: "record",
 * "tuned", "default", ...), "provisional", "time_ms" (median of an execution of the choice), "gain"
 * (the time of the default divided by the time of the choice), "decided_in_ms" (the time that
 * deciding took), "store" (directory) and "stored". An unknown value is null. Later versions may
 * add members and change texts. */
enum { ATC_LOG_FORMAT_TEXT = 0, ATC_LOG_FORMAT_JSON = 1 };

typedef struct atc_log_sink {
  uint32_t struct_size;
  int32_t format; /* format of the lines that the callback `write` gets (ATC_LOG_FORMAT_*). The
                   * environment variable ATC_LOG, which can choose a format, too, has no effect on
                   * it */
  void* user;
  /* Receives one line of the log, without a newline. The pointer is valid during the call. Any
   * thread may call `write`. It must return normally. */
  void (*write)(void* user, int32_t level, const char* line);
  /* Frees `user`. May be NULL. atc calls `destroy` once, after the sink was replaced and the last
   * `write` has returned. */
  void (*destroy)(void* user);
} atc_log_sink;
#define ATC_LOG_SINK_INIT ATC_SIZED(atc_log_sink)

/* Sends log lines to `sink`; if `sink` is NULL, to standard error. When the function returns, no thread runs a
 * callback of the previous sink any more. */
ATC_API atc_status atc_log_sink_set(const atc_log_sink* sink) ATC_NOEXCEPT ATC_SYM(log_sink_set);
/* Set and read the level of the log: ATC_LOG_*. The default is ATC_LOG_WARNING. The environment
 * variable ATC_LOG=off|error|warning|info|debug sets the level, too. If ",json" follows the level
 * in this variable, the lines on standard error are JSON. At ATC_LOG_INFO each decision about a
 * convolution is logged as one line. */
ATC_API atc_status atc_log_level_set(int32_t level) ATC_NOEXCEPT ATC_SYM(log_level_set);
ATC_API atc_status atc_log_level_get(int32_t* out) ATC_NOEXCEPT ATC_SYM(log_level_get);

#ifdef __cplusplus
}
#endif
#endif /* ATC_EXTEND_H_ */
