#include "tune/admission.hpp"

namespace atc::tune {

namespace {

// Part of the budget in which candidates that compile may be prepared: the rest is for the others,
// and for timing.
constexpr double kForCompiling = 0.5;

// Time for the spares, as a part of the time that admitting the others took. A race in which no
// spare is better takes longer by this part.
constexpr double kForSpares = 0.3;

}  // namespace

std::optional<Refusal> Admission::refusal(std::size_t index, bool compiles, double elapsed,
                                          double share, bool out_of_time) {
  if (outlook_.is_default(index)) return {};
  const bool needed = outlook_.is_needed(index);
  const double theirs = options_.budget_seconds - options_.spent_seconds - default_took_;
  const bool late = elapsed - default_took_ >= share * theirs;
  if (!needed && (late || out_of_time))
    return Refusal{"the budget for preparing was spent before its turn", true, true};
  if (!needed && compiles && are_compilers_spent())
    return Refusal{"candidates that are compiled had spent their part of the budget", true};
  if (compiles && outlook_.is_compiling_in_vain())
    return Refusal{"candidates that were compiled before it turned out far behind"};
  if (outlook_.has_hopeless_kin(index))
    return Refusal{"others of the same kernels turned out hopeless"};
  if (outlook_.is_spare(index) && compiles)
    return Refusal{"beyond the limit only candidates that need no compiling are tried"};
  if (outlook_.is_spare(index) && are_spares_dear(elapsed))
    return Refusal{"candidates beyond the limit had taken their part of the time"};
  return {};
}

bool Admission::are_compilers_spent() const {
  return compiling_ >= kForCompiling * (options_.budget_seconds - options_.spent_seconds);
}

bool Admission::are_spares_dear(double elapsed) {
  if (!widened_) widened_ = elapsed;
  return elapsed - *widened_ > kForSpares * *widened_;
}

}  // namespace atc::tune
