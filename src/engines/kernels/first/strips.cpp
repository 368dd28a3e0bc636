// Plans of backward-data in strips (strips.cu), and the choice of the configurations that are worth
// timing.

#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "engines/kernels/first/plan.hpp"
#include "engines/kernels/first/shape.hpp"

namespace atc::first {

namespace {

constexpr int kMostShifts = 256, kMostStripRows = 1 << 12;

// The kernels of strips.cu differ in kN8Tiles, the number of n8 tiles into which a filter's rows
// are grouped. Returns kN8Tiles of the smallest kernel that can hold all rows of the filter.
// Returns 0 if the filter has too many rows.
int tiles_of(const Geometry& g) {
  const int tiles = ceil_div(g.w.height, g.x.step_h);
  const int few = g.x.step_h == 1 ? 3 : 2, many = g.x.step_h == 1 ? 7 : 4;
  return tiles <= few ? few : tiles <= many ? many : 0;
}

int ceil_of_quotient(int value, int by) {
  return value > 0 ? (value + by - 1) / by : -(-value / by);
}
int floor_of_quotient(int value, int by) { return -ceil_of_quotient(-value, by); }

// Decides how a row of dy is copied into shared memory, and sets the layout and the size of the row
// there.
void place_row(StripGeometry& s, const Limits& limits, bool first, int sixteens) {
  const Geometry& g = s.g;
  const int element = g.slots.element_bytes;
  const int run = (first ? g.width : g.channels) * element;
  for (int bytes = 16; bytes >= (first ? 4 : 16) && s.copy_bytes == 0; bytes /= 2)
    if (limits.alignment >= static_cast<std::size_t>(bytes) && run % bytes == 0)
      s.copy_bytes = bytes;
  s.turned = first && s.copy_bytes != 0 ? 1 : 0;
  const int unit = s.turned ? s.copy_bytes / element : 1;
  s.lead = s.first_shift - floor_of_quotient(s.first_shift, unit) * unit;
  s.pixels = s.lead + sixteens * 16 + s.shifts - 1;
  s.pixel_pitch_bytes = s.channels * element + 16;
  s.stage_pitch_bytes = s.pixel_pitch_bytes;
  int stage_runs = s.pixels;
  if (s.turned) {
    s.pixels = round_up(s.pixels, 8);
    s.stage_pitch_bytes = round_up(s.pixels * element, 32) + 16;
    stage_runs = s.channels;
  }
  if (s.copy_bytes != 0) {
    s.units = (s.turned ? s.pixels : g.channels) * element / s.copy_bytes;
    s.row_units = s.units * (s.turned ? g.channels : s.pixels);
    s.run_apart_elements = s.turned ? g.y_channel : g.y_pixel;
    s.next_run = 32 / s.units;
    s.next_unit = 32 % s.units;
    s.from_next_elements = s.next_run * s.run_apart_elements + s.next_unit * s.copy_bytes / element;
    s.from_wrapped_elements =
        s.from_next_elements + s.run_apart_elements - s.units * s.copy_bytes / element;
    s.to_next_bytes = s.next_run * s.stage_pitch_bytes + s.next_unit * s.copy_bytes;
    s.to_wrapped_bytes = s.to_next_bytes + s.stage_pitch_bytes - s.units * s.copy_bytes;
  }
  s.stage_bytes = stage_runs * s.stage_pitch_bytes;
  s.warp_bytes = g.stages * s.stage_bytes + (s.turned ? s.pixels * s.pixel_pitch_bytes : 0);
}

}  // namespace

// The estimate is the time of a warp that goes down the rows of dy. If a multiprocessor runs two
// blocks at once, each of them uses the waiting times of the other. So the time is then multiplied
// by less than 2 (costs.shared).
double strips_cost(const Plan& plan, const Capacity& device, const StripCosts& costs) {
  const StripGeometry& s = plan.strips;
  const Geometry& g = s.g;
  const int sixteens = s.blocks / 16, tiles = tiles_of(g);
  const double products = static_cast<double>(g.w.width) * s.steps * tiles * sixteens;
  const double loads = s.shifts * s.steps * sixteens * 4.0 + g.w.width * s.steps * tiles * 2.0;
  // If rows are copied element by element, a warp copies eight pixels of four channels at once. In
  // the estimate, such a copy takes as long as three copies of aligned pieces.
  const double copies = s.copy_bytes != 0 ? s.row_units / 32.0 : 3.0 * s.pixels * g.channels / 32;
  const double turned =
      s.turned ? static_cast<double>(s.pixels) * g.channels * g.slots.element_bytes / 128 : 0;
  const double row = costs.row + costs.product * products + costs.load * loads +
                     costs.copy * copies + costs.turn * turned +
                     costs.store * sixteens * g.x.step_h;
  const int blocks =
      std::min(sixteens == 4 && tiles > 3 ? 1 : 2, resident(static_cast<int>(plan.shared_bytes)));
  const double rows = ceil_div(s.rows + g.w.height - 1, g.x.step_h);
  const double waves =
      std::ceil(plan.blocks / (static_cast<double>(device.multiprocessors) * blocks));
  const bool shares = blocks > 1 && plan.blocks > static_cast<unsigned>(device.multiprocessors);
  return waves * (costs.block + rows * row * (shares ? costs.shared : 1.0));
}

Plan strips_plan(const Problem& p, const Limits& limits, const Configuration& c,
                 const Capacity& device) {
  Plan plan;
  StripGeometry s;
  Geometry& g = s.g;
  g = geometry_of(p);
  const std::string math = kernels::math_of(p, limits.allow_tf32);
  const bool first = all_channels_first(p);
  const int step = g.x.step_h, element = g.slots.element_bytes;
  if (!is_scatter(p) || math == "fp32" || step > 2 || g.x.step != step * g.x.pixel ||
      g.w.dilation_h != 1 || g.w.height < step || tiles_of(g) == 0)
    return plan;
  s.width = g.x.row / g.x.pixel;
  s.pad = g.x.pad / g.x.pixel;
  const int sixteens = c.tile_w / (16 * step);
  if (c.channels != round_up(g.channels, 16) || c.pixels != 0 || c.splits != 0 || c.staged ||
      c.stages < 1 || c.stages > 3 || c.tile_w != sixteens * 16 * step ||
      (sixteens != 1 && sixteens != 2 && sixteens != 4) || c.tile_h < 1 || c.tile_h > g.x.height ||
      (c.tile_h % step != 0 && c.tile_h != g.x.height) || c.tile_h > kMostStripRows)
    return plan;
  s.rows = c.tile_h;
  s.blocks = sixteens * 16;
  s.across = ceil_div(s.width, c.tile_w);
  s.down = ceil_div(g.x.height, s.rows);
  s.channels = round_up(g.channels, 32 / element);
  s.steps = s.channels * element / 32;
  // A block of columns is neighbouring columns of dx. A shift is the distance from a block of
  // columns to a column of dy that the block reads. At the first shift, the block's first column
  // reads dy with the filter's last tap. At the last shift, the block's last column reads dy with
  // the filter's first tap.
  const int reach = (g.w.width - 1) * g.w.dilation_w;
  s.first_shift = ceil_of_quotient(s.pad - reach, step);
  s.shifts = floor_of_quotient(s.pad + step - 1, step) - s.first_shift + 1;
  g.stages = c.stages;
  if (s.shifts > kMostShifts || s.channels > kMostStripRows) return plan;
  place_row(s, limits, first, sixteens);
  // At most two rows of dy are copied ahead. If rows are transposed, a row leaves its stage before
  // it is multiplied, so one stage less is needed.
  if (c.stages < (s.turned ? 1 : 2) || c.stages > (s.turned ? 2 : 3)) return plan;
  s.pairs = first && step == 2 && s.width % 2 == 0 &&
            limits.alignment >= 2 * static_cast<std::size_t>(element);
  const double filters = 4.0 * g.w.width * s.steps * tiles_of(g) * 64;
  const double shared = filters + static_cast<double>(s.warp_bytes) * kWarps;
  const double strips = static_cast<double>(g.images) * s.across * s.down;
  if (shared > device.most_shared || s.row_units >= kMostDivided || strips >= 0x7fffff00u)
    return plan;
  s.filters_at = round_up(s.shifts * step * 4, 128);
  s.warps_at = s.filters_at + static_cast<int>(filters);
  s.count = static_cast<int>(strips);
  const int bytes = s.warps_at + kWarps * s.warp_bytes;
  if (bytes > device.most_shared) return plan;
  plan.strips = s;
  plan.shared_bytes = static_cast<unsigned>(bytes);
  plan.blocks = static_cast<unsigned>(ceil_div(s.count, kWarps));
  plan.kernel = format("atc_first_strips_{}_{}x{}x{}", math, step, tiles_of(g), sixteens);
  return plan;
}

kernels::Priced<Configuration> strip_configurations(const Problem& problem, const Limits& limits,
                                                    const Capacity& device) {
  const Geometry g = geometry_of(problem);
  kernels::Priced<Configuration> found;
  Configuration c;
  c.channels = round_up(g.channels, 16);
  c.strips = true;
  for (const int sixteens : {1, 2, 4})
    for (int down = 1; down <= g.x.height; down = down < 8 ? down + 1 : down * 5 / 4) {
      c.tile_h = std::min(g.x.height, round_up(ceil_div(g.x.height, down), g.x.step_h));
      c.tile_w = sixteens * 16 * g.x.step_h;
      // It is enough to copy one row of dy ahead. So only the smallest valid number of stages is
      // offered.
      for (c.stages = 1; c.stages <= 2; ++c.stages) {
        const Plan plan = strips_plan(problem, limits, c, device);
        if (plan.kernel.empty()) continue;
        found.emplace_back(strips_cost(plan, device), c);
        break;
      }
    }
  return found;
}

}  // namespace atc::first
