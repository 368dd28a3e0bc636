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
  double total = 0;  // seconds: the calls of each problem and choice times their mean
  Sketch times;      // of the timed calls
};

// A timed call.
struct Event {
  std::uint32_t row = 0;      // in Results::rows
  std::int64_t start_ns = 0;  // since 1970
  double seconds = 0;
  std::uint64_t track = 0;  // the thread's number on the CPU, the stream's handle on CUDA
};

struct Results {
  int process = 0;
  std::int64_t start_ns = 0;  // since 1970
  double seconds = 0;         // from start to stop
  // Those of kind `problem`, grouped by device and problem; then those of kind `choice`; then the
  // total. Groups and rows that took the most time come first.
  std::vector<ResultRow> rows;
  std::vector<Event> events;         // the last ones, in the order in which they were timed
  std::uint64_t events_dropped = 0;  // older ones
};

// Sorts `problems`, all of kind `problem`, adds the sums, and renumbers the events.
Results summarize(std::vector<ResultRow> problems, std::vector<Event> events);

// The table as text for people, and the whole as JSON: a Chrome trace whose key `atc` holds the
// table (docs/tracing.md).
std::string to_table(const Results& results);
std::string to_json(const Results& results);

}  // namespace atc::trace
