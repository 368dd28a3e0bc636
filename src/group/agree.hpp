// The protocol by which the ranks (processes) of a job agree on decisions (docs/distributed.md,
// "How ranks agree"). The code uses keys and bytes; it does not depend on convolutions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "group/transport.hpp"

namespace atc::group {

struct Problem {
  // Identifies the problem: two ranks of a team have the same key exactly if they have the same
  // problem under the same conditions.
  std::string key;
  std::string text;  // a text from which another rank of the team can read the problem
};

// The calling rank, and the data that it contributes to the call.
struct Member {
  std::size_t rank = 0, size = 1;
  // The prefix of all keys of this call in the shared store. It must be different for each job,
  // each attempt and each call.
  std::string prefix;
  std::string nonce;  // a random text
  double bound = 60;  // the longest wait without progress, in seconds
  // A text that describes the environment (device, versions, options). Ranks with equal texts form
  // a team, which decides together.
  std::string environment;
  std::string pins;  // the text of the pins, which must be equal on all ranks of a team
  // A text that identifies the device. Ranks with equal texts share a device, so they measure one
  // after the other.
  std::string device;
  std::vector<Problem> problems;
};

// The actions of a rank for a problem of its team; the caller of `agree` implements them. Each
// function may throw Error. An Error(cancelled) or Error(device) ends the call on all ranks.
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // Returns a text by which the known decisions of the ranks are ordered: of two texts, the smaller
  // one belongs to the better decision. Returns "" if this rank knows no decision.
  virtual std::string order(const Problem& problem) = 0;
  // Returns, as text, the decision that this rank knows for the problem.
  virtual std::string known(const Problem& problem) = 0;
  struct Measured {
    // The measured decision as text. "" if this rank cannot decide the problem; then `reason` is
    // set.
    std::string decision;
    std::string reason;
  };
  virtual Measured measure(const Problem& problem) = 0;
  // Builds the choice of the decision and checks it. Returns "" if the choice can be used, and
  // otherwise the reason why it cannot be used on this rank.
  virtual std::string refusal(const Problem& problem, const std::string& decision) = 0;
};

struct Agreed {
  std::string key;
  // The agreed decision as text. "" if the default is used; then `reason` is set.
  std::string decision;
  std::string reason;
};

// A team: the ranks (processes) that have the same environment.
struct Team {
  std::vector<std::size_t> ranks;
  // The text Member::environment of these ranks. "" if the first rank of the team has not written
  // it in time.
  std::string environment;
};

struct Agreement {
  bool agreed = false;
  // If the ranks did not agree: the rank that caused this, and the reason. In this case no result
  // of the call may be used.
  std::size_t rank = 0;
  std::string reason;
  // If the ranks agreed: the decisions of this rank's team, ordered by their keys, and the digest
  // of these decisions.
  std::vector<Agreed> decisions;
  std::string digest;
  std::vector<Team> teams;  // all teams; the first one is the team of rank 0
};

// Makes the ranks agree. Each rank calls this function. All ranks that reach the shared store get
// the same value of `agreed`, and all ranks of a team get the same digest. Throws Error(io) if the
// store cannot be reached.
Agreement agree(const Member& member, Transport& transport, Work& work);

}  // namespace atc::group
