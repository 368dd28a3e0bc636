#include "conv/explain/entry_report.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "conv/key.hpp"
#include "conv/race/ceilings.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/registry.hpp"
#include "store/entry.hpp"

namespace atc::conv {

namespace {

using store::Json;

// Returns the text of the object's member `name`. Returns "" if there is no such member, or if it
// is not a text.
std::string text_in(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

std::optional<double> number_in(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_number()) return std::nullopt;
  return member->get<double>();
}

bool is_on(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && *member == true;
}

const Json& object_in(const Json& object, const char* name) {
  static const Json kNone = Json::object();
  const auto member = object.find(name);
  return member != object.end() && member->is_object() ? *member : kNone;
}

std::string joined_shape(const Tensor& tensor) {
  return joined(tensor.shape.begin(), tensor.shape.begin() + tensor.rank, "×");
}

// Returns the extents as text. If all extents are equal, the text is one number.
std::string brief(const Extents& values, int count) {
  const auto last = values.begin() + count;
  const bool same = std::all_of(values.begin(), last, [&](auto one) { return one == values[0]; });
  return same ? format("{}", values[0]) : joined(values.begin(), last, ",");
}

// Whether neighbouring channels are neighbours in memory. If the tensor has only one channel or
// only one position, both layouts are the same, and the result is false.
bool is_channels_last(const Tensor& tensor) {
  const auto several = [](std::int64_t extent) { return extent > 1; };
  const auto last = tensor.shape.begin() + tensor.rank;
  return tensor.strides[1] == 1 && several(tensor.shape[1]) &&
         std::any_of(tensor.shape.begin() + 2, last, several);
}

// Describes a problem, for example "forward f32 x 8×64×56×56 w 64×64×3×3 stride 2 padding 1".
// Default values (such as stride 1) are left out.
std::string told(const Problem& problem, const Json& allowed) {
  std::string text = format("{} {} x {} w {}", name_of(problem.direction), name_of(problem.x.dtype),
                            joined_shape(problem.x), joined_shape(problem.w));
  const auto add = [&](const char* name, const Extents& values, std::int64_t plain) {
    const auto last = values.begin() + problem.spatial;
    if (std::any_of(values.begin(), last, [&](auto one) { return one != plain; }))
      text += format(" {} {}", name, brief(values, problem.spatial));
  };
  const bool symmetric = problem.pad_low == problem.pad_high;
  add("stride", problem.stride, 1);
  add("dilation", problem.dilation, 1);
  add(symmetric ? "padding" : "padding below", problem.pad_low, 0);
  if (!symmetric) text += format(" padding above {}", brief(problem.pad_high, problem.spatial));
  if (problem.groups != 1) text += format(" groups {}", problem.groups);
  if (is_channels_last(problem.x)) text += " channels-last";
  if (problem.epilogue != Epilogue::none) text += format(" {}", name_of(problem.epilogue));
  text += describe(problem.post_ops);
  if (is_on(allowed, "constant_weights")) text += ", constant weights";
  if (is_on(allowed, "deterministic")) text += ", deterministic";
  return text;
}

// Returns the number of elements of dimension `from` and the following ones. It is a double,
// because the extents in a key may be any numbers, and their product may exceed 2^63.
double elements(const Tensor& tensor, int from = 0) {
  return std::accumulate(tensor.shape.begin() + from, tensor.shape.begin() + tensor.rank, 1.0,
                         std::multiplies<>());
}

double bytes_of(const Tensor& tensor) {
  return elements(tensor) * static_cast<double>(size_of(tensor.dtype));
}

void read_problem(const Json& key, const Ceilings& ceilings, EntryReport& report) {
  const Problem problem = problem_from_key(key);
  const Json& allowed = object_in(key, "allowed");
  report.problem = told(problem, allowed);
  report.bytes = bytes_of(problem.x) + bytes_of(problem.w) + bytes_of(problem.y);
  report.flops = 2 * elements(problem.y) * elements(problem.w, 1);
  report.roof = roof_of(ceilings, products_of(problem, is_on(allowed, "tf32")));
}

void read_environment(const Json& environment, EntryReport& report) {
  report.device = text_in(environment, "device");
  report.device_name = text_in(environment, "name");
  if (const auto threads = number_in(environment, "threads");
      threads && *threads > 0 && *threads < std::numeric_limits<int>::max())
    report.threads = static_cast<int>(*threads);
  const DeviceType type = report.device == name_of(DeviceId{}) ? DeviceType::cpu : DeviceType::cuda;
  for (const std::string& name : default_engines(type))
    if (const std::string version = text_in(environment, name.c_str()); !version.empty())
      report.libraries.push_back(format("{}:{}", name, version));
}

Conditions conditions_from(const Json& json) {
  Conditions conditions;
  conditions.driver = text_in(json, "driver");
  conditions.power_limit_watts = number_in(json, "power_limit_watts");
  conditions.temperature_celsius = number_in(json, "temperature_celsius");
  conditions.clock_hz = number_in(json, "clock_hz");
  conditions.memory_clock_hz = number_in(json, "memory_clock_hz");
  if (const auto reasons = json.find("clocks_limited_by");
      reasons != json.end() && reasons->is_array())
    for (const Json& reason : *reasons)
      if (reason.is_string()) conditions.clocks_limited_by.push_back(reason.get<std::string>());
  return conditions;
}

void read_value(const Json& value, EntryReport& report) {
  report.host = text_in(value, "host");
  report.date = text_in(value, "date");
  report.conditions = conditions_from(object_in(value, "conditions"));
  report.decision = decision_from_json(value);
  report.choice = to_string(report.decision.choice);
  const auto& candidates = report.decision.candidates;
  const auto original = std::find_if(candidates.begin(), candidates.end(),
                                     [](const Candidate& one) { return one.original; });
  if (original != candidates.end())
    report.original = static_cast<std::size_t>(original - candidates.begin());
}

}  // namespace

EntryReport report_of(const store::Entry& entry, const Ceilings& of_environment) {
  EntryReport report;
  report.entry = entry_to_text(entry);
  report.key = store::CanonicalKey(entry.key).text();
  read_environment(entry.key.environment, report);
  try {
    read_problem(entry.key.problem, of_environment, report);
  } catch (const Json::exception&) {
    // This version of atc cannot read the problem in the entry's key. So the report does not
    // describe the problem.
  } catch (const Error& error) {
    if (error.status() != Status::bad_record) throw;
  }
  try {
    read_value(entry.value, report);
  } catch (const Error& error) {
    if (error.status() != Status::bad_record) throw;
    report.trouble = error.what();
  }
  return report;
}

std::vector<EntryReport> read_entries(const std::shared_ptr<store::Store>& store) {
  const Knowledge knowledge = Knowledge::of(store);
  // For each environment (device and library versions, as text): the highest rates of its device.
  std::map<std::string, Ceilings> ceilings;
  std::vector<EntryReport> reports;
  for (const auto& entry : store->list()) {
    const Json& environment = entry->key.environment;
    auto [known, is_new] = ceilings.try_emplace(environment.dump());
    if (is_new) known->second = known_ceilings(environment, knowledge);
    reports.push_back(report_of(*entry, known->second));
  }
  return reports;
}

}  // namespace atc::conv
