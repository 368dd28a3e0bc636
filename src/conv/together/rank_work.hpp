// The work of one rank (a process of a distributed job) while the ranks agree on decisions
// (group/agree.hpp): measuring convolutions, and reading and checking the decisions of other ranks.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conv/decide/tuning.hpp"
#include "conv/memory.hpp"
#include "conv/options.hpp"
#include "conv/progress.hpp"
#include "group/agree.hpp"
#include "store/entry.hpp"

namespace atc::conv {

// A problem, and this rank's knowledge about its decision.
struct RankProblem {
  TuningTask task;
  Request request;
  store::Key key;
  // The stores (each with its part of the process's memory) in which calls of this rank look for
  // the decision. They are the stores of the tasks with this problem, or the store of the process.
  std::vector<Knowledge> knowledges;
  std::optional<Decision> known;     // The decision, if it was known before the call.
  std::optional<Decision> measured;  // The decision, if this call has measured the problem.
  double seconds = 0;                // the seconds that this rank has spent on the problem
};

// A function that reads a problem which another rank has written. Throws Error if this rank cannot
// decide the problem.
using ReadTask = std::function<TuningTask(const std::string&)>;

class RankWork : public group::Work {
 public:
  // `total_seconds` is the time limit for all measurements of this rank; infinity: there is no
  // limit.
  RankWork(ReadTask read, double total_seconds, Telling& telling);

  // Adds a task of this rank, and returns the key by which all ranks identify its problem. Empty if
  // the rank decides the problem by itself and without measuring. There are three such cases: a pin
  // decides it, its batch is 0, or it cannot be decided.
  std::optional<std::string> add(const TuningTask& task);
  const RankProblem& at(const std::string& key) const { return problems_.at(key); }

  std::string order(const group::Problem& problem) override;
  std::string known(const group::Problem& problem) override;
  Measured measure(const group::Problem& problem) override;
  std::string refusal(const group::Problem& problem, const std::string& decision) override;

  // Reads the decision in the text. If this rank has the same decision, the result also has those
  // parts of the decision that ranks do not send to each other.
  Decision decision_of(const std::string& key, const std::string& text) const;
  // From now on the calls of this process use these decisions. All of them take effect at the same
  // moment. They are also written to the stores.
  void use(const std::vector<group::Agreed>& agreed);

 private:
  RankProblem& find(const group::Problem& problem);
  void look_up(RankProblem& problem) const;

  const ReadTask read_;
  const double total_seconds_;
  Telling& telling_;
  std::size_t begun_ = 0;
  // The key is that of the problem (group::Problem::key).
  std::map<std::string, RankProblem> problems_;
};

// Returns the request with which a task is decided for all ranks of a job. It also bars the
// engines, rewrites and choices that the pin file bars for this problem.
Request request_for_group(const TuningTask& task);

}  // namespace atc::conv
