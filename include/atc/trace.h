/* atc: a trace of a running program: how often each convolution ran, by which choice (engine, version and
 * configuration), and how long it took.
 *
 * A trace counts the executions of plans (atc_conv_plan_execute, atc_conv_plan_sample), eager calls (atc_convolution)
 * and the calls that front ends report (atc_trace_call_begin). It does not count the executions of races. Of the
 * calls of each problem with each choice, the first is timed, and then each n-th. On the CPU the time is that of the
 * call; on CUDA two events around the work on its stream measure it. Calls in stream captures are counted once, when
 * they are captured, and are not timed.
 *
 * The process has at most one trace. ATC_TRACE=FILE in the environment, which is read once, starts a trace at the
 * first convolution. This trace is written to FILE at atc_trace_stop, or else when the process exits by exit or by
 * the end of main; it is lost if the process ends by _exit or a signal. A malformed value is ignored with one log
 * line. A child made by fork is not traced.
 *
 * All functions may be called from any thread at any time. */
#ifndef ATC_TRACE_H_
#define ATC_TRACE_H_

#include "atc/base.h"
#include "atc/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a trace. A field that is 0 has its default. */
typedef struct atc_trace_options {
  uint32_t struct_size;
  uint32_t sample_every; /* which calls are timed: of the calls of a problem with a choice the first, and then each
                          * n-th. 0: 1 on the CPU, 8 on CUDA */
  uint32_t max_rows;     /* the largest number of pairs of a problem and a choice that have rows of their own. The
                          * calls of further pairs are counted together, as problem "other". 0: 1024. A pair takes
                          * up to 14 KB of memory, most of them below 2 KB */
  uint32_t max_events;   /* the largest number of timed calls in the timeline, which has the last ones. 0: 65,536.
                          * A call takes 32 bytes */
  const char* file;      /* name of the file, which is written by atc_trace_stop, or else when the process exits.
                          * At the exit, calls that CUDA devices still run are left out. If the name ends in .txt,
                          * the file is a table, else JSON. %p stands for the process id, %% for a %. The folder
                          * must exist. A regular file of this name is replaced, and anything else is refused. The
                          * text is copied. NULL: no file */
} atc_trace_options;
#define ATC_TRACE_OPTIONS_INIT ATC_SIZED(atc_trace_options)

/* Starts the trace of the process. `options` may be NULL. ATC_ERROR_BUSY: a trace is running.
 * ATC_ERROR_INVALID_ARGUMENT: the file name has a % that is neither %p nor %%, or is too long. ATC_ERROR_IO: the file
 * cannot be written. */
ATC_API atc_status atc_trace_start(const atc_trace_options* options) ATC_NOEXCEPT ATC_SYM(trace_start);

/* The results of a trace (atc_trace_stop). */
typedef struct atc_trace atc_trace;

/* Ends the trace, also one that ATC_TRACE has started, and writes its file if it has one. The call waits for the
 * timed calls that CUDA devices still run. Calls that other threads are making at this time may be missing. `out` may
 * be NULL; otherwise the caller destroys `*out`. ATC_ERROR_INVALID_ARGUMENT: no trace is running. ATC_ERROR_IO: the
 * file could not be written, and the trace is lost. */
ATC_API atc_status atc_trace_stop(atc_trace** out) ATC_NOEXCEPT ATC_SYM(trace_stop);
ATC_API void atc_trace_destroy(atc_trace* trace) ATC_NOEXCEPT ATC_SYM(trace_destroy);

/* The kinds of rows in a trace: the calls that a row counts. */
enum {
  ATC_TRACE_ROW_PROBLEM = 1, /* the calls of one problem with one choice on one device */
  ATC_TRACE_ROW_CHOICE = 2,  /* the calls of one choice on one device, for all problems */
  ATC_TRACE_ROW_TOTAL = 3    /* all calls; the last row */
};

/* A row of a trace. Times are seconds per call, computed from the timed calls; they are 0 if no call was timed.
 * Median, p90 and p99 are the timed calls of index floor(q * (n - 1)) in ascending order, within 1 %; the other
 * figures are exact. */
