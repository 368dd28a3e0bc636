#include "engines/reference/samples.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/random.hpp"
#include "engines/reference/geometry.hpp"

namespace atc::reference {

namespace {

using Index = Tensor::Index;

// Kernels compute outputs in tiles, and a fault may concern one position within each tile. So the
// samples contain each position within tiles of up to this many elements, both along channels and
// along places. (The place of an element is its number within its channel.)
constexpr std::int64_t kTile = 128;

// A generator of random numbers. The seed determines the sequence. below(bound) returns the next
// number, which is at least 0 and less than `bound`.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(mix(seed_, next_++) % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

// Returns a number near `value` and below `extent` whose remainder modulo kTile is `remainder`. If
// `extent` is at most kTile, returns `remainder` modulo `extent`.
std::int64_t with_remainder(std::int64_t value, std::int64_t remainder, std::int64_t extent) {
  if (extent <= kTile) return remainder % extent;
  const std::int64_t moved = value - value % kTile + remainder;
  return moved < extent ? moved : moved - kTile;
}

// Returns whether an element of the output with the index `i` in the spatial dimension `dim` can be
// a sum of at least one product, as far as this dimension determines it.
bool is_reached(const Problem& problem, const Geometry& g, int dim, std::int64_t i) {
  const std::vector<TapRange>& taps = g.ranges[static_cast<std::size_t>(dim)];
  if (problem.direction == Direction::backward_weight) {
    const TapRange& tap = taps[static_cast<std::size_t>(i)];
    return tap.begin < tap.end;
  }
  const std::int64_t stride = g.stride[static_cast<std::size_t>(dim)];
  return std::any_of(taps.begin(), taps.end(), [&](const TapRange& tap) {
    if (problem.direction == Direction::forward) return tap.begin <= i && i < tap.end;
    const std::int64_t place = i - tap.shift;
    return place >= tap.begin * stride && place < tap.end * stride && place % stride == 0;
  });
}

class Samples {
 public:
  Samples(const Problem& problem, std::uint64_t seed)
      : problem_(problem),
        tensor_(problem.output()),
        channel_(problem.direction == Direction::backward_weight ? 0 : 1),
        places_(tensor_.elements() / tensor_.shape[channel_]),
        random_(seed) {}

