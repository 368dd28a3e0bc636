/* atc: extension points for authors of kernels and bindings: engines that take part in races, a source of settings,
 * an allocator and a log sink. Any number of engines may be registered; of the other three, one each for
 * the process (options of a call may bring an allocator, too: atc_conv_options).
 *
 * Callbacks.
 *  - Each must return normally. No exception, longjmp or panic may leave it: atc's locks would remain locked.
 *  - Several threads may call them at once, but a prepared object is used by one thread at a time. Their code must
 *    stay loaded until the process ends.
 *  - They may always call atc_error_set, atc_conv_operand_shape and the queries of base.h. They may call other functions,
 *    too, but a call that would have to wait for the callback in which it is made returns ATC_ERROR_BUSY at once:
 *      in every callback (those of progress, too): atc_tune, atc_conv_explain, atc_conv_measure_ceilings, and
 *        atc_conv_plan_create, atc_conv_plan_acquire and atc_convolution if they would measure;
 *      in a settings source: also every function that reads or sets switches: atc_settings_source_set, those of
 *        settings.h (except for the library path), all that make plans, atc_store_get, the seeds and atc_synchronize;
 *      in a log sink: every function that returns a status, except atc_conv_operand_shape, atc_conv_problem_init,
 *        atc_log_level_get and atc_log_level_set. A log sink must not call a function whose name ends in destroy,
 *        release or close.
 *    Make such a call after the callback has returned.
 *    A callback must not wait for another thread that makes such a call: it would wait for ever.
 *
 * `user` and `destroy`. Each struct of callbacks has a `user`, which its callbacks are handed, and a `destroy`, which
 * may be NULL. After a successful registration atc owns `user`, and calls destroy(user) once: after the last callback
 * of this registration has returned (also those of plans and memory that outlive its replacement), on any thread,
 * while it holds no lock, so that `destroy` may call every function of atc. If the registration fails, the caller
 * keeps `user`. An allocator in the options of a call is not registered, and its `user` remains the caller's. When
 * the process ends, `destroy` is not called.
 */
#ifndef ATC_EXTEND_H_
#define ATC_EXTEND_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Engines ---------------------------------------------------------------------------------------- */

/* Flags of an offer. */
enum {
  ATC_ENGINE_NONDETERMINISTIC = 1, /* equal inputs may give unequal bits */
  ATC_ENGINE_RETURNS_OUTPUT = 2,   /* the result is the engine's own buffer (atc_engine_operands.result) */
  ATC_ENGINE_TRANSFORM = 4,        /* Winograd or FFT: its results on small integers must lie within an error bound,
                                    * where direct and GEMM forms must be exact */
  ATC_ENGINE_ROUNDS_TWICE = 8,     /* the sum is rounded to the output's dtype before the bias is added, and again
                                    * afterwards */
  ATC_ENGINE_ORIGINAL = 16         /* the offer is the convolution that the program runs without atc: if its partial
                                    * sums are rounded more coarsely than is allowed, it is marked instead of refused
                                    * (atc_conv_options.strict_precision). A wrong result is refused */
};

/* For atc_engine.device_type: the engine works on the CPU and on CUDA. `limits->device` is the device of the call. */
enum { ATC_ENGINE_EVERY_DEVICE = -1 };

/* The limits of a call. */
typedef struct atc_engine_limits {
  uint32_t struct_size;
  int32_t deterministic;    /* 1: offers flagged nondeterministic are ignored */
  int32_t allow_tf32;
  int32_t constant_weights; /* 1: set_weights will be called */
  atc_device device;
  uint64_t alignment;       /* bytes: the least alignment among x, w and y */
  uint64_t workspace;       /* bytes at most; offers that need more are ignored */
} atc_engine_limits;

typedef struct atc_engine_offer {
  uint32_t struct_size;
  uint32_t flags;            /* ATC_ENGINE_* */
  uint64_t workspace;        /* bytes */
  const char* configuration; /* printable ASCII; with name and version the identity of the choice */
  const char* notes;         /* for people; NULL: "" */
} atc_engine_offer;
#define ATC_ENGINE_OFFER_INIT ATC_SIZED(atc_engine_offer)

/* Hands one offer to atc, which copies it. The engine returns any status but ATC_OK from `offers`. A function of atc,
 * for the engine to call inside `offers`. */
