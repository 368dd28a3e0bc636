#include "engines/winograd/prepared.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "device/cpu/live_pool.hpp"
#include "device/cpu/team.hpp"
#include "engines/weights.hpp"
#include "engines/winograd/exact_tile.hpp"

namespace atc::winograd {

namespace {

// The operands of one group of the convolution in an execution.
struct Group {
  const float* in;  // the group's input in the first image of the batch
  float* out;       // the group's output in the first image of the batch
  Filters filters;  // `filters.data` is set
  Finish finish;
  float *transformed_filters, *inputs, *products;
};

// Runs the kernels for one group of the convolution on the threads of a team. The work has three
// phases: transform inputs, multiply, transform outputs. Each phase is divided between the threads,
// and reads the results of the previous phase.
class Work {
 public:
  Work(const Kernels& kernels, const Geometry& geometry, const Tiling& tiling, const Team& team)
      : kernels_(kernels), geometry_(geometry), tiling_(tiling), team_(team) {}

  void transform_filters(const Filters& filters, float* to) const {
    const std::int64_t blocks = tiling_.filters / block(), channels = tiling_.channels;
    const std::int64_t parts = channels / kernels_.lanes, place = tiling_.filters * channels;
    team_.share(blocks * parts, [&](std::int64_t item) {
      const std::int64_t b = item / parts, first = item % parts * kernels_.lanes;
      kernels_.transform_filters(tiling_.m, filters, b * block(), first, first + kernels_.lanes,
                                 to + b * block() * channels, place);
    });
    team_.wait();
  }

  void run(const Group& group) const {
    for (std::int64_t begin = 0; begin < tiling_.tiles; begin += tiling_.at_once) {
      const std::int64_t tiles = std::min(tiling_.at_once, tiling_.tiles - begin);
      transform_inputs(group, begin, tiles);
      team_.wait();
      multiply(group, tiles);
      team_.wait();
      transform_outputs(group, begin, tiles);
    }
  }

 private:
  struct Place {
    // `entry` is the number of the image in the batch. `row` and `column` are the position of the
    // tile's first output.
    std::int64_t entry, row, column;
  };

  std::int64_t block() const { return 2 * std::int64_t{kernels_.lanes}; }

  Place place_of(std::int64_t tile) const {
    const std::int64_t of_entry = tiling_.rows * tiling_.columns, in_entry = tile % of_entry;
    return {tile / of_entry, in_entry / tiling_.columns * tiling_.m,
            in_entry % tiling_.columns * tiling_.m};
  }
  Plane in_of(const Group& group, std::int64_t entry) const {
    Plane plane = geometry_.in;
    plane.data = const_cast<float*>(group.in) + entry * geometry_.in_batch;
    return plane;
  }
  Plane out_of(const Group& group, std::int64_t entry) const {
    Plane plane = geometry_.out;
    plane.data = group.out + entry * geometry_.out_batch;
    return plane;
  }

  void transform_inputs(const Group& group, std::int64_t begin, std::int64_t tiles) const {
    const std::int64_t channels = tiling_.channels, parts = channels / kernels_.lanes;
    team_.share(tiles * parts, [&](std::int64_t item) {
      const std::int64_t tile = item / parts, first = item % parts * kernels_.lanes;
      const Place at = place_of(begin + tile);
      kernels_.transform_input(tiling_.m, in_of(group, at.entry), at.row - geometry_.pad_row,
                               at.column - geometry_.pad_column, first,
                               group.inputs + tile * channels + first, tiles * channels);
    });
  }

  void multiply(const Group& group, std::int64_t tiles) const {
    const std::int64_t blocks = tiling_.filters / block(), channels = tiling_.channels;
    team_.share(places_of(tiling_.m) * blocks, [&](std::int64_t item) {
      const std::int64_t place = item / blocks, b = item % blocks;
      kernels_.multiply(
          group.transformed_filters + (place * tiling_.filters + b * block()) * channels,
          group.inputs + place * tiles * channels,
          group.products + place * tiles * tiling_.filters + b * block(), tiles, channels,
          tiling_.filters);
    });
  }

