#include "engines/rewrite/move/plan.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>

namespace atc::rewrite {

namespace {

static_assert(kMoveDims == kMoveRank);

constexpr std::int64_t kMostElements = std::int64_t{1} << 30;  // of a launch
constexpr std::int64_t kWidestAccess = 16;                     // bytes
constexpr std::int64_t kFullRun = 256;  // bytes: of shorter runs parts of sectors are read twice
// Bytes that a tile moves, and about as much of its time as passes before it begins to.
constexpr std::int64_t kTilePayload = 18 * 1024, kTileStart = 2 * 1024;
constexpr std::int64_t kWordsAtATime = 4 * kMoveThreads;  // of a tile, on their way together
constexpr std::int64_t kSector = 32;                      // bytes
constexpr std::int64_t kEnoughTiles = 528;                // to keep an H200 busy
constexpr double kUneven = 0.8, kHalfEven = 0.85;  // of the speed of rows that are all aligned
constexpr std::int64_t kLongestGap = 16;           // bytes from unit to unit of a segment
constexpr std::int64_t kLongRun = 24;              // bytes moved as they are, 8 or 16 at a time
constexpr std::int64_t kShortSegment = 128;        // bytes: many of them take long to look up

Divider divider(std::int64_t divisor) {
  Divider by;
  by.divisor = static_cast<unsigned>(divisor);
  while ((std::uint64_t{1} << by.shift) < static_cast<std::uint64_t>(divisor)) ++by.shift;
  const std::uint64_t power = std::uint64_t{1} << by.shift;
  by.multiplier =
      static_cast<unsigned>((power - by.divisor) * (std::uint64_t{1} << 32) / by.divisor + 1);
  return by;
}

// The largest power of two up to `most` that divides all.
std::int64_t common_power(std::int64_t most, std::initializer_list<std::int64_t> numbers) {
  for (const std::int64_t number : numbers)
    while (number % most != 0) most /= 2;
  return most;
}

struct Layouts {
  PlainMove move;
  int width;                                        // bytes of a unit
  std::int64_t source_alignment, target_alignment;  // bytes, of element 0
};

using Dims = std::vector<MoveDim>;

// Units of an access along a run of `length` of them, in the source or the target, whose stride is
// 1, so that each is aligned and lies in the run as a whole. `others`: all dimensions but the
// run's.
std::int64_t access(const Layouts& layouts, bool of_source, std::int64_t length,
                    const Dims& others) {
  const std::int64_t alignment = of_source ? layouts.source_alignment : layouts.target_alignment;
  std::int64_t units = kWidestAccess / layouts.width;
  while (units > 1 && alignment % (units * layouts.width) != 0) units /= 2;
  units = common_power(
      units, {of_source ? layouts.move.source_offset : layouts.move.target_offset, length});
  for (const MoveDim& dim : others)
    units = common_power(units, {of_source ? dim.source : dim.target});
  return units;
}

UnitsDim units_dim(const MoveDim& dim) {
  UnitsDim out;
  out.extent = divider(dim.extent);
  out.inside = static_cast<unsigned>(dim.inside);
  out.step = divider(dim.step);
  out.source = dim.source;
  out.target = dim.target;
  return out;
}

MoveLaunch launch_at(const Layouts& layouts) {
  MoveLaunch launch;
  launch.source_offset = static_cast<std::uint64_t>(layouts.move.source_offset * layouts.width);
  launch.target_offset = static_cast<std::uint64_t>(layouts.move.target_offset * layouts.width);
  return launch;
}

// Units along the fastest dimension of the target that may move as one.
std::int64_t joint_units(const Layouts& layouts) {
  if (layouts.move.dims.empty()) return 1;
  const MoveDim& last = layouts.move.dims.back();
  if (last.target != 1 || last.step != 1) return 1;
  const Dims others(layouts.move.dims.begin(), layouts.move.dims.end() - 1);
  const std::int64_t stored = access(layouts, false, last.extent, others);
  if (layouts.move.zero) return stored;
  if (last.source != 1) return 1;
  return std::min(stored, access(layouts, true, last.inside, others));
}

// The same move of units that are so many times as wide.
Layouts widened(Layouts layouts, std::int64_t times) {
  if (times == 1) return layouts;
  PlainMove& move = layouts.move;
  move.source_offset /= times;
  move.target_offset /= times;
  for (MoveDim& dim : move.dims) {
    if (&dim == &move.dims.back()) break;
    dim.source /= times;
    dim.target /= times;
  }
  move.dims.back().extent /= times;
  move.dims.back().inside /= times;
  if (move.dims.back().extent == 1) move.dims.pop_back();
  layouts.width *= static_cast<int>(times);
  return layouts;
}

MoveLaunch by_units(const Layouts& layouts) {
  UnitsMove move;
  move.zero = layouts.move.zero;
  move.plain = 1;
  std::int64_t units = 1, source_span = 0, target_span = 0;
  for (const MoveDim& dim : layouts.move.dims) {
    move.dims[move.rank++] = units_dim(dim);
    units *= dim.extent;
    source_span += dim.extent * dim.source;
    target_span += dim.extent * dim.target;
    if (dim.step != 1 || dim.inside != dim.extent) move.plain = 0;
  }
  if (std::max(source_span, target_span) > std::numeric_limits<std::uint32_t>::max())
    move.plain = 0;
  move.units = static_cast<unsigned>(units);
  MoveLaunch launch = launch_at(layouts);
  const auto bytes = static_cast<unsigned>(layouts.width);
  launch.kernel = bytes == 16  ? "atc_move_units_16"
                  : bytes == 8 ? "atc_move_units_8"
                  : bytes == 4 ? "atc_move_units_4"
                               : "atc_move_units_2";
  const unsigned of_block = kMoveThreads * units_of_thread(bytes);
  launch.blocks = (move.units + of_block - 1) / of_block;
  launch.parameters = move;
  return launch;
}

// Where accesses of the target alone can be wide.
std::optional<MoveLaunch> by_wide_rows(const Layouts& layouts) {
  if (layouts.move.zero || layouts.move.dims.empty() || layouts.width > 4) return std::nullopt;
  const MoveDim& last = layouts.move.dims.back();
  if (last.target != 1) return std::nullopt;
  const Dims others(layouts.move.dims.begin(), layouts.move.dims.end() - 1);
  const std::int64_t length = access(layouts, false, last.extent, others);
  if (length < 4) return std::nullopt;
  WideMove move;
  std::int64_t pieces = 1;
  for (const MoveDim& dim : layouts.move.dims) {
    move.dims[move.rank++] = units_dim(dim);
    pieces *= dim.extent;
  }
  move.pieces = divider(last.extent / length);
  move.all_pieces = static_cast<unsigned>(pieces / length);
  MoveLaunch launch = launch_at(layouts);
  launch.kernel = layouts.width == 4 ? "atc_move_wide_4_4"
                  : length == 8      ? "atc_move_wide_2_8"
                                     : "atc_move_wide_2_4";
  const unsigned of_block = kMoveThreads * pieces_of_thread(static_cast<unsigned>(length));
  launch.blocks = (move.all_pieces + of_block - 1) / of_block;
  launch.parameters = move;
  return launch;
}

std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

// Dimensions that follow each other in the source or in the target, the slowest first, and how many
// places they have.
struct Line {
  Dims dims;
  std::int64_t extent = 1;

