/* atc: traces. A trace of a running program lists how often each convolution ran, with which choice
 * (engine, version and configuration), and how long it took.
 *
 * A trace counts the executions of plans (atc_conv_plan_execute, atc_conv_plan_sample), eager calls (atc_convolution)
 * and the calls that front ends report (atc_trace_call_begin). A trace does not count the
 * executions of races. For each pair of a problem and a choice, the first call is timed, and then
 * every n-th call (`sample_every`). On the CPU the time is the duration of the call. On CUDA the
 * time is measured by two events on the stream, before and after the work. If a call is captured
 * into a graph, it is counted once, at the capture, and is not timed.
 *
 * The process has at most one trace. The environment variable ATC_TRACE=FILE, which is read once,
 * starts a trace at the first convolution. atc_trace_stop writes this trace to FILE. Without
 * atc_trace_stop, FILE is written when the process exits by exit() or by the end of main. If the
 * process ends by _exit() or a signal, the trace is lost. A malformed value of ATC_TRACE is
 * ignored, and one line is logged. A child made by fork is not traced.
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
  uint32_t sample_every; /* a number n: every n-th call is timed. The calls of each pair of a
                          * problem and a choice are counted separately, and the first one is timed.
                          * 0: 1 on the CPU, 8 on CUDA */
  uint32_t max_rows;     /* the largest number of pairs of a problem and a choice that have rows of
                          * their own. The calls of all further pairs are counted in one row, with
                          * the problem "other". 0: 1024. A pair takes at most 14 KB of memory, and
                          * usually less than 2 KB */
  uint32_t max_events;   /* the largest number of timed calls that the timeline of the trace shows.
                          * If more calls were timed, the timeline shows the most recent ones. 0:
                          * 65,536. A call takes 32 bytes of memory */
  const char* file;      /* name of the file for the trace. atc_trace_stop writes the file; without
                          * atc_trace_stop it is written when the process exits. At the exit, calls
                          * that CUDA devices have not finished are left out. If the name ends in
                          * .txt, the file is a table, else JSON. %p stands for the process id, %%
                          * for a %. The folder must exist. If a regular file of this name exists,
                          * it is replaced. If the name is that of a directory, device or the like,
                          * it is refused. The text is copied. NULL: no file */
} atc_trace_options;
#define ATC_TRACE_OPTIONS_INIT ATC_SIZED(atc_trace_options)

/* Starts the trace of the process. `options` may be NULL. ATC_ERROR_BUSY: a trace is running.
 * ATC_ERROR_INVALID_ARGUMENT: the file name has a % that is neither %p nor %%, or is too long. ATC_ERROR_IO: the file
 * cannot be written. */
ATC_API atc_status atc_trace_start(const atc_trace_options* options) ATC_NOEXCEPT ATC_SYM(trace_start);

/* The results of a trace (atc_trace_stop). */
typedef struct atc_trace atc_trace;

/* Ends the trace, even if ATC_TRACE has started it. If the trace has a file, the file is written.
 * The call waits until CUDA devices have finished the timed calls. If other threads are making
 * calls at this time, the trace may lack these calls. `out` may be NULL; otherwise the caller
 * destroys `*out`. ATC_ERROR_INVALID_ARGUMENT: no trace is running. ATC_ERROR_IO: the file could
 * not be written; the trace has ended and is lost. */
ATC_API atc_status atc_trace_stop(atc_trace** out) ATC_NOEXCEPT ATC_SYM(trace_stop);
ATC_API void atc_trace_destroy(atc_trace* trace) ATC_NOEXCEPT ATC_SYM(trace_destroy);

/* The kinds of rows in a trace. The kind determines which calls a row counts. */
enum {
  ATC_TRACE_ROW_PROBLEM = 1, /* the row counts the calls of one problem with one choice on one
                              * device */
  ATC_TRACE_ROW_CHOICE = 2,  /* the row counts all calls with one choice on one device, whatever
                              * their problem */
  ATC_TRACE_ROW_TOTAL = 3    /* the row counts all calls. A trace has one such row, its last row */
};

/* A row of a trace. Times are seconds per call, computed from the timed calls. If no call was
 * timed, they are 0. Median, p90 and p99 are quantiles (q = 0.5, 0.9, 0.99): the time with the
 * index floor(q * (n - 1)) among the n times in ascending order, with an error of at most 1 %. The
 * other figures are exact. */
typedef struct atc_trace_row {
  uint32_t struct_size;
  int32_t kind;        /* ATC_TRACE_ROW_* */
  atc_device device;   /* device of the calls; {0, 0} in the total */
  const char* problem; /* text of the problem, as atc_conv_problem_describe writes it; "" unless `kind` is
                        * ATC_TRACE_ROW_PROBLEM */
  const char* choice;  /* the choice, "engine@version:configuration", or the text that a front end
                        * has reported (atc_trace_call_begin); "" in the row TOTAL */
  uint64_t calls;
  uint64_t timed;      /* number of calls of this row that were timed */
  double total;        /* estimated time of all calls of the row together, in seconds. It is the sum
                        * of (number of calls * mean time) over the pairs of a problem and a choice
                        * whose calls the row counts */
  double mean;
  double median;
  double p90;
  double p99;
  double min;
  double max;
  double deviation;    /* standard deviation of the n measured times, in seconds: the sum of squared
                        * differences from the mean is divided by n - 1 */
} atc_trace_row;
#define ATC_TRACE_ROW_INIT ATC_SIZED(atc_trace_row)

/* atc_trace_row_count writes the number of rows. atc_trace_row_get writes the row `index` to `out`.
 * The order of the rows is: kind PROBLEM (grouped by device and problem), then kind CHOICE, then
 * the TOTAL. Within a kind the rows with the largest total time come first. Strings are valid as
 * long as the trace. ATC_ERROR_INVALID_ARGUMENT: the index is out of range. */
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

/* Writes 1 to `*out` if a trace is running, else 0. If a front end (a program that runs
 * convolutions by itself and reports them, such as the LibTorch bridge) describes problems only for
 * the trace, it can skip the description if no trace is running. */
ATC_API atc_status atc_trace_is_running(int32_t* out) ATC_NOEXCEPT ATC_SYM(trace_is_running);

/* A call of a front end that a trace is timing. Only one thread at a time may use the object. */
typedef struct atc_trace_call atc_trace_call;

/* Reports to the trace a convolution that a front end is about to run by itself, without a plan of atc. `choice`
 * names the library that computes the convolution, for example "libtorch". `problem` may be NULL if
 * the problem cannot be described. The front end then queues its work on `stream` (ignored on the
 * CPU) and calls atc_trace_call_end. `*out` is NULL if the call is not timed or no trace is
 * running. ATC_ERROR_INVALID_ARGUMENT: the problem or the device is not valid; the error text names
 * the field. If no trace is running, problem and device are not checked. */
ATC_API atc_status atc_trace_call_begin(atc_trace_call** out, atc_device device, const atc_conv_problem* problem,
                                        const char* choice, atc_stream stream) ATC_NOEXCEPT
    ATC_SYM(trace_call_begin);
/* Ends the report that atc_trace_call_begin has begun. On CUDA the front end calls this function
 * when the work has been queued on the stream; on the CPU, when the work is done. The function
 * frees `call`. NULL does nothing. */
ATC_API void atc_trace_call_end(atc_trace_call* call) ATC_NOEXCEPT ATC_SYM(trace_call_end);

#ifdef __cplusplus
}
#endif
#endif /* ATC_TRACE_H_ */
