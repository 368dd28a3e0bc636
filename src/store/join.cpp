#include "store/join.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "store/hash.hpp"
#include "store/origin.hpp"
#include "store/sidecar_name.hpp"

namespace atc::store {
namespace {

// Returns the members of a decision's roster (the engines that were compared), each as JSON text.
// Returns none if the roster is missing or is no list.
std::set<std::string> roster_of(const Json& decision) {
  std::set<std::string> members;
  const auto roster = decision.find("roster");
  if (roster == decision.end() || !roster->is_array()) return members;
  for (const Json& member : *roster) members.insert(member.dump());
  return members;
}

double risk_of(const Json& decision) {
  const auto provisional = decision.find(kProvisional);
  if (provisional == decision.end()) return 0;
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (!provisional->is_object()) return kUnknown;
  const auto risk = provisional->find("risk");
  return risk == provisional->end() || !risk->is_number() ? kUnknown : risk->get<double>();
}

std::string text_of(const Json& decision, const char* member) {
  const auto found = decision.find(member);
  return found == decision.end() ? "" : found->dump();
}

// Returns a decision without the members that describe its origin and without its compiled parts.
Json contents_of(Json decision) {
  for (const char* member : {kReceived, kChecked, kCompiled, kSidecar}) decision.erase(member);
  return decision;
}

// Appends the last `bytes` bytes of the number to the text, the highest one first. So comparing
// such texts orders them like their numbers.
void append(std::string& text, std::uint64_t number, int bytes) {
  for (int byte = bytes - 1; byte >= 0; --byte)
    text += static_cast<char>(static_cast<unsigned char>(number >> (8 * byte)));
}

std::string place_of(const Json& decision, const std::set<std::string>& roster) {
  constexpr std::uint64_t kMostMembers = 0xFFFF;
  std::string place;
  place += decision.contains(kProvisional) ? '\1' : '\0';
  append(place, kMostMembers - std::min<std::uint64_t>(kMostMembers, roster.size()), 2);
  // The bit patterns of non-negative floating-point numbers are ordered like the numbers.
  const double risk = std::max(0.0, risk_of(decision));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &risk, sizeof(bits));
  append(place, bits, 8);
  std::string choices = text_of(decision, "choice") + "\n" + text_of(decision, "captured");
  for (const std::string& member : roster) choices += "\n" + member;
  const Hash128 hash = hash128(choices);
  append(place, hash.high, 8);
  append(place, hash.low, 8);
  return place;
}

struct Ranked {
  Json decision;
  std::set<std::string> roster;
  // The rank of a decision; the smallest rank is the best. The parts of the rank, in this order:
  // the text of place_in_order, the hash of the contents, whether the decision was received,
  // whether the decision has no result of the gate, whether the decision has no compiled part, the
  // decision's whole text.
  std::tuple<std::string, Hash128, bool, bool, bool, std::string> rank;
};

Ranked ranked(Json decision) {
  Ranked one;
  one.roster = roster_of(decision);
  const bool compiled = decision.contains(kCompiled) || decision.contains(kSidecar);
  one.rank = {place_of(decision, one.roster),
              hash128(contents_of(decision).dump()),
              decision.contains(kReceived),
              !decision.contains(kChecked),
              !compiled,
              decision.dump()};
  one.decision = std::move(decision);
  return one;
}

void add_decisions(std::vector<Ranked>& all, const Json& value) {
  Json first = value;
  first.erase(kOthers);
  first.erase(kSeal);
  all.push_back(ranked(std::move(first)));
  const auto others = value.find(kOthers);
  if (others == value.end() || !others->is_array()) return;
  for (const Json& other : *others) {
    if (!other.is_object() || !other.contains("choice") || !other["choice"].is_object()) continue;
    Json decision = other;
    decision.erase(kOthers);
    all.push_back(ranked(std::move(decision)));
  }
}

bool is_choice(const Json& candidate, const Json& choice) {
  if (!choice.is_object() || !candidate.is_object()) return false;
  return std::all_of(choice.items().begin(), choice.items().end(), [&](const auto& member) {
    const auto found = candidate.find(member.key());
    return found != candidate.end() && *found == member.value();
  });
}

Json value_of(const std::vector<Ranked>& decisions) {
  Json value = decisions.front().decision;
  for (auto other = decisions.begin() + 1; other != decisions.end(); ++other)
    value[kOthers].push_back(other->decision);
  return value;
}

}  // namespace

std::string place_in_order(const Json& decision) { return place_of(decision, roster_of(decision)); }

void slim(Json& decision) {
  const auto candidates = decision.find("candidates");
  if (candidates == decision.end() || !candidates->is_array()) return;
  const char* const kIndices[] = {"winner", "default"};
  const auto is_index = [&](const char* name) {
    const auto index = decision.find(name);
    return index != decision.end() && index->is_number_integer() && *index >= 0 &&
           *index < candidates->size();
  };
  if (!std::all_of(std::begin(kIndices), std::end(kIndices), is_index)) return;
  const Json captured = decision.value("captured", Json());
  Json kept = Json::array();
  std::map<std::uint64_t, std::uint64_t> places;
  for (std::uint64_t i = 0; i < candidates->size(); ++i) {
    const Json& candidate = (*candidates)[i];
    if (i != decision["winner"] && i != decision["default"] && !is_choice(candidate, captured))
      continue;
    places[i] = kept.size();
    kept.push_back(candidate);
  }
  for (const char* name : kIndices) decision[name] = places.at(decision[name].get<std::uint64_t>());
  *candidates = std::move(kept);
}

Json join(const Json& a, const Json& b, std::size_t most_bytes) {
  std::vector<Ranked> all;
  add_decisions(all, a);
  add_decisions(all, b);
  std::sort(all.begin(), all.end(),
            [](const Ranked& one, const Ranked& other) { return one.rank < other.rank; });
  std::vector<Ranked> kept;
  for (Ranked& one : all) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Ranked& better) {
      return better.roster == one.roster;
    });
    if (!known && kept.size() < kMostJoined) kept.push_back(std::move(one));
  }
  Json value = value_of(kept);
  if (value.dump().size() <= most_bytes) return value;
  if (kept.size() > 1)
    for (Ranked& one : kept) slim(one.decision);
  for (;;) {
    value = value_of(kept);
    if (kept.size() == 1 || value.dump().size() <= most_bytes) return value;
    kept.pop_back();
  }
}

}  // namespace atc::store
