#include "conv/record.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "store/entry.hpp"
#include "store/origin.hpp"

namespace atc::conv {

using store::Json;

namespace {

// Whether the engine and all rewrites of the choice are members of the roster (a list of engines
// and rewrites with versions). If so, a program with these engines and rewrites can build the
// choice.
bool can_be_built_by(const Choice& choice, const Roster& roster) {
  return roster.has(choice.engine, choice.version) &&
         std::all_of(choice.rewrites.begin(), choice.rewrites.end(),
                     [&](const Link& link) { return roster.has(link.rewrite, link.version); });
}

}  // namespace

std::optional<std::size_t> add(Record& record, Decision decision) {
  const auto serves_users_of = [](const Decision& chosen, const Decision& asked) {
    return (!chosen.narrowed || asked.narrowed) && chosen.roster.covers(asked.roster) &&
           can_be_built_by(chosen.choice, asked.roster) &&
           can_be_built_by(chosen.choice_of(true), asked.roster);
  };
  const auto is_firm = [](const Decision& one) { return !one.unstable; };
  const bool outdone =
      decision.unstable && std::any_of(record.begin(), record.end(), [&](const Decision& other) {
        return is_firm(other) && serves_users_of(other, decision);
      });
  if (outdone) return std::nullopt;
  const auto superfluous = [&](const Decision& other) {
    return (!decision.unstable || other.unstable) && serves_users_of(decision, other);
  };
  record.erase(std::remove_if(record.begin(), record.end(), superfluous), record.end());
  const auto place =
      decision.unstable ? std::find_if_not(record.begin(), record.end(), is_firm) : record.begin();
  const auto position = static_cast<std::size_t>(place - record.begin());
  record.insert(place, std::move(decision));
  if (record.size() > kMostDecisions) record.resize(kMostDecisions);
  if (position >= record.size()) return std::nullopt;
  return position;
}

Json to_json(const Record& record) {
  Json json = to_json(record.front());
  for (auto other = record.begin() + 1; other != record.end(); ++other)
    json[store::kOthers].push_back(to_json(*other));
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
      log_once(LogLevel::warning, format("a record is ignored: {}", trouble));
    }
  };
  read(value);
  if (const auto others = value.find(store::kOthers); others != value.end() && others->is_array())
    for (const Json& other : *others) read(other);
  if (record.empty()) fail(Status::bad_record, "{}", trouble);
  return record;
}

}  // namespace atc::conv