typedef atc_status (*atc_offer_callback)(const atc_engine_offer* offer, void* payload);

/* Addresses of one call, named as in the problem, whose direction says which of x, w and y is the output. */
typedef struct atc_engine_operands {
  uint32_t struct_size;
  uint32_t reserved;
  void* x;
  void* w;          /* NULL after set_weights */
  const void* bias; /* NULL without an epilogue */
  void* y;
  void* workspace;
  uint64_t workspace_size;
  atc_stream stream;
  void* result;     /* ATC_ENGINE_RETURNS_OUTPUT: written by execute, valid until the next call on `prepared` */
} atc_engine_operands;

typedef struct atc_engine {
  uint32_t struct_size;
  int32_t device_type;   /* ATC_DEVICE_* it serves, or ATC_ENGINE_EVERY_DEVICE */
  const char* name;      /* unique: letters, digits, '_', '-'; copied */
  const char* version;   /* recorded with every decision for which the engine was asked; copied */
  void* user;            /* handed to each callback. All of them return normally */
  /* Calls `offer` once per configuration, best first. An engine that does not take the problem makes no offer and
   * returns ATC_OK, or ATC_ERROR_UNSUPPORTED with a text. The problem is never transposed, its layout is always
   * ATC_LAYOUT_STRIDED; backward-data may have a bias (from a transposed convolution). */
  atc_status (*offers)(void* user, const atc_conv_problem* problem, const atc_engine_limits* limits,
                       atc_offer_callback offer, void* payload);
  /* Builds one configuration; `*prepared` is released with `release`. `problem` and `limits` are valid only during
   * the call. */
  atc_status (*prepare)(void** prepared, void* user, const atc_conv_problem* problem,
                        const atc_engine_limits* limits, const char* configuration);
  /* NULL: on the CPU atc keeps a copy of the weights and passes it to execute; on CUDA setting weights is
   * ATC_ERROR_UNSUPPORTED. */
  atc_status (*set_weights)(void* user, void* prepared, const void* w);
  /* On CUDA it queues its work on `operands->stream` and does not wait for it. The stream may be captured: by
   * programs, and by races, which count the launches of one execution. An error in the capture of a race means only
   * that this execution cannot be captured. */
  atc_status (*execute)(void* user, void* prepared, atc_engine_operands* operands);
  void (*release)(void* user, void* prepared);
  /* NULL: nothing. Called once, after the engine was unregistered and the last `release` has returned. */
  void (*destroy)(void* user);
} atc_engine;
#define ATC_ENGINE_INIT ATC_SIZED(atc_engine)

/* Adds an engine; the struct is copied, and atc owns `engine->user` from now on. ATC_ERROR_INVALID_ARGUMENT: a
 * callback is missing, or the name is taken or malformed. A registered engine never runs by default: only if a call's
 * choice or a record names it, or after a race. Its results are checked before (docs/trust.md): in races and for
 * records from outside on the problem itself, for a call's choice once for each kind of problem. */
ATC_API atc_status atc_engine_register(const atc_engine* engine) ATC_NOEXCEPT ATC_SYM(engine_register);
/* ATC_ERROR_BUSY while plans of the engine exist or a call uses it (in its own callbacks, too),
 * ATC_ERROR_INVALID_ARGUMENT for an unknown or built-in name. */
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

/* Opens a shared library and calls `atc_status atc1_plugin_init(void)`, which it must export; the library remains
 * loaded. It must be linked with libatc (`-latc`), because the program may have opened libatc with RTLD_LOCAL.
 * ATC_ERROR_LIBRARY: the library cannot be opened or has no such function. Otherwise the status of the function is
 * returned. */
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

/* If a callback is NULL or returns ATC_ERROR_UNSUPPORTED, atc itself holds that switch or does that action. Callbacks
 * return normally. */
typedef struct atc_settings_source {
  uint32_t struct_size;
  uint32_t reserved;
  void* user;
  atc_status (*get)(int64_t* out, void* user, int32_t setting);
  atc_status (*set)(void* user, int32_t setting, int64_t value);
  atc_status (*manual_seed)(void* user, uint64_t seed, int32_t all_devices);
  atc_status (*synchronize)(void* user, int32_t index);
  /* NULL: nothing. Called once, after the source was replaced and its last callback has returned. */
  void (*destroy)(void* user);
} atc_settings_source;
#define ATC_SETTINGS_SOURCE_INIT ATC_SIZED(atc_settings_source)