typedef struct atc_trace_row {
  uint32_t struct_size;
  int32_t kind;        /* ATC_TRACE_ROW_* */
  atc_device device;   /* device of the calls; {0, 0} in the total */
  const char* problem; /* text of the problem, as atc_conv_problem_describe writes it; "" unless `kind` is
                        * ATC_TRACE_ROW_PROBLEM */
  const char* choice;  /* text of the choice, "engine@version:configuration", or the text that a front end has
                        * reported; "" in the total */
  uint64_t calls;
  uint64_t timed;      /* how many of these calls were timed */
  double total;        /* estimated seconds of all calls: the sum of calls x mean of each pair of a problem and a
                        * choice */
  double mean;
  double median;
  double p90;
  double p99;
  double min;
  double max;
  double deviation;    /* standard deviation of a sample (divided by n - 1) */
} atc_trace_row;
#define ATC_TRACE_ROW_INIT ATC_SIZED(atc_trace_row)

/* The next two functions count the rows of a trace and write one of them to `out`. The order is: rows of kind
 * PROBLEM, grouped by device and problem, then those of kind CHOICE, then the TOTAL. In each kind the rows that took
 * the most time come first. Strings are borrowed from the trace. ATC_ERROR_INVALID_ARGUMENT: the index is out of
 * range. */
ATC_API atc_status atc_trace_row_count(size_t* out, const atc_trace* trace) ATC_NOEXCEPT ATC_SYM(trace_row_count);
ATC_API atc_status atc_trace_row_get(atc_trace_row* out, const atc_trace* trace, size_t index) ATC_NOEXCEPT
    ATC_SYM(trace_row_get);

enum {
  ATC_TRACE_TABLE = 1, /* a table for people */
  ATC_TRACE_JSON = 2   /* a Chrome trace for Perfetto, in the time base of PyTorch's profiler. Its key `atc` has
                        * the rows (docs/tracing.md) */
};

/* Writes the trace as text in UTF-8; `format` is ATC_TRACE_TABLE or ATC_TRACE_JSON. The caller destroys `*out`.
 * ATC_ERROR_INVALID_ARGUMENT: `format` has another value. */
ATC_API atc_status atc_trace_text(atc_bytes** out, const atc_trace* trace, int32_t format) ATC_NOEXCEPT
    ATC_SYM(trace_text);

/* ---- For front ends ------------------------------------------------------------------------------- */

/* Writes 1 to `*out` if a trace is running, else 0. A front end uses it to skip the description of a problem that
 * only the trace needs. */
ATC_API atc_status atc_trace_is_running(int32_t* out) ATC_NOEXCEPT ATC_SYM(trace_is_running);

/* A call of a front end that a trace is timing. One thread at a time. */
typedef struct atc_trace_call atc_trace_call;

/* Reports to the trace a convolution that a front end is about to run by itself, without a plan of atc. `choice`
 * names the library that computes it, for example "libtorch". `problem` may be NULL if it cannot be described. The
 * front end then gives its work to `stream` (ignored on the CPU) and calls atc_trace_call_end. `*out` is NULL if the
 * call is not timed or no trace is running. If no trace is running, problem and device are not checked; otherwise
 * ATC_ERROR_INVALID_ARGUMENT is returned for a bad problem or device, and the error text names the field. */
ATC_API atc_status atc_trace_call_begin(atc_trace_call** out, atc_device device, const atc_conv_problem* problem,
                                        const char* choice, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(trace_call_begin);
/* Ends the report that atc_trace_call_begin has begun. The front end calls it when the work has been given to the
 * stream; on the CPU, when the work is done. The function frees `call`; NULL does nothing. */
ATC_API void atc_trace_call_end(atc_trace_call* call) ATC_NOEXCEPT ATC_SYM(trace_call_end);

#ifdef __cplusplus
}
#endif
#endif /* ATC_TRACE_H_ */
