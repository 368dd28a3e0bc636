// The technique `interleaved` of a race. A race compares contestants (candidates for a convolution
// problem) by the times of batches of executions. In each round every contestant runs one batch.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "core/format.hpp"
#include "core/quantity.hpp"
#include "tune/decide.hpp"
#include "tune/techniques.hpp"

namespace atc::tune {

namespace {

// A contestant leaves the race after one batch if this batch takes more than kFarBehind times the
// best time of all contestants.
constexpr double kFarBehind = 1.5;
// A contestant leaves the race if it has at least kFewBatches batches, and each of them takes more
// than kBehind times the leader's time.
constexpr double kBehind = 1.15;
constexpr std::size_t kFewBatches = 3;
// The contestants are compared with each other as soon as this number of rounds has run.
constexpr std::size_t kFewestRounds = 2;
// A batch that takes at most this number of seconds is cheap to repeat.
constexpr double kCheapLook = 2e-3;
// A batch that is longer than kCheapLook is repeated only if it takes at most kDisturbed times the
// best time.
constexpr double kDisturbed = 3.0;
// The largest number of batches in a race that are repeated although they are longer than
// kCheapLook.
constexpr std::size_t kDearLooks = 4;
// If other work than that of the race was seen on the device, a first batch by which its contestant
// would leave the race is repeated up to this many times.
constexpr std::size_t kLooksBesideWork = 2;
constexpr std::size_t kMostRounds = 100;
constexpr std::size_t kMostDiscarded = 8;
// If the budget is spent before the contestants have been compared in this number of rounds,
// further rounds may exceed the budget.
constexpr std::size_t kRoundsToTell = 5;
// If fewer than kRoundsToTell rounds were run when the budget is spent, the race may exceed the
// budget by this fraction of the budget.
constexpr double kReserve = 0.1;
// The fraction of the budget after which no further contestant may join the race.
constexpr double kAdmissionShare = 0.7;

bool tells_more(const Sample& one, const Sample& other) {
  // A batch says more about its contestant if no other work was on the device meanwhile. If both or
  // none of the two batches had the device alone, the shorter one says more.
  return std::tie(one.shared, one.seconds) < std::tie(other.shared, other.seconds);
}

// Returns the batch that says most about the contestant (tells_more). It is used wherever one batch
// is needed, but not for the comparison of contestants within rounds.
const Sample& best_of(const ContestantState& entry) {
  return *std::min_element(entry.samples.begin(), entry.samples.end(), tells_more);
}

// Returns the contestants that are still in the race and have been timed.
std::vector<std::size_t> timed(const Field& field) {
  std::vector<std::size_t> result = field.racing();
  const auto untimed = [&](std::size_t index) { return field.at(index).samples.empty(); };
  result.erase(std::remove_if(result.begin(), result.end(), untimed), result.end());
  return result;
}

// Returns the shortest time of any batch, including batches beside other work. Other work can only
// make a batch longer. So a contestant that is slower than the shortest batch is behind, even if
// other work ran beside that batch.
double best_time(const Field& field) {
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t index : timed(field))
    best = std::min(best, best_of(field.at(index)).seconds);
  return best;
}

void drop(Field& field, std::size_t index, double ratio, std::size_t batches) {
  field.leave(index, Outcome::dropped,
              format("{} times the leader's time after {} batch{}", ratio_text(ratio), batches,
                     batches == 1 ? "" : "es"));
}

void look_once_more(Field& field, std::size_t index) {
  ContestantState& entry = field.at(index);
  const std::optional<Sample> second = field.time_batch(index, 1);
  Sample& first = entry.samples.front();
  if (second && tells_more(*second, first)) first = *second;
}

bool is_cheap(const ContestantState& entry) {
  return entry.fastest * static_cast<double>(batch_calls(entry.fastest)) <= kCheapLook;
}

// If the contestant would leave the race because of its first batch, times the batch again, because
// other work on the device may have disturbed it. A short batch is always repeated. A long batch is
// repeated only for the first few contestants of the race, and only if it takes at most kDisturbed
// times the best time. But once other work was seen on the device, all such batches are repeated,
// because other work that begins and ends within a batch is not noticed.
void look_again(Field& field, std::size_t index, std::size_t& dear_looks) {
  const ContestantState& entry = field.at(index);
  const auto ratio = [&] { return entry.samples.front().seconds / best_time(field); };
  if (field.outlook().is_exempt(index) || entry.samples.empty()) return;
  if (field.had_company()) {
    for (std::size_t i = 0; i < kLooksBesideWork && entry.racing; ++i) {
      if (ratio() <= kFarBehind) return;
      look_once_more(field, index);
    }
  } else if (ratio() > kFarBehind) {
    if (!is_cheap(entry)) {
      if (dear_looks == 0 || ratio() > kDisturbed) return;
      --dear_looks;
    }
    look_once_more(field, index);
  }
}

// Returns whether the contestant is the cheapest one for eager calls. If the host cannot issue
// calls of the fastest contestant fast enough, a contestant that is far behind on the device may be
// the cheapest one.
bool is_cheapest(const Field& field, std::size_t index, double best) {
  const double cost = best_of(field.at(index)).cost();
  for (const std::size_t other : timed(field)) {
    if (other == index) continue;
    const Sample& theirs = best_of(field.at(other));
    const bool fastest = theirs.seconds <= best;
    if (theirs.cost() < cost || (fastest && theirs.cost() <= cost)) return false;
  }
  return true;
}

void drop_far_behind(Field& field) {
  const double best = best_time(field);
  const std::vector<std::size_t> members = timed(field);
  const bool any_alone = std::any_of(members.begin(), members.end(), [&](std::size_t index) {
    return !best_of(field.at(index)).shared;
  });
  for (const std::size_t index : members) {
    // The default and the yardsticks (such as LibTorch's own convolution, Outlook::is_exempt)
    // remain in the race here, because they must not leave it because of one disturbed batch.
    if (field.outlook().is_exempt(index)) continue;
    const Sample& sample = best_of(field.at(index));
    // The contestant may be behind only because of other work on the device. It remains until later
    // rounds decide.
    if (sample.shared && any_alone) continue;
    const double ratio = sample.seconds / best;
    if (ratio > kFarBehind && !is_cheapest(field, index, best)) drop(field, index, ratio, 1);
  }
}

// Takes contestants out of the race that are slower than the leader. Returns true if no further
// round is needed.
bool prune(Field& field) {
  const Table table = tabulate(field.entries(), field.order());
  if (!table.trusted || table.rounds < kFewestRounds) return false;
  const Comparison comparison(table, field.options());
  bool settled = true;
  for (std::size_t i = 0; i < table.members.size(); ++i) {
    const bool far = table.rounds >= kFewBatches && comparison.always_behind(i, kBehind) &&
                     !field.outlook().is_exempt(table.members[i]);
    if ((far || comparison.separated(i)) && !comparison.eager_hope(i)) {
      drop(field, table.members[i], std::exp(comparison.behind(i).value), table.rounds);
    } else {
      settled = settled && comparison.settled(i);
    }
  }
  return settled;
}

// Returns whether some contestant looks faster than the default, but the comparison has had few
// rounds only.
bool is_promising(const Field& field) {
  const std::size_t index = field.options().default_index;
  if (!field.at(index).racing || field.at(index).samples.empty()) return false;
  const double margin = 1 + field.options().tie_margin;
  return best_of(field.at(index)).seconds > margin * best_time(field) &&
         tabulate(field.entries(), field.order()).rounds < kRoundsToTell;
}

std::optional<std::size_t> decide(Field& field) {
  const Table table = tabulate(field.entries(), field.order());
  if (table.members.empty()) return {};
  // The race was cancelled before the first batch, so there are no times to compare.
  if (table.rounds == 0) return table.members.front();
  const Comparison comparison(table, field.options());
  const std::size_t winner = comparison.winner();
  const double risk = comparison.risk(winner);
  field.risks(risk);
  const std::size_t eager = comparison.eager_winner(winner);
  if (comparison.slower(eager, winner) &&
      field.at(table.members[winner]).standing.statistics.launches > 0)
    field.choose_captured(table.members[winner]);
  if (!table.trusted) {
    field.unstable(table.shared > 0 ? "no round had the device alone"
                                    : "no round ran under steady clocks");
  } else if (table.discarded > kMostDiscarded) {
    field.unstable(format(table.shared > 0
                              ? "{} rounds ran beside other work or under changing clocks"
                              : "{} rounds ran under changing clocks",
                          table.discarded));
  } else if (risk > kToleratedRisk) {
    field.unstable(format("the winner may take {} another one", compared_text(1 + risk)));
  }
  return table.members[eager];
}

}  // namespace

