/* atc: a trace of a live program: how often each convolution ran, by which choice, and how long it took.
 *
 * A trace counts the executions of plans (atc_conv_plan_execute, atc_conv_plan_sample), eager calls (atc_convolution)
 * and the calls that front ends report (atc_trace_call_begin); races are not in it. Of the calls of each problem and
 * choice the first and then each n-th is timed: on the CPU by the time of the call, on CUDA by two events around the
 * work on its stream. Calls in stream captures are counted once, when they are captured, and not timed.
 *
 * The process has at most one trace. ATC_TRACE=FILE in the environment, read once, starts one at the first convolution
 * and writes it to FILE when the process exits (by exit or the end of main; not by _exit or a signal) or at
 * atc_trace_stop. A malformed value is ignored with one log line. A child made by fork is not traced.
 *
 * All functions may be called from any thread at any time.
 */
#ifndef ATC_TRACE_H_
#define ATC_TRACE_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 0 everywhere = defaults. */
typedef struct atc_trace_options {
  uint32_t struct_size;
  uint32_t sample_every; /* of the calls of a problem and choice, the first and then each n-th is timed; 0: 1 on the CPU,
                          * 8 on CUDA */
  uint32_t max_rows;     /* most pairs of a problem and a choice; the calls of further ones are counted together, as
                          * problem "other". 0: 1024. A pair takes up to 14 KB, most of them below 2 KB */
  uint32_t max_events;   /* most timed calls, the last ones, in the timeline; 0: 65,536. A call takes 32 bytes */
  const char* file;      /* written by atc_trace_stop, or else when the process exits, without the calls that CUDA
                          * devices still run then. A name ending in .txt: the table; else JSON. %p stands for the
                          * process id, %% for a %. The folder must exist; a regular file of this name is replaced, and
                          * anything else is refused. Copied. NULL: no file */
} atc_trace_options;
#define ATC_TRACE_OPTIONS_INIT ATC_SIZED(atc_trace_options)

/* Starts the trace of the process; `options` may be NULL. ATC_ERROR_BUSY while a trace runs;
 * ATC_ERROR_INVALID_ARGUMENT: `file` has another % or is too long; ATC_ERROR_IO: `file` cannot be written. */
ATC_API atc_status atc_trace_start(const atc_trace_options* options) ATC_NOEXCEPT ATC_SYM(trace_start);

/* The results of a trace. */
typedef struct atc_trace atc_trace;

/* Ends the trace, also the one of ATC_TRACE, and writes its file if it has one. Waits for the timed calls that CUDA
 * devices still run; calls that other threads are in may be missing. `out` may be NULL; else the caller destroys
 * `*out`. ATC_ERROR_INVALID_ARGUMENT where no trace runs; ATC_ERROR_IO: the file could not be written, and the trace is
 * lost. */
ATC_API atc_status atc_trace_stop(atc_trace** out) ATC_NOEXCEPT ATC_SYM(trace_stop);
ATC_API void atc_trace_destroy(atc_trace* trace) ATC_NOEXCEPT ATC_SYM(trace_destroy);

/* The calls that a row counts. */
enum {
  ATC_TRACE_ROW_PROBLEM = 1, /* the calls of one problem with one choice on one device */
  ATC_TRACE_ROW_CHOICE = 2,  /* those of one choice on one device, for all problems */
  ATC_TRACE_ROW_TOTAL = 3    /* all calls; the last row */
};

/* Times are seconds per call, over the timed calls; 0 without one. Median, p90 and p99 are the timed calls of index
 * floor(q * (n - 1)) in ascending order, within 1 %; the other figures are exact. */
typedef struct atc_trace_row {
  uint32_t struct_size;
  int32_t kind;        /* ATC_TRACE_ROW_* */
  atc_device device;   /* {0, 0} in the total */
  const char* problem; /* as atc_conv_problem_describe has it; "" where `kind` is not ATC_TRACE_ROW_PROBLEM */
  const char* choice;  /* "engine@version:configuration", or what a front end reported; "" in the total */
  uint64_t calls;
  uint64_t timed;      /* of these calls */
  double total;        /* estimate for all calls: for each problem and choice, calls x mean */
  double mean;
  double median;
  double p90;
  double p99;
  double min;
  double max;
  double deviation;    /* standard deviation of a sample (n - 1) */
} atc_trace_row;
#define ATC_TRACE_ROW_INIT ATC_SIZED(atc_trace_row)

/* Rows of kind PROBLEM, grouped by device and problem, then CHOICE, then TOTAL. In each kind the rows that took the
 * most time come first. Strings are borrowed from the trace. ATC_ERROR_INVALID_ARGUMENT for an index out of range. */
ATC_API atc_status atc_trace_row_count(size_t* out, const atc_trace* trace) ATC_NOEXCEPT ATC_SYM(trace_row_count);
ATC_API atc_status atc_trace_row_get(atc_trace_row* out, const atc_trace* trace, size_t index) ATC_NOEXCEPT
    ATC_SYM(trace_row_get);

enum {
  ATC_TRACE_TABLE = 1, /* for people */
  ATC_TRACE_JSON = 2   /* a Chrome trace for Perfetto, in the time base of PyTorch's profiler; its key `atc` has the
                        * rows (docs/tracing.md) */
};

/* The trace as text, UTF-8. The caller destroys `*out`. ATC_ERROR_INVALID_ARGUMENT for another `format`. */
ATC_API atc_status atc_trace_text(atc_bytes** out, const atc_trace* trace, int32_t format) ATC_NOEXCEPT
    ATC_SYM(trace_text);

/* ---- For front ends ------------------------------------------------------------------------------- */

/* `*out`: 1 while a trace runs, else 0. Lets a front end skip describing a problem that only the trace needs. */
ATC_API atc_status atc_trace_is_running(int32_t* out) ATC_NOEXCEPT ATC_SYM(trace_is_running);

/* A call that is being timed. One thread at a time. */
typedef struct atc_trace_call atc_trace_call;

/* Reports a convolution that the front end is about to run by itself, without a plan of atc. `choice` names who computes
 * it, for example "libtorch"; `problem` may be NULL where it cannot be described. The front end then gives its work to
 * `stream` (CPU: ignored) and calls atc_trace_call_end. `*out` is NULL where the call is not timed, and where no trace
 * runs; without a trace, problem and device are not looked at.
 * ATC_ERROR_INVALID_ARGUMENT names the field of the problem, or the device. */
ATC_API atc_status atc_trace_call_begin(atc_trace_call** out, atc_device device, const atc_conv_problem* problem,
                                        const char* choice, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(trace_call_begin);
/* The work has been given to the stream; on the CPU, it is done. Frees `call`; NULL does nothing. */
ATC_API void atc_trace_call_end(atc_trace_call* call) ATC_NOEXCEPT ATC_SYM(trace_call_end);

#ifdef __cplusplus
}
#endif
#endif /* ATC_TRACE_H_ */
