// A candidate of a lineup as a contestant of a race. It is built, checked by the correctness gate,
// and executed on the operands of the race.
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
  // `compiled` is the candidate's compiled text, or "". If `is_default` is true, the check also
  // finds out whether the default keeps an Inf or NaN of an input from reaching outputs that do not
  // depend on it; if so, the other candidates have to do the same. The references must outlive the
  // object.
  ChainContestant(RaceSetup& setup, const Candidate& candidate, const Chain& chain,
                  std::string compiled, bool is_default);

  // Called for the default. If an execution in check() takes longer than the argument `patience`,
  // there is no second execution. If the result of this one execution is right, check() returns the
  // verdict hopeless (too slow).
  void execute_once_if_long() { once_if_long_ = true; }
  void believe(const tune::Belief& belief) { belief_ = belief; }
  // From now on check() refuses the candidate, with the reason `refusal`. If `refusal` is "",
  // check() decides by the results.
  void refuse(std::string refusal) { wrong_ = std::move(refusal); }

  void begin_compiling() noexcept override;
  void prepare() override;
  tune::Verdict check(double patience) override;
  // Makes further checks of a candidate that has won the race. Returns false in three cases: the
  // whole output is wrong, the gate refuses the result after other sizes have run, or the request
  // needs repeatable bits and the bits differ. Once the result is false, each later check refuses
  // the candidate, too.
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

  // Whether the candidate's output may still be wrong, because the gate has compared only samples
  // of it, and not the whole output.
  bool is_in_doubt() const { return setup_.gate.is_in_doubt(agreement_); }
  // A check of a later candidate may show that an output which has passed the gate is wrong.
  // Returns the reason why this candidate's output is wrong; "" if it is not known to be wrong.
  std::string refutation() const { return setup_.gate.refutation(agreement_); }

 private:
  struct Compiled {
    std::unique_ptr<Prepared> prepared;
    std::string text;  // the compiled text; "" if the engine does not compile
  };

  bool is_wrong() const { return !wrong_.empty(); }
  bool has_to_repeat() const { return setup_.request.limits.deterministic; }
  std::unique_ptr<Prepared> build(const std::string& compiled) const;
  tune::Verdict pass_gate(double patience);
  // On the CPU a candidate must not let Inf and NaN of an input spread to other outputs if the
  // default does not. The program's own convolution need not meet this condition, because the
  // program would have its results without atc, too.
  tune::Verdict follow_default();
  // Makes the further checks of a winner. Returns its earlier verdict `first` if they pass. They
  // fail in three cases: the whole output is wrong, the request needs repeatable bits and the bits
  // differ, or the gate refuses the result after other sizes have run.
  tune::Verdict check_again(const tune::Verdict& first);
  // Runs the candidate at other sizes, checks it once more, and returns the verdict. Returns the
  // earlier verdict `first` if the engine is not suspected of wrong results after other sizes, or
  // if none of the other sizes could run.
  tune::Verdict check_after_other_sizes(const tune::Verdict& first);

  RaceSetup& setup_;
  const Candidate& candidate_;
  const Chain& chain_;
  const bool is_default_;
  tune::Belief belief_;
  const bool known_;      // true if the compiled text was known before the race
  std::string compiled_;  // the compiled text; "" if prepare() has to compile
  std::unique_ptr<Prepared> prepared_;
  bool once_if_long_ = false;
  // the reason why each check refuses the candidate; "" if there is no such reason
  std::string wrong_;
  // the agreement of the output with other candidates' outputs in the last check
  Agreement agreement_;
  // The result of a thread that compiles the candidate. The destructor waits for this thread.
  std::future<Compiled> compiling_;
};

}  // namespace atc::conv
