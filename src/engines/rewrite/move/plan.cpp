#include "engines/rewrite/move/plan.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace atc::rewrite {

namespace {

static_assert(kMoveDims == kMoveRank);

constexpr std::int64_t kMostElements = std::int64_t{1} << 30;  // of a launch
constexpr std::int64_t kWidestAccess = 16;                     // bytes
constexpr double kFullRun = 64;  // bytes: shorter runs of a tile leave parts of sectors unused
// A tile with less of its room in use is slower than single elements.
constexpr double kLeastUse = 0.12;

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
  int width;
  std::int64_t source_alignment, target_alignment;  // bytes, of element 0
};

// Elements of an access along the dimension `along`, whose stride in the view is 1, so that each is
// aligned and lies in the view or outside of it as a whole.
std::int64_t access(const Layouts& layouts, bool of_source, const MoveDim& along) {
  const PlainMove& move = layouts.move;
  const std::int64_t alignment = of_source ? layouts.source_alignment : layouts.target_alignment;
  std::int64_t length = kWidestAccess / layouts.width;
  while (length > 1 && alignment % (length * layouts.width) != 0) length /= 2;
  length = common_power(length, {of_source ? move.source_offset : move.target_offset,
                                 of_source ? along.inside : along.extent});
  for (const MoveDim& dim : move.dims)
    if (&dim != &along) length = common_power(length, {of_source ? dim.source : dim.target});
  return length;
}

UnitsDim units_dim(const MoveDim& dim, std::int64_t unit) {
  UnitsDim out;
  out.extent = divider(dim.extent);
  out.inside = static_cast<unsigned>(dim.inside);
  out.step = static_cast<unsigned>(dim.step);
  out.source = dim.source / unit;
  out.target = dim.target / unit;
  return out;
}

MoveLaunch launch_at(const Layouts& layouts) {
  MoveLaunch launch;
  launch.source_offset = static_cast<std::uint64_t>(layouts.move.source_offset * layouts.width);
  launch.target_offset = static_cast<std::uint64_t>(layouts.move.target_offset * layouts.width);
  return launch;
}

MoveLaunch by_units(const Layouts& layouts) {
  std::vector<MoveDim> dims = layouts.move.dims;
  std::int64_t unit = 1;
  if (!dims.empty()) {
    const MoveDim& last = layouts.move.dims.back();
    if (last.target == 1 && last.step == 1) {
      if (layouts.move.zero)
        unit = access(layouts, false, last);
      else if (last.source == 1)
        unit = std::min(access(layouts, false, last), access(layouts, true, last));
    }
    MoveDim& runs = dims.back();
    runs.extent /= unit;
    runs.inside /= unit;
    if (unit > 1) runs.source = runs.target = unit;
  }
  UnitsMove move;
  move.rank = static_cast<int>(dims.size());
  move.zero = layouts.move.zero;
  std::int64_t units = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    move.dims[i] = units_dim(dims[i], unit);
    units *= dims[i].extent;
  }
  move.units = static_cast<unsigned>(units);
  MoveLaunch launch = launch_at(layouts);
  const auto bytes = static_cast<unsigned>(unit * layouts.width);
  launch.kernel = bytes == 16  ? "atc_move_units_16"
                  : bytes == 8 ? "atc_move_units_8"
                  : bytes == 4 ? "atc_move_units_4"
                               : "atc_move_units_2";
  const unsigned of_block = kMoveThreads * units_of_thread(bytes);
  launch.blocks = (move.units + of_block - 1) / of_block;
  launch.parameters = move;
  return launch;
}

std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

// How much of a tile of this shape is used, and how well.
double use_of(std::int64_t extent, std::int64_t tile, std::int64_t access, int width) {
  const double used =
      static_cast<double>(extent) / static_cast<double>(tiles_of(extent, tile) * tile);
  const double run =
      tile < extent ? std::min(1.0, static_cast<double>(tile * width) / kFullRun) : 1.0;
  return used * run * (tile < access ? 0.7 : 1.0);
}

std::optional<MoveLaunch> by_tiles(const Layouts& layouts) {
  const std::vector<MoveDim>& dims = layouts.move.dims;
  if (layouts.move.zero || dims.size() < 2) return std::nullopt;
  const MoveDim& b = dims.back();
  const MoveDim& a =
      *std::min_element(dims.begin(), dims.end(),
                        [](const MoveDim& p, const MoveDim& q) { return p.source < q.source; });
  if (&a == &b || a.step != 1) return std::nullopt;
  const int pack = 4 / layouts.width;
  const std::int64_t load = a.source == 1 ? access(layouts, true, a) : 1;
  const std::int64_t store = b.target == 1 ? access(layouts, false, b) : 1;
  int row_bits = 5;
  double best = 0;
  for (const int bits : {5, 4, 6, 3, 7, 2, 8, 1, 9, 0, 10}) {
    const double use = use_of(a.extent, kTileWords >> bits, load, layouts.width) *
                       use_of(b.extent, std::int64_t{pack} << bits, store, layouts.width);
    if (use <= best * 1.1) continue;  // a square tile is best where nothing speaks against it
    best = use;
    row_bits = bits;
  }
  if (best < kLeastUse) return std::nullopt;

  const std::int64_t a_tile = kTileWords >> row_bits, b_tile = std::int64_t{pack} << row_bits;
  TileMove move;
  move.row_bits = row_bits;
  move.load_bytes = static_cast<int>(std::min(load, a_tile) * layouts.width);
  move.store_bytes = static_cast<int>(std::min(store, b_tile) * layouts.width);
  move.a_tiles = divider(tiles_of(a.extent, a_tile));
  move.b_tiles = static_cast<unsigned>(tiles_of(b.extent, b_tile));
  move.a_extent = static_cast<unsigned>(a.extent);
  move.a_inside = static_cast<unsigned>(a.inside);
  move.b_extent = static_cast<unsigned>(b.extent);
  move.b_inside = static_cast<unsigned>(b.inside);
  move.b_step = static_cast<unsigned>(b.step);
  move.a_source = a.source;
  move.a_target = a.target;
  move.b_source = b.source;
  move.b_target = b.target;
  std::int64_t blocks = std::int64_t{move.a_tiles.divisor} * move.b_tiles;
  for (const MoveDim& dim : dims) {
    if (&dim == &a || &dim == &b) continue;
    move.outer[move.rank++] = units_dim(dim, 1);
    blocks *= dim.extent;
  }
  MoveLaunch launch = launch_at(layouts);
  launch.kernel = layouts.width == 2 ? "atc_move_tile_2" : "atc_move_tile_4";
  launch.blocks = static_cast<unsigned>(blocks);
  launch.parameters = move;
  return launch;
}

// Halves of a move with too many elements for one launch.
void split(const Layouts& layouts, std::vector<MoveLaunch>& launches) {
  std::int64_t elements = 1;
  for (const MoveDim& dim : layouts.move.dims) elements *= dim.extent;
  if (elements == 0) return;
  if (elements <= kMostElements) {
    const auto tiles = by_tiles(layouts);
    launches.push_back(tiles ? *tiles : by_units(layouts));
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
