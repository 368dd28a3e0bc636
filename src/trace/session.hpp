// A running trace. It counts and times calls by problem and choice.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/device_type.hpp"
#include "trace/cuda/device_times.hpp"
#include "trace/results.hpp"

namespace atc::trace {

struct Options {
  // Of the calls of one problem with one choice, one of every `sample_every` is timed. 0: one of
  // every kEveryCpu calls on the CPU, and one of every kEveryCuda calls on CUDA.
  std::uint32_t sample_every = 0;
  std::uint32_t max_rows = 0;    // the largest number of rows of the trace; 0: kRows
  std::uint32_t max_events = 0;  // the largest number of timed calls that are kept; 0: kEvents
  std::string file;              // the path of the trace's file; "": no file is written

  static constexpr std::uint32_t kEveryCpu = 1, kEveryCuda = 8, kRows = 1024, kEvents = 65536;
};

// The counts and times of the calls of one problem with one choice on one device.
class Row {
 public:
  Row(std::uint32_t number, DeviceId device, std::string_view problem, std::string_view choice)
      : number_(number), device_(device), problem_(problem), choice_(choice) {}

 private:
  friend class Session;
  const std::uint32_t number_;
  const DeviceId device_;
  const std::string problem_, choice_;
  std::atomic<std::uint64_t> calls_{0};
  Sketch times_;  // the times of timed calls; guarded by the session's mutex
};

// A running trace. Any number of threads may use a session at the same time.
class Session {
 public:
  explicit Session(Options options);

  const Options& options() const { return options_; }
  // Returns whether the session is running. False once take() has been called. Calls that began
  // before take() may still be counted.
  bool is_open() const { return open_.load(std::memory_order_relaxed); }
  // Returns whether the session was made by the calling process. False in a forked child.
  bool is_of_this_process() const;

  // Returns the row of the calls with this device, problem and choice. The row is valid as long as
  // the session exists. Once there are options().max_rows rows, no new row is made: a call that has
  // no row yet is counted in one additional row for its device.
  Row& row(DeviceId device, std::string_view problem, std::string_view choice);
  // Returns the row that was passed to learn() with this key; null if there is none.
  Row* find(std::string_view key);
  void learn(std::string_view key, Row& row);

  // Counts a call. Returns whether the call has to be timed.
  bool count(Row& row);
  void add(Row& row, std::int64_t start_ns, double seconds, std::uint64_t track);

  DeviceTimes& devices() { return devices_; }

  // Ends the session and returns its results. If `wait` is true, waits for the timed calls that are
  // still running on devices. If `wait` is false, CUDA is not called, and these calls are not
  // timed.
  Results take(bool wait);

 private:
  Row& row_with_lock(DeviceId device, std::string_view problem, std::string_view choice);

  const Options options_;
  const unsigned forks_;
  const std::int64_t start_ns_;
  std::atomic<bool> open_{true};
  std::mutex mutex_;
  std::deque<Row> rows_;  // in a deque the addresses of rows never change
  std::unordered_map<std::string, Row*> by_name_, by_key_;
  // The timed calls. When the vector is full, it is used as a ring buffer.
  std::vector<Event> events_;
  std::uint64_t timed_ = 0;
  DeviceTimes devices_;
};

}  // namespace atc::trace
