#include "trace/session.hpp"

#include <unistd.h>

#include <algorithm>

#include "core/format.hpp"
#include "device/fork.hpp"
#include "trace/clock.hpp"

namespace atc::trace {

namespace {

// The number of keys that learn() keeps is at most this number times the largest number of rows.
// Several keys can belong to one row: a key consists of the bytes of a problem's struct, and
// different structs may describe the same problem.
constexpr std::size_t kKeysPerRow = 4;

constexpr const char* kOther = "other";

Options with_defaults(Options options) {
  if (options.max_rows == 0) options.max_rows = Options::kRows;
  if (options.max_events == 0) options.max_events = Options::kEvents;
  return options;
}

std::string name_of(DeviceId device, std::string_view problem, std::string_view choice) {
  return format("{}:{}\n{}\n{}", static_cast<int>(device.type), device.index, problem, choice);
}

}  // namespace

Session::Session(Options options)
    : options_(with_defaults(std::move(options))),
      forks_(forks_behind()),
      start_ns_(now_ns()),
      devices_([this](Row& row, std::int64_t start_ns, double seconds, std::uint64_t stream) {
        add(row, start_ns, seconds, stream);
      }) {}

bool Session::is_of_this_process() const { return forks_ == forks_behind(); }

Row& Session::row_with_lock(DeviceId device, std::string_view problem, std::string_view choice) {
  const std::string name = name_of(device, problem, choice);
  if (const auto known = by_name_.find(name); known != by_name_.end()) return *known->second;
  if (rows_.size() >= options_.max_rows && problem != kOther)
    return row_with_lock(device, kOther, kOther);
  Row& row = rows_.emplace_back(static_cast<std::uint32_t>(rows_.size()), device, problem, choice);
  try {
    by_name_.emplace(name, &row);
  } catch (...) {
    rows_.pop_back();
    throw;
  }
  return row;
}

Row& Session::row(DeviceId device, std::string_view problem, std::string_view choice) {
  const std::lock_guard lock(mutex_);
  return row_with_lock(device, problem, choice);
}

Row* Session::find(std::string_view key) {
  const std::string wanted(key);
  const std::lock_guard lock(mutex_);
  const auto known = by_key_.find(wanted);
  return known == by_key_.end() ? nullptr : known->second;
}

void Session::learn(std::string_view key, Row& row) {
  std::string copy(key);
  const std::lock_guard lock(mutex_);
  if (by_key_.size() < kKeysPerRow * options_.max_rows) by_key_.emplace(std::move(copy), &row);
}

bool Session::count(Row& row) {
  const std::uint64_t before = row.calls_.fetch_add(1, std::memory_order_relaxed);
  const bool cuda = row.device_.type == DeviceType::cuda;
  const std::uint32_t usual = cuda ? Options::kEveryCuda : Options::kEveryCpu;
  return before % (options_.sample_every != 0 ? options_.sample_every : usual) == 0;
}

void Session::add(Row& row, std::int64_t start_ns, double seconds, std::uint64_t track) {
  const Event event{row.number_, start_ns, seconds, track};
  const std::lock_guard lock(mutex_);
  row.times_.add(seconds);
  if (events_.size() < options_.max_events)
    events_.push_back(event);
  else
    events_[timed_ % options_.max_events] = event;
  ++timed_;
}

Results Session::take(bool wait) {
  open_ = false;
  std::map<int, Drift> drifts;
  if (wait) drifts = devices_.close();
  std::vector<ResultRow> rows;
  std::vector<Event> events;
  std::uint64_t timed = 0;
  {
    const std::lock_guard lock(mutex_);
    rows.reserve(rows_.size());
    for (Row& row : rows_)
      rows.push_back({RowKind::problem, row.device_, row.problem_, row.choice_,
                      row.calls_.load(std::memory_order_relaxed), 0, std::move(row.times_)});
    events = std::move(events_);
    events_.clear();
    timed = timed_;
    timed_ = 0;
  }
  const std::uint64_t dropped = timed - events.size();
  std::rotate(events.begin(), events.begin() + (dropped == 0 ? 0 : timed % events.size()),
              events.end());
  for (Event& event : events) {
    const DeviceId device = rows[event.row].device;
    const auto drift = device.type == DeviceType::cuda ? drifts.find(device.index) : drifts.end();
    if (drift != drifts.end()) event.start_ns = drift->second.corrected(event.start_ns);
  }
  Results results = summarize(std::move(rows), std::move(events));
  results.process = getpid();
  results.start_ns = start_ns_;
  results.seconds = static_cast<double>(now_ns() - start_ns_) * 1e-9;
  results.events_dropped = dropped;
  return results;
}

}  // namespace atc::trace
