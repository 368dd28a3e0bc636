#include "conv/race/verdicts.hpp"

#include <atomic>
#include <mutex>

#include "conv/key.hpp"
#include "conv/memory.hpp"
#include "conv/race/kind.hpp"
#include "conv/recent_map.hpp"
#include "core/format.hpp"
#include "store/entry.hpp"

namespace atc::conv {

namespace {

struct Verdicts {
  std::mutex mutex;
  RecentMap<std::string> known{kMostRemembered};  // by problem and choice
  // The choices that the caller refuses, with reasons. The key is a problem and a choice.
  RecentMap<std::string> given{kMostRemembered};
  RecentMap<Standing> kinds{kMostRemembered};
  // true if any choice was refused by the gate (`known`) or by the caller (`given`)
  std::atomic<bool> any_refused = false;
  std::atomic<bool> any_given = false;
};

Verdicts& verdicts() {
  // This static object is never destroyed, because detached threads may still use it at the end of
  // the process.
  static auto* const verdicts = new Verdicts;
  return *verdicts;
}

std::string key_of(const Choice& choice, const Problem& problem, const Request& request) {
  return format("{} {} {}", request.strict_precision ? "strict" : "", to_string(choice),
                store::CanonicalKey(key_for(problem, request)).text());
}

std::optional<std::string> find(const std::string& key) {
  const std::lock_guard lock(verdicts().mutex);
  const std::string* found = verdicts().given.find(key);
  if (found == nullptr) found = verdicts().known.find(key);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

void note(const std::string& key, const std::string& refusal) {
  Verdicts& all = verdicts();
  const std::lock_guard lock(all.mutex);
  all.known[key] = refusal;
  if (!refusal.empty()) all.any_refused = true;
}

}  // namespace

std::optional<std::string> known_verdict(const Choice& choice, const Problem& problem,
                                         const Request& request) {
  return find(key_of(choice, problem, request));
}

std::string known_refusal(const Choice& choice, const Problem& problem, const Request& request) {
  // If no choice was ever refused, the look-up is skipped: its key contains versions of libraries,
  // and asking for them would open libraries that the default may not need.
  if (!verdicts().any_refused) return "";
  return known_verdict(choice, problem, request).value_or("");
}

std::string given_refusal(const Choice& choice, const Problem& problem, const Request& request) {
  if (!verdicts().any_given) return "";
  const std::string key = key_of(choice, problem, request);
  const std::lock_guard lock(verdicts().mutex);
  const std::string* const found = verdicts().given.find(key);
  return found == nullptr ? "" : *found;
}

void give_refusal(const Choice& choice, const Problem& problem, const Request& request,
                  const std::string& refusal) {
  const std::string key = key_of(choice, problem, request);
  {
    const std::lock_guard lock(verdicts().mutex);
    verdicts().given[key] = refusal;
  }
  verdicts().any_given = verdicts().any_refused = true;
  decisions_changed();
}

void note_verdict(const Choice& choice, const Problem& problem, const Request& request,
                  const std::string& refusal) {
  note(key_of(choice, problem, request), refusal);
}

Standing standing_of(const std::string& kind) {
  const std::lock_guard lock(verdicts().mutex);
  const Standing* const found = verdicts().kinds.find(kind);
  return found == nullptr ? Standing::unknown : *found;
}

// If the kind has ever been refused, it remains doubtful (each of its problems is checked), even if
// other problems of the kind pass.
void note_kind(const std::string& kind, bool passed) {
  const std::lock_guard lock(verdicts().mutex);
  Standing& standing = verdicts().kinds[kind];
  if (!passed)
    standing = Standing::doubtful;
  else if (standing == Standing::unknown)
    standing = Standing::passed;
}

void note_verdicts(const std::vector<Candidate>& candidates, const std::vector<Chain>& chains,
                   const std::vector<bool>& in_doubt, const Problem& problem,
                   const Request& request) {
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const Candidate& candidate = candidates[i];
    if (candidate.outcome == tune::Outcome::wrong_result) {
      note(key_of(candidate.choice, problem, request), candidate.reason);
      note_kind(kind_of(candidate.choice, chains[i], problem, request), false);
    } else if (candidate.ran() && candidate.statistics.executions > 0) {
      if (!in_doubt[i]) note_kind(kind_of(candidate.choice, chains[i], problem, request), true);
      if (!known_refusal(candidate.choice, problem, request).empty())
        // An earlier refusal is replaced, because the candidate has now passed.
        note(key_of(candidate.choice, problem, request), "");
    }
  }
}

void forget_verdicts() {
  Verdicts& all = verdicts();
  const std::lock_guard lock(all.mutex);
  all.known.clear();
  all.given.clear();
  all.kinds.clear();
  all.any_refused = all.any_given = false;
}

}  // namespace atc::conv
