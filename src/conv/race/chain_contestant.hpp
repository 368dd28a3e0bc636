// A candidate of a lineup as a contestant: it is prepared, passes the correctness gate, and runs on
// the operands of the race.
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/race/gate.hpp"
#include "conv/race/race_setup.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

class ChainContestant final : public tune::Contestant, public Runnable {
 public:
  // `compiled` is the candidate's compiled text, or "". The default is checked in more ways, and
  // the other candidates have to keep Inf and NaN apart where it does. The references must outlive
  // the object.
  ChainContestant(RaceSetup& setup, const Candidate& candidate, const Chain& chain,
                  std::string compiled, bool is_default);

  // Called for the default. If an execution in its check takes longer than the patience, there is
  // no second execution. If the result of this execution is right, the check ends as hopeless.
  void execute_once_if_long() { once_if_long_ = true; }
  void believe(const tune::Belief& belief) { belief_ = belief; }
  // Makes each later check refuse the candidate for this reason. "": there is none.
  void refuse(std::string refusal) { wrong_ = std::move(refusal); }

  void begin_compiling() noexcept override;
  void prepare() override;
  tune::Verdict check(double patience) override;
  // Checks the winner of a race. Returns false if its whole output is wrong, if the gate refuses
  // its result after other sizes have run, or if it has to repeat its bits and does not. After a
  // refusal each later check refuses it, too.
  bool stands();

  Runnable& runnable() override { return *this; }
  void run(std::size_t set) override;
  tune::Burden burden() const override;
  tune::Belief belief() const override { return belief_; }
  std::vector<std::string> groups() const override;
  bool is_yardstick() const override { return candidate_.original; }
  void release() noexcept override { prepared_.reset(); }

  const std::string& compiled() const { return compiled_; }
  std::unique_ptr<Prepared> take() { return std::move(prepared_); }

  // Whether the gate, by the comparisons made so far, may have passed a wrong output.
  bool is_in_doubt() const { return setup_.gate.is_in_doubt(agreement_); }
  // The gate may learn from later candidates that an output which it has passed is wrong. Returns
  // the reason, or "".
  std::string refutation() const { return setup_.gate.refutation(agreement_); }

 private:
  struct Compiled {
    std::unique_ptr<Prepared> prepared;
    std::string text;  // or ""
  };

  bool is_wrong() const { return !wrong_.empty(); }
  bool has_to_repeat() const { return setup_.request.limits.deterministic; }
  std::unique_ptr<Prepared> build(const std::string& compiled) const;
  tune::Verdict pass_gate(double patience);
  // On the CPU a candidate must keep Inf and NaN apart in each input in which the default does. The
  // program's own convolution is exempt: the program has those results without atc.
  tune::Verdict follow_default();
  // Returns `first` if the further checks of the winner pass. They fail if the whole output is
  // wrong, if the candidate has to repeat its bits and does not, or if the gate refuses it after
  // other sizes have run.
  tune::Verdict check_again(const tune::Verdict& first);
  // The gate's verdict after other sizes have run. Returns `first` if the results of the engine do
  // not depend on other sizes, or if none of the other sizes could run.
  tune::Verdict check_after_other_sizes(const tune::Verdict& first);

  RaceSetup& setup_;
  const Candidate& candidate_;
  const Chain& chain_;
  const bool is_default_;
  tune::Belief belief_;
  const bool known_;      // true if the candidate's compiled text was known before the race
  std::string compiled_;  // the compiled text; "": prepare() compiles
  std::unique_ptr<Prepared> prepared_;
  bool once_if_long_ = false;
  std::string wrong_;    // why the candidate fails each check; "" if it does not
  Agreement agreement_;  // of the last check
  // The result of a compiling thread, for which the destructor waits.
  std::future<Compiled> compiling_;
};

}  // namespace atc::conv