/* From now on `source` holds the switches it knows: values set explicitly (by a call or the environment) are written
 * to it, the others are read from it. NULL: atc holds all switches again, with the last values of the source. When
 * the function returns, no thread is in the previous source any more. */
ATC_API atc_status atc_settings_source_set(const atc_settings_source* source) ATC_NOEXCEPT
    ATC_SYM(settings_source_set);

/* ---- Allocator ------------------------------------------------------------------------------------------ */

/* Provides workspaces (except those of captured calls, which live as long as their graphs), the scratch memory of
 * tuning, and the memory of weights that are set. `alloc` returns NULL if there is no memory, else memory aligned to
 * 64 (CPU) or 256 bytes (CUDA) that may be used on `stream`. Callbacks return normally. */
typedef struct atc_allocator {
  uint32_t struct_size;
  int32_t device_type; /* ATC_DEVICE_* whose memory it provides; atc's own allocator provides that of the other type.
                        * 0: it provides both */
  void* user;
  void* (*alloc)(void* user, uint64_t size, atc_device device, atc_stream stream);
  void (*free)(void* user, void* pointer, atc_device device, atc_stream stream);
  /* NULL: nothing. Called once, after the allocator was replaced and the last `free` has returned. */
  void (*destroy)(void* user);
} atc_allocator;
#define ATC_ALLOCATOR_INIT ATC_SIZED(atc_allocator)

/* Sets the process's allocator, which is used for calls without an allocator of their own
 * (atc_conv_options.allocator). NULL: atc's own again. Memory is always freed by the allocator it came from: the
 * previous allocator is used for that until all of its memory is freed, and its `destroy` is called then. */
ATC_API atc_status atc_allocator_set(const atc_allocator* allocator) ATC_NOEXCEPT ATC_SYM(allocator_set);

/* ---- Log -------------------------------------------------------------------------------------------------- */

enum { ATC_LOG_OFF = 1, ATC_LOG_ERROR = 2, ATC_LOG_WARNING = 3, ATC_LOG_INFO = 4, ATC_LOG_DEBUG = 5 };

/* The format of log lines. JSON: each line is one object, in ASCII, with the strings "time" (RFC 3339, UTC), "level",
 * "event" and "message" (the line as text). With the event "decision" it also has "problem", "device", "choice",
 * "source" (ATC_SOURCE_*: "record", "tuned", "default", ...), "provisional", "time_ms" (median of an execution of the
 * choice), "gain" (the default's time divided by the choice's), "decided_in_ms" (how long deciding took), "store"
 * (directory) and "stored"; an unknown value is null. Members may be added; texts may change. */
enum { ATC_LOG_FORMAT_TEXT = 0, ATC_LOG_FORMAT_JSON = 1 };

typedef struct atc_log_sink {
  uint32_t struct_size;
  int32_t format; /* ATC_LOG_FORMAT_* of the lines that `write` takes, whatever ATC_LOG says */
  void* user;
  /* Takes one line, without its newline and valid during the call. Comes from any thread, and returns normally. */
  void (*write)(void* user, int32_t level, const char* line);
  /* NULL: nothing. Called once, after the sink was replaced and the last `write` has returned. */
  void (*destroy)(void* user);
} atc_log_sink;
#define ATC_LOG_SINK_INIT ATC_SIZED(atc_log_sink)

/* Sends log lines to `sink`; NULL: to standard error again. When the function returns, no thread is in the previous
 * sink any more. */
ATC_API atc_status atc_log_sink_set(const atc_log_sink* sink) ATC_NOEXCEPT ATC_SYM(log_sink_set);
/* ATC_LOG_*; default WARNING (environment: ATC_LOG=off|error|warning|info|debug, and with ",json" behind that
 * standard error gets lines of JSON). At INFO each decision about a convolution is one line. */
ATC_API atc_status atc_log_level_set(int32_t level) ATC_NOEXCEPT ATC_SYM(log_level_set);
ATC_API atc_status atc_log_level_get(int32_t* out) ATC_NOEXCEPT ATC_SYM(log_level_get);

#ifdef __cplusplus
}
#endif
#endif /* ATC_EXTEND_H_ */
