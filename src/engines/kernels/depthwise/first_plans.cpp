#include "core/format.hpp"
#include "engines/kernels/depthwise/families.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "engines/kernels/depthwise/cost.hpp"
#include "engines/kernels/depthwise/first_forms.hpp"
#include "engines/kernels/depthwise/ways.hpp"

namespace atc::depthwise {

namespace {

struct FirstForm {
  const char* way_name;
  Way way;
  // The depth, height and width of the filter. taps[1] is 0 if the filter may have any number of
  // rows.
  int taps[3];
  int rows, cols;
  const char* kernel;
};

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

// Divides the planes among blocks of about `threads` threads. Returns false if a block would need
// too many threads or too much shared memory.
bool tile_planes(const FirstForm& form, const Geometry& g, int threads, Plan& plan) {
  constexpr int kMostThreads = 256;
  const Way& way = form.way;
  FirstTiling& tiling = plan.first;
  tiling.row_start = start(way, plan.planes.pad[1]);
  tiling.col_start = start(way, plan.planes.pad[2]);
  tiling.segments = ceil_div(units(way, g.out[1], tiling.row_start), form.rows);
  tiling.strips = ceil_div(units(way, g.out[2], tiling.col_start), form.cols);
  const std::int64_t all_segments = std::int64_t{tiling.segments} * g.out[0];
  tiling.group_planes = 1;
  tiling.chunk_strips = tiling.strips;
  tiling.band_segments = static_cast<int>(std::min<std::int64_t>(all_segments, kMostBlocks));
  if (all_segments * tiling.strips <= threads) {
    tiling.group_planes = static_cast<int>(
        std::min<std::int64_t>(threads / (all_segments * tiling.strips), plan.planes.planes));
  } else if (g.out[0] > 1) {
    // A block computes whole slices (planes of one output depth).
    const std::int64_t slice = std::int64_t{tiling.segments} * tiling.strips;
    if (slice > kMostThreads) return false;
    const int slices = static_cast<int>(std::max<std::int64_t>(threads / slice, 1));
    tiling.band_segments = tiling.segments * ceil_div(g.out[0], ceil_div(g.out[0], slices));
  } else if (tiling.strips <= threads) {
    const int most = threads / tiling.strips;
    tiling.band_segments = ceil_div(tiling.segments, ceil_div(tiling.segments, most));
  } else {
    tiling.band_segments = 1;
    // Several blocks can share a row only if each of them reads from a single row, because
    // otherwise its input would not be contiguous.
    if (form.rows == 1 && way.in == 1 && way.out == 1 && form.taps[1] == 1)
      tiling.chunk_strips = ceil_div(tiling.strips, ceil_div(tiling.strips, threads));
    else if (tiling.strips > kMostThreads)
      return false;
  }
  tiling.bands = static_cast<int>(ceil_div<std::int64_t>(all_segments, tiling.band_segments));
  tiling.chunks = ceil_div(tiling.strips, tiling.chunk_strips);

  // The next lines compute the largest number of elements of `in` and of `out` that a block copies.
  // These elements are contiguous in memory (a span).
  const int slices = ceil_div(tiling.band_segments, tiling.segments);
  const bool one_slice = g.out[0] == 1 && g.taps[0] == 1;
  const std::int64_t in_rows =
      one_slice
          ? std::min(g.in[1], way.window(tiling.band_segments * form.rows + way.out - 1, g.taps[1]))
          : g.in[1];
  const std::int64_t in_slices = std::min<std::int64_t>(g.in[0], slices - 1 + g.taps[0]);
  const std::int64_t in_cols =
      tiling.chunks == 1
          ? g.in[2]
          : std::min(g.in[2], way.window(tiling.chunk_strips * form.cols, g.taps[2]));
  const std::int64_t out_rows =
      one_slice ? std::min(g.out[1], tiling.band_segments * form.rows * way.out) : g.out[1];
  const std::int64_t out_slices = std::min<std::int64_t>(g.out[0], slices);
  const std::int64_t out_cols =
      tiling.chunks == 1 ? g.out[2] : std::min(g.out[2], tiling.chunk_strips * form.cols);
  const std::int64_t before_in = (tiling.group_planes - 1) * g.volume_in();
  const std::int64_t before_out = (tiling.group_planes - 1) * g.volume_out();
  // The largest number of elements that 16 bytes contain. The elements that a block copies may
  // begin in the middle of 16 bytes; then the elements before them are copied, too.
  constexpr std::int64_t kUnaligned = 8;
  const std::int64_t tile = std::max(before_in + in_slices * in_rows * in_cols,
                                     before_out + out_slices * out_rows * out_cols) +
                            kUnaligned;
  const std::int64_t shared = (tile + 3 + tiling.group_planes * g.filter()) * sizeof(float);
  if (shared > kMostShared) return false;
  tiling.tile_floats = static_cast<int>(ceil_div<std::int64_t>(tile, 4) * 4);

  const std::int64_t blocks = ceil_div<std::int64_t>(plan.planes.planes, tiling.group_planes) *
                              tiling.bands * tiling.chunks;
  if (blocks > kMostBlocks) return false;
  plan.launch.blocks.x = static_cast<unsigned>(blocks);
  plan.launch.threads.x = static_cast<unsigned>(
      ceil_div(tiling.group_planes * tiling.band_segments * tiling.chunk_strips, kWarp) * kWarp);
  plan.launch.shared_bytes = static_cast<unsigned>(shared);
  return true;
}

// Returns the largest number of lanes of a warp that read from the same bank of shared memory at
// the same time.
int conflicts_of(const FirstForm& form, const Geometry& g, const FirstTiling& tiling) {
  constexpr int kBanks = 32;
  int lanes[kBanks] = {};
  for (int lane = 0; lane < kWarp; ++lane) {
    const int strip = lane % tiling.chunk_strips,
              segment = lane / tiling.chunk_strips % tiling.band_segments;
    const int plane = lane / tiling.chunk_strips / tiling.band_segments;
    if (plane >= tiling.group_planes) break;
    const std::int64_t row = std::int64_t{segment} * form.rows * form.way.in;
    const std::int64_t at =
        plane * g.volume_in() + row * g.in[2] + std::int64_t{strip} * form.cols * form.way.in;
    ++lanes[at % kBanks];
  }
  return *std::max_element(std::begin(lanes), std::end(lanes));
}

// Returns the estimated time of a plan, in cycles. The estimate follows from the number of
// instructions and from the reads of shared memory, with their bank conflicts.
double cycles_of(const FirstForm& form, const Geometry& g, const Plan& plan, int multiprocessors) {
  // The constants of this estimate were set by hand on an NVIDIA H200 (132 multiprocessors) on
  // 2026-11-22. The measured times were not kept.
  constexpr double kStart = 3000;  // the cycles of a block before its first step
  // The instructions that a scheduler of a multiprocessor issues per cycle.
  constexpr double kPace = 0.8;
  // The number of warps that run on a multiprocessor at the same time.
  constexpr double kWarps = 16;
  const Way& way = form.way;
  const auto taps = static_cast<double>(g.filter());
  const double cols = way.window(form.cols, g.taps[2]);
  const double reads = form.taps[1] == 0 ? g.taps[1] * (form.rows * cols + g.taps[2])
                                         : g.taps[0] * way.window(form.rows, g.taps[1]) * cols;
  const double outputs = form.rows * form.cols * way.out * way.out;
  const double threads = plan.launch.threads.x;
  const double staged =
      (2.0 * plan.first.tile_floats + 5 * plan.first.group_planes * taps) / threads;
  const double issued =
      taps * form.rows * form.cols + 2 * reads + 3 * outputs + 2 * taps + staged + 150;
  const double of_warp = std::max(issued / 4 / kPace, reads * conflicts_of(form, g, plan.first));
  const double warps =
      std::ceil(plan.launch.blocks.x / static_cast<double>(multiprocessors)) * threads / kWarp;
  return warps * of_warp + std::ceil(warps / kWarps) * kStart;
}

}  // namespace

void add_first_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                     std::vector<Plan>& plans) {
  constexpr std::size_t kVector = 16;  // the number of bytes that one instruction copies
  if (limits.alignment % kVector != 0 || g.volume_in() > kMostInPlane ||
      g.volume_out() > kMostInPlane)
    return;
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
      plan.configuration = format("first_h{}_w{}_t{}", form.rows, form.cols, threads);
      if (tile_planes(form, g, threads, plan))
        choices.push_back({cycles_of(form, g, plan, multiprocessors), std::move(plan)});
    }
  }
  sort(choices);
  for (Choice& choice : choices) plans.push_back(std::move(choice.plan));
}

}  // namespace atc::depthwise