  void transform_outputs(const Group& group, std::int64_t begin, std::int64_t tiles) const {
    const std::int64_t filters = tiling_.filters;
    const std::int64_t parts = (geometry_.out.channels + kernels_.lanes - 1) / kernels_.lanes;
    team_.share(tiles * parts, [&](std::int64_t item) {
      const std::int64_t tile = item / parts, first = item % parts * kernels_.lanes;
      const Place at = place_of(begin + tile);
      const Plane out = out_of(group, at.entry);
      const bool finite =
          kernels_.transform_output(tiling_.m, group.products + tile * filters + first,
                                    tiles * filters, out, at.row, at.column, first, group.finish);
      if (!finite)
        compute_directly(geometry_, tiling_.m, in_of(group, at.entry), out, group.filters, at.row,
                         at.column, first, kernels_.lanes, group.finish);
    });
  }

  const Kernels& kernels_;
  const Geometry& geometry_;
  const Tiling& tiling_;
  const Team& team_;
};

}  // namespace

WinogradPrepared::WinogradPrepared(const Problem& problem, const Kernels& kernels, int m)
    : kernels_(kernels),
      problem_(problem),
      geometry_(problem),
      threads_(team_size()),
      tiling_(geometry_, m, kernels.lanes, std::max(threads_, 1)) {}

std::uint64_t WinogradPrepared::workspace_bytes(const Tiling& tiling) {
  const std::int64_t floats = tiling.input_floats + tiling.product_floats + tiling.filter_floats;
  return static_cast<std::uint64_t>(floats) * sizeof(float);
}

std::uint64_t WinogradPrepared::workspace_size() const { return workspace_bytes(tiling_); }

void WinogradPrepared::set_weights(const void* w) {
  const auto* const from = static_cast<const float*>(w);
  weights_.assign(from, from + problem_.w.span());
  packed_.resize(static_cast<std::size_t>(geometry_.groups * tiling_.filter_floats));
  with_team_of(threads_, [&] {
    run_in_team(threads_, [&](const Team& team) {
      const Work work(kernels_, geometry_, tiling_, team);
      for (std::int64_t group = 0; group < geometry_.groups; ++group)
        work.transform_filters(filters_of(weights_.data(), group),
                               packed_.data() + group * tiling_.filter_floats);
    });
  });
}

Filters WinogradPrepared::filters_of(const void* w, std::int64_t group) const {
  Filters filters = geometry_.filters;
  filters.data =
      static_cast<const float*>(w) + geometry_.first_tap + group * geometry_.filter_group;
  return filters;
}

void WinogradPrepared::execute(const Operands& operands, void* workspace, Stream) {
  const bool packed = operands.w == nullptr && !packed_.empty();
  const void* const w = packed ? weights_.data() : operands.w;
  require_weights(w);
  const bool is_gradient = problem_.direction == Direction::backward_data;
  const auto* const in = static_cast<const float*>(is_gradient ? operands.y : operands.x);
  auto* const out = static_cast<float*>(is_gradient ? operands.x : operands.y);
  const auto* const bias =
      problem_.epilogue == Epilogue::none ? nullptr : static_cast<const float*>(operands.bias);
  const bool relu = problem_.epilogue == Epilogue::bias_relu;
  auto* const inputs = static_cast<float*>(workspace);
  float* const products = inputs + tiling_.input_floats;
  with_team_of(threads_, [&] {
    run_in_team(threads_, [&](const Team& team) {
      const Work work(kernels_, geometry_, tiling_, team);
      for (std::int64_t g = 0; g < geometry_.groups; ++g) {
        const Group group{
            in + g * geometry_.in_group,
            out + g * geometry_.out_group,
            filters_of(w, g),
            {bias == nullptr ? nullptr : bias + g * geometry_.out.channels, relu},
            packed ? packed_.data() + g * tiling_.filter_floats : products + tiling_.product_floats,
            inputs,
            products};
        if (!packed) work.transform_filters(group.filters, group.transformed_filters);
        work.run(group);
      }
    });
  });
}

}  // namespace atc::winograd
