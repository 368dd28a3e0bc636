// Jobs of several processes that tune together through a folder, with faults at chosen places.
#pragma once

#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "atc/atc.h"

namespace atc_test {

// The script of one process of a job: what it does. All fields have the values of a rank without a
// fault.
struct RankScript {
  std::uint32_t rank = 0, size = 1;
  std::string folder;  // of the group
  // Opens the group in the process of the rank. Empty: a group over the folder.
  std::function<atc_group(const RankScript&)> open;
  std::string prefix = "attempt-0";
  double bound = 60;  // seconds
  // Whether only the engine of these tests and the reference take part in its races. The races are
  // short then, and no other engine wins.
  bool own_engine_alone = false;
  std::vector<std::int64_t> widths;  // the widths of its problems
  std::string store, pins;           // the folder of the store, and the pin file; "": none
  std::vector<std::int64_t> warm;    // the widths that the process tunes alone before the call
  std::string engine_version = "1";
  // The configuration that runs fast in this process, so that ranks that tune alone choose
  // differently.
  int fast = 0;
  bool wrong_results = false, prepare_fails = false, no_memory = false, cancels = false;
  // Called before and after each operation on the group's store with its name ("create" or "get")
  // and key. If `before` returns false, the operation fails.
  std::function<bool(const std::string&, const std::string&)> before;
  std::function<void(const std::string&, const std::string&)> after;
  std::function<void()> in_race;  // called in each execution while the rank tunes
  // The calls that are made after the call with the group tune, too. Otherwise they measure nothing
  // whatever is known.
  bool eager_tunes = false;
  std::function<void()> again;  // called after the call, for a second one
  bool is_second = false;       // the process has run a script before
};

// The lines "word rest" that a process has written to its file.
struct Told {
  std::multimap<std::string, std::string> lines;
  int signal = 0;  // the signal that ended the process

  std::string one(const std::string& word) const {
    const auto found = lines.find(word);
    return found == lines.end() ? "" : found->second;
  }
  std::vector<std::string> all(const std::string& word) const {
    std::vector<std::string> rest;
    const auto [first, last] = lines.equal_range(word);
    for (auto line = first; line != last; ++line) rest.push_back(line->second);
    return rest;
  }
  std::string status() const { return one("status"); }
};

// Tunes as the script says, and appends to the file what happened:
//   status NAME, text TEXT, digest HEX, classes COUNT, differences TEXT, measured COUNT,
//   row STATUS SOURCE CHOICE | WHY, eager SOURCE CHOICE (for each width),
//   executed COUNT (executions of the own engine while these calls were made)
void run_rank(const RankScript& script, const std::string& told);

// Starts a process for each script, waits for all of them, and reads what they told.
std::vector<Told> run_job(const std::vector<RankScript>& scripts, const std::string& folder);

// Checks that all ranks, apart from killed ones, have returned ATC_OK with one digest and the same
// eager choices.
void expect_agreed(const std::vector<Told>& all);
// The number of problems that the ranks have measured.
std::size_t measured(const std::vector<Told>& all);

// Scripts of ranks that share a folder and list the same problems.
std::vector<RankScript> job_of(std::uint32_t size, const std::string& folder,
                               const std::vector<std::int64_t>& widths);

// Returns true in the first process that calls this function for the folder. That process writes
// its rank to the folder.
bool is_first(const std::string& folder, const std::string& name, std::uint32_t rank);
// Returns the rank of the process for which is_first() has returned true; -1 if there is none.
int first_of(const std::string& folder, const std::string& name);

}  // namespace atc_test
