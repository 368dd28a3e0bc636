// A layer that is explored: a problem without a decision, whose calls try candidates until one of
// them is decided for. The threads of the program and the worker thread share it.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "conv/decide/decided.hpp"
#include "conv/memory.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"
#include "device/call_timer.hpp"
#include "store/entry.hpp"
#include "tune/exploration.hpp"

namespace atc::conv::beside {

// What one call of the program does for the exploration.
struct Turn {
  std::size_t arm = 0;               // of the exploration; 0: the default
  std::unique_ptr<CallTimer> timer;  // null: the call is not timed
  // The candidate that the call has to run in place of the default's plan.
  std::optional<Decided> candidate;
};

class Layer {
 public:
  // `choice` is the choice that calls run before the decision. `threads` compute on the CPU.
  Layer(std::string id, Problem problem, const Request& request, store::Key key, Choice choice,
        int threads);

  const std::string& id() const { return id_; }
  const Problem& problem() const { return problem_; }
  // The request of the call, without its knowledge, so that no store is kept open.
  const Request& request() const { return request_; }
  const KnowledgeReference& knowledge() const { return knowledge_; }
  const store::Key& key() const { return key_; }
  const Choice& default_choice() const { return choice_; }
  int threads() const { return threads_; }

  // ---- For the threads of the program
  // Never waits. If another thread has the layer, or the process is a fork of the layer's, the call
  // runs the default and is not timed.
  Turn begin(Stream stream);
  // The call has ended. `executions` is the number of executions with the turn's timer: a call is
  // only timed if there was one. `failed` says whether an execution has thrown.
  void end(Turn turn, std::size_t executions, bool failed);
  // Whether the decision is known to the process. The layer is then not used any more.
  bool is_settled() const { return settled_.load(std::memory_order_acquire); }
  bool has_other_winner();  // than the default
  // The winner, if it is another candidate than the default and no call runs it now.
  std::optional<Decided> take_winner();

  // ---- For the worker
  enum class Stage { young, to_admit, admitting, exploring, decided, over };
  Stage stage();
  double default_seconds();  // of a call
  void began_admission();
  // Adds a candidate that has passed the gate. `seconds`: the expected time of a call.
  void admit(std::size_t candidate, Decided decided, double seconds);
  // No further candidates will be admitted. `candidates` are all candidates of the layer.
  void end_admission(std::vector<Candidate> candidates, Roster roster);
  // The decision; empty if there was no comparison. Stage `decided`.
  std::optional<Decision> decision();
  // The decision is known to the process: calls use `decision` from now on. Null: there is none,
  // and calls run the default for good.
  void settle(std::shared_ptr<const Decision> decision);
  // Ends the exploration without a decision, and frees all candidates. Calls run the default.
  void abandon();

 private:
  struct Arm {
    std::size_t candidate = 0;
    std::optional<Decided> idle;  // empty as long as a call runs it
  };
  struct Pending {
    std::size_t arm;
    std::unique_ptr<CallTimer> timer;
  };

  bool is_of_this_process() const;
  void collect();
  void update_stage();
  std::unique_ptr<CallTimer> timer();

  const std::string id_;
  const Problem problem_;
  Request request_;
  const KnowledgeReference knowledge_;
  const store::Key key_;
  const Choice choice_;
  const int threads_;
  const unsigned forks_;

  std::mutex mutex_;
  tune::Exploration exploration_;
  Stage stage_ = Stage::young;
  std::vector<Arm> arms_;
  std::deque<Pending> pending_;                     // calls whose time is not known yet
  std::vector<std::unique_ptr<CallTimer>> timers_;  // idle
  std::vector<Candidate> candidates_;
  Roster roster_;
  std::shared_ptr<const Decision> decision_;
  std::atomic<bool> settled_{false};
};

}  // namespace atc::conv::beside
