// The work of one rank in an agreement (group/agree.hpp): convolutions are measured, decisions are
// read and checked.
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

// A problem as this rank decides it.
struct RankProblem {
  TuningTask task;
  Request request;
  store::Key key;
  // Where calls of this rank look for the decision: for each of its tasks, or of the process.
  std::vector<Knowledge> knowledges;
  std::optional<Decision> known;     // if it was known before the call
  std::optional<Decision> measured;  // by this call
  double seconds = 0;                // that this rank spent on it
};

// Reads a problem that another rank has written. Throws Error if it cannot be decided here.
using ReadTask = std::function<TuningTask(const std::string&)>;

class RankWork : public group::Work {
 public:
  // `total_seconds`: of all measurements of this rank; infinity: no budget.
  RankWork(ReadTask read, double total_seconds, Telling& telling);

  // Adds a task of this rank, and returns the key by which the ranks know its problem. Empty if the
  // rank decides it alone and without measuring: a pin decides it, it has nothing to compute, or it
  // cannot be decided.
  std::optional<std::string> add(const TuningTask& task);
  const RankProblem& at(const std::string& key) const { return problems_.at(key); }

  std::string order(const group::Problem& problem) override;
  std::string known(const group::Problem& problem) override;
  Measured measure(const group::Problem& problem) override;
  std::string refusal(const group::Problem& problem, const std::string& decision) override;

  // The decision that the text stands for, with what this rank alone knows of it.
  Decision decision_of(const std::string& key, const std::string& text) const;
  // Makes the decisions those of this process, all at once, and writes them to the stores.
  void use(const std::vector<group::Agreed>& agreed);

 private:
  RankProblem& find(const group::Problem& problem);
  void look_up(RankProblem& problem) const;

  const ReadTask read_;
  const double total_seconds_;
  Telling& telling_;
  std::size_t begun_ = 0;
  std::map<std::string, RankProblem> problems_;  // by the keys of group::Problem
};

// The request by which a task is decided for a group, with the pins' bars.
Request request_for_group(const TuningTask& task);

}  // namespace atc::conv
