// Chooses the winner from the times.
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

// Position of the shortest time; of equal ones, the first.
std::size_t fastest(const std::vector<ContestantTime>& timed);

// Whether the default wins no tie. This is so if it is opaque and another contestant within the
// margin of `leader` is kept (Burden). `leader`: a position in `timed`.
bool default_yields(const std::vector<ContestantTime>& timed, std::size_t leader,
                    const Options& options);

// Tie rule for times without an error estimate. Among the contestants within the margin of
// `leader`, picks the default if it does not yield; otherwise the one with the lightest burden; of
// several such ones, the one with the lowest index. `leader` and the result are positions in
// `timed`.
std::size_t settle_tie(const std::vector<ContestantTime>& timed, std::size_t leader,
                       const Options& options);

// A decision with a higher risk than this is only provisional.
constexpr double kToleratedRisk = 0.03;

// The noise of one observation: the noise of these samples, moderated by the expected deviation.
Prior noise_of(const std::vector<Location>& locations, double expected);
// Whether the gap is larger than `by`, with 99.5 % confidence.
bool shown_slower(const Gap& gap, double by = 0);

// Compares the members of a table.
class Comparison {
 public:
  Comparison(const Table& table, const Options& options);

  std::size_t leader() const { return leader_; }  // position in table.members
  Gap gap(std::size_t above, std::size_t below) const;
  Gap behind(std::size_t member) const { return gap(member, leader_); }

  // Whether each batch of the member took longer than `factor` times the leader's time.
  bool always_behind(std::size_t member, double factor) const;
  // Whether the member is slower than the leader with 99.5 % confidence, so that more samples are
  // of no use.
  bool separated(std::size_t member) const;
  // Whether more samples of the member cannot change anything that matters.
  bool settled(std::size_t member) const;
  std::size_t winner() const;  // by the device's time
  // The winner for eager calls, `winner` being the device's. If the host cannot issue `winner` fast
  // enough, it yields to a member that ties with it and is not bound by the host, or that costs
  // less by more than a tie, with 99.5 % confidence.
  std::size_t eager_winner(std::size_t winner) const;
  // Whether eager calls may choose the member although it is slower on the device.
  bool eager_hope(std::size_t member) const;
  // Whether `member` is slower than `than` by more than the tie margin.
  bool slower(std::size_t member, std::size_t than) const;
  // How much slower, relative, `member` may be than any other one, with 95 % confidence.
  double risk(std::size_t member) const;

 private:
  bool is_default(std::size_t member) const;
  // The default wins no tie with `member`.
  bool default_yields_to(std::size_t member) const;
  bool default_yields() const;  // to a member that ties with the leader
  bool host_bound(std::size_t member) const;
  Gap cost_gap(std::size_t above, std::size_t below) const;
  bool preferred(std::size_t member, std::size_t over) const;  // in a tie, the default aside
  // Whether the gap is at most twice the tie margin, with 99 % confidence. (A measured gap below
  // the margin is not enough: a candidate that looks equal may be far behind.)
  bool tied(const Gap& gap) const;

  const Table& table_;
  const Options& options_;
  const double margin_;  // of a tie, as a difference of logarithms
  bool opaque_default_ = false;
  std::vector<double> values_, costs_;  // locations of the members' logarithms
  Prior prior_;
  bool informed_ = false;  // whether enough samples tell of the noise to judge by it
  std::size_t leader_ = 0;
};

}  // namespace atc::tune
