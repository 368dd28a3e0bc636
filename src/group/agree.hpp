// The protocol by which the ranks of a job agree on decisions (docs/distributed.md, "How ranks
// agree"). It knows keys and bytes, and nothing of convolutions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "group/transport.hpp"

namespace atc::group {

struct Problem {
  std::string key;   // text that is equal on two ranks of a team if they have the same problem on
                     // the same terms
  std::string text;  // text from which another rank of the team can read the problem
};

// A rank of the job.
struct Member {
  std::size_t rank = 0, size = 1;
  std::string prefix;  // a prefix of all keys of this call; it differs between jobs, attempts and
                       // calls
  std::string nonce;   // random
  double bound = 60;   // the most seconds that a wait without progress takes
  // Ranks with equal environments form a team, which decides together.
  std::string environment;
  std::string pins;    // text of the pins, which must be equal on all ranks of an environment
  std::string device;  // text of the device; ranks with equal texts measure one at a time
  std::vector<Problem> problems;
};

// The actions of a rank for a problem of its team. Each function may throw Error. A cancelled
// error, or an error of the device, ends the call on all ranks.
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // The place of the known decision in the order of decisions: of two texts the smaller is better.
  // "": none is known.
  virtual std::string order(const Problem& problem) = 0;
  virtual std::string known(const Problem& problem) = 0;  // the decision itself
  struct Measured {
    std::string decision;  // "": this rank cannot decide it, and `reason` says why
    std::string reason;
  };
  virtual Measured measure(const Problem& problem) = 0;
  // Builds the choice and checks it. "", or why it cannot be used here.
  virtual std::string refusal(const Problem& problem, const std::string& decision) = 0;
};

struct Agreed {
  std::string key;
  std::string decision;  // "": the default is used, and `reason` says why
  std::string reason;
};

// Ranks of one environment.
struct Team {
  std::vector<std::size_t> ranks;
  std::string environment;  // "" if its rank has not written it in time
};

struct Agreement {
  bool agreed = false;
  // If the ranks did not agree: the rank whose fault it is, and the reason. Nothing of the call may
  // be used then.
  std::size_t rank = 0;
  std::string reason;
  // If the ranks agreed: the decisions of this rank's team, in the order of their keys, and their
  // digest.
  std::vector<Agreed> decisions;
  std::string digest;
  std::vector<Team> teams;  // all teams; the first is that of rank 0
};

// Returns on all ranks that reach the store the same `agreed`, and within a team the same digest.
// Throws Error(io) if the store cannot be reached.
Agreement agree(const Member& member, Transport& transport, Work& work);

}  // namespace atc::group
