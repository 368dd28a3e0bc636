// A layer is a convolution problem for which no decision is known and that is explored: the
// program's own calls try candidates and time them, until one candidate is chosen. An arm of the
// exploration is a candidate that calls may run; arm 0 is the default. The program's threads and
// one worker thread share the layer.
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

// The instruction of the exploration to one call of the program: the arm to run, and whether the
// call is timed.
struct Turn {
  // The arm of the exploration that the call runs; 0: the default.
  std::size_t arm = 0;
  std::unique_ptr<CallTimer> timer;  // The timer of the call. Null: the call is not timed.
  // The candidate that the call must run. Empty: the call runs the plan of the default.
  std::optional<Decided> candidate;
};

class Layer {
 public:
  // `choice` is the choice that calls run before the decision. `threads` is the number of threads
  // that compute a convolution on the CPU.
  Layer(std::string id, Problem problem, const Request& request, store::Key key, Choice choice,
        int threads);

  const std::string& id() const { return id_; }
  const Problem& problem() const { return problem_; }
  // The request of the call for which the layer was made. Its member `knowledge` (the store and the
  // part of the process's memory) is empty, so that the layer does not keep a store open.
  const Request& request() const { return request_; }
  const KnowledgeReference& knowledge() const { return knowledge_; }
  const store::Key& key() const { return key_; }
  const Choice& default_choice() const { return choice_; }
  int threads() const { return threads_; }

  // ---- Functions that the threads of the program call
  // If there is no memory for the times of a call, begin() and end() end the exploration of the
  // layer without a decision.
  // Begins a call: returns the arm that the call has to run. Never waits. The call runs the default
  // and is not timed if the layer cannot be used now: for example, if another thread is using the
  // layer, if the stream is being captured, or if the process is a fork of the process that made
  // the layer.
  Turn begin(Stream stream);
  // Ends a call. `executions` is the number of executions that `turn.timer` has timed. The time of
  // the call counts only if this number is 1. `failed` is true if an execution has thrown.
  void end(Turn turn, std::size_t executions, bool failed) noexcept;
  // Whether the exploration of the layer has ended, with or without a decision. If it has ended,
  // calls do not use the layer any more.
  bool is_settled() const { return settled_.load(std::memory_order_acquire); }
  bool has_other_winner();  // true if the winner of the exploration is not the default
  // Returns the winner of the exploration, which then belongs to the caller. Returns nothing if the
  // winner is the default, if there is no decision, or if a call is running the winner at this
  // moment.
  std::optional<Decided> take_winner();

  // ---- Functions that the worker calls
  enum class Stage { young, to_foresee, waiting, admitting, exploring, decided, over };
  Stage stage();
  double default_seconds();  // the time of a call that runs the default, in seconds
  // Returns the number of future calls of the layer within which the exploration has to save as
  // much time as the exploration costs.
  double calls_to_come();
  // Makes the layer wait until it has had enough calls. Enough means that trying `pick`, the
  // candidate that would be checked first, is then expected to save more time than the trial costs.
  void foresee(const tune::Pick& pick);
  // Returns the fraction of the program's time that the winner of the exploration saves. Returns 0
  // if there is no decision yet.
  double saved_part();
  // Returns a number that says how urgent it is to begin checking candidates of this layer
  // (tune/agenda.hpp). Returns 0 if checking candidates is not expected to pay yet, or has already
  // begun.
  double urgency();
  void began_admission();
  // Adds an arm for a candidate that has passed the correctness gate, so that calls may run the
  // candidate. `candidate` is its index in the list of all candidates of the layer. `seconds` is
  // the expected time of a call that runs this candidate.
  void admit(std::size_t candidate, Decided decided, double seconds);
  // Call this when no further candidate will be added by admit(). `candidates` are all candidates
  // of the layer, whether they were added or not.
  void end_admission(std::vector<Candidate> candidates, Roster roster);
  // Returns the decision of the exploration. Returns nothing if no candidates were compared. May
  // only be called if stage() is Stage::decided.
  std::optional<Decision> decision();
  // Ends the exploration of the layer. Call this when `decision` is in the process's memory. From
  // then on the program's calls run the choice of `decision`. If `decision` is null, there is no
  // decision, and all later calls run the default.
  void settle(std::shared_ptr<const Decision> decision);
  // Ends the exploration of the layer without a decision, and frees all candidates. Later calls of
  // the program run the default.
  void abandon();
  // Does the same for a call of the program that has no memory. The worker then removes the layer.
  void give_up();

 private:
  struct Arm {
    std::size_t candidate = 0;
    std::optional<Decided> idle;  // the built candidate; empty while a call runs it
  };
  struct Pending {
    std::size_t arm;
    std::unique_ptr<CallTimer> timer;
  };

  Turn try_begin(Stream stream);
  void try_end(Turn turn, std::size_t executions, bool failed);
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
  std::atomic<double> calls_{0};  // the number of calls that the program has made so far
  // A layer waits while trying candidates is not yet expected to pay. If the layer waits, this is
  // the number of calls of the layer, counted from the start, after which it no longer waits.
  // Otherwise 0.
  std::atomic<double> due_at_{0};
  tune::Pick pick_;  // the candidate that foresee() was given: the one that would be checked first
  std::vector<Arm> arms_;
  // Timed calls whose times have not been read yet.
  std::deque<Pending> pending_;
  std::vector<std::unique_ptr<CallTimer>> timers_;  // the timers of calls that no call is using now
  std::vector<Candidate> candidates_;
  Roster roster_;
  std::shared_ptr<const Decision> decision_;
  std::atomic<bool> settled_{false};
};

}  // namespace atc::conv::beside
