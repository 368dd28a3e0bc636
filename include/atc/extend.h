/* atc: extension points for authors of kernels and bindings: own engines in the race, an own source of
 * settings, allocator and log. One slot each, any number of engines.
 *
 * Callbacks must not throw and must not call back into atc, except atc_error_set, atc_conv_operand_shape and
 * the queries of base.h. They may come from several threads at once; one prepared object is used by one at a
 * time. The code of a callback must stay loaded until the process ends.
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
  ATC_ENGINE_TRANSFORM = 4,        /* Winograd or FFT: held to an error bound where direct and GEMM forms
                                    * have to be exact (small integers) */
  ATC_ENGINE_ROUNDS_TWICE = 8,     /* the convolution is rounded to the output's dtype before the bias is added,
                                    * and the sum again */
  ATC_ENGINE_ORIGINAL = 16         /* what the program runs without atc: partial sums that are rounded more coarsely
                                    * than is allowed mark it instead of refusing it
                                    * (atc_conv_options.strict_precision). A wrong result still refuses it */
};

/* For atc_engine.device_type: an engine that serves the CPU and CUDA; limits.device tells which is meant. */
enum { ATC_ENGINE_EVERY_DEVICE = -1 };

/* What the caller allows. */
typedef struct atc_engine_limits {
  uint32_t struct_size;
  int32_t deterministic;    /* 1: offers flagged nondeterministic are ignored */
  int32_t allow_tf32;
  int32_t constant_weights; /* 1: set_weights will be called */
  atc_device device;
  uint64_t alignment;       /* bytes, least over x, w, y */
  uint64_t workspace;       /* bytes at most; offers above are ignored */
} atc_engine_limits;

typedef struct atc_engine_offer {
  uint32_t struct_size;
  uint32_t flags;            /* ATC_ENGINE_* */
  uint64_t workspace;        /* bytes */
  const char* configuration; /* printable ASCII; with name and version the identity of the choice */
  const char* notes;         /* for people; NULL: "" */
} atc_engine_offer;

/* Hands one offer to atc, which copies it. Returns the status to pass on. */
typedef atc_status (*atc_offer_callback)(const atc_engine_offer* offer, void* payload);

/* Addresses of one call, in the problem's own terms (the problem tells which is the output). */
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
  const char* version;   /* kept with every decision it was asked for; copied */
  void* user;            /* handed to each callback */
  /* Calls `offer` once per configuration, best first. No offer and ATC_OK, or ATC_ERROR_UNSUPPORTED with a
   * text: it does not take this problem. The problem is never transposed, its layout always
   * ATC_LAYOUT_STRIDED; backward-data may carry a bias (from a transposed convolution). */
  atc_status (*offers)(void* user, const atc_conv_problem* problem, const atc_engine_limits* limits,
                       atc_offer_callback offer, void* payload);
  /* Builds one configuration; `*prepared` is released with `release`. Both pointers of the problem and
   * limits end with the call. */
  atc_status (*prepare)(void** prepared, void* user, const atc_conv_problem* problem,
                        const atc_engine_limits* limits, const char* configuration);
  /* NULL: atc keeps a copy of the weights and passes it to execute. */
  atc_status (*set_weights)(void* user, void* prepared, const void* w);
  /* On CUDA it queues work on `operands->stream` and waits for nothing. The stream may be captured: by programs, and by races,
   * which count what one execution launches; an error tells a race that it cannot be captured, no more. */
  atc_status (*execute)(void* user, void* prepared, atc_engine_operands* operands);
  void (*release)(void* user, void* prepared);
} atc_engine;

/* Adds an engine; the struct is copied. ATC_ERROR_INVALID_ARGUMENT for a missing callback or a name that is
 * taken or malformed. A registered engine runs only by choice, record or race, and only after the
 * correctness gate. */
ATC_API atc_status atc_engine_register(const atc_engine* engine) ATC_NOEXCEPT ATC_SYM(engine_register);
/* ATC_ERROR_BUSY while plans of it live, ATC_ERROR_INVALID_ARGUMENT for an unknown or built-in name. */
ATC_API atc_status atc_engine_unregister(const char* name) ATC_NOEXCEPT ATC_SYM(engine_unregister);

