#include "conv/noted.hpp"

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/format.hpp"
#include "core/log.hpp"
#include "store/entry.hpp"

namespace atc::conv {

namespace {

struct Note {
  NotedProblem noted;
  bool failed = false;  // true if tuning was tried and made no decision for the problem
};

struct Notes {
  std::mutex mutex;
  std::list<Note> notes;  // the notes in the order in which their problems were first called
  std::unordered_map<std::string, std::list<Note>::iterator> places;
};

Notes& notes() {
  // This static object is never destroyed, because detached threads may still use it at the end of
  // the process.
  static auto* const notes = new Notes;
  return *notes;
}

// Returns the limits of the request as options. All limits are given explicitly, so that tuning the
// problem later does not depend on the settings at that time.
PlanOptions terms_of(const Request& request) {
  PlanOptions terms;
  static_cast<PassedOptions&>(terms) = request;
  // The lists of allowed and barred engines are not taken over, because they also contain names
  // that the user's pin file bars. The pin file is read again when the problem is tuned.
  terms.engines_allowed.clear();
  terms.engines_barred.clear();
  terms.deterministic = request.limits.deterministic;
  terms.allow_tf32 = request.limits.allow_tf32;
  terms.constant_weights = request.limits.constant_weights;
  terms.alignment = request.limits.alignment;
  terms.workspace = request.limits.workspace;
  terms.front_end = request.front_end;
  return terms;
}

}  // namespace

std::string note_id(const Request& request, const store::Key& key) {
  return format("{}\n{} {}{} {}", store::CanonicalKey(key).text(),
                request.knowledge_in_use().memory_id(), request.require_firm ? "f" : "",
                request.strict_precision ? "s" : "", request.front_end);
}

void note(const Problem& problem, const Request& request, const store::Key& key) {
  const Knowledge knowledge = request.knowledge_in_use();
  std::string id = note_id(request, key);
  Note fresh{{id, request.device, problem, terms_of(request), KnowledgeReference(knowledge)}};
  Notes& known = notes();
  {
    const std::lock_guard lock(known.mutex);
    if (known.places.count(id) != 0) return;
    if (known.places.size() < kMostNoted) {
      known.notes.push_back(std::move(fresh));
      try {
        known.places.emplace(std::move(id), std::prev(known.notes.end()));
      } catch (...) {
        known.notes.pop_back();
        throw;
      }
      return;
    }
  }
  log_once(LogLevel::warning,
           format("{} problems are noted for tuning: further ones are not, until the noted ones "
                  "are tuned or forgotten",
                  kMostNoted));
}

std::vector<NotedProblem> noted() {
  Notes& known = notes();
  const std::lock_guard lock(known.mutex);
  std::vector<NotedProblem> found;
  for (const Note& note : known.notes)
    if (!note.failed) found.push_back(note.noted);
  return found;
}

void settle_note(const std::string& id, bool decided) {
  Notes& known = notes();
  const std::lock_guard lock(known.mutex);
  const auto place = known.places.find(id);
  if (place == known.places.end()) return;
  if (!decided) {
    place->second->failed = true;
    return;
  }
  known.notes.erase(place->second);
  known.places.erase(place);
}

void forget_notes() {
  Notes& known = notes();
  const std::lock_guard lock(known.mutex);
  known.places.clear();
  known.notes.clear();
}

}  // namespace atc::conv