void admit_all(Field& field) {
  field.expect(2 * field.order().size());
  std::size_t dear_looks = kDearLooks;
  while (const auto turn = field.next()) {
    const std::size_t index = *turn;
    const bool admitted = field.admit(index, kAdmissionShare);
    field.tick();
    if (admitted) {
      if (const std::optional<Sample> sample = field.time_first_batch(index, 1)) {
        field.at(index).samples.push_back(*sample);
      }
      field.skip_untimed(index);
      look_again(field, index, dear_looks);
      drop_far_behind(field);
    }
    field.tick();
  }
}

std::optional<std::size_t> race_interleaved(Field& field) {
  admit_all(field);
  // One long step may have used up the time for comparing. If one of the remaining contestants
  // looks faster than the default, a few more rounds are run beyond the budget. They show whether
  // that contestant really is faster.
  auto goes_on = [&, extended = false]() mutable {
    if (!field.stopped()) return true;
    if (extended || field.cancelled() || !is_promising(field)) return false;
    extended = true;
    field.extend(kReserve);
    return true;
  };
  for (std::size_t round = 2; round <= kMostRounds; ++round) {
    const std::vector<std::size_t> racing = field.racing();
    if (racing.size() < 2 || !goes_on()) break;
    field.expect(racing.size());
    field.settle_mode();
    // The seed is reduced modulo the number of contestants before the round and `i` are added.
    // Otherwise the sum could exceed 2^64 in the middle of a round. Then one contestant would be
    // timed twice in this round and another one never.
    const std::size_t first = (field.options().seed % racing.size() + round) % racing.size();
    for (std::size_t i = 0; i < racing.size(); ++i) {
      const std::size_t index = racing[(first + i) % racing.size()];
      if (const std::optional<Sample> sample = field.time_batch(index, round)) {
        field.at(index).samples.push_back(*sample);
      }
      field.tick();
    }
    if (field.stopped()) continue;
    // A contestant whose batches all ran beside other work on the device did not have to leave the
    // race because of them. In this round it may have had the device alone, so it is judged now.
    if (field.had_company()) drop_far_behind(field);
    if (prune(field) || tabulate(field.entries(), field.order()).discarded > kMostDiscarded) break;
  }
  return decide(field);
}

}  // namespace atc::tune