typedef struct atc_engine_info {
  uint32_t struct_size;
  int32_t built_in;
  int32_t serves_cpu;
  int32_t serves_cuda;
  char name[64];
  char version[64];
} atc_engine_info;

ATC_API atc_status atc_engine_count(size_t* out) ATC_NOEXCEPT ATC_SYM(engine_count);
ATC_API atc_status atc_engine_describe(atc_engine_info* out, size_t index) ATC_NOEXCEPT
    ATC_SYM(engine_describe);

/* Opens a shared library that exports `atc_status atc1_plugin_init(void)` and calls it; the library stays
 * loaded. ATC_ERROR_LIBRARY when it cannot be opened or has no such function; else the function's status. */
ATC_API atc_status atc_plugin_load(const char* file) ATC_NOEXCEPT ATC_SYM(plugin_load);

/* ---- Settings source ---------------------------------------------------------------------------------- */

/* The switches another library may hold as the truth. */
enum {
  ATC_SETTING_BENCHMARK_CUDNN = 1,
  ATC_SETTING_BENCHMARK_LIMIT_CUDNN = 2,
  ATC_SETTING_USER_ENABLED_CUDNN = 3,
  ATC_SETTING_DETERMINISTIC_CUDNN = 4,
  ATC_SETTING_DETERMINISTIC_ALGORITHMS = 5,
  ATC_SETTING_ALLOW_TF32_CUDNN = 6
};

/* Callbacks that are NULL, or return ATC_ERROR_UNSUPPORTED, leave the matter with atc. */
typedef struct atc_settings_source {
  uint32_t struct_size;
  uint32_t reserved;
  void* user;
  atc_status (*get)(int64_t* out, void* user, int32_t setting);
  atc_status (*set)(void* user, int32_t setting, int64_t value);
  atc_status (*manual_seed)(void* user, uint64_t seed, int32_t all_devices);
  atc_status (*synchronize)(void* user, int32_t index);
} atc_settings_source;

/* From now on the source holds the switches it knows: values set explicitly (call or environment) are
 * written to it, the others are adopted from it. NULL: atc holds them again, with the source's last values. */
ATC_API atc_status atc_settings_source_set(const atc_settings_source* source) ATC_NOEXCEPT
    ATC_SYM(settings_source_set);

/* ---- Allocator ------------------------------------------------------------------------------------------ */

/* Workspaces and the scratch memory of tuning come from here, but for the workspaces of captured calls, which
 * live as long as their graphs and are atc's own. `alloc` returns NULL when there is no memory,
 * else memory aligned to 64 (CPU) or 256 bytes, usable on `stream`. */
typedef struct atc_allocator {
  uint32_t struct_size;
  int32_t device_type; /* ATC_DEVICE_* whose memory it gives, that of the other stays atc's own; 0: of both */
  void* user;
  void* (*alloc)(void* user, uint64_t size, atc_device device, atc_stream stream);
  void (*free)(void* user, void* pointer, atc_device device, atc_stream stream);
} atc_allocator;

/* NULL: atc's own again. Memory is always freed by the allocator it came from: `user` must live until the
 * plans and calls that were using its memory have ended. */
ATC_API atc_status atc_allocator_set(const atc_allocator* allocator) ATC_NOEXCEPT ATC_SYM(allocator_set);

/* ---- Log -------------------------------------------------------------------------------------------------- */

enum { ATC_LOG_OFF = 1, ATC_LOG_ERROR = 2, ATC_LOG_WARNING = 3, ATC_LOG_INFO = 4, ATC_LOG_DEBUG = 5 };

/* One line without its newline. May come from any thread. */
typedef void (*atc_log_callback)(int32_t level, const char* line, void* payload);

/* NULL: standard error again. */
ATC_API atc_status atc_log_sink_set(atc_log_callback callback, void* payload) ATC_NOEXCEPT
    ATC_SYM(log_sink_set);
/* ATC_LOG_*; default WARNING (environment: ATC_LOG=off|error|warning|info|debug). */
ATC_API atc_status atc_log_level_set(int32_t level) ATC_NOEXCEPT ATC_SYM(log_level_set);
ATC_API atc_status atc_log_level_get(int32_t* out) ATC_NOEXCEPT ATC_SYM(log_level_get);

#ifdef __cplusplus
}
#endif
#endif /* ATC_EXTEND_H_ */
