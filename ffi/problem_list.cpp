#include "problem_list.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "convert.hpp"
#include "core/json.hpp"
#include "core/printable.hpp"
#include "engines/registry.hpp"
#include "json_members.hpp"
#include "problem_json.hpp"
#include "store/strict_json.hpp"
#include "text.hpp"

namespace atc::ffi {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kSchema = "atc-tune";
constexpr std::int64_t kVersion = 1;
// The largest number of calls that is written for a problem. A larger number could not be read
// back, because whole numbers in JSON are read as signed 64-bit numbers.
constexpr std::uint64_t kMostCalls = std::numeric_limits<std::int64_t>::max();

// Those terms that are switches, with their names in JSON. (Terms are the options on which a
// decision depends.)
struct TermSwitch {
  const char* name;
  std::int32_t atc_conv_options::*field;
};
constexpr std::array<TermSwitch, 6> kSwitches = {
    {{"deterministic", &atc_conv_options::deterministic},
     {"allow_tf32", &atc_conv_options::allow_tf32},
     {"allow_reference", &atc_conv_options::allow_reference},
     {"require_firm", &atc_conv_options::require_firm},
     {"strict_precision", &atc_conv_options::strict_precision},
     {"allow_reduced_precision_reduction", &atc_conv_options::allow_reduced_precision_reduction}}};

atc_conv_options no_terms() {
  atc_conv_options terms{};
  terms.struct_size = sizeof(terms);
  return terms;
}

std::int32_t switch_of(bool on) { return on ? ATC_ON : ATC_OFF; }

// Returns the terms of a noted problem (a problem that this process called without a decision, and
// that is to be tuned later). A switch with its default value is 0 in the result.
atc_conv_options terms_of(const conv::NotedProblem& noted) {
  const conv::PlanOptions& from = noted.terms;
  const bool cuda = noted.device.type == DeviceType::cuda;
  atc_conv_options terms = no_terms();
  if (from.deterministic) terms.deterministic = switch_of(*from.deterministic);
  if (cuda && from.allow_tf32) terms.allow_tf32 = switch_of(*from.allow_tf32);
  if (!from.allow_reference) terms.allow_reference = ATC_OFF;
  if (from.constant_weights) terms.constant_weights = ATC_ON;
  if (from.require_firm) terms.require_firm = ATC_ON;
  if (from.strict_precision) terms.strict_precision = ATC_ON;
  if (from.reduced_reduction) terms.allow_reduced_precision_reduction = ATC_ON;
  if (cuda) terms.alignment = static_cast<std::uint32_t>(from.alignment);
  if (from.workspace) terms.workspace_limit = *from.workspace == 0 ? ATC_NONE : *from.workspace;
  if (noted.knowledge.is_without_store()) terms.use_store = ATC_OFF;
  copy_text(terms.front_end, from.front_end);
  return terms;
}

std::string device_text(atc_device device) {
  if (device.type == ATC_DEVICE_CPU) return "cpu";
  return device.index < 0 ? "cuda" : "cuda:" + std::to_string(device.index);
}

// Returns the device of a row, or type 0 if the row names none. The number in "cuda:1" is ignored,
// because another process may have numbered its devices differently.
atc_device device_from_json(const Json& row, const std::string& name) {
  const std::string text = text_from_json(row, "device", name);
  if (text.empty()) return {0, 0};
  if (text == "cpu") return {ATC_DEVICE_CPU, 0};
  const std::string_view number =
      std::string_view(text).substr(std::min<std::size_t>(5, text.size()));
  const bool numbered = text.compare(0, 5, "cuda:") == 0 && !number.empty() &&
                        number.find_first_not_of("0123456789") == std::string_view::npos;
  if (text == "cuda" || numbered) return {ATC_DEVICE_CUDA, -1};
  fail(Status::invalid_argument, "{}.device is \"{}\": use \"cpu\", \"cuda\" or \"cuda:0\"", name,
       shown(text, 60));
}

OrderedJson terms_to_json(const atc_conv_options& terms) {
  OrderedJson json = OrderedJson::object();
  for (const TermSwitch& one : kSwitches)
    if (terms.*one.field != 0) json[one.name] = terms.*one.field == ATC_ON;
  if (terms.alignment != 0) json["alignment"] = terms.alignment;
  if (terms.workspace_limit != 0)
    json["workspace_limit"] = terms.workspace_limit == ATC_NONE ? 0 : terms.workspace_limit;
  if (terms.use_store == ATC_OFF) json["use_store"] = false;
  return json;
}

void read_terms(atc_conv_options& terms, const Json& row, const std::string& name) {
  if (flag_from_json(row, "constant_weights", name)) terms.constant_weights = ATC_ON;
  // The member "original" names the engine that the caller of atc (such as the LibTorch bridge) had
  // registered. The name is kept even if this process has no such engine; options_of() leaves it
  // out in this case.
  const std::string front_end = text_from_json(row, "original", name);
  if (front_end.size() >= sizeof(terms.front_end))
    fail(Status::invalid_argument, "{}.original is \"{}\": use at most {} bytes", name,
         shown(front_end, 60), sizeof(terms.front_end) - 1);
  copy_text(terms.front_end, front_end);
  const auto given = row.find("terms");
  if (given == row.end()) return;
  const std::string within = name + ".terms";
  if (!given->is_object()) fail(Status::invalid_argument, "{} is no object", within);
  for (const auto& [member, value] : given->items()) {
    const auto known =
        std::find_if(kSwitches.begin(), kSwitches.end(),
                     [&name = member](const TermSwitch& one) { return name == one.name; });
    if (known != kSwitches.end()) {
      terms.*known->field = switch_of(flag_from_json(*given, known->name, within));
    } else if (member == "alignment") {
      const std::int64_t alignment = integer_from_json(*given, "alignment", 0, within);
      const bool fits = alignment >= 1 && alignment <= 4096 && (alignment & (alignment - 1)) == 0;
      if (!fits)
        fail(Status::invalid_argument, "{}.alignment is {}: use a power of 2 up to 4096", within,
             alignment);
      terms.alignment = static_cast<std::uint32_t>(alignment);
    } else if (member == "workspace_limit") {
      const bool unlimited = *given->find("workspace_limit") == ATC_UNLIMITED;
      const std::int64_t limit =
          unlimited ? 0 : integer_from_json(*given, "workspace_limit", 0, within);
      if (limit < 0)
        fail(Status::invalid_argument, "{}.workspace_limit is {}: use 0 or more bytes", within,
             limit);
      terms.workspace_limit = unlimited    ? ATC_UNLIMITED
                              : limit == 0 ? ATC_NONE
                                           : static_cast<std::uint64_t>(limit);
    } else if (member == "use_store") {
      terms.use_store = switch_of(flag_from_json(*given, "use_store", within));
    } else {
      fail(Status::invalid_argument, "{} has the member \"{}\", which this atc does not know",
           within, shown(member, 60));
    }
  }
}

// Returns the row as JSON, without its name and its count. add() merges two rows if their JSON is
// equal.
OrderedJson row_to_json(const ProblemList::Row& row) {
  OrderedJson json;
  if (row.terms.constant_weights == ATC_ON) json["constant_weights"] = true;
  if (row.terms.front_end[0] != 0) json["original"] = row.terms.front_end;
  if (row.device.type != 0) json["device"] = device_text(row.device);
  OrderedJson terms = terms_to_json(row.terms);
  if (!terms.empty()) json["terms"] = std::move(terms);
  json.update(to_json(row.problem));
  return json;
}

// Returns the terms of a row as options for the core. If this process has no engine with the name
// in `front_end`, the returned options have no front end.
conv::PlanOptions options_of(atc_conv_options terms) {
  if (terms.front_end[0] != 0 && EngineRegistry::instance().find(terms.front_end) == nullptr)
    terms.front_end[0] = '\0';
  return to_plan_options(terms);
}

}  // namespace

