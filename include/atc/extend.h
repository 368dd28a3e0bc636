/* atc: extension points for authors of kernels and bindings. A program can register engines, which take part in races
 * (in a race the candidates for a problem are timed against each other). It can also register a source of settings,
 * an allocator and a log sink. Any number of engines may be registered; of the other three, one each for the process.
 * The options of a call may have an allocator, too (atc_conv_options).
 *
 * Rules for callbacks:
 * - A callback must return normally. No exception, longjmp or panic may leave it: atc's locks would remain locked.
 * - Several threads may call a callback at once, but a prepared object is used by one thread at a time. The code of
 *   callbacks must stay loaded until the process ends.
 * - A callback may always call atc_error_set, atc_conv_operand_shape and the queries of base.h. It may call other
 *   functions, too, but a call that would have to wait for the callback in which it is made returns ATC_ERROR_BUSY at
 *   once. These calls return it:
 *    in every callback (progress callbacks, too): atc_tune, atc_conv_explain, atc_conv_measure_ceilings, and
 *      atc_conv_plan_create, atc_conv_plan_acquire and atc_convolution if they would measure;
 *    in a settings source: also every function that reads or sets switches: atc_settings_source_set, those of
 *      settings.h (except for the library path), all that make plans, atc_store_get, the seeds and atc_synchronize;
 *    in a log sink: every function that returns a status, except atc_conv_operand_shape, atc_conv_problem_init,
 *      atc_log_level_get and atc_log_level_set. A log sink must not call a function whose name ends in destroy,
 *      release or close.
 *   Make such a call after the callback has returned.
 *   A callback must not wait for another thread that makes such a call: it would wait for ever.
 *
 * `user` and `destroy`: each struct of callbacks has a pointer `user`, which atc passes to its callbacks, and a
 * function `destroy`, which may be NULL. After a successful registration atc owns `user`. atc calls destroy(user)
 * once, after the last callback of this registration has returned. Plans and memory may outlive the registration, and
 * their callbacks count. atc calls `destroy` on any thread and holds no lock then, so `destroy` may call every
 * function of atc. If the registration fails, the caller keeps `user`. An allocator in the options of a call is not
 * registered, and its `user` remains the caller's. When the process ends, `destroy` is not called. */
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
  ATC_ENGINE_RETURNS_OUTPUT = 2,   /* the result is in a buffer of the engine's own (atc_engine_operands.result) */
  ATC_ENGINE_TRANSFORM = 4,        /* the method is Winograd or FFT. Its results on small integers must lie within
                                    * an error bound, while the results of other methods must be exact */
  ATC_ENGINE_ROUNDS_TWICE = 8,     /* the sum is rounded to the output's dtype before the bias is added, and again
                                    * afterwards */
  ATC_ENGINE_ORIGINAL = 16         /* the offer is the convolution that the program runs without atc. If its
                                    * partial sums are rounded more coarsely than the options allow, it is marked
                                    * and not refused (atc_conv_options.strict_precision). If its result is wrong,
                                    * it is refused */
};

/* A value of atc_engine.device_type: the engine works on the CPU and on CUDA. `limits->device` is the device of the
 * call. */
enum { ATC_ENGINE_EVERY_DEVICE = -1 };

/* The limits that the caller of a convolution sets to an engine. */
typedef struct atc_engine_limits {
  uint32_t struct_size;
  int32_t deterministic;    /* 1: offers with the flag ATC_ENGINE_NONDETERMINISTIC are ignored */
  int32_t allow_tf32;
  int32_t constant_weights; /* 1: the weights are constant: set_weights will be called. A call may pass w
                             * all the same, for example before that */
  atc_device device;
  uint64_t alignment;       /* the smallest alignment of x, w and y, in bytes */
  uint64_t workspace;       /* the most workspace, in bytes; offers that need more are ignored */
} atc_engine_limits;

typedef struct atc_engine_offer {
  uint32_t struct_size;
  uint32_t flags;            /* ATC_ENGINE_* */
  uint64_t workspace;        /* bytes */
  const char* configuration; /* text in printable ASCII; together with the engine's name and version it identifies
                              * the offer */
  const char* notes;         /* remarks for people; NULL: "" */
} atc_engine_offer;
#define ATC_ENGINE_OFFER_INIT ATC_SIZED(atc_engine_offer)

/* A function of atc that an engine calls inside its callback `offers`. It hands one offer to atc, which copies it. If
 * it returns a status other than ATC_OK, `offers` must return this status. */
typedef atc_status (*atc_offer_callback)(const atc_engine_offer* offer, void* payload);

/* The addresses of one execution. They are named as in the problem, whose direction determines which of x, w and y is
 * the output. */
