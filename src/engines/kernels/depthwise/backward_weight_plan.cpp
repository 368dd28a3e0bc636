#include "engines/kernels/depthwise/backward_weight_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/format.hpp"

namespace atc::depthwise {

namespace {

using Image = WeightPlan::Image;

// The number of threads of a block. Blocks of Form::first may have fewer threads.
constexpr int kThreads = 128;
// For the kernel that adds the partials: the number of threads of a block, and the number of
// elements of dw that a block computes.
constexpr int kFinishThreads = 256, kFinishSums = 32;
constexpr std::int64_t kMostSplits = 4096, kMostExtent = 1 << 30;
constexpr int kDepth = 0, kHeight = 1, kWidth = 2;

enum class Form { ahead, last, first, line };

struct Tile {
  Form form;
  // The number of rows and of columns of the filter that a thread sums.
  int rows, columns;
  int stride = 1;
  // `width` is the number of columns of a strip; for Form::line, it is the number of outputs of a
  // thread. `vector` is the number of channels of a thread.
  int width = 1, vector = 1;
  bool f32 = true;  // false if no kernel of this tile computes fp32
  // The number of blocks whose registers together fit into a multiprocessor.
  int blocks = 1;
  // Only for Form::ahead: the number of steps from the start of a row's copy to its use.
  int ahead = 0;

  constexpr Tile(Form form, int rows, int columns) : form(form), rows(rows), columns(columns) {}
  // Each of the next functions returns a copy of the tile in which one property is changed.
  constexpr Tile with_stride(int value) const { return with(&Tile::stride, value); }
  constexpr Tile with_width(int value) const { return with(&Tile::width, value); }
  constexpr Tile with_vector(int value) const { return with(&Tile::vector, value); }
  constexpr Tile with_blocks(int value) const { return with(&Tile::blocks, value); }
  constexpr Tile with_steps_ahead(int value) const { return with(&Tile::ahead, value); }
  constexpr Tile without_f32() const {
    Tile tile = *this;
    tile.f32 = false;
    return tile;
  }

