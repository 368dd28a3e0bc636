#include "conv/decision.hpp"

#include <unistd.h>

#include <cmath>
#include <ctime>
#include <limits>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json_object.hpp"
#include "store/entry.hpp"
#include "store/origin.hpp"
#include "store/whole_number.hpp"

namespace atc::conv {

using store::Json;
using store::whole_number;

namespace {

Json to_json(const Choice& choice) {
  Json json = json_object({{"engine", choice.engine},
                           {"version", choice.version},
                           {"configuration", choice.configuration}});
  for (const Link& link : choice.rewrites) json["rewrites"].push_back(to_string(link));
  return json;
}

Choice choice_from(const Json& json) {
  Choice choice{json.at("engine").get<std::string>(),
                json.at("version").get<std::string>(),
                json.at("configuration").get<std::string>(),
                {}};
  if (const auto rewrites = json.find("rewrites"); rewrites != json.end())
    for (const Json& link : rewrites->get_ref<const Json::array_t&>())
      choice.rewrites.push_back(parse_link(link.get<std::string>()));
  return choice;
}

Json to_json(const Roster& roster) {
  Json json = Json::array();
  for (const auto& [name, version] : roster) json.push_back({name, version});
  return json;
}

Roster roster_from(const Json& json) {
  Roster roster;
  for (const Json& member : json.get_ref<const Json::array_t&>())
    roster.add(member.at(0).get<std::string>(), member.at(1).get<std::string>());
  return roster;
}

std::string now_in_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof("2000-01-01T00:00:00Z")];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// The value of ATC_OUTCOME_* (the C interface) for the outcome. It is ATC_OUTCOME_OFFERED if
// `outcome` is empty, that is, if the candidate was not in a race.
std::int32_t outcome_number(std::optional<tune::Outcome> outcome) {
  constexpr std::int32_t kOffered = 10;
  return outcome ? static_cast<std::int32_t>(*outcome) : kOffered;
}

Json to_json(const Candidate& candidate) {
  Json json = to_json(candidate.choice);
  json["outcome"] = outcome_number(candidate.outcome);
  json["workspace"] = candidate.workspace;
  if (!candidate.notes.empty()) json["notes"] = candidate.notes;
  if (!candidate.reason.empty()) json["reason"] = candidate.reason;
  if (candidate.imprecise) json["imprecise"] = true;
  if (candidate.exactness != Exactness::exact)
    json["exactness"] = static_cast<std::int32_t>(candidate.exactness);
  if (candidate.original) json["original"] = true;
  if (candidate.returns_output) json["returns_output"] = true;
  const tune::Statistics& times = candidate.statistics;
  if (times.samples > 0) {
    json["samples"] = times.samples;
    json["executions"] = times.executions;
    json["mean"] = times.mean;
    json["median"] = times.median;
    json["min"] = times.min;
    json["max"] = times.max;
    json["deviation"] = times.deviation;
    if (times.clock_hz) json["clock_hz"] = *times.clock_hz;
    if (times.host > 0) json["host"] = times.host;
    if (times.launches > 0) json["launches"] = times.launches;
    if (times.in_graph) json["in_graph"] = true;
  }
  return json;
}

Exactness exactness_from(std::int32_t number) {
  constexpr auto kLast = static_cast<std::int32_t>(Exactness::transformed);
  if (number < 0 || number > kLast)
    fail(Status::bad_record, "candidate exactness {} is none of 0 … {}", number, kLast);
  return static_cast<Exactness>(number);
}

tune::Outcome outcome_from(std::int32_t number) {
  constexpr auto kLast = static_cast<std::int32_t>(tune::Outcome::skipped);
  if (number < 1 || number > kLast)
    fail(Status::bad_record, "candidate outcome {} is none of 1 … {}", number, kLast);
  return static_cast<tune::Outcome>(number);
}

tune::Technique technique_from(std::int32_t number) {
  constexpr auto kFirst = static_cast<std::int32_t>(tune::Technique::once);
  constexpr auto kLast = static_cast<std::int32_t>(tune::Technique::sustained);
  if (number < kFirst || number > kLast)
    fail(Status::bad_record, "technique {} is none of {} … {}", number, kFirst, kLast);
  return static_cast<tune::Technique>(number);
}

Candidate candidate_from(const Json& json) {
  Candidate candidate;
  candidate.choice = choice_from(json);
  candidate.rewrites = rewrites_text(candidate.choice);
  candidate.outcome = outcome_from(whole_number<std::int32_t>(json, "outcome"));
  candidate.workspace = whole_number<std::uint64_t>(json, "workspace");
  candidate.notes = json.value("notes", "");
  candidate.reason = json.value("reason", "");
  candidate.imprecise = json.value("imprecise", false);
  candidate.exactness = exactness_from(whole_number<std::int32_t>(json, "exactness", 0));
  candidate.original = json.value("original", false);
  candidate.returns_output = json.value("returns_output", false);
  tune::Statistics& times = candidate.statistics;
  times.samples = whole_number<std::size_t>(json, "samples", 0);
  if (times.samples > 0) {
    times.executions = whole_number<std::size_t>(json, "executions");
    times.mean = json.at("mean").get<double>();
    times.median = json.at("median").get<double>();
    times.min = json.at("min").get<double>();
    times.max = json.at("max").get<double>();
    times.deviation = json.at("deviation").get<double>();
    if (json.contains("clock_hz")) times.clock_hz = json.at("clock_hz").get<double>();
    times.host = json.value("host", 0.0);
    times.launches = whole_number<std::size_t>(json, "launches", 0);
    times.in_graph = json.value("in_graph", false);
  }
  return candidate;
}

// Returns the index of the candidate that has this choice and was timed. Throws Error(bad_record)
// if there is none.
std::size_t ran_as(const std::vector<Candidate>& candidates, const Choice& choice) {
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].choice == choice && candidates[i].ran()) return i;
  fail(Status::bad_record, "the choice of captured calls is not a candidate that ran");
}

