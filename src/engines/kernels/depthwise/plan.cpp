#include "engines/kernels/depthwise/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "engines/kernels/depthwise/first_ahead_forms.hpp"
#include "engines/kernels/depthwise/first_forms.hpp"
#include "engines/kernels/depthwise/last_forms.hpp"
#include "engines/kernels/depthwise/ways.hpp"

namespace atc::depthwise {

namespace {

constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostInPlane = std::int64_t{1} << 30;  // elements, with room for a window
constexpr std::int64_t kMostPlanes = std::int64_t{1} << 30;
constexpr std::int64_t kMostShared = 100 << 10;  // bytes of a block
constexpr int kWarp = 32;
constexpr int kRowWarps = kRowThreads / kWarp;

template <typename Integer>
constexpr Integer ceil_div(Integer value, Integer by) {
  return (value + by - 1) / by;
}

// A way as a value: what the templates of ways.hpp know at compile time.
struct Way {
  int in, out;  // of a unit
  int (*slots)(int taps);
  int (*window)(int units, int taps);
};

template <class Static>
constexpr Way as_value() {
  return {Static::kIn, Static::kOut, &Static::slots, &Static::window};
}

struct LastForm {
  Dtype dtype;
  const char* way_name;
  Way way;
  int taps[3];  // rows are 0 where any number is taken
  int vector, strip;
  int rows;  // of a tile; 0: of any band
  const char* kernel;
};

struct AheadForm {
  Dtype dtype;
  const char* way_name;
  Way way;
  int taps[3];
  int vector, strip;
  int ahead;   // steps
  int blocks;  // that a multiprocessor has registers for
  const char* kernel;
};

struct RowForm {
  Dtype dtype;
  int taps;    // of a side
  int vector;  // columns
  int blocks;  // that a multiprocessor has registers for
  const char* kernel;
};

struct FirstForm {
  const char* way_name;
  Way way;
  int taps[3];  // rows are 0 where any number is taken
  int rows, cols;
  const char* kernel;
};

#define ATC_DEPTHWISE_ROW(dtype, Element, way, Static, T, R, S, VC, TW, U) \
  LastForm{Dtype::dtype,                                                   \
           #way,                                                           \
           as_value<Static>(),                                             \
           {T, R, S},                                                      \
           VC,                                                             \
           TW,                                                             \
           0,                                                              \
           "atc_depthwise_last_" #dtype "_" #T "x" #R "x" #S "_" #way "_v" #VC "_w" #TW},
#define ATC_DEPTHWISE_ANY_ROWS(dtype, Element, way, Static, S, VC, TW, TH) \
  LastForm{Dtype::dtype,                                                   \
           #way,                                                           \
           as_value<Static>(),                                             \
           {1, 0, S},                                                      \
           VC,                                                             \
           TW,                                                             \
           TH,                                                             \
           "atc_depthwise_last_rows_" #dtype "_" #S "_" #way "_v" #VC "_w" #TW "_h" #TH},
constexpr LastForm kLastForms[] = {ATC_DEPTHWISE_LAST_FORMS(ATC_DEPTHWISE_ROW)
                                       ATC_DEPTHWISE_LAST_ROW_FORMS(ATC_DEPTHWISE_ANY_ROWS)};
#undef ATC_DEPTHWISE_ANY_ROWS
#undef ATC_DEPTHWISE_ROW

#define ATC_DEPTHWISE_ROW(dtype, Element, way, Static, T, R, S, VC, TW, AHEAD, BLOCKS) \
  AheadForm{Dtype::dtype,                                                              \
            #way,                                                                      \
            as_value<Static>(),                                                        \
            {T, R, S},                                                                 \
            VC,                                                                        \
            TW,                                                                        \
            AHEAD,                                                                     \
            BLOCKS,                                                                    \
            "atc_depthwise_ahead_" #dtype "_" #T "x" #R "x" #S "_" #way "_v" #VC "_w" #TW},
constexpr AheadForm kAheadForms[] = {ATC_DEPTHWISE_AHEAD_FORMS(ATC_DEPTHWISE_ROW)};
#undef ATC_DEPTHWISE_ROW

#define ATC_DEPTHWISE_ROW(dtype, Element, R, V, BLOCKS) \
  RowForm{Dtype::dtype, R, V, BLOCKS, "atc_depthwise_rows_" #dtype "_" #R "x" #R "_v" #V},
constexpr RowForm kRowForms[] = {ATC_DEPTHWISE_ROWS_FORMS(ATC_DEPTHWISE_ROW)};
#undef ATC_DEPTHWISE_ROW

#define ATC_DEPTHWISE_ROW(way, Static, T, R, S, TH, TW) \
  FirstForm{#way,      as_value<Static>(),              \
            {T, R, S}, TH,                              \
            TW,        "atc_depthwise_first_" #T "x" #R "x" #S "_" #way "_h" #TH "_w" #TW},
#define ATC_DEPTHWISE_ANY_ROWS(way, Static, S, TH, TW) \
  FirstForm{#way,      as_value<Static>(),             \
            {1, 0, S}, TH,                             \
            TW,        "atc_depthwise_first_rows_" #S "_" #way "_h" #TH "_w" #TW},
constexpr FirstForm kFirstForms[] = {ATC_DEPTHWISE_FIRST_FORMS(ATC_DEPTHWISE_ROW)
                                         ATC_DEPTHWISE_FIRST_ROW_FORMS(ATC_DEPTHWISE_ANY_ROWS)};
#undef ATC_DEPTHWISE_ANY_ROWS
#undef ATC_DEPTHWISE_ROW

// A problem with three spatial dimensions, in the words of arguments.hpp.
struct Geometry {
  std::int64_t batch = 1, in_channels = 1, out_channels = 1;
  int in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, taps[3] = {1, 1, 1};
  int stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad[3] = {0, 0, 0};
  bool backward = false, last = false;
  Finish finish{};

  std::int64_t volume_in() const { return std::int64_t{in[0]} * in[1] * in[2]; }
  std::int64_t volume_out() const { return std::int64_t{out[0]} * out[1] * out[2]; }
  std::int64_t filter() const { return std::int64_t{taps[0]} * taps[1] * taps[2]; }
};

Geometry geometry_of(const Problem& problem) {
  Geometry g;
  g.backward = problem.direction == Direction::backward_data;
  const Tensor& from = g.backward ? problem.y : problem.x;
  const Tensor& to = problem.output();
  g.batch = problem.batch();
  g.in_channels = from.shape[1];
  g.out_channels = to.shape[1];
  for (int dim = 0; dim < problem.spatial; ++dim) {
    const int at = dim + 3 - problem.spatial;
    g.in[at] = static_cast<int>(from.shape[2 + dim]);
    g.out[at] = static_cast<int>(to.shape[2 + dim]);
    g.taps[at] = static_cast<int>(problem.kernel(dim));
    g.stride[at] = static_cast<int>(problem.stride[dim]);
    g.dilation[at] = static_cast<int>(problem.dilation[dim]);
    g.pad[at] = static_cast<int>(problem.pad_low[dim]);
    // What neither moves nor is moved along has no stride.
    if (g.in[at] == 1 && g.out[at] == 1 && g.taps[at] == 1 && g.pad[at] == 0) g.stride[at] = 1;
    if (g.taps[at] == 1) g.dilation[at] = 1;
  }
  g.last = !(from.channels_first() && to.channels_first());
  g.finish = {static_cast<int>(to.dtype), problem.epilogue == Epilogue::bias_relu,
              problem.accumulate};
  return g;
}

// The name of the way in which a plane is computed; "" where only the direct kernel can.
std::string way_of(const Geometry& g) {
  if (g.in_channels != g.out_channels || g.batch * g.out_channels > kMostPlanes) return "";
  const bool flat = g.in[0] == 1 && g.out[0] == 1 && g.taps[0] == 1 && g.pad[0] == 0;
  if (g.taps[0] == 1 && !flat) return "";
  for (const int dilation : g.dilation)
    if (dilation != 1) return "";
  if (g.stride[0] != 1 || g.stride[1] != g.stride[2]) return "";
  if (g.stride[2] == 1) return "s1";
  if (g.stride[2] == 2 && flat) return g.backward ? "t2" : "s2";
  return "";
}

PlaneShape plane_shape(const Geometry& g) {
  PlaneShape shape{};
  shape.planes = static_cast<int>(g.batch * g.out_channels);
  shape.channels = static_cast<int>(g.out_channels);
  // Backward-data of stride 1 is forward with the filter flipped.
  shape.flipped = g.backward && g.stride[2] == 1;
  for (int d = 0; d < 3; ++d) {
    shape.in[d] = g.in[d];
    shape.out[d] = g.out[d];
    shape.pad[d] = shape.flipped ? g.taps[d] - 1 - g.pad[d] : g.pad[d];
  }
  shape.finish = g.finish;
  return shape;
}

// A pair of outputs (Scattering) begins where output + pad is even.
int start(const Way& way, int pad) { return way.out == 2 ? -(pad & 1) : 0; }

int units(const Way& way, int extent, int start) { return ceil_div(extent - start, way.out); }

Plan direct_plan(const Geometry& g) {
  Plan plan;
  plan.configuration = "direct";
  plan.kernel = "atc_depthwise_direct";
  DirectShape& shape = plan.direct;
  shape.batch = g.batch;
  shape.elements = g.batch * g.out_channels * g.volume_out();
  shape.in_channels = static_cast<int>(g.in_channels);
  shape.out_channels = static_cast<int>(g.out_channels);
  shape.multiple = static_cast<int>(g.backward ? g.in_channels / g.out_channels
                                               : g.out_channels / g.in_channels);
  for (int d = 0; d < 3; ++d) {
    shape.in[d] = g.in[d];
    shape.out[d] = g.out[d];
    shape.taps[d] = g.taps[d];
    shape.stride[d] = g.stride[d];
    shape.dilation[d] = g.dilation[d];
    shape.pad[d] = g.pad[d];
  }
  shape.backward = g.backward;
  shape.last = g.last;
  shape.finish = g.finish;
  constexpr int kThreads = 256, kBlocks = 1 << 16;
  plan.launch.threads.x = kThreads;
  plan.launch.blocks.x = static_cast<unsigned>(
      std::min<std::int64_t>(ceil_div<std::int64_t>(shape.elements, kThreads), kBlocks));
  return plan;
}

// Rows of a band that a thread slides down: all, or as few as it takes to occupy the device. A band
// begins with the steps that fill its ring.
int rows_of_band(const LastForm& form, int units, std::int64_t threads_of_a_row) {
  constexpr std::int64_t kOccupied = std::int64_t{1} << 17;
  constexpr std::int64_t kMostRows = 64;
  const int least = 4 * form.way.slots(form.taps[1]);
  const auto rows = std::clamp<std::int64_t>(threads_of_a_row * units / kOccupied,
                                             std::min<std::int64_t>(least, kMostRows), kMostRows);
  const auto bands = ceil_div<std::int64_t>(units, rows);
  return static_cast<int>(ceil_div<std::int64_t>(units, bands));
}

// How a block's threads share channels and positions, whatever the bands; the vectors of a block
// are a multiple of something.
void share_out(int vector, int multiple, const Geometry& g, LastTiling& tiling) {
  tiling.vectors = static_cast<int>(g.out_channels) / vector;
  tiling.chunks = ceil_div(tiling.vectors, kWarp);
  tiling.lanes = ceil_div(ceil_div(tiling.vectors, tiling.chunks), multiple) * multiple;
  tiling.lines = kLastThreads / tiling.lanes;
}

// Cuts a plane of `all` units of rows into bands; false where that takes too many blocks.
bool cut_bands(const Geometry& g, int all, int rows, Plan& plan) {
  LastTiling& tiling = plan.last;
  tiling.rows = rows;
  tiling.bands = ceil_div(all, rows);
  const std::int64_t positions = g.batch * g.out[0] * tiling.strips * tiling.bands;
  const std::int64_t blocks = ceil_div<std::int64_t>(positions, tiling.lines) * tiling.chunks;
  if (blocks > kMostBlocks || positions > kMostBlocks) return false;
  tiling.positions = static_cast<unsigned>(positions);
  plan.launch.blocks.x = static_cast<unsigned>(blocks);
  return true;
}

// What blocks that march do at a time, and how many of them.
struct March {
  double instructions;  // of a step of a warp
  double steps;
  double warps;  // of a block
  int resident;  // blocks that a multiprocessor has at once
  std::int64_t blocks;
};

// Cycles that a multiprocessor takes, by instructions and by how many blocks share it.
double cycles_of(const March& march, int multiprocessors) {
  constexpr double kStart = 3000, kWait = 60, kPace = 0.85;
  const auto wave = [&](std::int64_t blocks) {
    const double busy = static_cast<double>(blocks) * march.warps / 4 * march.instructions / kPace;
    return blocks == 0 ? 0 : kStart + march.steps * std::max(march.instructions + kWait, busy);
  };
  const auto blocks = ceil_div<std::int64_t>(march.blocks, multiprocessors);
  const std::int64_t waves = blocks / march.resident;
  return static_cast<double>(waves) * wave(march.resident) + wave(blocks % march.resident);
}

March march_of(const AheadForm& form, const Plan& plan) {
  const LastTiling& tiling = plan.last;
  const bool reduced = form.dtype != Dtype::f32;
  const int taps = form.taps[0] * form.taps[1] * form.taps[2];
  const int pixels = form.taps[0] * form.way.in * form.way.window(form.strip, form.taps[2]);
  const int sums = form.way.out * form.way.out * form.strip;
  March march{};
  march.instructions = taps * form.strip * form.vector +
                       pixels * (3 + (reduced ? form.vector : 0)) +
                       sums * (2 + (reduced ? 0.5 * form.vector : 0.0)) + 35;
  march.steps = tiling.rows + form.way.slots(form.taps[1]) - 1;
  march.warps = ceil_div(tiling.lanes * tiling.lines, kWarp);
  march.resident = form.blocks;
  march.blocks = plan.launch.blocks.x;
  return march;
}

void add_ahead_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                     std::vector<Plan>& plans) {
  constexpr int kFewest = 4;  // steps of a band, where there are several
  struct Choice {
    double cycles;
    Plan plan;
  };
  const std::string way = way_of(g);
  std::vector<std::vector<Choice>> forms;  // bands of each
  for (const AheadForm& form : kAheadForms) {
    if (static_cast<int>(form.dtype) != g.finish.dtype || form.way_name != way ||
        !std::equal(form.taps, form.taps + 3, g.taps))
      continue;
    // Two lanes copy together what would be two bytes for each of them.
    const int bytes = form.vector * static_cast<int>(size_of(form.dtype));
    const int together = bytes == 2 ? 2 : 1;
    if (g.out_channels % (std::int64_t{form.vector} * together) != 0 ||
        limits.alignment % (static_cast<std::size_t>(bytes) * together) != 0)
      continue;
    Plan plan;
    plan.family = Family::last_ahead;
    plan.kernel = form.kernel;
    plan.planes = plane_shape(g);
    LastTiling& tiling = plan.last;
    share_out(form.vector, together, g, tiling);
    tiling.row_start = start(form.way, plan.planes.pad[1]);
    tiling.col_start = start(form.way, plan.planes.pad[2]);
    tiling.strips = ceil_div(units(form.way, g.out[2], tiling.col_start), form.strip);
    plan.launch.threads = {static_cast<unsigned>(tiling.lanes), static_cast<unsigned>(tiling.lines),
                           1};
    tiling.filter_floats = static_cast<unsigned>(
        ceil_div<std::int64_t>(g.filter() * (tiling.lanes * form.vector + 4), 4) * 4);
    const int places = ceil_div(form.way.window(form.strip, form.taps[2]), together) * together;
    const auto step =
        static_cast<unsigned>(form.taps[0] * form.way.in * places * kLastThreads * bytes);
    plan.launch.shared_bytes =
        tiling.filter_floats * static_cast<unsigned>(sizeof(float)) + (form.ahead + 1) * step;
    if (plan.launch.shared_bytes > kMostShared) continue;
    const int all = units(form.way, g.out[1], tiling.row_start);
    std::vector<Choice> choices;
    for (int bands = 1, before = 0; bands == 1 || ceil_div(all, bands) >= kFewest; ++bands) {
      const int rows = ceil_div(all, bands);
      if (rows == before) continue;
      before = rows;
      if (!cut_bands(g, all, rows, plan)) continue;
      plan.configuration = fmt::format("ahead_v{}_w{}_h{}", form.vector, form.strip, rows);
      choices.push_back({cycles_of(march_of(form, plan), multiprocessors), plan});
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice& a, const Choice& b) { return a.cycles < b.cycles; });
    if (!choices.empty()) forms.push_back(std::move(choices));
  }
  std::stable_sort(forms.begin(), forms.end(), [](const auto& a, const auto& b) {
    return a.front().cycles < b.front().cycles;
  });
  // The best bands of each form, then the next best.
  for (std::size_t i = 0, added = 1; added != 0; ++i) {
    added = 0;
    for (std::vector<Choice>& choices : forms)
      if (i < choices.size()) {
        plans.push_back(std::move(choices[i].plan));
        ++added;
      }
  }
}

// With bands of half the rows, and of twice as many, beside the form's own choice.
void add_last_plans(const Geometry& whole, const Limits& limits, std::vector<Plan>& plans) {
  Geometry g = whole;
  // One row of positions is a column of them: memory is the same.
  if (g.in[1] == 1 && g.out[1] == 1 && g.taps[1] == 1 && g.pad[1] == 0)
    for (int* const extents : {g.in, g.out, g.taps, g.stride, g.pad})
      std::swap(extents[1], extents[2]);
  const std::string way = way_of(g);
  bool first_form = true;
  for (const LastForm& form : kLastForms) {
    if (static_cast<int>(form.dtype) != g.finish.dtype || form.way_name != way ||
        form.taps[0] != g.taps[0] || form.taps[2] != g.taps[2] ||
        (form.rows == 0 && form.taps[1] != g.taps[1]) || g.out_channels % form.vector != 0 ||
        limits.alignment % (form.vector * size_of(form.dtype)) != 0)
      continue;
    Plan plan;
    plan.family = form.rows == 0 ? Family::last : Family::last_by_rows;
    plan.filter_rows = g.taps[1];
    plan.kernel = form.kernel;
    plan.planes = plane_shape(g);
    LastTiling& tiling = plan.last;
    share_out(form.vector, 1, g, tiling);
    tiling.row_start = start(form.way, plan.planes.pad[1]);
    tiling.col_start = start(form.way, plan.planes.pad[2]);
    tiling.strips = ceil_div(units(form.way, g.out[2], tiling.col_start), form.strip);
    const int all = units(form.way, g.out[1], tiling.row_start);
    const std::int64_t columns = g.batch * g.out[0] * tiling.strips;
    plan.launch.threads = {static_cast<unsigned>(tiling.lanes), static_cast<unsigned>(tiling.lines),
                           1};
    const std::int64_t shared =
        g.filter() * (tiling.lanes * form.vector + 4) * static_cast<std::int64_t>(sizeof(float));
    if (shared > kMostShared) continue;
    plan.launch.shared_bytes = static_cast<unsigned>(shared);
    const int own = form.rows != 0 ? form.rows : rows_of_band(form, all, columns * tiling.vectors);
    std::vector<int> choices{own};
    first_form = first_form && form.rows == 0;
    if (first_form && own > 1) choices.push_back(ceil_div(own, 2));
    if (first_form && own < all) choices.push_back(std::min(all, 2 * own));
    first_form = false;
    for (const int rows : choices) {
      if (!cut_bands(g, all, rows, plan)) continue;
      plan.configuration = fmt::format("last_v{}_w{}_h{}", form.vector, form.strip, rows);
      plans.push_back(plan);
    }
  }
}

// Blocks of up to about this many threads; false where a block would have to take more, or more
// memory than a multiprocessor has for several.
bool tile_planes(const FirstForm& form, const Geometry& g, int threads, Plan& plan) {
  constexpr int kMostThreads = 256;
  const Way& way = form.way;
  FirstTiling& tiling = plan.first;
  tiling.row_start = start(way, plan.planes.pad[1]);
  tiling.col_start = start(way, plan.planes.pad[2]);
  tiling.segments = ceil_div(units(way, g.out[1], tiling.row_start), form.rows);
  tiling.strips = ceil_div(units(way, g.out[2], tiling.col_start), form.cols);
  const std::int64_t all_segments = std::int64_t{tiling.segments} * g.out[0];
  tiling.group = 1;
  tiling.chunk = tiling.strips;
  tiling.band = static_cast<int>(std::min<std::int64_t>(all_segments, kMostBlocks));
  if (all_segments * tiling.strips <= threads) {
    tiling.group = static_cast<int>(
        std::min<std::int64_t>(threads / (all_segments * tiling.strips), plan.planes.planes));
  } else if (g.out[0] > 1) {
    // Whole slices.
    const std::int64_t slice = std::int64_t{tiling.segments} * tiling.strips;
    if (slice > kMostThreads) return false;
    const int slices = static_cast<int>(std::max<std::int64_t>(threads / slice, 1));
    tiling.band = tiling.segments * ceil_div(g.out[0], ceil_div(g.out[0], slices));
  } else if (tiling.strips <= threads) {
    const int most = threads / tiling.strips;
    tiling.band = ceil_div(tiling.segments, ceil_div(tiling.segments, most));
  } else {
    tiling.band = 1;
    // Parts of a row are spans where they are of one row alone.
    if (form.rows == 1 && way.in == 1 && way.out == 1 && form.taps[1] == 1)
      tiling.chunk = ceil_div(tiling.strips, ceil_div(tiling.strips, threads));
    else if (tiling.strips > kMostThreads)
      return false;
  }
  tiling.bands = static_cast<int>(ceil_div<std::int64_t>(all_segments, tiling.band));
  tiling.chunks = ceil_div(tiling.strips, tiling.chunk);

  // The most elements of a span.
  const int slices = ceil_div(tiling.band, tiling.segments);
  const bool one_slice = g.out[0] == 1 && g.taps[0] == 1;
  const std::int64_t in_rows =
      one_slice ? std::min(g.in[1], way.window(tiling.band * form.rows + way.out - 1, g.taps[1]))
                : g.in[1];
  const std::int64_t in_slices = std::min<std::int64_t>(g.in[0], slices - 1 + g.taps[0]);
  const std::int64_t in_cols =
      tiling.chunks == 1 ? g.in[2]
                         : std::min(g.in[2], way.window(tiling.chunk * form.cols, g.taps[2]));
  const std::int64_t out_rows =
      one_slice ? std::min(g.out[1], tiling.band * form.rows * way.out) : g.out[1];
  const std::int64_t out_slices = std::min<std::int64_t>(g.out[0], slices);
  const std::int64_t out_cols =
      tiling.chunks == 1 ? g.out[2] : std::min(g.out[2], tiling.chunk * form.cols);
  const std::int64_t before_in = (tiling.group - 1) * g.volume_in();
  const std::int64_t before_out = (tiling.group - 1) * g.volume_out();
  constexpr std::int64_t kUnaligned = 8;  // elements of 16 bytes, of which a span has one
  const std::int64_t tile = std::max(before_in + in_slices * in_rows * in_cols,
                                     before_out + out_slices * out_rows * out_cols) +
                            kUnaligned;
  const std::int64_t shared = (tile + 3 + tiling.group * g.filter()) * sizeof(float);
  if (shared > kMostShared) return false;
  tiling.tile = static_cast<int>(ceil_div<std::int64_t>(tile, 4) * 4);

  const std::int64_t blocks =
      ceil_div<std::int64_t>(plan.planes.planes, tiling.group) * tiling.bands * tiling.chunks;
  if (blocks > kMostBlocks) return false;
  plan.launch.blocks.x = static_cast<unsigned>(blocks);
  plan.launch.threads.x =
      static_cast<unsigned>(ceil_div(tiling.group * tiling.band * tiling.chunk, kWarp) * kWarp);
  plan.launch.shared_bytes = static_cast<unsigned>(shared);
  return true;
}

// How many lanes of a warp read from one bank of shared memory at a time.
int conflicts_of(const FirstForm& form, const Geometry& g, const FirstTiling& tiling) {
  constexpr int kBanks = 32;
  int lanes[kBanks] = {};
  for (int lane = 0; lane < kWarp; ++lane) {
    const int strip = lane % tiling.chunk, segment = lane / tiling.chunk % tiling.band;
    const int plane = lane / tiling.chunk / tiling.band;
    if (plane >= tiling.group) break;
    const std::int64_t row = std::int64_t{segment} * form.rows * form.way.in;
    const std::int64_t at =
        plane * g.volume_in() + row * g.in[2] + std::int64_t{strip} * form.cols * form.way.in;
    ++lanes[at % kBanks];
  }
  return *std::max_element(std::begin(lanes), std::end(lanes));
}

// Cycles that a multiprocessor takes, by instructions and by what is read from shared memory.
double cycles_of(const FirstForm& form, const Geometry& g, const Plan& plan, int multiprocessors) {
  constexpr double kStart = 3000, kPace = 0.8, kWarps = 16;
  const Way& way = form.way;
  const auto taps = static_cast<double>(g.filter());
  const double cols = way.window(form.cols, g.taps[2]);
  const double reads = form.taps[1] == 0 ? g.taps[1] * (form.rows * cols + g.taps[2])
                                         : g.taps[0] * way.window(form.rows, g.taps[1]) * cols;
  const double outputs = form.rows * form.cols * way.out * way.out;
  const double threads = plan.launch.threads.x;
  const double staged = (2.0 * plan.first.tile + 5 * plan.first.group * taps) / threads;
  const double issued =
      taps * form.rows * form.cols + 2 * reads + 3 * outputs + 2 * taps + staged + 150;
  const double of_warp = std::max(issued / 4 / kPace, reads * conflicts_of(form, g, plan.first));
  const double warps =
      std::ceil(plan.launch.blocks.x / static_cast<double>(multiprocessors)) * threads / kWarp;
  return warps * of_warp + std::ceil(warps / kWarps) * kStart;
}

void add_row_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                   std::vector<Plan>& plans) {
  constexpr int kFewest = 4;  // rows of a band, where there are several
  if (way_of(g) != "s1" || g.in[0] != 1 || g.taps[0] != 1 || g.taps[1] != g.taps[2] ||
      g.in[2] != g.out[2] || g.volume_in() > kMostInPlane || g.volume_out() > kMostInPlane)
    return;
  struct Choice {
    double cycles;
    Plan plan;
  };
  std::vector<Choice> choices;
  for (const RowForm& form : kRowForms) {
    Plan plan;
    plan.family = Family::first_ahead;
    plan.kernel = form.kernel;
    plan.planes = plane_shape(g);
    RowTiling& tiling = plan.rows;
    tiling.lanes = g.in[2] / form.vector;
    if (static_cast<int>(form.dtype) != g.finish.dtype || form.taps != g.taps[2] ||
        plan.planes.pad[2] != form.taps / 2 || g.in[2] % form.vector != 0 || tiling.lanes > kWarp ||
        limits.alignment % (form.vector * size_of(form.dtype)) != 0)
      continue;
    tiling.groups = kWarp / tiling.lanes;
    constexpr int kFewestLanes = 24;  // that are busy
    if (tiling.groups * tiling.lanes < kFewestLanes) continue;
    plan.launch.threads.x = kRowThreads;
    for (int bands = 1, before = 0; bands == 1 || ceil_div(g.out[1], bands) >= kFewest; ++bands) {
      tiling.rows = ceil_div(g.out[1], bands);
      if (tiling.rows == before) continue;
      before = tiling.rows;
      tiling.bands = ceil_div(g.out[1], tiling.rows);
      const std::int64_t tasks = std::int64_t{plan.planes.planes} * tiling.bands;
      const auto blocks = ceil_div<std::int64_t>(tasks, std::int64_t{tiling.groups} * kRowWarps);
      if (tasks > kMostBlocks) break;
      tiling.tasks = static_cast<unsigned>(tasks);
      plan.launch.blocks.x = static_cast<unsigned>(blocks);
      plan.configuration = fmt::format("rows_v{}_h{}", form.vector, tiling.rows);
      March march{};
      march.instructions = form.taps * form.taps * form.vector + 3 * form.vector + 50;
      march.steps = tiling.rows + form.taps - 1;
      march.warps = kRowWarps;
      march.resident = form.blocks;
      march.blocks = blocks;
      choices.push_back({cycles_of(march, multiprocessors), plan});
    }
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.cycles < b.cycles; });
  for (Choice& choice : choices) plans.push_back(std::move(choice.plan));
}

void add_first_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                     std::vector<Plan>& plans) {
  constexpr std::size_t kVector = 16;  // bytes that a thread copies at once
  if (limits.alignment % kVector != 0 || g.volume_in() > kMostInPlane ||
      g.volume_out() > kMostInPlane)
    return;
  struct Choice {
    double cycles;
    Plan plan;
  };
  const std::string way = way_of(g);
  std::vector<Choice> choices;
  for (const FirstForm& form : kFirstForms) {
    const bool any_rows = form.taps[1] == 0;
    if (form.way_name != way || form.taps[0] != g.taps[0] || form.taps[2] != g.taps[2] ||
        (!any_rows && form.taps[1] != g.taps[1]))
      continue;
    for (const int threads : {128, 256, 64}) {
      Plan plan;
      plan.family = any_rows ? Family::first_by_rows : Family::first;
      plan.kernel = form.kernel;
      plan.planes = plane_shape(g);
      plan.filter_rows = g.taps[1];
      plan.configuration = fmt::format("first_h{}_w{}_t{}", form.rows, form.cols, threads);
      if (tile_planes(form, g, threads, plan))
        choices.push_back({cycles_of(form, g, plan, multiprocessors), std::move(plan)});
    }
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.cycles < b.cycles; });
  for (Choice& choice : choices) plans.push_back(std::move(choice.plan));
}

bool is_small(std::int64_t value) { return value >= 0 && value <= (std::int64_t{1} << 30); }

}  // namespace

std::string objection(const Problem& problem) {
  if (problem.groups != problem.channels_in())
    return fmt::format(
        "a depthwise convolution has a group for each of its {} channels, this one {}",
        problem.channels_in(), problem.groups);
  if (problem.x.dtype != problem.w.dtype || problem.x.dtype != problem.y.dtype)
    return "x, w and y have to be of one dtype";
  if (!(problem.x.channels_first() && problem.y.channels_first()) &&
      !(problem.x.channels_last() && problem.y.channels_last()))
    return "x and y have to be dense, both channels first or both channels last";
  // One channel in a group: what is dense in one order is dense in the other.
  if (!problem.w.channels_first() && !problem.w.channels_last()) return "w has to be dense";
  if (problem.x.elements() == 0 || problem.y.elements() == 0) return "there is nothing to compute";
  for (int dim = 0; dim < problem.spatial; ++dim) {
    const std::int64_t reach = problem.out(dim) * problem.stride[dim] +
                               problem.kernel(dim) * problem.dilation[dim] + problem.in(dim);
    if (!is_small(problem.in(dim)) || !is_small(problem.out(dim)) ||
        !is_small(problem.kernel(dim)) || !is_small(problem.stride[dim]) ||
        !is_small(problem.dilation[dim]) || !is_small(problem.pad_low[dim]) ||
        !is_small(problem.pad_high[dim]) || !is_small(reach + problem.pad_low[dim]))
      return "an extent, a stride or a padding is beyond 2^30";
  }
  if (!is_small(problem.channels_out())) return "there are more than 2^30 channels";
  return "";
}

std::vector<Plan> plans(const Problem& problem, const Limits& limits, int multiprocessors) {
  const Geometry g = geometry_of(problem);
  std::vector<Plan> plans;
  if (g.last) {
    add_ahead_plans(g, limits, multiprocessors, plans);
    add_last_plans(g, limits, plans);
  } else {
    std::vector<Plan> rows, spans;
    add_row_plans(g, limits, multiprocessors, rows);
    add_first_plans(g, limits, multiprocessors, spans);
    // By turns, as long as there are both: the two best of each are offered.
    constexpr std::size_t kOfEach = 2;
    for (std::size_t i = 0; i < std::max(rows.size(), spans.size()); i += kOfEach)
      for (std::vector<Plan>* const some : {&rows, &spans})
        for (std::size_t j = i; j < std::min(i + kOfEach, some->size()); ++j)
          plans.push_back(std::move((*some)[j]));
  }
  plans.push_back(direct_plan(g));
  return plans;
}

}  // namespace atc::depthwise
