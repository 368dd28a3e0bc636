#include "engines/rewrite/move/tiles.hpp"

#include <algorithm>

namespace atc::rewrite {

namespace {

// A contiguous run (a segment or a row) should have at least this number of bytes. With shorter
// runs, some memory sectors are read twice.
constexpr std::int64_t kFullRun = 256;
// kTilePayload is the largest number of bytes that a tile moves. Before a tile can move data, it
// waits for memory, once at its start and once for each round of reads. kTileStart is this time for
// each wait, given as the number of bytes that could be moved in it.
constexpr std::int64_t kTilePayload = 18432, kTileStart = 2048;
// The number of words (16 bytes) that a block reads in one round, before it writes them to shared
// memory.
constexpr std::int64_t kWordsAtATime = std::int64_t{4} * kMoveThreads;
constexpr std::int64_t kPieceGroup = 8;
constexpr std::int64_t kSector = 32;        // bytes
constexpr std::int64_t kEnoughTiles = 528;  // this number of tiles occupies a whole H200
// Estimated speeds relative to rows that are aligned to 16 bytes: kUneven for unaligned rows, and
// kHalfEven for rows that are aligned to 8 bytes.
constexpr double kUneven = 0.8, kHalfEven = 0.85;
// The largest distance, in bytes, between two neighbouring places of a segment. If the distance is
// larger, the move is not done by tiles.
constexpr std::int64_t kLongestGap = 16;
// Segments with fewer bytes than this are read together as one segment if possible. Otherwise the
// computation of the many segments' offsets would take long.
constexpr std::int64_t kShortSegment = 128;

std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

// A sequence of dimensions that are treated as one, because they are contiguous to each other in
// the source or in the target. `extent` is the product of their extents.
struct Line {
  Dims dims;
  std::int64_t extent = 1;

  explicit Line(const MoveDim& first) : dims{first}, extent(first.extent) {}
  // Searches `rest` for a dimension that is contiguous to this sequence of dimensions in the source
  // or in the target. Moves this dimension from `rest` to the sequence. Returns false if `rest` has
  // no such dimension.
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

// The dimensions of a move, assigned to the members of TileMove (parameters.hpp).
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
    // Further dimensions may be joined to `a` (see TileMove) only if all indices of the last
    // dimension exist in the source. Otherwise the places of `a` are not contiguous in the source.
    may_grow_a = last.step == 1 && last.inside == last.extent;
  } else {
    if (nearest->step != 1) return std::nullopt;
    tiling.a = Line(*nearest);
    rest.erase(nearest);
    tiling.rows = Line(rest.back());
    rest.pop_back();
  }
  // Dimensions are added to the rows and to the segments until both are long enough. The shorter of
  // the two gets the next dimension, because it profits more from additional length.
  constexpr std::int64_t kLongest = kTilePayload / 16;
  const std::int64_t units = kWidestAccess / layouts.width, inner = tiling.inner.extent;
  for (;;) {
    const std::int64_t row = tiling.rows.extent * inner * layouts.width;
    const std::int64_t segment = tiling.a.extent * tiling.a.dims.back().source * layouts.width;
    if (may_grow_a && segment < std::min(row, kFullRun) && tiling.a.grow(rest, true)) continue;
    // If the length of a row is a multiple of 16 bytes, dimensions are added until it has kFullRun
    // bytes. Otherwise they are added until it has kLongest bytes, because its length may become a
    // multiple of 16 bytes.
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

// Tries shapes of tiles and ways to write them (Writing), and finds the combination with the best
// estimated speed.
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

  // Returns the parameters with the best estimated speed, or null if no shape of tiles is possible.
  const TileMove* best() const { return best_ > 0 ? &move_ : nullptr; }

 private:
  // Returns whether all rows of the target begin and end at addresses that are multiples of `units`
  // units.
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
    // `grain` is the smallest number of indices of `rows` whose units form whole pieces. (A piece
    // is what a thread writes at a time: 8 or 16 bytes.)
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
      // The slots have a power of two of words if the segments are aligned. A segment that is not
      // aligned touches one more word. So a shape whose segments are shorter by one word is also
      // tried.
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
    // If the distance between segments is a power of two, the same place of all segments is in few
    // banks of shared memory. Then padding is inserted (TileMove::spread), so that the segments use
    // different banks.
    move_.spread = as_one && outer_aligned_ && slots * next_row_ % kWidestAccess == 0 &&
                   before == 0 && (next_row_ & (next_row_ - 1)) == 0;
    move_.slot_words = divider(words);
    move_.a_tiles = divider(a_tiles);
    move_.row_tiles = divider(row_tiles);
    move_.row_pieces =
        divider(writing == Writing::flat ? rows * inner_ : row_bytes / piece_bytes(writing));
    const std::int64_t pieces = std::max<std::int64_t>(1, row_bytes / piece_bytes(writing));
    const std::int64_t group = pieces % kPieceGroup == 0 ? kPieceGroup : pieces;
    move_.piece_group = divider(group);
    move_.places = divider(places);
    move_.lanes = divider(std::max<std::int64_t>(1, kMoveThreads / pieces));
    move_.blocks = static_cast<unsigned>(tiles);
  }

  const Layouts& layouts_;
  const Tiling& tiling_;
  std::int64_t width_, units_, inner_, row_units_, outer_places_ = 1;
  // The distance in bytes from a segment to the next one in the source; 0 if the distances differ.
  std::int64_t next_row_ = 0;
  bool rows_follow_, outer_aligned_ = false, source_aligned_ = false;
  double best_ = 0;
  TileMove move_;
};

}  // namespace

std::optional<MoveLaunch> by_tiles(const Layouts& layouts) {
  if (layouts.move.zero || layouts.move.dims.size() < 2) return std::nullopt;
  const auto found = tiling(layouts);
  if (!found) return std::nullopt;
  // If segments or rows have only a few bytes, a move by single units (UnitsMove) is faster.
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

}  // namespace atc::rewrite
