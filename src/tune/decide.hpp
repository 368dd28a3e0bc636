// From times to a winner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tune/field.hpp"
#include "tune/statistics.hpp"

namespace atc::tune {

struct ContestantTime {
  std::size_t index = 0;
  double seconds = 0;
  Burden burden;
};

// Position of the shortest time; of equal ones, the first.
std::size_t fastest(const std::vector<ContestantTime>& timed);

// Whether the default wins no tie: it is opaque, and of those within the margin of `leader` one is
// kept. Positions in `timed`.
bool default_yields(const std::vector<ContestantTime>& timed, std::size_t leader,
                    const Options& options);

// Tie rule for times without an error estimate. Of those within the margin of `leader`: the
// default, unless it yields, else the lightest burden, else the lowest index. Positions in `timed`.
std::size_t settle_tie(const std::vector<ContestantTime>& timed, std::size_t leader,
                       const Options& options);

// Times of the contestants still racing, round by round: logs[member][kept round].
struct Table {
  std::vector<std::size_t> members;
  std::vector<Burden> burdens;
  std::vector<std::vector<double>> logs;
  std::vector<std::vector<double>> costs;  // the same of eager calls: the host's time where longer
  std::vector<std::vector<double>> gone;   // those out of the race, for what they tell of the noise
  std::size_t rounds = 0;                  // kept ones
  std::size_t discarded = 0;  // throttled or under another clock; the first round aside
  bool trusted = true;        // false: no round was left, so those discarded are in `logs`
};
Table tabulate(const Field& field);

// Fills the statistics of a standing from the samples that count; `under_load` throttled ones do.
void summarize(ContestantState& entry, bool under_load);

// A choice that may cost more than this is not to be stored.
constexpr double kToleratedRisk = 0.03;

// The noise of one batch: that of these samples, moderated by what is usual.
Prior usual_noise(const std::vector<Location>& locations);
// Beyond doubt, as far as the noise lets one say so.
bool shown_slower(const Gap& gap, double by = 0);

// How the members of a table compare.
class Comparison {
 public:
  Comparison(const Table& table, const Options& options);

  std::size_t leader() const { return leader_; }  // position in table.members
  Gap gap(std::size_t above, std::size_t below) const;
  Gap behind(std::size_t member) const { return gap(member, leader_); }

  // Not one of its batches came within `factor` of the leader.
  bool always_behind(std::size_t member, double factor) const;
  // Slower than the leader beyond doubt, so that more samples of it say nothing.
  bool separated(std::size_t member) const;
  // More samples of it cannot change anything that matters.
  bool settled(std::size_t member) const;
  std::size_t winner() const;  // by the device's time
  // The winner of eager calls, `winner` being the device's. One that the host cannot issue fast
  // enough yields to who ties with it and can be, and to who is cheaper beyond doubt.
  std::size_t eager_winner(std::size_t winner) const;
  // Slower than the winner, but what eager calls may choose.
  bool eager_hope(std::size_t member) const;
  // By more than a tie.
  bool slower(std::size_t member, std::size_t than) const;
  // The most that taking `member` may cost, relative: how far it may lie above any other.
  double risk(std::size_t member) const;

 private:
  bool is_default(std::size_t member) const;
  // The default wins no tie with `member`.
  bool default_yields_to(std::size_t member) const;
  bool default_yields() const;  // somebody ties with the leader to whom it does
  bool host_bound(std::size_t member) const;
  Gap cost_gap(std::size_t above, std::size_t below) const;
  bool preferred(std::size_t member, std::size_t over) const;  // in a tie, the default aside
  // Too small to matter, as far as the noise lets one say so. (That a gap looks like less than the
  // margin is not enough: what looks equal may be far behind.)
  bool tied(const Gap& gap) const;

  const Table& table_;
  const Options& options_;
  const double margin_;  // of a tie, as a difference of logarithms
  bool opaque_default_ = false;
  std::vector<double> values_, costs_;  // where the members' logarithms lie
  Prior prior_;
  bool informed_ = false;  // whether enough samples tell of the noise to judge anybody by it
  std::size_t leader_ = 0;
};

}  // namespace atc::tune