  explicit Line(const MoveDim& first) : dims{first}, extent(first.extent) {}
  // Takes the dimension that continues this one from `rest`.
  bool grow(Dims& rest, bool of_source) {
    if (dims.size() == kRunDims) return false;
    const MoveDim& fastest = dims.back();
    const auto next = std::find_if(rest.begin(), rest.end(), [&](const MoveDim& dim) {
      if (!of_source) return dim.target == fastest.target * extent;
      return dim.source == fastest.source * extent && dim.step == 1 && dim.inside == dim.extent &&
             fastest.inside == fastest.extent;
    });
    if (next == rest.end()) return false;
    extent *= next->extent;
    dims.insert(dims.begin(), *next);
    rest.erase(next);
    return true;
  }
  std::int64_t inside() const { return dims.size() == 1 ? dims.front().inside : extent; }
  Run run() const {
    Run run;
    for (const MoveDim& dim : dims)
      if (dim.extent > 1) run.dims[run.rank++] = units_dim(dim);
    run.extent = static_cast<unsigned>(extent);
    return run;
  }
};

bool are_multiples(const Dims& dims, bool of_source, std::int64_t of) {
  return std::all_of(dims.begin(), dims.end(), [&](const MoveDim& dim) {
    return (of_source ? dim.source : dim.target) % of == 0;
  });
}

// What a move looks like to tiles.
struct Tiling {
  Line rows{MoveDim{}}, a{MoveDim{}};
  MoveDim inner;
  Dims outer;
};

std::optional<Tiling> tiling(const Layouts& layouts) {
  Tiling tiling;
  Dims& rest = tiling.outer;
  rest = layouts.move.dims;
  const MoveDim last = rest.back();
  if (last.target != 1) return std::nullopt;
  const auto nearest =
      std::min_element(rest.begin(), rest.end(),
                       [](const MoveDim& p, const MoveDim& q) { return p.source < q.source; });
  if (nearest->source * layouts.width > kLongestGap) return std::nullopt;
  tiling.inner.target = 1;
  bool may_grow_a = true;
  if (nearest->source == last.source) {
    tiling.inner = last;
    rest.pop_back();
    const std::int64_t whole = last.source * last.extent;
    tiling.rows = Line(MoveDim{1, 1, 1, 0, last.extent});
    tiling.a = Line(MoveDim{1, 1, 1, whole, 0});
    // Places of a are neighbours only where they are full.
    may_grow_a = last.step == 1 && last.inside == last.extent;
  } else {
    if (nearest->step != 1) return std::nullopt;
    tiling.a = Line(*nearest);
    rest.erase(nearest);
    tiling.rows = Line(rest.back());
    rest.pop_back();
  }
  // The shorter one first: what both could take is of more use there.
  constexpr std::int64_t kLongest = kTilePayload / 16;
  const std::int64_t units = kWidestAccess / layouts.width, inner = tiling.inner.extent;
  for (;;) {
    const std::int64_t row = tiling.rows.extent * inner * layouts.width;
    const std::int64_t segment = tiling.a.extent * tiling.a.dims.back().source * layouts.width;
    if (may_grow_a && segment < std::min(row, kFullRun) && tiling.a.grow(rest, true)) continue;
    // Rows may as well be longer where that aligns them.
    const std::int64_t long_row = tiling.rows.extent * inner % units == 0 ? kFullRun : kLongest;
    if (row < long_row && tiling.rows.grow(rest, false)) continue;
    if (may_grow_a && segment < kLongest && tiling.a.grow(rest, true)) continue;
    break;
  }
  return tiling;
}

double share(std::int64_t part, std::int64_t of) {
  return static_cast<double>(part) / static_cast<double>(of);
}

// The best shape of tiles, and the best way to write them.
class Shapes {
 public:
  Shapes(const Layouts& layouts, const Tiling& tiling)
      : layouts_(layouts),
        tiling_(tiling),
        width_(layouts.width),
        units_(kWidestAccess / layouts.width),
        inner_(tiling.inner.extent),
        row_units_(tiling.rows.extent * inner_),
        rows_follow_(rows_follow()) {
    move_.width = layouts.width;
    move_.a_bytes = static_cast<unsigned>(tiling.a.dims.back().source * width_);
    move_.inner_bytes =
        static_cast<unsigned>(((tiling.inner.inside - 1) * tiling.inner.source + 1) * width_);
    for (const MoveDim& dim : tiling.outer) outer_places_ *= dim.extent;
    outer_aligned_ = layouts.source_alignment % kWidestAccess == 0 &&
                     layouts.move.source_offset % units_ == 0 &&
                     are_multiples(tiling.outer, true, units_);
    source_aligned_ = outer_aligned_ && are_multiples(tiling.rows.dims, true, units_);
    const Dims& rows = tiling.rows.dims;
    const bool one_dim = rows.back().extent == tiling.rows.extent && rows.back().step == 1;
    if (one_dim) next_row_ = rows.back().source * width_;
    try_all(Writing::shifted);
    if (begin_at(units_)) try_all(Writing::even);
    if (units_ > 2 && begin_at(units_ / 2)) try_all(Writing::half_even);
    if (rows_follow_) try_rows(Writing::flat, tiling.rows.extent);
  }