atc_conv_options terms_of(const atc_conv_options& options) {
  atc_conv_options terms = no_terms();
  for (const TermSwitch& one : kSwitches) terms.*one.field = options.*one.field;
  terms.constant_weights = options.constant_weights;
  terms.alignment = options.alignment;
  terms.workspace_limit = options.workspace_limit;
  terms.use_store = options.use_store;
  std::copy(std::begin(options.front_end), std::end(options.front_end),
            std::begin(terms.front_end));
  return terms;
}

void ProblemList::add(Row row) {
  std::string key = row.noted ? row.noted->id : row_to_json(row).dump();
  const auto [place, is_new] = places_.try_emplace(std::move(key), rows_.size());
  if (!is_new) {
    std::uint64_t& count = rows_[place->second].count;
    count = std::min(kMostCalls, count + std::min(kMostCalls, row.count));
    return;
  }
  try {
    rows_.push_back(std::move(row));
  } catch (...) {
    places_.erase(place);
    throw;
  }
}

void ProblemList::add_noted() {
  for (conv::NotedProblem& noted : conv::noted()) {
    Row row;
    row.device = {static_cast<std::int32_t>(noted.device.type), noted.device.index};
    row.problem = to_caller_problem(noted.problem);
    row.terms = terms_of(noted);
    row.noted = std::move(noted);
    add(std::move(row));
  }
}

