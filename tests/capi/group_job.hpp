// Runs jobs of several processes (ranks) that tune together as a group through a folder. A script
// for each rank says what the rank does, and where it fails.
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

// The script of one rank of a job. The defaults describe a rank without a fault.
struct RankScript {
  std::uint32_t rank = 0, size = 1;
  std::string folder;  // the folder through which the group communicates
  // Opens the group in the process of the rank. If `open` is empty, the group is opened over
  // `folder`.
  std::function<atc_group(const RankScript&)> open;
  std::string prefix = "attempt-0";
  double bound = 60;  // how long a rank waits for the other ranks, in seconds
  // If this is true, only the engine of these tests and the reference take part in the races. The
  // races are then short, and no other engine wins.
  bool own_engine_alone = false;
  std::vector<std::int64_t> widths;  // the widths of the problems that the rank tunes
  std::string store, pins;           // the folder of the store, and the pin file; "": there is none
  // The widths of the problems that the process tunes alone, before it tunes together with the
  // group.
  std::vector<std::int64_t> warm;
  std::string engine_version = "1";
  bool deterministic = false;  // whether the rank tunes for deterministic kernels only
  // The index of the configuration that is fast in this process. The index differs between ranks,
  // so that ranks that tuned alone would choose differently.
  int fast = 0;
  bool wrong_results = false, prepare_fails = false, no_memory = false, cancels = false;
  // These functions are called before and after each operation on the group's store. The arguments
  // are the operation ("create" or "get") and the key. If `before` returns false, the operation
  // fails.
  std::function<bool(const std::string&, const std::string&)> before;
  std::function<void(const std::string&, const std::string&)> after;
  std::function<void()> in_race;  // called in each execution of the engine while the rank tunes
  // If this is true, the eager calls after the call with the group may tune. Otherwise they measure
  // nothing.
  bool eager_tunes = false;
  // Called after the first call with the group; may make a second call with the group.
  std::function<void()> again;
  bool is_second = false;  // true if the process has run another script before
};

// The lines of the form "word rest" that one process has written to its file.
struct Told {
  std::multimap<std::string, std::string> lines;
  int signal = 0;  // the signal that ended the process; 0: none

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

// Tunes as the script says, and appends these lines to the file `told`:
// status NAME, text TEXT, digest HEX, classes COUNT, differences TEXT, measured COUNT,
// row STATUS SOURCE CHOICE | WHY, eager SOURCE CHOICE (for each width),
// executed COUNT (executions of the test's engine during the eager calls)
void run_rank(const RankScript& script, const std::string& told);

// Starts a process for each script, waits for all processes, and returns the lines that each of
// them has written.
std::vector<Told> run_job(const std::vector<RankScript>& scripts, const std::string& folder);

// Expects that each rank that was not killed returned ATC_OK, with the same digest and the same
// choices of eager calls.
void expect_agreed(const std::vector<Told>& all);
// Returns the number of problems that the ranks have measured together.
std::size_t measured(const std::vector<Told>& all);

// Returns scripts for `size` ranks that share the folder and tune the same problems.
std::vector<RankScript> job_of(std::uint32_t size, const std::string& folder,
                               const std::vector<std::int64_t>& widths);

// Returns true only in the first process that calls this function with this folder and name. That
// process stores its rank in the folder.
bool is_first(const std::string& folder, const std::string& name, std::uint32_t rank);
// Returns the rank for which is_first() has returned true, or -1 if no process has called
// is_first().
int first_of(const std::string& folder, const std::string& name);

}  // namespace atc_test
