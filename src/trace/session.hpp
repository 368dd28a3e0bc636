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
  std::uint32_t sample_every = 0;  // 0: kEveryCpu, kEveryCuda
  std::uint32_t max_rows = 0;      // 0: kRows
  std::uint32_t max_events = 0;    // 0: kEvents
  std::string file;                // "": none

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
  Sketch times_;  // guarded by the session's mutex
};

// A trace while it runs. Any number of threads may use a session at once.
class Session {
 public:
  explicit Session(Options options);

  const Options& options() const { return options_; }
  // Returns false from take() on. Calls that began before may still be counted.
  bool is_open() const { return open_.load(std::memory_order_relaxed); }
  // Whether the calling process made the session. Returns false in a forked child.
  bool is_of_this_process() const;

  // Returns the row of these names, which lives as long as the session. Once there are
  // options().max_rows rows, all further names share one more row for each device.
  Row& row(DeviceId device, std::string_view problem, std::string_view choice);
  // Returns the row that `learn` was given for this key; null if there is none.
  Row* find(std::string_view key);
  void learn(std::string_view key, Row& row);

  // Counts a call. Returns whether the call is to be timed.
  bool count(Row& row);
  void add(Row& row, std::int64_t start_ns, double seconds, std::uint64_t track);

  DeviceTimes& devices() { return devices_; }

  // Ends the session. `wait`: waits for the timed calls that devices still run. Without it, makes
  // no call of CUDA.
  Results take(bool wait);

 private:
  Row& row_with_lock(DeviceId device, std::string_view problem, std::string_view choice);

  const Options options_;
  const unsigned forks_;
  const std::int64_t start_ns_;
  std::atomic<bool> open_{true};
  std::mutex mutex_;
  std::deque<Row> rows_;  // never moved
  std::unordered_map<std::string, Row*> by_name_, by_key_;
  std::vector<Event> events_;  // the timed calls; the vector becomes a ring buffer when it is full
  std::uint64_t timed_ = 0;
  DeviceTimes devices_;
};

}  // namespace atc::trace
