#include "core/format.hpp"
#include "engines/kernels/depthwise/families.hpp"

#include <utility>

#include "engines/kernels/depthwise/cost.hpp"
#include "engines/kernels/depthwise/first_ahead_forms.hpp"

namespace atc::depthwise {

namespace {

constexpr int kRowWarps = kRowThreads / kWarp;

// A compiled kernel of first_ahead.cu. first_ahead_forms.hpp explains its numbers.
struct RowForm {
  Dtype dtype;
  // The height of the filter, which equals its width.
  int taps;
  int vector;  // columns of a thread
  // The number of blocks whose registers together fit into a multiprocessor.
  int blocks;
  const char* kernel;
};

#define ATC_DEPTHWISE_ROW(dtype, Element, R, V, BLOCKS) \
  RowForm{Dtype::dtype, R, V, BLOCKS, "atc_depthwise_rows_" #dtype "_" #R "x" #R "_v" #V},
constexpr RowForm kRowForms[] = {ATC_DEPTHWISE_ROWS_FORMS(ATC_DEPTHWISE_ROW)};
#undef ATC_DEPTHWISE_ROW

}  // namespace

void add_row_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                   std::vector<Plan>& plans) {
  // If a plane is cut into several bands of rows, a band has at least this many rows.
  constexpr int kFewest = 4;
  if (way_of(g) != "s1" || g.in[0] != 1 || g.taps[0] != 1 || g.taps[1] != g.taps[2] ||
      g.in[2] != g.out[2] || g.volume_in() > kMostInPlane || g.volume_out() > kMostInPlane)
    return;
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
    // The smallest number of lanes of a warp that must have work.
    constexpr int kFewestLanes = 24;
    if (tiling.groups * tiling.lanes < kFewestLanes) continue;
    plan.launch.threads.x = kRowThreads;
    for (int bands = 1, before = 0; bands == 1 || ceil_div(g.out[1], bands) >= kFewest; ++bands) {
      tiling.band_rows = ceil_div(g.out[1], bands);
      if (tiling.band_rows == before) continue;
      before = tiling.band_rows;
      tiling.bands = ceil_div(g.out[1], tiling.band_rows);
      const std::int64_t tasks = std::int64_t{plan.planes.planes} * tiling.bands;
      const auto blocks = ceil_div<std::int64_t>(tasks, std::int64_t{tiling.groups} * kRowWarps);
      if (tasks > kMostBlocks) break;
      tiling.tasks = static_cast<unsigned>(tasks);
      plan.launch.blocks.x = static_cast<unsigned>(blocks);
      plan.configuration = format("rows_v{}_h{}", form.vector, tiling.band_rows);
      March march{};
      march.instructions = form.taps * form.taps * form.vector + 3 * form.vector + 50;
      march.steps = tiling.band_rows + form.taps - 1;
      march.warps = kRowWarps;
      march.resident = form.blocks;
      march.blocks = blocks;
      choices.push_back({cycles_of(march, multiprocessors), plan});
    }
  }
  sort(choices);
  for (Choice& choice : choices) plans.push_back(std::move(choice.plan));
}

}  // namespace atc::depthwise
