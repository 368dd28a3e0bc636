#include "core/format.hpp"
#include "engines/kernels/depthwise/families.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engines/kernels/depthwise/last_forms.hpp"
#include "engines/kernels/depthwise/last_tiling.hpp"
#include "engines/kernels/depthwise/ways.hpp"

namespace atc::depthwise {

namespace {

// A compiled kernel of last.cu. last_forms.hpp explains its numbers.
struct LastForm {
  Dtype dtype;
  const char* way_name;
  Way way;
  // The depth, height and width of the filter. taps[1] is 0 if the filter may have any number of
  // rows.
  int taps[3];
  int vector, strip;
  // The number of rows of a tile; 0 if a band of rows may have any height.
  int rows;
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

// Returns the number of rows of a band. The bands are as high as possible while there are still
// enough threads to occupy the device. But a band has at most 64 rows. It also has at least four
// times as many rows as the ring of accumulators, if that is at most 64. The rows of a plane are
// divided evenly among its bands.
int rows_of_band(const LastForm& form, int units, std::int64_t threads_of_a_row) {
  constexpr std::int64_t kOccupied = std::int64_t{1} << 17;
  constexpr std::int64_t kMostRows = 64;
  const int least = 4 * form.way.slots(form.taps[1]);
  const auto rows = std::clamp<std::int64_t>(threads_of_a_row * units / kOccupied,
                                             std::min<std::int64_t>(least, kMostRows), kMostRows);
  const auto bands = ceil_div<std::int64_t>(units, rows);
  return static_cast<int>(ceil_div<std::int64_t>(units, bands));
}

}  // namespace

// A form is a compiled kernel. Appends a plan for each form that is valid for the problem. For the
// first of these forms, two more plans are appended: one with half as many rows in a band, and one
// with twice as many.
void add_last_plans(const Geometry& whole, const Limits& limits, std::vector<Plan>& plans) {
  Geometry g = whole;
  // If a plane has only one row, height and width are exchanged: the row is treated as a column,
  // down which threads go. The order of the positions in memory stays the same.
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
      plan.configuration = format("last_v{}_w{}_h{}", form.vector, form.strip, rows);
      plans.push_back(plan);
    }
  }
}

}  // namespace atc::depthwise