typedef struct atc_engine_operands {
  uint32_t struct_size;
  uint32_t reserved;
  void* x;
  void* w;          /* address of the weights; NULL: the weights of set_weights */
  const void* bias; /* address of the bias; NULL without an epilogue */
  void* y;
  void* workspace;
  uint64_t workspace_size;
  atc_stream stream;
  void* result;     /* for offers with ATC_ENGINE_RETURNS_OUTPUT: execute writes the address of the output here.
                     * The output is valid until the next call on `prepared` */
} atc_engine_operands;

typedef struct atc_engine {
  uint32_t struct_size;
  int32_t device_type;   /* the type of device on which the engine works (ATC_DEVICE_*), or ATC_ENGINE_EVERY_DEVICE */
  const char* name;      /* unique name of letters, digits, '_' and '-'; copied */
  const char* version;   /* version of the engine, which is stored with every decision for which the engine was
                          * asked; copied */
  void* user;            /* passed to each callback. Callbacks must return normally */
  /* Calls `offer` once for each configuration of the engine for the problem, the best first. An engine that does not
   * support the problem makes no offer and returns ATC_OK, or ATC_ERROR_UNSUPPORTED with a text. The problem is never
   * transposed, and its layout is always ATC_LAYOUT_STRIDED. Backward-data may have a bias, because atc passes a
   * transposed convolution as backward-data. */
  atc_status (*offers)(void* user, const atc_conv_problem* problem, const atc_engine_limits* limits,
                       atc_offer_callback offer, void* payload);
  /* Builds one configuration and writes a handle to `*prepared`, which is later passed to `release`. `problem` and
   * `limits` are valid only during the call. */
  atc_status (*prepare)(void** prepared, void* user, const atc_conv_problem* problem,
                        const atc_engine_limits* limits, const char* configuration);
  /* Packs constant weights for later executions. If the callback is NULL, atc keeps a copy of the weights on the CPU
   * and passes it to execute; on CUDA, setting weights then returns ATC_ERROR_UNSUPPORTED. */
  atc_status (*set_weights)(void* user, void* prepared, const void* w);
  /* Runs the prepared configuration. On CUDA the callback queues its work on `operands->stream` and does not wait for
   * it. The stream may be captured, by programs and by races; races count the launches of one execution in this way.
   * If the callback returns an error while a race captures it, the only consequence is that this configuration counts
   * as one that cannot be captured. */
  atc_status (*execute)(void* user, void* prepared, atc_engine_operands* operands);
  void (*release)(void* user, void* prepared);
  /* Frees `user`; may be NULL. It is called once, after the engine was unregistered and the last `release` has
   * returned. */
  void (*destroy)(void* user);
} atc_engine;
#define ATC_ENGINE_INIT ATC_SIZED(atc_engine)

/* Registers an engine. The struct is copied, and atc owns `engine->user` from now on. ATC_ERROR_INVALID_ARGUMENT: a
 * callback is missing, or the name is taken or malformed. A registered engine never runs by default. It runs if a
 * call's choice or a record names it, or if it wins a race. Its results are checked before they are used
 * (docs/trust.md). Races check them on the problem itself; so does the first use of a record from outside. For a
 * choice that a call gives, they are checked once for each kind of problem. */
ATC_API atc_status atc_engine_register(const atc_engine* engine) ATC_NOEXCEPT ATC_SYM(engine_register);
/* Unregisters an engine. ATC_ERROR_BUSY: plans of the engine exist, or a call is using it; a call of this function in
 * one of the engine's own callbacks is such a case. ATC_ERROR_INVALID_ARGUMENT: the name is unknown, or the engine is
 * built in. */
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
 * library must export. The library remains loaded. It must be linked with libatc (`-latc`), because the program may
 * have opened libatc with RTLD_LOCAL. ATC_ERROR_LIBRARY: the library cannot be opened or has no such function.
 * Otherwise the call returns the status of the function. */
ATC_API atc_status atc_plugin_load(const char* file) ATC_NOEXCEPT ATC_SYM(plugin_load);

/* ---- Settings source ---------------------------------------------------------------------------------- */

/* The switches whose values a settings source may hold in place of atc. */
enum {
  ATC_SETTING_BENCHMARK_CUDNN = 1,
  ATC_SETTING_BENCHMARK_LIMIT_CUDNN = 2,
  ATC_SETTING_USER_ENABLED_CUDNN = 3,
  ATC_SETTING_DETERMINISTIC_CUDNN = 4,
  ATC_SETTING_DETERMINISTIC_ALGORITHMS = 5,
  ATC_SETTING_ALLOW_TF32_CUDNN = 6
};

/* A source of settings: callbacks that read and write switches which another library (for example LibTorch) holds. If
 * a callback is NULL or returns ATC_ERROR_UNSUPPORTED, atc itself holds that switch or does that action. Callbacks
 * must return normally. */
