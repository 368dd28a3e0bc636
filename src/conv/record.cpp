#include "conv/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/log.hpp"

namespace atc::conv {

using store::Json;

namespace {

constexpr const char* kOthers = "others";

// Whether everybody of that roster can build the choice: its links are members.
bool can_be_built_by(const Choice& choice, const Roster& roster) {
  return roster.has(choice.engine, choice.version) &&
         std::all_of(choice.rewrites.begin(), choice.rewrites.end(),
                     [&](const Link& link) { return roster.has(link.rewrite, link.version); });
}

}  // namespace

void add(Record& record, Decision decision) {
  const auto superfluous = [&](const Decision& other) {
    return decision.roster.covers(other.roster) && can_be_built_by(decision.choice, other.roster);
  };
  record.erase(std::remove_if(record.begin(), record.end(), superfluous), record.end());
  record.insert(record.begin(), std::move(decision));
  if (record.size() > kMostDecisions) record.resize(kMostDecisions);
}

Json to_json(const Record& record) {
  Json json = to_json(record.front());
  for (auto other = record.begin() + 1; other != record.end(); ++other)
    json[kOthers].push_back(to_json(*other));
  return json;
}

Record record_from_json(const Json& value) {
  Record record;
  std::string trouble = "it holds no decision";
  const auto read = [&](const Json& decision) {
    try {
      record.push_back(decision_from_json(decision));
    } catch (const Error& error) {
      trouble = error.what();
      log_once(LogLevel::warning, fmt::format("a record is ignored: {}", trouble));
    }
  };
  read(value);
  if (const auto others = value.find(kOthers); others != value.end() && others->is_array())
    for (const Json& other : *others) read(other);
  if (record.empty()) fail(Status::bad_record, "{}", trouble);
  return record;
}

}  // namespace atc::conv
