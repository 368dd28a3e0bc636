// A layer that is explored: a problem without a decision, whose calls try candidates until one of
// them is decided for. The threads of the program and the worker thread share it.
#pragma once

#include <atomic>
#include <chrono>
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
#include "tune/picks.hpp"

namespace atc::conv::beside {

// The part of one call of the program in the exploration.
struct Turn {
  std::size_t arm = 0;               // the arm of the exploration that the call runs; 0: the
                                     // default
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

  // ---- Functions that the threads of the program call
  // Never waits. If another thread has the layer, or the process is a fork of the layer's, the call
  // runs the default and is not timed.
  Turn begin(Stream stream);
  // The call has ended. `executions` is the number of executions with the turn's timer: a call is
  // only timed if there was one. `failed` says whether an execution has thrown.
  void end(Turn turn, std::size_t executions, bool failed);
  // Whether the process knows the decision. If it does, the layer is not used any more.
  bool is_settled() const { return settled_.load(std::memory_order_acquire); }
  bool has_other_winner();  // true if the winner is not the default
  // The winner, if it is another candidate than the default and no call runs it now.
  std::optional<Decided> take_winner();

  // ---- Functions that the worker calls
  enum class Stage { young, to_foresee, waiting, admitting, exploring, decided, over };
  Stage stage();
  double default_seconds();  // seconds of a call of the default
  // The number of further calls in which exploring this layer has to pay.
  double calls_to_come();
  // `pick` is the first candidate that exploring would check. The layer waits until this pays.
  void foresee(const tune::Pick& pick);
  // The part of the program's time that the winner saves, after the decision.
  double saved_part();
  double urgency();  // of a layer that waits (tune/agenda.hpp); 0: it does not pay yet
  void began_admission();
  // Adds a candidate that has passed the gate. `seconds`: the expected time of a call.
  void admit(std::size_t candidate, Decided decided, double seconds);
  // Call this when no further candidates will be admitted. `candidates` are all candidates of the
  // layer.
  void end_admission(std::vector<Candidate> candidates, Roster roster);
  // Returns the decision; empty if no candidates were compared. The stage must be `decided`.
  std::optional<Decision> decision();
  // Call this when the process knows the decision. From now on calls use `decision`. Null: there is
  // no decision, and all later calls run the default.
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
  bool only_counts();
  void collect();
  void update_stage();
  double to_come() const;
  double urgency_now() const;
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
  const std::chrono::steady_clock::time_point born_ = std::chrono::steady_clock::now();
  std::atomic<double> calls_{0};  // calls of the program so far
  // While the layer waits: the number of calls from which on exploring pays. Else 0.
  std::atomic<double> due_at_{0};
  tune::Pick pick_;  // of foresee()
  std::vector<Arm> arms_;
  std::deque<Pending> pending_;                     // timed calls whose time is not known yet
  std::vector<std::unique_ptr<CallTimer>> timers_;  // timers that no call uses now
  std::vector<Candidate> candidates_;
  Roster roster_;
  std::shared_ptr<const Decision> decision_;
  std::atomic<bool> settled_{false};
};

}  // namespace atc::conv::beside
