#include "report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace soak {

namespace {

constexpr const char* kNames[] = {"eager call",
                                  "plan",
                                  "plan of a given choice",
                                  "acquired plan",
                                  "set weights",
                                  "race",
                                  "toggle",
                                  "restored switches",
                                  "registration",
                                  "removal of an engine",
                                  "store opened",
                                  "store used",
                                  "store read",
                                  "store written",
                                  "bundle",
                                  "store swept",
                                  "cache clear",
                                  "capture",
                                  "replay",
                                  "checked answer"};
static_assert(std::size(kNames) == static_cast<std::size_t>(Kind::count_of_kinds));

}  // namespace

std::uint64_t Report::of(std::initializer_list<Kind> kinds) const {
  std::uint64_t sum = 0;
  for (const Kind kind : kinds) sum += counts_[static_cast<std::size_t>(kind)].load(kRelaxed);
  return sum;
}

std::string Report::missing(std::initializer_list<Kind> kinds) const {
  std::string names;
  for (const Kind kind : kinds)
    if (of({kind}) == 0)
      names += (names.empty() ? "" : ", ") + std::string(kNames[static_cast<std::size_t>(kind)]);
  return names;
}

bool Report::done(atc_status status, const char* call, const std::string& subject,
                  std::initializer_list<atc_status> documented) {
  if (status == ATC_OK) return true;
  if (std::find(documented.begin(), documented.end(), status) == documented.end())
    stop(std::string(call) + " of " + subject + " returned " + atc_status_name(status) + ": " +
         atc_last_error());
  refused_[static_cast<std::size_t>(status)].fetch_add(1, kRelaxed);
  return false;
}

std::string Report::refusals() const {
  std::string text;
  for (std::size_t status = 0; status < refused_.size(); ++status)
    if (const std::uint64_t times = refused_[status].load(kRelaxed); times != 0)
      text += (text.empty() ? "" : ", ") +
              std::string(atc_status_name(static_cast<atc_status>(status))) + " " +
              std::to_string(times);
  return text.empty() ? "none" : text;
}

// Ends the process by _exit(), which destroys no objects, because other threads may still be in
// calls. If several threads call stop(), only the text of the first one is printed.
void Report::stop(const std::string& what) {
  stopping_.lock();
  std::fprintf(stderr, "soak: seed %llu: %s\n", static_cast<unsigned long long>(seed_),
               what.c_str());
  std::fflush(nullptr);
  _exit(1);
}

}  // namespace soak