  // Null where no tile is worth its while.
  const TileMove* best() const { return best_ > 0 ? &move_ : nullptr; }

 private:
  // Whether all rows of the target begin and end at multiples of so many units.
  bool begin_at(std::int64_t units) const {
    return row_units_ % units == 0 && layouts_.target_alignment % (units * width_) == 0 &&
           layouts_.move.target_offset % units == 0 && are_multiples(tiling_.outer, false, units) &&
           are_multiples(tiling_.a.dims, false, units);
  }

  bool rows_follow() const {
    std::int64_t next = row_units_;
    for (std::size_t i = tiling_.a.dims.size(); i-- > 0;) {
      const MoveDim& dim = tiling_.a.dims[i];
      if (dim.extent == 1) continue;
      if (dim.target != next) return false;
      next *= dim.extent;
    }
    return true;
  }

  static std::int64_t piece_bytes(Writing writing) {
    return writing == Writing::half_even ? kWidestAccess / 2 : kWidestAccess;
  }

  void try_all(Writing writing) {
    // So many rows are whole pieces.
    const std::int64_t piece = piece_bytes(writing) / width_, extent = tiling_.rows.extent;
    std::int64_t grain = piece;
    while (grain > 1 && grain / 2 * inner_ % piece == 0) grain /= 2;
    for (std::int64_t rows = grain; rows <= kTileRowUnits; rows *= 2) {
      try_rows(writing, rows);
      if (rows > extent) break;
    }
    for (const std::int64_t parts : {1, 2, 3, 4, 6, 8})
      if (extent % (parts * grain) == 0) try_rows(writing, extent / parts);
  }

