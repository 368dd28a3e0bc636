// The results of a trace, in the form that callers read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/device_type.hpp"
#include "trace/sketch.hpp"

namespace atc::trace {

// Values equal ATC_TRACE_ROW_* in include/atc/trace.h.
enum class RowKind : std::int32_t { problem = 1, choice = 2, total = 3 };

struct ResultRow {
  RowKind kind = RowKind::problem;
  DeviceId device;      // not of the total
  std::string problem;  // of rows of kind `problem`
  std::string choice;   // not of the total
  std::uint64_t calls = 0;
  double total = 0;  // seconds: sum over problems and choices of calls times mean
  Sketch times;      // of the timed calls
};

// A timed call.
struct Event {
  std::uint32_t row = 0;      // in Results::rows
  std::int64_t start_ns = 0;  // since 1970
  double seconds = 0;
  std::uint64_t track = 0;  // the line of the timeline: on the CPU the thread's number, on CUDA the
                            // stream's handle
};

struct Results {
  int process = 0;
  std::int64_t start_ns = 0;  // since 1970
  double seconds = 0;         // from start to stop
  // First the rows of kind `problem`, grouped by device and problem; then those of kind `choice`;
  // then the total. Groups and rows that took the most time come first.
  std::vector<ResultRow> rows;
  std::vector<Event> events;         // the most recent timed calls, in the order in which they were
                                     // timed
  std::uint64_t events_dropped = 0;  // older ones
};

// `problems` are rows of kind `problem`. Sorts them, adds the rows of the other kinds, and adapts
// the events to the new indices.
Results summarize(std::vector<ResultRow> problems, std::vector<Event> events);

// Return the table as text for people, and everything as JSON: a Chrome trace whose key `atc` holds
// the table (docs/tracing.md).
std::string to_table(const Results& results);
std::string to_json(const Results& results);

}  // namespace atc::trace