void ProblemList::add_json(std::string_view text) {
  Json document;
  std::string reason;
  if (!store::parse_strictly(text, &document, &reason))
    fail(Status::invalid_argument,
         "the text {}: pass the JSON of a recording (ATC_RECORD), of a list of problems or of atc "
         "tune --json",
         reason);
  const bool is_known = document.is_object() && document.value("schema", Json()) == kSchema;
  if (!is_known)
    fail(Status::invalid_argument,
         "the text has no member \"schema\" with the value \"{}\": pass the JSON of a recording "
         "(ATC_RECORD), of a list of problems or of atc tune --json",
         kSchema);
  if (document.value("version", Json()) != kVersion)
    fail(Status::invalid_argument, "the text has version {}, this atc reads version {}",
         shown(
             document.value("version", Json()).dump(-1, ' ', false, Json::error_handler_t::replace),
             60),
         kVersion);
  const auto problems = document.find("problems");
  if (problems == document.end() || !problems->is_array())
    fail(Status::invalid_argument, "the text has no list \"problems\"");
  std::vector<Row> read;
  for (std::size_t i = 0; i < problems->size(); ++i) {
    const std::string name = format("problems[{}]", i);
    const Json& from = (*problems)[i];
    Row row;
    row.problem = problem_from_json(from, name);
    row.terms = no_terms();
    row.device = device_from_json(from, name);
    read_terms(row.terms, from, name);
    const std::int64_t count = integer_from_json(from, "count", 1, name);
    if (count < 0) fail(Status::invalid_argument, "{}.count is {}: use 0 or more", name, count);
    row.count = static_cast<std::uint64_t>(count);
    try {
      to_problem(&row.problem);
    } catch (const Error& error) {
      fail(error.status(), "{}: {}", name, error.what());
    }
    read.push_back(std::move(row));
  }
  for (Row& row : read) add(std::move(row));
}

const ProblemList::Row& ProblemList::at(std::size_t index) const {
  if (index >= rows_.size())
    fail(Status::invalid_argument, "the problem's index is {}, the list has {}", index,
         rows_.size());
  return rows_[index];
}

std::string ProblemList::json() const {
  std::string text = format(R"({{"schema": "{}", "version": {}, "atc": "{}", "problems": [)",
                            kSchema, kVersion, atc_version_string());
  std::size_t number = 0;
  for (const Row& row : rows_) {
    OrderedJson json;
    json["name"] = "conv_" + std::to_string(++number);
    json["count"] = std::clamp<std::uint64_t>(row.count, 1, kMostCalls);
    json.update(row_to_json(row));
    text += (number == 1 ? "\n  " : ",\n  ") + json.dump();
  }
  return text + "\n]}\n";
}

std::vector<conv::TuningTask> ProblemList::tasks(DeviceId device,
                                                 const conv::PlanOptions& how) const {
  std::vector<conv::TuningTask> tasks;
  for (const Row& row : rows_) {
    if (row.noted) {
      tasks.push_back(conv::task_of(*row.noted, how));
      continue;
    }
    conv::PlanOptions options = conv::with_terms(options_of(row.terms), how);
    DeviceId on = device;
    if (row.device.type != 0) {
      const auto type = static_cast<DeviceType>(row.device.type);
      if (row.device.index >= 0)
        on = {type, row.device.index};
      else if (type != device.type)
        fail(Status::invalid_argument,
             "options.problems has a problem for {}, and device is {}: pass a CUDA device",
             device_text(row.device), name_of(device));
    }
    tasks.push_back({on, to_problem(&row.problem), std::move(options), "", ""});
  }
  return tasks;
}

std::string ProblemList::text_of(std::size_t row) const {
  Row shared = at(row);
  if (shared.device.type == ATC_DEVICE_CUDA) shared.device.index = -1;
  return row_to_json(shared).dump();
}

std::string ProblemList::text_of(const Problem& problem) {
  Row row;
  row.problem = to_caller_problem(problem);
  row.terms = no_terms();
  return row_to_json(row).dump();
}

conv::TuningTask ProblemList::task_from(const std::string& text, DeviceId device,
                                        const conv::PlanOptions& how) {
  ProblemList list;
  list.add_json(
      format(R"({{"schema": "{}", "version": {}, "problems": [{}]}})", kSchema, kVersion, text));
  if (list.rows().size() != 1)
    fail(Status::invalid_argument, "the text has {} problems in place of one", list.rows().size());
  return list.tasks(device, how).front();
}

}  // namespace atc::ffi