Json to_json(const Conditions& conditions) {
  Json json = Json::object();
  if (!conditions.driver.empty()) json["driver"] = conditions.driver;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) json[name] = *value;
  };
  add("power_limit_watts", conditions.power_limit_watts);
  add("temperature_celsius", conditions.temperature_celsius);
  add("clock_hz", conditions.clock_hz);
  add("memory_clock_hz", conditions.memory_clock_hz);
  if (!conditions.clocks_limited_by.empty())
    json["clocks_limited_by"] = conditions.clocks_limited_by;
  return json;
}

Json provisional_json(const Decision& decision) {
  Json json = json_object({{"risk", decision.risk}, {"why", decision.why}});
  // JSON has no infinity. So if the race had no limit of time, there is no member "budget".
  if (std::isfinite(decision.budget_seconds)) json["budget"] = decision.budget_seconds;
  return json;
}

void read_provisional(const Json& json, Decision& decision) {
  decision.unstable = true;
  decision.risk = json.at("risk").get<double>();
  decision.why = json.at("why").get<std::string>();
  const auto budget = json.find("budget");
  decision.budget_seconds =
      budget == json.end() ? std::numeric_limits<double>::infinity() : budget->get<double>();
}

GateResults gate_results_from(const Json& json) {
  GateResults results;
  results.by = json.at("by").get<std::string>();
  const auto read = [&](const char* member, std::optional<std::string>& result) {
    if (const auto found = json.find(member); found != json.end())
      result = found->get<std::string>();
  };
  read("lenient", results.lenient);
  read("strict", results.strict);
  return results;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

std::uint64_t host_bytes(const std::string& text) {
  return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

std::uint64_t host_bytes(const Choice& choice) {
  std::uint64_t bytes = host_bytes(choice.engine) + host_bytes(choice.version) +
                        host_bytes(choice.configuration) +
                        choice.rewrites.capacity() * sizeof(Link);
  for (const Link& link : choice.rewrites)
    bytes += host_bytes(link.rewrite) + host_bytes(link.version) + host_bytes(link.configuration);
  return bytes;
}

// An estimate of the bytes that a std::set needs for each value in addition to the value itself
// (for the node of its tree).
constexpr std::uint64_t kNodeBytes = 48;

}  // namespace

std::uint64_t host_bytes(const Decision& decision) {
  std::uint64_t bytes = sizeof(Decision) + host_bytes(decision.choice) + host_bytes(decision.why) +
                        decision.candidates.capacity() * sizeof(Candidate) +
                        decision.roster.size() * (kNodeBytes + sizeof(Roster::Member));
  for (const Candidate& candidate : decision.candidates)
    bytes += host_bytes(candidate.choice) + host_bytes(candidate.rewrites) +
             host_bytes(candidate.notes) + host_bytes(candidate.reason) +
             host_bytes(candidate.kin) + host_bytes(candidate.family);
  return bytes;
}

Json to_json(const GateResults& results) {
  Json json = json_object({{"by", results.by}});
  if (results.lenient) json["lenient"] = *results.lenient;
  if (results.strict) json["strict"] = *results.strict;
  return json;
}

Json to_json(const Decision& decision) {
  Json candidates = Json::array();
  for (const Candidate& candidate : decision.candidates) candidates.push_back(to_json(candidate));
  Json json = json_object({{"choice", to_json(decision.choice)},
                           {"candidates", std::move(candidates)},
                           {"winner", decision.winner.value_or(0)},
                           {"default", decision.default_candidate.value_or(0)},
                           {"roster", to_json(decision.roster)},
                           {"technique", static_cast<std::int32_t>(decision.technique)},
                           {"executions", decision.executions},
                           {"seconds", decision.seconds},
                           // The following members of the JSON are for people to read. No decision
                           // depends on them.
                           {"host", host_name()},
                           {"date", now_in_utc()}});
  if (decision.unstable) json[store::kProvisional] = provisional_json(decision);
  if (decision.captured) json["captured"] = to_json(decision.candidates[*decision.captured].choice);
  if (decision.received) json[store::kReceived] = true;
  if (decision.received && !decision.checked.by.empty())
    json[store::kChecked] = to_json(decision.checked);
  if (decision.sidecar) json[store::kSidecar] = to_json(*decision.sidecar);
  if (Json conditions = to_json(decision.conditions); !conditions.empty())
    json["conditions"] = std::move(conditions);
  return json;
}

Decision decision_from_json(const Json& value) {
  try {
    Decision decision;
    decision.source = Source::record;
    decision.keeping = Keeping::stored;
    decision.choice = choice_from(value.at("choice"));
    for (const Json& candidate : value.at("candidates"))
      decision.candidates.push_back(candidate_from(candidate));
    const auto index = [&](const char* field) {
      const auto index = whole_number<std::size_t>(value, field);
      if (index >= decision.candidates.size())
        fail(Status::bad_record, "field '{}' is {}, but there are {} candidates", field, index,
             decision.candidates.size());
      return index;
    };
    decision.winner = index("winner");
    decision.default_candidate = index("default");
    if (!(decision.candidates[*decision.winner].choice == decision.choice))
      fail(Status::bad_record, "the winner is not the candidate that was chosen");
    // A record may say that its choice did not win, for example because the gate (the correctness
    // check) refused it. Such a record is malformed.
    if (decision.candidates[*decision.winner].outcome != tune::Outcome::won)
      fail(Status::bad_record, "the candidate that was chosen did not win its race");
    if (const auto provisional = value.find(store::kProvisional); provisional != value.end())
      read_provisional(*provisional, decision);
    if (const auto captured = value.find("captured"); captured != value.end())
      decision.captured = ran_as(decision.candidates, choice_from(*captured));
    decision.received = value.value(store::kReceived, false);
    if (const auto checked = value.find(store::kChecked); checked != value.end())
      decision.checked = gate_results_from(*checked);
    // Records that are older than sidecars (files of compiled code) contain the compiled text
    // themselves.
    decision.compiled = value.value(store::kCompiled, "");
    if (const auto sidecar = value.find(store::kSidecar); sidecar != value.end())
      decision.sidecar = store::sidecar_from_json(*sidecar);
    decision.roster = roster_from(value.at("roster"));
    decision.technique = technique_from(whole_number<std::int32_t>(value, "technique"));
    decision.executions = whole_number<std::uint64_t>(value, "executions");
    decision.seconds = value.at("seconds").get<double>();
    return decision;
  } catch (const Error& error) {
    fail(Status::bad_record, "a recorded decision: {}", error.what());
  } catch (const Json::exception& error) {
    fail(Status::bad_record, "a recorded decision lacks a field or has it in another type ({})",
         error.what());
  }
}

}  // namespace atc::conv
