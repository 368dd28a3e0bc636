#include "core/format.hpp"
#include "engines/kernels/depthwise/families.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engines/kernels/depthwise/cost.hpp"
#include "engines/kernels/depthwise/last_forms.hpp"
#include "engines/kernels/depthwise/last_tiling.hpp"
#include "engines/kernels/depthwise/ways.hpp"

namespace atc::depthwise {

namespace {

// A compiled kernel of last_ahead.cu. last_forms.hpp explains its numbers.
struct AheadForm {
  Dtype dtype;
  const char* way_name;
  Way way;
  int taps[3];
  int vector, strip;
  // The number of steps from the start of a row's copy to its use.
  int ahead;
  // The number of blocks whose registers together fit into a multiprocessor.
  int blocks;
  const char* kernel;
};

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
  march.steps = tiling.band_steps + form.way.slots(form.taps[1]) - 1;
  march.warps = ceil_div(tiling.lanes * tiling.lines, kWarp);
  march.resident = form.blocks;
  march.blocks = plan.launch.blocks.x;
  return march;
}

}  // namespace

void add_ahead_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                     std::vector<Plan>& plans) {
  // If a plane is cut into several bands of rows, a band has at least this many steps.
  constexpr int kFewest = 4;
  const std::string way = way_of(g);
  // For each compiled kernel (form), its plans, which differ in the height of a band of rows.
  std::vector<std::vector<Choice>> forms;
  for (const AheadForm& form : kAheadForms) {
    if (static_cast<int>(form.dtype) != g.finish.dtype || form.way_name != way ||
        !std::equal(form.taps, form.taps + 3, g.taps))
      continue;
    // If a lane's vector of channels has only two bytes, two neighbouring lanes copy for each other
    // (last_ahead.cu explains why). So the number of channels must be a multiple of the channels of
    // both vectors.
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
      plan.configuration = format("ahead_v{}_w{}_h{}", form.vector, form.strip, rows);
      choices.push_back({cycles_of(march_of(form, plan), multiprocessors), plan});
    }
    sort(choices);
    if (!choices.empty()) forms.push_back(std::move(choices));
  }
  std::stable_sort(forms.begin(), forms.end(), [](const auto& a, const auto& b) {
    return a.front().cycles < b.front().cycles;
  });
  // A form is a compiled kernel, and it has several plans. Appends the plan with the shortest
  // estimated time of each form, then the second plan of each form, and so on.
  for (std::size_t i = 0, added = 1; added != 0; ++i) {
    added = 0;
    for (std::vector<Choice>& choices : forms)
      if (i < choices.size()) {
        plans.push_back(std::move(choices[i].plan));
        ++added;
      }
  }
}

}  // namespace atc::depthwise
