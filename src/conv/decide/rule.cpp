#include "conv/decide/rule.hpp"

#include <algorithm>

#include "core/format.hpp"
#include "core/quantity.hpp"

namespace atc::conv {

namespace {

bool timed(const Candidate& candidate) {
  return candidate.ran() && candidate.statistics.samples > 0;
}

bool has(const Candidate& candidate, tune::Outcome outcome) { return candidate.outcome == outcome; }

// Compares the medians of two candidates; the text is, for example, "takes 12.3 % more time than".
std::string compared(const Candidate& one, const Candidate& other) {
  return "takes " + compared_text(one.statistics.median / other.statistics.median);
}

// Finds the reason of a decision from the results of its race.
class Race {
 public:
  explicit Race(const Decision& decision)
      : decision_(decision), winner_(decision.candidates[*decision.winner]) {
    for (const Candidate& candidate : decision.candidates) {
      if (!timed(candidate)) continue;
      ++timed_;
      // Only candidates that came close to the winner are compared with it. A decision may contain
      // the results of two races, and the times of the other candidates may come from the earlier
      // race, under other conditions.
      const bool close = has(candidate, tune::Outcome::won) ||
                         has(candidate, tune::Outcome::tied) || candidate.statistics.host_bound();
      if (!close) continue;
      if (fastest_ == nullptr || candidate.statistics.median < fastest_->statistics.median)
        fastest_ = &candidate;
    }
    if (decision.default_candidate) default_ = &decision.candidates[*decision.default_candidate];
  }

  Ruling ruling() const {
    if (decision_.source == Source::pinned)
      return {Rule::first_offer, "nothing was measured: a pin decides"};
    if (decision_.source == Source::predicted)
      return {Rule::first_offer,
              "nothing was measured: races of similar layers predict the choice"};
    if (!timed(winner_))
      return {Rule::first_offer, "nothing was measured: the first offer of the default engine"};
    if (decision_.narrowed)
      return {Rule::precise,
              "the fastest candidate that has the precision which strict_precision asks for"};
    if (timed_ < 2) return {Rule::alone, "no other candidate was timed"};
    return &winner_ == default_ ? for_default() : against_default();
  }

 private:
  Ruling for_default() const {
    if (fastest_ == &winner_) return {Rule::fastest, "the default is the fastest"};
    if (!has(*fastest_, tune::Outcome::tied)) return by_host();
    return {Rule::tie_default,
            format("the default wins ties: {} {} it, not beyond the tie margin and the noise",
                   to_string(fastest_->choice), compared(*fastest_, winner_))};
  }

  Ruling against_default() const {
    if (default_ != nullptr && has(*default_, tune::Outcome::tied))
      return {Rule::tie_kept,
              format("the choice {} the default, a tie: the default may compile its kernels in "
                     "each process, and the compiled form of the choice is kept",
                     compared(winner_, *default_))};
    if (fastest_ != &winner_ && has(*fastest_, tune::Outcome::tied))
      return {Rule::tie_lighter,
              format("{} {} the choice, a tie: the choice has less to compile or needs less "
                     "workspace",
                     to_string(fastest_->choice), compared(*fastest_, winner_))};
    if (fastest_ != &winner_) return by_host();
    if (default_ == nullptr || !timed(*default_))
      return {Rule::fastest, "the fastest; the default was not timed"};
    return {Rule::faster, format("the choice {} the default, beyond the tie margin",
                                 compared(winner_, *default_))};
  }

  Ruling by_host() const {
    return {Rule::host,
            format("{} {} the choice on the device, but the host takes longer to issue it",
                   to_string(fastest_->choice), compared(*fastest_, winner_))};
  }

  const Decision& decision_;
  const Candidate& winner_;
  const Candidate* default_ = nullptr;
  const Candidate* fastest_ = nullptr;
  std::size_t timed_ = 0;
};

}  // namespace

Ruling ruling_of(const Decision& decision) { return Race(decision).ruling(); }

}  // namespace atc::conv
