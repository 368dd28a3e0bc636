#include "atc/trace.h"

#include <memory>
#include <string>

#include "bytes.hpp"
#include "cached_call.hpp"
#include "convert.hpp"
#include "guard.hpp"
#include "trace/call.hpp"
#include "trace/results.hpp"
#include "trace/trace.hpp"

using namespace atc;
using namespace atc::ffi;

struct atc_trace {
  trace::Results results;
};

struct atc_trace_call {
  trace::Call call;
};

namespace {

static_assert(static_cast<int>(trace::RowKind::problem) == ATC_TRACE_ROW_PROBLEM);
static_assert(static_cast<int>(trace::RowKind::choice) == ATC_TRACE_ROW_CHOICE);
static_assert(static_cast<int>(trace::RowKind::total) == ATC_TRACE_ROW_TOTAL);

// Returns the key of a call that a program reports to the trace. Calls with the same key are
// counted in the same row of the trace.
std::string key_of(DeviceId device, const atc_conv_problem* problem, const char* choice) {
  std::string key(choice);
  key += '\0';
  key.append(reinterpret_cast<const char*>(&device), sizeof(device));
  if (problem != nullptr) key.append(reinterpret_cast<const char*>(problem), sizeof(*problem));
  return key;
}

trace::Row& row_of(trace::Session& session, DeviceId device, const atc_conv_problem* given,
                   const char* choice) {
  if (given == nullptr) return session.row(device, "not described", choice);
  const atc_conv_problem problem = comparable_problem(given);
  const std::string key = key_of(device, &problem, choice);
  if (trace::Row* const known = session.find(key)) return *known;
  trace::Row& row = session.row(device, describe(to_problem(&problem)), choice);
  session.learn(key, row);
  return row;
}

}  // namespace

extern "C" {

atc_status atc_trace_start(const atc_trace_options* given) noexcept {
  return guard([&] {
    trace::Options options;
    if (given != nullptr) {
      const atc_trace_options known = read_struct(given, "options");
      options.sample_every = known.sample_every;
      options.max_rows = known.max_rows;
      options.max_events = known.max_events;
      if (known.file != nullptr) options.file = known.file;
      if (known.file != nullptr && options.file.empty())
        fail(Status::invalid_argument, "options.file is empty: pass a path, or leave it out");
    }
    trace::start(std::move(options));
  });
}

atc_status atc_trace_stop(atc_trace** out) noexcept {
  return guard([&] {
    auto stopped = std::make_unique<atc_trace>();
    stopped->results = trace::stop();
    if (out != nullptr) *out = stopped.release();
  });
}

void atc_trace_destroy(atc_trace* trace) noexcept {
  guard_void([&] { delete trace; });
}

atc_status atc_trace_row_count(size_t* out, const atc_trace* trace) noexcept {
  return guard([&] {
    const auto& rows = required(trace, "trace").results.rows;
    required(out, "out") = rows.size();
  });
}

atc_status atc_trace_row_get(atc_trace_row* out, const atc_trace* trace, size_t index) noexcept {
  return guard([&] {
    const auto& rows = required(trace, "trace").results.rows;
    if (index >= rows.size())
      fail(Status::invalid_argument, "index is {}: the trace has {} rows", index, rows.size());
    const trace::ResultRow& known = rows[index];
    atc_trace_row row{};
    row.kind = static_cast<int32_t>(known.kind);
    if (known.kind != trace::RowKind::total)
      row.device = {static_cast<int32_t>(known.device.type), known.device.index};
    row.problem = known.problem.c_str();
    row.choice = known.choice.c_str();
    row.calls = known.calls;
    row.timed = known.times.count();
    row.total = known.total;
    row.mean = known.times.mean();
    row.median = known.times.quantile(0.5);
    row.p90 = known.times.quantile(0.9);
    row.p99 = known.times.quantile(0.99);
    row.min = known.times.min();
    row.max = known.times.max();
    row.deviation = known.times.deviation();
    write_struct(out, row, "out");
  });
}

atc_status atc_trace_text(atc_bytes** out, const atc_trace* trace, int32_t format) noexcept {
  return guard([&] {
    const trace::Results& results = required(trace, "trace").results;
    required(out, "out");
    if (format != ATC_TRACE_TABLE && format != ATC_TRACE_JSON)
      fail(Status::invalid_argument, "format is {}: use 1 (table) or 2 (JSON)", format);
    *out = make_bytes(format == ATC_TRACE_TABLE ? to_table(results) : to_json(results));
  });
}

atc_status atc_trace_is_running(int32_t* out) noexcept {
  return guard([&] {
    required(out, "out");
    *out = trace::may_run() && trace::running() != nullptr ? 1 : 0;
  });
}

atc_status atc_trace_call_begin(atc_trace_call** out, atc_device device,
                                const atc_conv_problem* problem, const char* choice,
                                atc_stream stream) noexcept {
  return guard([&] {
    required(out, "out");
    required(choice, "choice");
    const auto session = trace::may_run() ? trace::running() : nullptr;
    if (session == nullptr) {
      *out = nullptr;
      return;
    }
    const DeviceId id = to_device(device);
    trace::Row& row = row_of(*session, id, problem, choice);
    if (!session->count(row)) {
      *out = nullptr;
      return;
    }
    *out = new atc_trace_call{trace::Call(session, row, id, stream)};
  });
}

void atc_trace_call_end(atc_trace_call* call) noexcept {
  guard_void([&] {
    if (call != nullptr) call->call.end();
    delete call;
  });
}

}  // extern "C"
