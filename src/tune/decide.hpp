// Chooses the winner of a race from the times of the contestants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tune/contestant.hpp"
#include "tune/options.hpp"
#include "tune/samples.hpp"
#include "tune/statistics.hpp"

namespace atc::tune {

struct ContestantTime {
  std::size_t index = 0;
  double seconds = 0;
  Burden burden;
};

// Returns the position of the shortest time in `timed`. If several times are equal, the contestant
// with the lowest index is chosen.
std::size_t fastest(const std::vector<ContestantTime>& timed);

// Returns whether the default loses ties. The default loses ties if it is opaque (Burden::opaque)
// and another contestant within the tie margin of `leader` is kept (Burden::kept). `leader` is a
// position in `timed`.
bool default_yields(const std::vector<ContestantTime>& timed, std::size_t leader,
                    const Options& options);

// Chooses among contestants that tie, for times of which no error is estimated. Among `leader` and
// all contestants within its tie margin, the default is chosen unless it loses ties
// (default_yields). Otherwise the contestant with the lightest burden is chosen; of several with
// the same burden, the one with the lowest index. `leader` and the result are positions in `timed`.
std::size_t settle_tie(const std::vector<ContestantTime>& timed, std::size_t leader,
                       const Options& options);

// If the winner of a race may be slower than another contestant by more than this fraction (its
// risk, for example 0.04 for 4 %), the decision is only provisional.
constexpr double kToleratedRisk = 0.03;

// Returns the variance of one observation, as estimated from these samples. `expected` is the
// standard deviation that is assumed before there are samples.
Prior noise_of(const std::vector<Location>& locations, double expected);
// Returns whether the gap (between the times of two contestants) is larger than `by`, with 99.5 %
// confidence. `by` is a difference of logarithms of times.
bool shown_slower(const Gap& gap, double by = 0);

// Compares the contestants of a table (samples.hpp) by their times. Here the contestants are called
// members, and a member's number is its position in `table.members`.
class Comparison {
 public:
  Comparison(const Table& table, const Options& options);

  std::size_t leader() const { return leader_; }  // the contestant with the shortest time
  Gap gap(std::size_t above, std::size_t below) const;
  Gap behind(std::size_t member) const { return gap(member, leader_); }

  // Returns whether each batch of the contestant took longer than `factor` times the leader's time.
  bool always_behind(std::size_t member, double factor) const;
  // Returns whether the contestant is slower than the leader with 99.5 % confidence. If it is, no
  // more samples of this contestant are needed.
  bool separated(std::size_t member) const;
  // Returns whether enough is known about the contestant: more samples would not change the choice
  // in a way that matters.
  bool settled(std::size_t member) const;
  // Returns the contestant that wins by the device's time alone.
  std::size_t winner() const;
  // Returns the contestant that wins for eager calls. `winner` is the winner by the device's time.
  // If the host can issue calls of `winner` fast enough, the result is `winner`. Otherwise the
  // result is a contestant that ties with `winner` and whose calls the host can issue fast enough,
  // or a contestant whose eager calls take less time by more than the tie margin, with 99.5 %
  // confidence. If there is no such contestant, the result is `winner`.
  std::size_t eager_winner(std::size_t winner) const;
  // Returns whether the contestant may be chosen for eager calls although it is slower than the
  // leader on the device, because the host needs less time to issue its calls.
  bool eager_hope(std::size_t member) const;
  // Returns whether the contestant `member` is slower than the contestant `than` by more than the
  // tie margin.
  bool slower(std::size_t member, std::size_t than) const;
  // Returns the risk of choosing the contestant `member`: with 95 % confidence `member` is slower
  // than any other contestant by at most this fraction.
  double risk(std::size_t member) const;

 private:
  bool is_default(std::size_t member) const;
  // Returns whether the default loses a tie with the contestant `member`.
  bool default_yields_to(std::size_t member) const;
  // Returns whether the default loses ties with some contestant that is the leader or ties with the
  // leader.
  bool default_yields() const;
  bool host_bound(std::size_t member) const;
  Gap cost_gap(std::size_t above, std::size_t below) const;
  // Returns whether the contestant `member` wins a tie with the contestant `over`. Neither of the
  // two may be the default.
  bool preferred(std::size_t member, std::size_t over) const;
  // Returns whether two contestants certainly tie: true if the gap between their times is at most
  // twice the tie margin, with 99 % confidence. (It is not enough that the measured gap is below
  // the margin: a contestant that looks equal after a few samples may be far slower.)
  bool tied(const Gap& gap) const;

  const Table& table_;
  const Options& options_;
  const double margin_;  // the tie margin, as a difference of logarithms of times
  bool opaque_default_ = false;
  // Mean logarithms of the times of each contestant: `values_` of its times on the device, `costs_`
  // of the times of its eager calls (the longer of the device's time and the host's time).
  std::vector<double> values_, costs_;
  Prior prior_;
  bool informed_ = false;  // true if there are enough samples to estimate the noise
  std::size_t leader_ = 0;
};

}  // namespace atc::tune
