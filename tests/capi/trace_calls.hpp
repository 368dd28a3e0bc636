// Starts a trace (a count of the calls of each problem), and reads its rows, for tests that only
// use the C ABI.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "status.hpp"

namespace atc_test {

struct TraceDeleter {
  void operator()(atc_trace* trace) const { atc_trace_destroy(trace); }
};
using Trace = std::unique_ptr<atc_trace, TraceDeleter>;

inline void start(const char* file = nullptr, std::uint32_t every = 0) {
  atc_trace_options options = ATC_TRACE_OPTIONS_INIT;
  options.file = file;
  options.sample_every = every;
  ASSERT_DONE(atc_trace_start(&options));
}

inline Trace stop() {
  atc_trace* trace = nullptr;
  EXPECT_DONE(atc_trace_stop(&trace));
  return Trace(trace);
}

inline std::vector<atc_trace_row> rows_of(const Trace& trace) {
  std::size_t count = 0;
  EXPECT_DONE(atc_trace_row_count(&count, trace.get()));
  std::vector<atc_trace_row> rows(count, ATC_TRACE_ROW_INIT);
  for (std::size_t i = 0; i < count; ++i) EXPECT_DONE(atc_trace_row_get(&rows[i], trace.get(), i));
  return rows;
}

inline std::uint64_t calls_of(const Trace& trace) { return rows_of(trace).back().calls; }

inline std::string text_of(const Trace& trace, std::int32_t format) {
  atc_bytes* bytes = nullptr;
  EXPECT_DONE(atc_trace_text(&bytes, trace.get(), format));
  std::string text(atc_bytes_data(bytes), atc_bytes_size(bytes));
  atc_bytes_destroy(bytes);
  return text;
}

inline std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace atc_test