 private:
  constexpr Tile with(int Tile::*member, int value) const {
    Tile tile = *this;
    tile.*member = value;
    return tile;
  }
};

// The tiles for which the .cu files contain kernels. If two tiles have the same estimated cost, the
// first one in this list is preferred.
constexpr Tile kTiles[] = {
    Tile(Form::ahead, 3, 3)
        .with_width(4)
        .with_vector(4)
        .without_f32()
        .with_blocks(3)
        .with_steps_ahead(3),
    Tile(Form::ahead, 5, 5).with_width(4).with_vector(2).with_blocks(3).with_steps_ahead(3),
    Tile(Form::ahead, 5, 5)
        .with_stride(2)
        .with_width(4)
        .with_vector(2)
        .with_blocks(3)
        .with_steps_ahead(2),
    Tile(Form::last, 3, 3).with_width(2).with_vector(4).without_f32().with_blocks(4),
    Tile(Form::last, 3, 3).with_width(4).with_vector(2).with_blocks(4),
    Tile(Form::last, 3, 3).with_stride(2).with_width(4).with_vector(2).with_blocks(3),
    Tile(Form::last, 5, 5).with_width(7).with_blocks(3),
    Tile(Form::last, 5, 5).with_stride(2).with_width(4).with_blocks(3),
    Tile(Form::last, 7, 7).with_width(7).with_blocks(3),
    Tile(Form::last, 7, 7).with_stride(2).with_width(4).with_blocks(3),
    Tile(Form::last, 4, 1).with_vector(4).with_blocks(4),
    Tile(Form::last, 7, 1).with_vector(2).with_blocks(4),
    Tile(Form::last, 7, 1).with_stride(2).with_vector(2).with_blocks(4),
    Tile(Form::first, 3, 3).with_width(2).with_blocks(7),
    Tile(Form::first, 3, 3).with_blocks(8),
    Tile(Form::first, 3, 3).with_stride(2).with_width(2).with_blocks(6),
    Tile(Form::first, 3, 3).with_stride(2).with_blocks(8),
    Tile(Form::first, 5, 5).with_width(2).with_blocks(4),
    Tile(Form::first, 5, 5).with_blocks(5),
    Tile(Form::first, 5, 5).with_stride(2).with_width(2).with_blocks(4),
    Tile(Form::first, 5, 5).with_stride(2).with_blocks(5),
    Tile(Form::first, 7, 7).with_width(2).with_blocks(4),
    Tile(Form::first, 7, 7).with_blocks(5),
    Tile(Form::first, 7, 7).with_stride(2).with_blocks(4),
    Tile(Form::line, 1, 4).with_width(8).with_blocks(8),
    Tile(Form::line, 1, 7).with_width(4).with_blocks(8),
    Tile(Form::line, 1, 7).with_stride(2).with_width(4).with_blocks(8),
};

std::string_view name_of(Form form) {
  switch (form) {
    case Form::ahead:
      return "ahead";
    case Form::last:
      return "last";
    case Form::first:
      return "first";
    case Form::line:
      return "line";
  }
  return "";
}

bool is_last(Form form) { return form == Form::ahead || form == Form::last; }

std::string numbers_of(const Tile& tile) {
  return format("r{}x{}_u{}_w{}_c{}", tile.rows, tile.columns, tile.stride, tile.width,
                tile.vector);
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// How the work of a problem is divided among threads and blocks.
struct Cut {
  // Channels last: the number of vectors of channels of a block. Channels first: the number of
  // threads of a block.
  int block = 0;
  int band = 0;  // rows of a band
  // the number of parts of the sum (split-K)
  int splits = 1;
};

std::string text_of(const Tile& tile, const Cut& cut) {
  return format("{}_bw_{}_{}{}_b{}_s{}", name_of(tile.form), numbers_of(tile),
                is_last(tile.form) ? 'v' : 't', cut.block, cut.band, cut.splits);
}

WeightProblem direct_problem(const Problem& problem) {
  WeightProblem direct;
  const auto strides = [&](const Tensor& tensor, long long* to) {
    to[0] = tensor.strides[0];
    to[1] = tensor.strides[1];
    for (int i = 0; i < problem.spatial; ++i)
      to[5 - problem.spatial + i] = tensor.strides[static_cast<std::size_t>(i) + 2];
  };
  strides(problem.x, direct.x_strides);
  strides(problem.y, direct.y_strides);
  direct.batch = static_cast<int>(problem.batch());
  direct.channels = static_cast<int>(problem.channels_out());
  direct.multiplier = static_cast<int>(problem.channels_out() / problem.channels_in());
  for (int i = 0; i < kMaxSpatial; ++i) {
    const int from = i - (kMaxSpatial - problem.spatial);
    const auto at = static_cast<std::size_t>(from);
    direct.in[i] = from < 0 ? 1 : static_cast<int>(problem.in(from));
    direct.out[i] = from < 0 ? 1 : static_cast<int>(problem.out(from));
    direct.kernel[i] = from < 0 ? 1 : static_cast<int>(problem.kernel(from));
    direct.stride[i] = from < 0 ? 1 : static_cast<int>(problem.stride[at]);
    direct.dilation[i] = from < 0 ? 1 : static_cast<int>(problem.dilation[at]);
    direct.pad[i] = from < 0 ? 0 : static_cast<int>(problem.pad_low[at]);
  }
  return direct;
}

bool is_line(const WeightProblem& direct) {
  for (const int dim : {kDepth, kHeight})
    if (direct.in[dim] != 1 || direct.out[dim] != 1 || direct.kernel[dim] != 1 ||
        direct.pad[dim] != 0)
      return false;
  return true;
}

// Returns the problem as the arguments of a kernel with the tile `tile` (a part of the filter).
// Returns nothing if the tile is not valid for the problem. The numbers of strips, bands and splits
// are not set yet.
std::optional<WeightTasks> tasks_for(const Tile& tile, const Problem& problem,
                                     const WeightProblem& direct, std::size_t alignment) {
  const bool last = is_last(tile.form);
  if (direct.multiplier != 1 || problem.x.dtype != problem.y.dtype) return std::nullopt;
  if (problem.x.dtype == Dtype::f32 && !tile.f32) return std::nullopt;
  if (last ? !(problem.x.channels_last() && problem.y.channels_last())
           : !(problem.x.channels_first() && problem.y.channels_first()))
    return std::nullopt;
  if (direct.channels % tile.vector != 0 ||
      alignment < static_cast<std::size_t>(tile.vector) * size_of(problem.x.dtype))
    return std::nullopt;
  // The threads of kernels for channels last go down rows. So a problem with one spatial dimension
  // is treated as a column: each of its positions is a row.
  const bool line = is_line(direct);
  if (line != (tile.form == Form::line || tile.columns == 1)) return std::nullopt;
  const int height = line && last ? kWidth : kHeight, width = line && last ? kHeight : kWidth;
  for (const int dim : {height, width})
    if ((direct.stride[dim] != tile.stride && direct.out[dim] != 1) ||
        (direct.dilation[dim] != 1 && direct.kernel[dim] != 1))
      return std::nullopt;
  WeightTasks tasks;
  tasks.channels = direct.channels;
  tasks.in_depth = direct.in[kDepth], tasks.out_depth = direct.out[kDepth];
  tasks.depth_stride = direct.stride[kDepth], tasks.depth_dilation = direct.dilation[kDepth];
  tasks.depth_pad = direct.pad[kDepth], tasks.kernel_depth = direct.kernel[kDepth];
  tasks.in_height = direct.in[height], tasks.in_width = direct.in[width];
  tasks.out_height = direct.out[height], tasks.out_width = direct.out[width];
  tasks.kernel_height = direct.kernel[height], tasks.kernel_width = direct.kernel[width];
  tasks.pad_height = direct.pad[height], tasks.pad_width = direct.pad[width];
  tasks.row_tiles = static_cast<int>(ceil_divide(tasks.kernel_height, tile.rows));
  tasks.column_tiles = static_cast<int>(ceil_divide(tasks.kernel_width, tile.columns));
  // With channels first, one instruction loads all columns of a strip. So the width of a plane must
  // be a multiple of the strip's columns.
  const int load = tile.form == Form::first ? tile.width : 1;
  if (load > 1 &&
      (tasks.column_tiles != 1 || tasks.in_width % load != 0 || tasks.out_width % load != 0 ||
       (tasks.pad_width - tile.columns / 2) % load != 0 ||
       alignment < static_cast<std::size_t>(load) * size_of(problem.x.dtype)))
    return std::nullopt;
  const std::int64_t images = problem.batch() * direct.out[kDepth];
  // The number of elements of memory from the first to the last pixel of a sample: of x or of y,
  // whichever has more.
  const std::int64_t plane =
      std::max(problem.in(0) * problem.x.strides[2], problem.out(0) * problem.y.strides[2]);
  if (images * direct.out[kHeight] * direct.out[kWidth] >= kMostExtent || plane >= kMostExtent)
    return std::nullopt;
  if (std::int64_t{tasks.kernel_depth} * tasks.row_tiles * tasks.column_tiles > 65535)
    return std::nullopt;
  tasks.images = static_cast<int>(images);
  return tasks;
}

int tap_groups(const WeightTasks& tasks) {
  return tasks.kernel_depth * tasks.row_tiles * tasks.column_tiles;
}

// Returns how many tasks (strips of columns in a band of rows) a block computes at the same time.
int workers(const Tile& tile, const Cut& cut) {
  return is_last(tile.form) ? kThreads / cut.block : tile.form == Form::first ? cut.block : 1;
}

void cut_tasks(const Tile& tile, const Cut& cut, WeightTasks& tasks) {
  const int width = tile.form == Form::line ? tile.width * cut.block : tile.width;
  tasks.strips = static_cast<int>(ceil_divide(tasks.out_width, width));
  tasks.band_height = cut.band;
  tasks.bands = static_cast<int>(ceil_divide(tasks.out_height, cut.band));
  tasks.tasks = tasks.images * tasks.strips * tasks.bands;
  const std::int64_t rounds =
      ceil_divide(tasks.tasks, std::int64_t{cut.splits} * workers(tile, cut));
  tasks.tasks_of_split = static_cast<int>(rounds * workers(tile, cut));
  tasks.vectors_of_block = is_last(tile.form) ? cut.block : 0;
}

// For channels last: returns the number of vectors of channels that a block should have so that few
// threads are idle and each row is read in long runs.
int block_of(const Tile& tile, int channels, std::size_t element) {
  const int vectors = channels / tile.vector;
  int best = 1;
  double most = 0;
  for (int block = std::min(vectors, kThreads); block >= 1; --block) {
    const int busy = kThreads / block * block;
    const double used = static_cast<double>(vectors) /
                        static_cast<double>(ceil_divide(vectors, block) * block) * busy / kThreads;
    const std::size_t run =
        static_cast<std::size_t>(block) * static_cast<std::size_t>(tile.vector) * element;
    const double worth = used * (run >= 128 ? 1 : run >= 64 ? 0.97 : 0.8) * (block > 32 ? 0.96 : 1);
    if (worth > most * 1.001) {
      most = worth;
      best = block;
    }
  }
  return best;
}

// A cut is a division of the work into bands of rows and splits (parts of the sum). Returns the
// cuts of a tile, the cut with the least estimated time first. The estimate counts how often a
// block goes down a band, in waves of as many blocks as run on the device at the same time.
std::vector<Cut> cuts_of(const Tile& tile, const WeightTasks& tasks, std::size_t element,
                         std::uint64_t most_splits, int multiprocessors) {
  Cut cut;
  cut.block = is_last(tile.form) ? block_of(tile, tasks.channels, element) : kThreads;
  const std::int64_t columns_of_images =
      static_cast<std::int64_t>(tasks.images) * ceil_divide(tasks.out_width, tile.width);
  if (tile.form == Form::first)
    while (cut.block > 32 && columns_of_images <= cut.block / 2) cut.block /= 2;
  const std::int64_t block_channels = std::int64_t{cut.block} * tile.vector;
  const std::int64_t groups =
      tap_groups(tasks) *
      (is_last(tile.form) ? ceil_divide(tasks.channels, block_channels) : tasks.channels);
  const double slots = multiprocessors * tile.blocks *
                       (is_last(tile.form) ? 1.0 : static_cast<double>(kThreads) / cut.block);
  // The unit of costs is one step of a thread that goes down a band. `step` is the time in ns of
  // the arithmetic of one step, in all blocks that a multiprocessor runs at once. `end` is the cost
  // of the end of a block, where its threads add their sums. `split` is the cost of one split more:
  // its partials are written to the workspace and read again. The constants were set by hand on an
  // NVIDIA H200 (132 multiprocessors) on 2026-11-22. The measured times were not kept.
  const double taps = tile.rows * tile.columns;
  const double step = taps * tile.width * tile.vector * tile.blocks / 1.7;
  const double end = 2 + 14.0 / tile.width;
  const double split = 8.0 * tasks.channels * tasks.kernel_depth * tasks.kernel_height *
                       tasks.kernel_width / 4000 / step;
  struct Found {
    double cost;
    Cut cut;
  };
  std::vector<Found> found;
  for (int bands = 1;; bands *= 2) {
    cut.band = static_cast<int>(ceil_divide(tasks.out_height, bands));
    if (bands > 1 && (cut.band < 8 || cut.band < 2 * tile.rows)) break;
    WeightTasks whole = tasks;
    cut.splits = 1;
    cut_tasks(tile, cut, whole);
    const auto most = std::min<std::int64_t>({ceil_divide(whole.tasks, workers(tile, cut)),
                                              kMostSplits, static_cast<std::int64_t>(most_splits)});
    Found best{std::numeric_limits<double>::max(), cut};
    for (std::int64_t splits = 1; splits <= most; ++splits) {
      const auto rounds =
          static_cast<double>(ceil_divide(whole.tasks, splits * workers(tile, cut)));
      const double waves = std::ceil(static_cast<double>(groups * splits) / slots);
      const double march =
          2 +
          std::min<double>(cut.band * tile.stride + tile.rows - 1, tasks.in_height) / tile.stride;
      const double cost = waves * (rounds * march + end) + split * static_cast<double>(splits);
      if (cost < best.cost) {
        best.cost = cost;
        best.cut.splits = static_cast<int>(splits);
      }
    }
    found.push_back(best);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.cost < b.cost; });
  std::vector<Cut> cuts;
  cuts.reserve(found.size() + 1);
  for (const Found& each : found) cuts.push_back(each.cut);
  if (cuts.size() == 1 && cuts[0].splits > 1) {
    cuts.push_back(cuts[0]);
    cuts[1].splits = (cuts[0].splits + 1) / 2;
  }
  return cuts;
}

WeightPlan plan_of(const Problem& problem, const WeightProblem& direct, bool tap_major,
                   int splits) {
  WeightPlan plan;
  plan.problem = direct;
  plan.partials.channels = direct.channels;
  plan.partials.taps = direct.kernel[0] * direct.kernel[1] * direct.kernel[2];
  plan.partials.splits = splits;
  plan.partials.tap_major = static_cast<int>(tap_major);
  plan.partials.accumulate = static_cast<int>(problem.accumulate);
  plan.partials.dtype = static_cast<int>(problem.x.dtype);
  plan.partials.output_dtype = static_cast<int>(problem.w.dtype);
  const std::int64_t sums = std::int64_t{plan.partials.channels} * plan.partials.taps;
  plan.workspace = static_cast<std::uint64_t>(sums * splits) * sizeof(float);
  plan.finish.blocks.x = static_cast<unsigned>(ceil_divide(sums, kFinishSums));
  plan.finish.threads.x = kFinishThreads;
  return plan;
}

WeightPlan plan_any(const Problem& problem, int splits) {
  WeightPlan plan = plan_of(problem, direct_problem(problem), false, splits);
  plan.kernel = "atc_depthwise_weight_any";
  plan.main.blocks.x = static_cast<unsigned>(problem.w.elements());
  plan.main.blocks.y = static_cast<unsigned>(splits);
  plan.main.threads.x = kThreads;
  return plan;
}

WeightPlan plan_tile(const Problem& problem, const WeightProblem& direct, const Tile& tile,
                     WeightTasks tasks, const Cut& cut) {
  const bool last = is_last(tile.form);
  WeightPlan plan = plan_of(problem, direct, last, cut.splits);
  cut_tasks(tile, cut, tasks);
  plan.image = tile.form == Form::ahead ? Image::ahead : last ? Image::last : Image::first;
  plan.kernel = format("atc_depthwise_weight_{}_{}_{}", name_of(tile.form), numbers_of(tile),
                       atc::name_of(problem.x.dtype));
  plan.tasks = tasks;
  const std::int64_t block_channels = std::int64_t{cut.block} * tile.vector;
  plan.main.blocks.x =
      static_cast<unsigned>(last ? ceil_divide(tasks.channels, block_channels) : tasks.channels);
  plan.main.blocks.y = static_cast<unsigned>(cut.splits);
  plan.main.blocks.z = static_cast<unsigned>(tap_groups(tasks));
  plan.main.threads.x = static_cast<unsigned>(last ? kThreads : cut.block);
  if (tile.form == Form::ahead) {
    const int span = (tile.width - 1) * tile.stride + tile.columns;
    const int loads = tile.width + tile.stride * span;
    plan.main.shared_bytes =
        static_cast<unsigned>((tile.ahead + 1) * loads * kThreads * tile.vector) *
        static_cast<unsigned>(size_of(problem.x.dtype));
  }
  return plan;
}

// Removes `key` and the number after it from the end of `text`, and returns the number. If `text`
// does not end with `key` and a number, returns nothing and does not change `text`.
std::optional<int> take_number(std::string& text, const std::string& key) {
  const std::size_t at = text.rfind(key);
  if (at == std::string::npos) return std::nullopt;
  const std::string digits = text.substr(at + key.size());
  if (digits.empty() || digits.size() > 9 || digits[0] == '0' ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  text.resize(at);
  return std::stoi(digits);
}

}  // namespace

std::string weight_objection(const Problem& problem) {
  if (problem.direction != Direction::backward_weight) return "it is no gradient of weights";
  if (problem.groups != problem.channels_in()) return "its groups have more than one channel of x";
  if (problem.epilogue != Epilogue::none) return "it has a bias";
  if (problem.x.dtype != problem.y.dtype) return "x and y are of different dtypes";
  if (problem.x.elements() == 0 || problem.y.elements() == 0 || problem.w.elements() == 0)
    return "a tensor is empty";
  // Each group has one channel, so the elements of w have the same order in memory in both layouts.
  std::int64_t stride = 1;
  for (int i = problem.w.rank - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    if (problem.w.shape[at] != 1 && problem.w.strides[at] != stride) return "w is not dense";
    stride *= problem.w.shape[at];
  }
  std::int64_t largest = problem.w.elements();
  for (const Tensor* tensor : {&problem.x, &problem.y})
    largest = std::max(largest, *std::max_element(tensor->shape.begin(), tensor->shape.end()));
  for (int i = 0; i < problem.spatial; ++i) {
    const auto at = static_cast<std::size_t>(i);
    largest = std::max({largest, problem.in(i)*problem.stride[at],
                        problem.kernel(i) * problem.dilation[at], std::abs(problem.pad_low[at])});
  }
  if (largest >= kMostExtent) return "an extent is too large";
  return "";
}

std::vector<std::string> weight_configurations(const Problem& problem, std::size_t alignment,
                                               std::uint64_t workspace, int multiprocessors) {
  constexpr std::size_t kMost = 4;
  // The cost of the loads of a tap group (the taps that a thread sums at once), in units of the
  // cost of one tap.
  constexpr double kCostOfGroup = 6;
  const WeightProblem direct = direct_problem(problem);
  const std::uint64_t split_bytes =
      static_cast<std::uint64_t>(problem.w.elements()) * sizeof(float);
  const std::uint64_t most_splits = workspace / split_bytes;
  if (most_splits == 0) return {};
  struct Fit {
    double cost;
    const Tile* tile;
    WeightTasks tasks;
  };
  std::vector<Fit> fits;
  for (const Tile& tile : kTiles)
    if (const auto tasks = tasks_for(tile, problem, direct, alignment))
      fits.push_back(
          {tap_groups(*tasks) * (tile.rows * tile.columns + kCostOfGroup), &tile, *tasks});
  std::stable_sort(fits.begin(), fits.end(),
                   [](const Fit& a, const Fit& b) { return a.cost < b.cost; });
  std::vector<std::string> texts;
  for (const Fit& fit : fits) {
    if (texts.size() >= kMost || fit.cost > 1.5 * fits.front().cost) break;
    std::size_t taken = 0;
    for (const Cut& cut :
         cuts_of(*fit.tile, fit.tasks, size_of(problem.x.dtype), most_splits, multiprocessors))
      if (taken++ < 2 && texts.size() < kMost) texts.push_back(text_of(*fit.tile, cut));
  }
  if (!texts.empty()) return texts;
  const std::int64_t blocks = std::int64_t{multiprocessors} * 16;
  const std::int64_t rows = problem.y.elements() / problem.channels_out() / 128 + 1;
  const std::int64_t splits =
      std::clamp<std::int64_t>(blocks / problem.w.elements(), 1, std::min<std::int64_t>(rows, 256));
  return {format("any_bw_s{}",
                 std::min<std::uint64_t>(static_cast<std::uint64_t>(splits), most_splits))};
}

WeightPlan find_weight_plan(const Problem& problem, std::size_t alignment,
                            const std::string& configuration) {
  std::string text = configuration;
  const auto splits = take_number(text, "_s");
  if (splits && *splits <= kMostSplits) {
    if (text == "any_bw") return plan_any(problem, *splits);
    const WeightProblem direct = direct_problem(problem);
    const auto band = take_number(text, "_b");
    for (const Tile& tile : kTiles) {
      std::string rest = text;
      const auto block = take_number(rest, is_last(tile.form) ? "_v" : "_t");
      if (!band || !block || *block > kThreads || (tile.form == Form::first && *block % 32 != 0) ||
          (tile.form == Form::line && *block != kThreads) ||
          rest != format("{}_bw_{}", name_of(tile.form), numbers_of(tile)))
        continue;
      const auto tasks = tasks_for(tile, problem, direct, alignment);
      if (!tasks || *band > tasks->out_height) continue;
      return plan_tile(problem, direct, tile, *tasks, {*block, *band, *splits});
    }
  }
  return {};
}

}  // namespace atc::depthwise