typedef struct atc_settings_source {
  uint32_t struct_size;
  uint32_t reserved;
  void* user;
  atc_status (*get)(int64_t* out, void* user, int32_t setting);
  atc_status (*set)(void* user, int32_t setting, int64_t value);
  atc_status (*manual_seed)(void* user, uint64_t seed, int32_t all_devices);
  atc_status (*synchronize)(void* user, int32_t index);
  /* Frees `user`; may be NULL. It is called once, after the source was replaced and its last callback has returned. */
  void (*destroy)(void* user);
} atc_settings_source;
#define ATC_SETTINGS_SOURCE_INIT ATC_SIZED(atc_settings_source)

/* Registers the source of settings, which from now on holds the switches that it knows. Values that were set
 * explicitly (by a call or the environment) are written to it, and the others are read from it. If `source` is NULL,
 * atc holds all switches again, with the last values of the source. When the function returns, no thread runs a
 * callback of the previous source any more. */
ATC_API atc_status atc_settings_source_set(const atc_settings_source* source) ATC_NOEXCEPT
    ATC_SYM(settings_source_set);

/* ---- Allocator ------------------------------------------------------------------------------------------ */

/* An allocator. It provides workspaces (except those of captured calls, which live as long as their graphs), the
 * scratch memory of tuning, and the memory of weights that are set. `alloc` returns NULL if there is no memory.
 * Otherwise it returns memory that may be used on `stream` and that is aligned to 64 bytes (CPU) or 256 bytes (CUDA).
 * Callbacks must return normally. */
typedef struct atc_allocator {
  uint32_t struct_size;
  int32_t device_type; /* type of the device (ATC_DEVICE_*) whose memory it provides; atc's own allocator provides
                        * the memory of the other type. 0: it provides both */
  void* user;
  void* (*alloc)(void* user, uint64_t size, atc_device device, atc_stream stream);
  void (*free)(void* user, void* pointer, atc_device device, atc_stream stream);
  /* Frees `user`; may be NULL. It is called once, after the allocator was replaced and the last `free` has returned. */
  void (*destroy)(void* user);
} atc_allocator;
#define ATC_ALLOCATOR_INIT ATC_SIZED(atc_allocator)

/* Sets the process's allocator, which is used for calls without an allocator of their own
 * (atc_conv_options.allocator). If `allocator` is NULL, atc's own allocator is used again. Memory is always freed by
 * the allocator that has provided it. So the previous allocator is used until all of its memory is freed; then its
 * `destroy` is called. */
ATC_API atc_status atc_allocator_set(const atc_allocator* allocator) ATC_NOEXCEPT ATC_SYM(allocator_set);

/* ---- Log -------------------------------------------------------------------------------------------------- */

enum { ATC_LOG_OFF = 1, ATC_LOG_ERROR = 2, ATC_LOG_WARNING = 3, ATC_LOG_INFO = 4, ATC_LOG_DEBUG = 5 };

/* The format of log lines. In JSON each line is one object, in ASCII. Its members "time" (RFC 3339, UTC), "level",
 * "event" and "message" (the line as text) are strings. A line about a decision (the implementation that was chosen
 * for a convolution) has the event "decision" and these members: "problem", "device", "choice", "source" (the name of
 * ATC_SOURCE_*: "record", "tuned", "default", ...), "provisional", "time_ms" (median of an execution of the choice),
 * "gain" (the default's time divided by the choice's), "decided_in_ms" (how long deciding took), "store" (directory)
 * and "stored". An unknown value is null. Later versions may add members and change texts. */
enum { ATC_LOG_FORMAT_TEXT = 0, ATC_LOG_FORMAT_JSON = 1 };

typedef struct atc_log_sink {
  uint32_t struct_size;
  int32_t format; /* format of the lines that `write` gets (ATC_LOG_FORMAT_*); the variable ATC_LOG does not change
                   * it */
  void* user;
  /* Gets one line of the log. The line has no newline and is valid during the call. Any thread may call `write`,
   * which must return normally. */
  void (*write)(void* user, int32_t level, const char* line);
  /* Frees `user`; may be NULL. It is called once, after the sink was replaced and the last `write` has returned. */
  void (*destroy)(void* user);
} atc_log_sink;
#define ATC_LOG_SINK_INIT ATC_SIZED(atc_log_sink)

/* Sends log lines to `sink`; if `sink` is NULL, to standard error. When the function returns, no thread runs a
 * callback of the previous sink any more. */
ATC_API atc_status atc_log_sink_set(const atc_log_sink* sink) ATC_NOEXCEPT ATC_SYM(log_sink_set);
/* Set or read the level of the log: ATC_LOG_*, by default WARNING. The environment variable is
 * ATC_LOG=off|error|warning|info|debug. If ",json" follows the level there, standard error gets lines of JSON. At
 * INFO each decision about a convolution is one line. */
ATC_API atc_status atc_log_level_set(int32_t level) ATC_NOEXCEPT ATC_SYM(log_level_set);
ATC_API atc_status atc_log_level_get(int32_t* out) ATC_NOEXCEPT ATC_SYM(log_level_get);

#ifdef __cplusplus
}
#endif
#endif /* ATC_EXTEND_H_ */
