// Decides which contestants get a turn. Contestants that cannot win, or for which there is no time,
// are left out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tune/options.hpp"
#include "tune/outlook.hpp"

namespace atc::tune {

// Why a contestant gets no turn.
struct Refusal {
  std::string reason;
  bool for_want_of_time = false;  // with a larger budget it might have had one
  bool late = false;              // the budget for preparing is spent
};

class Admission {
 public:
  Admission(const Outlook& outlook, const Options& options)
      : outlook_(outlook), options_(options) {}

  // Why the contestant gets no turn; empty: it gets one. `elapsed`: seconds since the race began.
  // `share`: the part of the budget in which contestants may begin. `out_of_time`: the budget is
  // spent.
  std::optional<Refusal> refusal(std::size_t index, bool compiles, double elapsed, double share,
                                 bool out_of_time);
  // Whether candidates may still be compiled ahead of their turn.
  bool may_compile_ahead() const {
    return !are_compilers_spent() && !outlook_.is_compiling_in_vain();
  }

  // Sets the time that the default took to prepare and check. The other contestants share the rest
  // of the budget.
  void default_took(double seconds) { default_took_ = seconds; }
  void compiled(double seconds) { compiling_ += seconds; }

 private:
  bool are_compilers_spent() const;      // compiling has used its part of the budget
  bool are_spares_dear(double elapsed);  // spares have used their part of the time

  const Outlook& outlook_;
  const Options& options_;
  double default_took_ = 0;        // seconds
  double compiling_ = 0;           // seconds that preparing candidates that compile has taken
  std::optional<double> widened_;  // seconds into the race, when the first spare's turn came
};

}  // namespace atc::tune
