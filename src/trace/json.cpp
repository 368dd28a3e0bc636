#include <unistd.h>

#include <map>
#include <string_view>

#include "core/format.hpp"
#include "core/json.hpp"
#include "trace/results.hpp"

namespace atc::trace {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;  // the version of the format of the key `atc` in a trace's JSON

// PyTorch's profiler writes times relative to a base, and atc uses the same base. So an event has
// the same time in a file of atc and in a file of the profiler. (Time since 1970 is divided into
// intervals of a twelfth of four years. The base is the start of the interval in which the trace
// began. So the times differ if the two traces began in different intervals.)
constexpr std::int64_t kInterval_ns = std::int64_t{7'889'238} * 1'000'000'000;

std::int64_t base_of(std::int64_t start_ns) { return start_ns / kInterval_ns * kInterval_ns; }

Json microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

Json to_json(const ResultRow& row) {
  constexpr const char* kKinds[] = {"", "problem", "choice", "total"};
  Json json;
  json["kind"] = kKinds[static_cast<int>(row.kind)];
  if (row.kind != RowKind::total) json["device"] = name_of(row.device);
  if (row.kind == RowKind::problem) json["problem"] = row.problem;
  if (row.kind != RowKind::total) json["choice"] = row.choice;
  json["calls"] = row.calls;
  json["timed"] = row.times.count();
  if (row.times.count() == 0) return json;
  json["total"] = row.total;
  json["mean"] = row.times.mean();
  json["median"] = row.times.quantile(0.5);
  json["p90"] = row.times.quantile(0.9);
  json["p99"] = row.times.quantile(0.99);
  json["min"] = row.times.min();
  json["max"] = row.times.max();
  json["deviation"] = row.times.deviation();
  return json;
}

// The lanes of the timeline (the ids by which a viewer arranges events). A call on the CPU is in
// the lane of its thread; PyTorch's profiler uses the same lane for the operators of the thread.
// The calls on a CUDA device are in a group for the device, with one lane for each stream.
class Lanes {
 public:
  Lanes(const Results& results, Json& events) : results_(results), events_(events) {}

  void place(Json& event, DeviceId device, std::uint64_t track) {
    if (device.type != DeviceType::cuda) {
      event["pid"] = results_.process;
      event["tid"] = track;
      return;
    }
    const std::string group = "atc " + name_of(device);
    auto& streams = streams_[device.index];
    if (streams.empty()) name("process_name", group, 0, group);
    const auto [known, added] = streams.emplace(track, streams.size() + 1);
    if (added) name("thread_name", group, known->second, format("stream 0x{:x}", track));
    event["pid"] = group;
    event["tid"] = known->second;
  }

 private:
  void name(const char* kind, const std::string& group, std::size_t lane, const std::string& text) {
    events_.push_back(
        {{"ph", "M"}, {"name", kind}, {"pid", group}, {"tid", lane}, {"args", {{"name", text}}}});
  }

  const Results& results_;
  Json& events_;
  // For each device, the lane of the timeline for each stream handle.
  std::map<int, std::map<std::uint64_t, std::size_t>> streams_;
};

}  // namespace

std::string to_json(const Results& results) {
  const std::int64_t base = base_of(results.start_ns);
  Json rows = Json::array(), events = Json::array();
  for (const ResultRow& row : results.rows) rows.push_back(to_json(row));
  Lanes lanes(results, events);
  for (const Event& timed : results.events) {
    const ResultRow& row = results.rows[timed.row];
    Json event = {{"ph", "X"}, {"cat", "atc"}, {"name", row.choice}};
    lanes.place(event, row.device, timed.track);
    event["ts"] = microseconds(timed.start_ns - base);
    event["dur"] = timed.seconds * 1e6;
    event["args"] = {{"problem", row.problem}};
    events.push_back(std::move(event));
  }
  const Json json = {
      {"schemaVersion", 1},
      {"displayTimeUnit", "ms"},
      {"baseTimeNanoseconds", base},
      {"atc",
       {{"version", kVersion},
        {"process", results.process},
        {"seconds", results.seconds},
        {"events_dropped", results.events_dropped},
        {"relative_error", Sketch::kRelativeError},
        {"rows", std::move(rows)}}},
      {"traceEvents", std::move(events)},
  };
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace atc::trace