  void try_rows(Writing writing, std::int64_t rows) {
    const std::int64_t extent = tiling_.a.extent;
    for (std::int64_t parts = 1; parts <= 8; ++parts)
      try_shape(writing, rows, tiles_of(tiles_of(extent, parts), units_) * units_);
    for (std::int64_t places = 1; places < extent && places <= kTilePayload; places *= 2) {
      try_shape(writing, rows, places);
      // With the word more that a segment takes which begins anywhere.
      if (places > units_) try_shape(writing, rows, places - units_);
    }
  }

  void try_shape(Writing writing, std::int64_t rows, std::int64_t most_places) {
    const std::int64_t places = std::min(most_places, tiling_.a.extent);
    const std::int64_t before = writing == Writing::shifted ? tiles_of(units_ - 1, inner_) : 0;
    const std::int64_t slots = rows + before, row_bytes = rows * inner_ * width_;
    const std::int64_t segment = (places - 1) * move_.a_bytes + move_.inner_bytes;
    const bool one_a_tile = places == tiling_.a.extent;
    const bool as_one = one_a_tile && next_row_ > 0 && segment < kShortSegment &&
                        next_row_ <= std::max(2 * segment, kSector);
    const bool aligned =
        source_aligned_ && (one_a_tile || places * move_.a_bytes % kWidestAccess == 0);
    const std::int64_t words =
        as_one ? tiles_of((slots - 1) * next_row_ + segment + kWidestAccess, kWidestAccess)
               : tiles_of(segment + (aligned ? 0 : kWidestAccess - width_), kWidestAccess);
    const std::int64_t all_words = as_one ? words : slots * words;
    const bool fits =
        slots * inner_ <= kTileRowUnits && rows * segment <= kTilePayload &&
        (as_one ? words * kWidestAccess * 9 / 8 + kWidestAccess <= kTileBytes
                : slots <= kTileRows && slots * (words * kWidestAccess + width_) <= kTileBytes);
    const bool pieces_fit = writing == Writing::shifted || writing == Writing::flat ||
                            row_bytes <= piece_bytes(writing) * kMoveThreads;
    if (!fits || !pieces_fit) return;
    const std::int64_t a_tiles = tiles_of(tiling_.a.extent, places);
    const std::int64_t row_tiles = tiles_of(tiling_.rows.extent + before, rows);
    const std::int64_t tiles = a_tiles * row_tiles * outer_places_;
    const std::int64_t written =
        rows < tiling_.rows.extent || !rows_follow_ ? row_bytes : row_bytes * places;
    const std::int64_t start = kTileStart * (1 + tiles_of(all_words, kWordsAtATime));
    const double score = share(tiling_.a.extent, a_tiles * places) *
                         share(tiling_.rows.extent, row_tiles * rows) * share(rows, slots) *
                         share(segment, segment + kSector) * share(written, written + kSector) *
                         share(rows * segment, rows * segment + start) *
                         (0.2 + 0.8 * std::min(1.0, share(tiles, kEnoughTiles))) *
                         (writing == Writing::even        ? 1
                          : writing == Writing::half_even ? kHalfEven
                                                          : kUneven);
    if (score <= best_) return;
    best_ = score;
    move_.writing = writing;
    move_.a_of_tile = static_cast<unsigned>(places);
    move_.rows_of_tile = static_cast<unsigned>(rows);
    move_.rows_before = static_cast<unsigned>(before);
    move_.pitch = static_cast<unsigned>(words * kWidestAccess);
    move_.row_bytes = static_cast<unsigned>(as_one ? next_row_ : 0);
    // Segments that begin at multiples of their own size would meet in few banks.
    move_.spread = as_one && outer_aligned_ && slots * next_row_ % kWidestAccess == 0 &&
                   before == 0 && (next_row_ & (next_row_ - 1)) == 0;
    move_.slot_words = divider(words);
    move_.a_tiles = divider(a_tiles);
    move_.row_tiles = divider(row_tiles);
    move_.row_pieces =
        divider(writing == Writing::flat ? rows * inner_ : row_bytes / piece_bytes(writing));
    move_.blocks = static_cast<unsigned>(tiles);
  }

