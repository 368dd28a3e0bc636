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

// The position of the shortest time in `timed`. If several are equal, the first one.
std::size_t fastest(const std::vector<ContestantTime>& timed);

// Whether the default loses ties. This is so if the default is opaque (Burden) and another
// contestant within the tie margin of `leader` is kept (Burden). `leader` is a position in `timed`.
bool default_yields(const std::vector<ContestantTime>& timed, std::size_t leader,
                    const Options& options);

// Tie rule for times without an error estimate. Among the contestants within the margin of
// `leader`, picks the default if it does not yield; otherwise the one with the lightest burden; of
// several such ones, the one with the lowest index. `leader` and the result are positions in
// `timed`.
std::size_t settle_tie(const std::vector<ContestantTime>& timed, std::size_t leader,
                       const Options& options);

// The tolerated risk. If the winner of a race may be slower than another contestant by more than
// this (relative), the decision is only provisional.
constexpr double kToleratedRisk = 0.03;

// The noise of one observation: the variance of these samples, combined with the expected standard
// deviation.
Prior noise_of(const std::vector<Location>& locations, double expected);
// Whether the gap is larger than `by` (a difference of logarithms), with 99.5 % confidence.
bool shown_slower(const Gap& gap, double by = 0);

// Compares the contestants of a table (samples.hpp), which are called members here.
class Comparison {
 public:
  Comparison(const Table& table, const Options& options);

  std::size_t leader() const { return leader_; }  // position in table.members
  Gap gap(std::size_t above, std::size_t below) const;
  Gap behind(std::size_t member) const { return gap(member, leader_); }

  // Whether each batch of the member took longer than `factor` times the leader's time.
  bool always_behind(std::size_t member, double factor) const;
  // Whether the member is slower than the leader with 99.5 % confidence. Then no more samples of it
  // are needed.
  bool separated(std::size_t member) const;
  // Whether the member's comparison with the leader is certain enough, so that more samples would
  // not change the choice in a way that matters.
  bool settled(std::size_t member) const;
  std::size_t winner() const;  // by the device's time
  // The winner for eager calls. `winner` is the winner by the device's time. If the host can issue
  // `winner` fast enough, it is also the winner for eager calls. Otherwise a member is chosen that
  // ties with `winner` and is not bound by the host, or a member whose eager calls are cheaper by
  // more than the tie margin, with 99.5 % confidence. If there is none, `winner` is returned.
  std::size_t eager_winner(std::size_t winner) const;
  // Whether eager calls may choose the member although it is slower on the device.
  bool eager_hope(std::size_t member) const;
  // Whether `member` is slower than `than` by more than the tie margin.
  bool slower(std::size_t member, std::size_t than) const;
  // By how much `member` may be slower than any other member, relative, with 95 % confidence.
  double risk(std::size_t member) const;

 private:
  bool is_default(std::size_t member) const;
  // Whether the default loses a tie with `member`.
  bool default_yields_to(std::size_t member) const;
  bool default_yields() const;  // true if the default loses a tie with a member that ties with the
                                // leader
  bool host_bound(std::size_t member) const;
  Gap cost_gap(std::size_t above, std::size_t below) const;
  // Whether `member` wins a tie with `over`; neither is the default.
  bool preferred(std::size_t member, std::size_t over) const;
  // Whether the gap is at most twice the tie margin, with 99 % confidence. (A measured gap below
  // the margin is not enough: a candidate that looks equal may be far behind.)
  bool tied(const Gap& gap) const;

  const Table& table_;
  const Options& options_;
  const double margin_;  // the tie margin, as a difference of logarithms of times
  bool opaque_default_ = false;
  // The mean logarithm of each member's times, and of its costs per eager call.
  std::vector<double> values_, costs_;
  Prior prior_;
  bool informed_ = false;  // true if there are enough samples to estimate the noise
  std::size_t leader_ = 0;
};

}  // namespace atc::tune
