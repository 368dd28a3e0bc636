// The results of a trace, in the form that is returned to callers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/device_type.hpp"
#include "trace/sketch.hpp"

namespace atc::trace {

// The kinds of rows of a trace. The values are those of ATC_TRACE_ROW_* in include/atc/trace.h.
enum class RowKind : std::int32_t { problem = 1, choice = 2, total = 3 };

struct ResultRow {
  RowKind kind = RowKind::problem;
  DeviceId device;      // the device of the calls; not set in the row of kind `total`
  std::string problem;  // the problem of the calls; set only in rows of kind `problem`
  std::string choice;   // the choice of the calls; not set in the row of kind `total`
  std::uint64_t calls = 0;
  // An estimate of the time of all calls, in seconds: the number of calls times the mean time of
  // the timed calls. If the row combines several problems or choices, this is computed for each of
  // them and summed.
  double total = 0;
  Sketch times;  // the times of the timed calls
};

// One timed call.
struct Event {
  std::uint32_t row = 0;      // index into Results::rows
  std::int64_t start_ns = 0;  // nanoseconds since 1970
  double seconds = 0;
  // The lane of the timeline: on the CPU the number of the thread, on CUDA the handle of the
  // stream.
  std::uint64_t track = 0;
};

struct Results {
  int process = 0;
  std::int64_t start_ns = 0;  // nanoseconds since 1970
  double seconds = 0;         // seconds from the start of the trace to its end
  // First the rows of kind `problem`, grouped by device and problem, then the rows of kind
  // `choice`, then the total. Groups and rows with the longest time are first.
  std::vector<ResultRow> rows;
  // The most recent timed calls, in the order in which they were timed.
  std::vector<Event> events;
  std::uint64_t events_dropped = 0;  // the number of older timed calls that are not in `events`
};

// Makes the results. `problems` are rows of kind `problem`, in any order. The rows are sorted, rows
// of the other kinds are added, and the row numbers in `events` are changed accordingly.
Results summarize(std::vector<ResultRow> problems, std::vector<Event> events);

// to_table returns the table as text for people. to_json returns all results as JSON: a Chrome
// trace whose key `atc` contains the table (docs/tracing.md).
std::string to_table(const Results& results);
std::string to_json(const Results& results);

}  // namespace atc::trace