  const Layouts& layouts_;
  const Tiling& tiling_;
  std::int64_t width_, units_, inner_, row_units_, outer_places_ = 1;
  std::int64_t next_row_ = 0;  // bytes from segment to segment, 0 where that differs
  bool rows_follow_, outer_aligned_ = false, source_aligned_ = false;
  double best_ = 0;
  TileMove move_;
};

std::optional<MoveLaunch> by_tiles(const Layouts& layouts) {
  if (layouts.move.zero || layouts.move.dims.size() < 2) return std::nullopt;
  const auto found = tiling(layouts);
  if (!found) return std::nullopt;
  // Segments or rows of a few bytes are better moved unit by unit.
  const std::int64_t segment = ((found->a.extent - 1) * found->a.dims.back().source +
                                (found->inner.inside - 1) * found->inner.source + 1) *
                               layouts.width;
  if (segment < 4 || found->a.extent == 1) return std::nullopt;
  const Shapes shapes(layouts, *found);
  if (shapes.best() == nullptr) return std::nullopt;
  TileMove move = *shapes.best();
  move.rows = found->rows.run();
  move.a = found->a.run();
  move.a_inside = static_cast<unsigned>(found->a.inside());
  move.inner = units_dim(found->inner);
  move.inner_units = divider(found->inner.extent);
  for (const MoveDim& dim : found->outer) move.outer[move.rank++] = units_dim(dim);
  move.source_bytes = layouts.width;
  move.full = 1;
  for (const MoveDim& dim : layouts.move.dims) {
    move.source_bytes += (dim.inside - 1) * dim.source * layouts.width;
    if (dim.step != 1 || dim.inside != dim.extent) move.full = 0;
  }
  MoveLaunch launch = launch_at(layouts);
  launch.kernel = "atc_move_tile";
  launch.blocks = move.blocks;
  launch.parameters = move;
  return launch;
}

// Whether it is long runs as they are, 8 or 16 bytes at a time.
bool has_long_runs(const Layouts& wide) {
  const PlainMove& move = wide.move;
  if (wide.width == kWidestAccess || move.dims.empty()) return true;
  if (2 * wide.width != kWidestAccess) return false;
  const MoveDim& last = move.dims.back();
  return last.source == 1 && last.target == 1 && last.extent * wide.width >= kLongRun;
}

// Runs that are short in both views are units of their own: what is beside them may then be a
// transposition.
MoveLaunch by_any(const Layouts& layouts) {
  const std::int64_t joint = joint_units(layouts);
  const Layouts wide = widened(layouts, joint);
  if (!has_long_runs(wide))
    if (const auto tiles = by_tiles(wide)) return *tiles;
  if (joint == 1)
    if (const auto rows = by_wide_rows(layouts)) return *rows;
  return by_units(wide);
}

// Halves of a move with too many elements for one launch.
void split(const Layouts& layouts, std::vector<MoveLaunch>& launches) {
  std::int64_t elements = 1;
  for (const MoveDim& dim : layouts.move.dims) elements *= dim.extent;
  if (elements == 0) return;
  if (elements <= kMostElements) {
    launches.push_back(by_any(layouts));
    return;
  }
  Layouts first = layouts, second = layouts;
  const auto widest =
      static_cast<std::size_t>(std::max_element(layouts.move.dims.begin(), layouts.move.dims.end(),
                                                [](const MoveDim& p, const MoveDim& q) {
                                                  return p.extent / p.step < q.extent / q.step;
                                                }) -
                               layouts.move.dims.begin());
  const MoveDim& whole = layouts.move.dims[widest];
  // At a step's beginning, and where accesses stay aligned.
  const std::int64_t grain = whole.step * (whole.extent / whole.step >= 128 ? 64 : 1);
  const std::int64_t half = whole.extent / 2 / grain * grain;
  const std::int64_t from = half / whole.step;
  MoveDim& low = first.move.dims[widest];
  MoveDim& high = second.move.dims[widest];
  low.extent = half;
  low.inside = std::min(whole.inside, from);
  high.extent = whole.extent - half;
  high.inside = std::max<std::int64_t>(whole.inside - from, 0);
  second.move.source_offset += from * whole.source;
  second.move.target_offset += half * whole.target;
  second.move.zero = second.move.zero || high.inside == 0;
  split(first, launches);
  split(second, launches);
}

}  // namespace

std::vector<MoveLaunch> plan(const Move& move, int width, std::size_t source_alignment,
                             std::size_t target_alignment) {
  std::vector<MoveLaunch> launches;
  split({simplified(move), width, static_cast<std::int64_t>(source_alignment),
         static_cast<std::int64_t>(target_alignment)},
        launches);
  return launches;
}

}  // namespace atc::rewrite