  std::vector<std::int64_t> take(std::size_t count) {
    add_combinations();
    add_groups();
    add_others(count);
    add_unreached();
    add_last_tiles();
    std::vector<std::int64_t> sorted(chosen_.begin(), chosen_.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  void add(const Index& index) { chosen_.insert(tensor_.number_of(index)); }

  Index somewhere() {
    Index index{};
    for (int i = 0; i < tensor_.rank; ++i) index[i] = random_.below(tensor_.shape[i]);
    return index;
  }

  // Returns the index of the element with the number `place` in a channel of the output.
  Index at_place(std::int64_t channel, std::int64_t place) const {
    Index index{};
    for (int i = tensor_.rank - 1; i >= 0; --i) {
      if (i == channel_) continue;
      index[i] = place % tensor_.shape[i];
      place /= tensor_.shape[i];
    }
    index[channel_] = channel;
    return index;
  }

  int combinations() const {
    int count = 1;
    for (int i = 0; i < tensor_.rank; ++i) count *= 3;
    return count;
  }
  // Returns the index of an element. Each base-3 digit of `c` determines the index in one
  // dimension: 0 means the first index, 1 a random index between the first and the last, and 2 the
  // last index. If the extent is at most 2, the digit 1 means any index.
  Index in_combination(int c) {
    Index index{};
    for (int i = 0; i < tensor_.rank; ++i, c /= 3) {
      const std::int64_t extent = tensor_.shape[i];
      const std::int64_t inner = extent > 2 ? 1 + random_.below(extent - 2) : random_.below(extent);
      index[i] = c % 3 == 0 ? 0 : c % 3 == 1 ? inner : extent - 1;
    }
    return index;
  }
  void add_combinations() {
    for (int c = 0; c < combinations(); ++c) add(in_combination(c));
  }

  void add_groups() {
    const std::int64_t per_group = tensor_.shape[channel_] / problem_.groups;
    for (std::int64_t group = 0; group < problem_.groups; ++group) {
      Index index = in_combination(static_cast<int>(random_.below(combinations())));
      index[channel_] = group * per_group + random_.below(per_group);
      add(index);
    }
  }

  void add_unreached() {
    constexpr std::int64_t kAtEnds = 8, kBetween = 32;
    constexpr int kTimes = 2;
    const Geometry geometry(problem_);
    for (int dim = 0; dim < problem_.spatial; ++dim) {
      const std::int64_t extent = tensor_.shape[2 + dim];
      const std::int64_t middle = extent / 2;
      for (std::int64_t i = 0; i < extent; ++i) {
        if (i == kAtEnds && middle > i) i = middle;
        if (i == middle + kBetween && extent - kAtEnds > i) i = extent - kAtEnds;
        if (is_reached(problem_, geometry, 3 - problem_.spatial + dim, i)) continue;
        for (int time = 0; time < kTimes; ++time) {
          Index index = somewhere();
          index[2 + dim] = i;
          add(index);
        }
      }
    }
  }

  void add_last_tiles() {
    constexpr std::int64_t kLargest = 256;
    const auto last = [](std::int64_t extent, std::int64_t tile) {
      return (extent - 1) / tile * tile;
    };
    const std::int64_t channels = tensor_.shape[channel_];
    for (std::int64_t tile = 2; tile <= kLargest; tile *= 2) {
      const std::int64_t channel = last(channels, tile), place = last(places_, tile);
      add(at_place(channel, random_.below(places_)));
      add(at_place(random_.below(channels), place));
      add(at_place(channel, place));
      for (int i = 2; i < tensor_.rank; ++i) {
        Index index = somewhere();
        index[i] = last(tensor_.shape[i], tile);
        add(index);
      }
    }
  }

  // Adds random elements to the samples. The remainders modulo 128 of the channel and of the place
  // advance by odd steps. So each 128 consecutive elements have all remainders once. The steps for
  // channel and place differ, so that the pairs of remainders vary.
  void add_others(std::size_t count) {
    constexpr std::int64_t kStep = 59, kTurn = 29;
    const std::int64_t channels = tensor_.shape[channel_];
    // If the output is small, these steps seldom meet an element that is not chosen yet. So the
    // number of steps is limited, and the missing elements are drawn at random.
    count = std::max(count, chosen_.size() + static_cast<std::size_t>(kTile));
    count = std::min(count, static_cast<std::size_t>(tensor_.elements()));
    const auto most = static_cast<std::int64_t>(4 * count);
    for (std::int64_t i = 0; chosen_.size() < count && i < most; ++i) {
      const std::int64_t other = i * kStep + i / kTile * kTurn;
      add(at_place(with_remainder(random_.below(channels), other % kTile, channels),
                   with_remainder(random_.below(places_), i % kTile, places_)));
    }
    while (chosen_.size() < count) add(somewhere());
  }

  const Problem& problem_;
  const Tensor& tensor_;
  const int channel_;          // the dimension that is divided into groups
  const std::int64_t places_;  // the number of elements of a channel
  Random random_;
  std::unordered_set<std::int64_t> chosen_;
};

}  // namespace

std::size_t default_samples(const Problem& problem) {
  return problem.direction == Direction::backward_weight ? 256 : 1024;
}

bool covers_output(const Problem& problem) {
  return static_cast<std::uint64_t>(problem.output().elements()) <= default_samples(problem);
}

std::vector<std::int64_t> sample_positions(const Problem& problem, std::size_t count,
                                           std::uint64_t seed) {
  const std::int64_t elements = problem.output().elements();
  if (static_cast<std::uint64_t>(elements) > count) return Samples(problem, seed).take(count);
  std::vector<std::int64_t> all(static_cast<std::size_t>(elements));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace atc::reference
