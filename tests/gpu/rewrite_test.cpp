// Tests rewrites on a CUDA device. (A rewrite runs a problem as another problem, and moves the
// operands between the two problems.) The moves are compared with plain loops on the host. Every
// configuration of every rewrite is run with an engine. The time of the moves is compared with the
// time of a copy of as many bytes.
#include "engines/rewrite.hpp"
#include "core/format.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "core/error.hpp"
#include "cuda_test.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/driver_probe.hpp"
#include "engines/registry.hpp"
#include "engines/rewrite/move/mover.hpp"
#include "engines/rewrite/rewrites.hpp"
#include "offers.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using rewrite::Move;
using rewrite::MoveDim;
using test::Memory;
using test::OnDevice;
using test::Spec;

using Rewrites = test::CudaTest;

std::vector<std::unique_ptr<Rewrite>> all_rewrites() {
  std::vector<std::unique_ptr<Rewrite>> all;
  all.push_back(make_channels_last_rewrite());
  all.push_back(make_patch_rewrite());
  all.push_back(make_subsample_rewrite());
  all.push_back(make_channel_padding_rewrite());
  return all;
}

// ---- Tests of moves (copies between memory layouts) ---------------------------------------------

class Random {
 public:
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool one_in(std::int64_t number) { return between(1, number) == 1; }
  std::vector<std::size_t> order(std::size_t count) {
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), engine_);
    return order;
  }

 private:
  std::mt19937 engine_{7};
};

// Draws a random move (a copy of a tensor into another memory layout) with arbitrary dimensions,
// orders of dimensions, gaps, steps and holes.
Move any_move(Random& random) {
  constexpr std::int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 64, 70, 128, 224};
  Move move;
  move.dims.resize(static_cast<std::size_t>(random.between(1, rewrite::kMoveRank)));
  std::int64_t room = 300000;
  for (MoveDim& dim : move.dims) {
    dim.extent = std::min(extents[random.between(0, 13)], room);
    room = std::max<std::int64_t>(1, room / dim.extent);
    dim.step = random.one_in(6) ? random.between(1, 3) : 1;
    const std::int64_t whole = (dim.extent + dim.step - 1) / dim.step;
    dim.inside = random.one_in(5) ? random.between(0, whole) : whole;
  }
  const auto source_order = random.order(move.dims.size());
  const auto target_order = random.one_in(3) ? source_order : random.order(move.dims.size());
  std::int64_t next = random.one_in(4) ? 2 : 1;
  for (const std::size_t i : source_order) {
    move.dims[i].source = next;
    next *= std::max<std::int64_t>(1, move.dims[i].inside);
    if (random.one_in(6)) next += random.between(0, 8);
  }
  next = random.one_in(6) ? 2 : 1;
  for (const std::size_t i : target_order) {
    move.dims[i].target = next;
    next *= move.dims[i].extent;
    if (random.one_in(6)) next += random.between(0, 8);
  }
  if (random.one_in(4)) move.source_offset = random.between(0, 20);
  if (random.one_in(4)) move.target_offset = random.between(0, 20);
  return move;
}

// Draws a move between channels first and channels last. The number of channels may change.
Move transposition(Random& random) {
  constexpr std::int64_t channels[] = {1, 2, 3, 4, 7, 8, 24, 31, 64, 65, 96, 130};
  constexpr std::int64_t pixels[] = {1, 2, 7, 25, 49, 63, 64, 196, 256, 1000, 3249};
  const std::int64_t batch = random.between(1, 3), from = channels[random.between(0, 11)],
                     plane = pixels[random.between(0, 10)];
  std::int64_t to = from;
  if (random.one_in(3)) to = (from + 7) / 8 * 8;
  if (random.one_in(4)) to = std::max<std::int64_t>(1, from - 1);
  if (random.one_in(2))
    return {{{batch, batch, 1, from * plane, to * plane},
             {to, from, 1, plane, 1},
             {plane, plane, 1, 1, to}}};
  return {{{batch, batch, 1, from * plane, to * plane},
           {to, from, 1, 1, plane},
           {plane, plane, 1, from, 1}}};
}

void turn_round(Move& move) {
  for (MoveDim& dim : move.dims) std::swap(dim.source, dim.target);
}

// Draws a random move that copies each window of an image into a row of a matrix, or back.
Move windows(Random& random) {
  const std::int64_t batch = random.between(1, 2), channels = random.between(1, 5),
                     size = random.between(2, 16), high = random.between(1, 5),
                     wide = random.between(1, 17);
  const std::int64_t height = high * size + random.between(0, 2),
                     width = wide * size + random.between(0, 2);
  const bool last = random.one_in(2);
  const std::int64_t x = last ? channels : 1, y = width * x, channel = last ? 1 : height * width;
  const std::int64_t kx = last ? channels : 1, ky = size * kx, kc = last ? 1 : size * size;
  const std::int64_t window = channels * size * size;
  Move move{{{batch, batch, 1, channels * height * width, window * high * wide},
             {channels, channels, 1, channel, kc},
             {high, high, 1, y * size, window * wide},
             {size, size, 1, y, ky},
             {wide, wide, 1, x * size, window},
             {size, size, 1, x, kx}}};
  if (random.one_in(2)) turn_round(move);
  return move;
}

// Draws a random move that copies the pixels that a stride selects into an image of only these
// pixels, or back.
Move strided_pixels(Random& random) {
  const std::int64_t batch = random.between(1, 2), channels = random.between(1, 70),
                     step = random.between(2, 3), high = random.between(1, 9),
                     wide = random.between(1, 30);
  const std::int64_t height = (high - 1) * step + random.between(1, step),
                     width = (wide - 1) * step + random.between(1, step);
  const bool from_last = random.one_in(2), to_last = random.one_in(2);
  const std::int64_t x = from_last ? channels : 1, channel = from_last ? 1 : height * width;
  const std::int64_t kx = to_last ? channels : 1, kc = to_last ? 1 : high * wide;
  const std::int64_t image = channels * height * width, small = channels * high * wide;
  if (random.one_in(2))
    return {{{batch, batch, 1, image, small},
             {channels, channels, 1, channel, kc},
             {high, high, 1, x * width * step, kx * wide},
             {wide, wide, 1, x * step, kx}}};
  return {{{batch, batch, 1, small, image},
           {channels, channels, 1, kc, channel},
           {height, high, step, kx * wide, x * width},
           {width, wide, step, kx, x}}};
}

std::int64_t reach(const Move& move, bool source) {
  std::int64_t last = source ? move.source_offset : move.target_offset;
  for (const MoveDim& dim : move.dims)
    last += source ? (std::max<std::int64_t>(
                          1, std::min(dim.inside, (dim.extent + dim.step - 1) / dim.step)) -
                      1) *
                         dim.source
                   : (dim.extent - 1) * dim.target;
  return last + 1;
}

TEST_F(Rewrites, MoveAsLoopsOnTheHostDo) {
  constexpr std::size_t kZone = 1024;
  Random random;
  for (int i = 0; i < 2400; ++i) {
    const Move move = i % 4 == 0   ? any_move(random)
                      : i % 4 == 1 ? transposition(random)
                      : i % 4 == 2 ? windows(random)
                                   : strided_pixels(random);
    rewrite::MoverSpec spec{{move}, random.one_in(2) ? 2 : 4, 256, 256};
    // The source and the target begin at addresses that have the promised alignment and no larger
    // one.
    const auto shift = static_cast<std::size_t>(spec.width << random.between(0, 3));
    if (random.one_in(2)) spec.source_alignment = spec.target_alignment = shift;
    const std::size_t first = kZone + (spec.source_alignment == shift ? shift : 0);
    const auto width = static_cast<std::size_t>(spec.width);
    std::vector<unsigned char> source(first + static_cast<std::size_t>(reach(move, true)) * width);
    for (std::size_t byte = 0; byte < source.size(); ++byte)
      source[byte] = static_cast<unsigned char>(random.between(1, 255));
    std::vector<unsigned char> expected(
        first + static_cast<std::size_t>(reach(move, false)) * width + kZone, 0xa5);
    const OnDevice from(source.data(), source.size()), to(expected.data(), expected.size());
    rewrite::move_on_host(move, spec.width, source.data() + first, expected.data() + first);
    const auto mover = rewrite::make_mover(spec, kDevice);
    mover->run(static_cast<char*>(from.data()) + first, static_cast<char*>(to.data()) + first,
               nullptr);
    std::vector<unsigned char> got(expected.size());
    to.read(got.data());
    const auto differs = std::mismatch(got.begin(), got.end(), expected.begin()).first;
    if (differs == got.end()) continue;
    std::string dims;
    for (const MoveDim& dim : move.dims)
      dims += atc::format(" {{{}, {}, {}, {}, {}}}", dim.extent, dim.inside, dim.step, dim.source,
                          dim.target);
    FAIL() << "move " << i << " of " << width << "-byte elements, byte "
           << differs - got.begin() - static_cast<std::ptrdiff_t>(first) << ":" << dims;
  }
}

// ---- Tests of rewrites whose rewritten problem is computed by an engine -------------------------

struct Tally {
  std::map<std::string, std::size_t> passed, reasons;
  std::size_t wrong = 0;
};

// Checks one problem with each configuration of each rewrite. The rewritten problem is computed by
// the first configuration that the engine offers for it.
void check_all(const Problem& problem, const Engine& engine, bool allow_tf32, Tally& tally) {
  const Limits allowed = test::cuda_limits(16, allow_tf32);
  std::optional<test::Trial> trial;
  for (const auto& rewrite : all_rewrites()) {
    std::string why_not;
    for (const Rewriting& rewriting : rewrite->rewritings(problem, allowed, why_not)) {
      const std::string way = rewrite->name() + " " + rewriting.configuration;
      Limits inner = allowed;
      inner.alignment = rewriting.alignment;
      inner.workspace -= rewriting.workspace;
      const auto offers = engine.first_offers(rewriting.problem, inner, 1, why_not);
      if (offers.empty()) {
        ++tally.reasons[way + ", none: " + why_not.substr(0, 80)];
        continue;
      }
      if (!trial) trial.emplace(problem, allowed);
      try {
        const Offer& offer = offers.front();
        const auto prepared =
            rewrite->prepare(problem, allowed, rewriting,
                             engine.prepare(rewriting.problem, inner, offer.configuration));
        for (const bool constant_weights : {false, true}) {
          if (constant_weights && problem.direction == Direction::backward_weight) continue;
          const auto verdict =
              trial->check(*prepared, offer.exactness, constant_weights,
                           engine.keeps_apart() ? conv::Apart::all : conv::Apart::padded);
          if (verdict.passed) {
            ++tally.passed[way];
            continue;
          }
          // The engine does not promise that an Inf or NaN reaches only the outputs that depend on
          // it. If an Inf or NaN reaches further outputs, a race would refuse the candidate, so the
          // candidate does not count as wrong here.
          if (!engine.keeps_apart() && verdict.reason.find("Inf or NaN") != std::string::npos) {
            const std::string& name = offer.configuration;
            ++tally.reasons[way + " > " + name.substr(0, name.find('_')) + ", not kept apart"];
            continue;
          }
          ++tally.wrong;
          std::cout << "wrong: " << way << " > " << offer.configuration << " ["
                    << test::label(problem) << "]: " << verdict.reason << "\n";
        }
      } catch (const Error& error) {
        ++tally.reasons[way + ", throws: " + std::string(error.what()).substr(0, 100)];
      }
    }
  }
}

void report(const Tally& tally) {
  for (const auto& [way, count] : tally.passed) std::cout << count << " passed: " << way << "\n";
  for (const auto& [reason, count] : tally.reasons) std::cout << count << " x " << reason << "\n";
}

TEST_F(Rewrites, ComputeWithTheReference) {
  const auto engine = EngineRegistry::instance().find("reference");
  Tally tally;
  for (const Problem& problem : test::make_grid(1, 41).problems)
    if (problem.batch() != 0) check_all(problem, *engine, true, tally);
  report(tally);
  EXPECT_EQ(tally.wrong, 0u);
  EXPECT_EQ(tally.passed.size(), 7u) << "ways";
}

// Layers of the kinds to which rewrites apply, with awkward sizes.
std::vector<Problem> layers() {
  struct Layer {
    int spatial;
    std::int64_t in, out, groups, size, kernel, stride, pad;
  };
  constexpr Layer kLayers[] = {
      {2, 24, 40, 1, 13, 3, 1, 1}, {2, 64, 72, 1, 9, 3, 2, 1},   {2, 3, 64, 1, 31, 7, 2, 3},
      {2, 17, 19, 1, 11, 3, 1, 1}, {2, 3, 32, 1, 30, 14, 14, 0}, {2, 3, 24, 1, 33, 4, 4, 0},
      {2, 96, 64, 1, 14, 2, 2, 0}, {2, 3, 48, 1, 16, 16, 16, 0}, {2, 40, 56, 1, 15, 1, 2, 0},
      {2, 32, 32, 4, 12, 3, 1, 1}, {3, 16, 24, 1, 7, 3, 1, 1},   {3, 3, 40, 1, 9, 4, 4, 0},
      {3, 8, 16, 1, 5, 1, 2, 0},   {1, 33, 64, 1, 50, 5, 1, 2},
  };
  std::vector<Problem> problems;
  int number = 0;
  for (const Layer& layer : kLayers)
    for (const Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight})
      for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
        for (const Memory memory : {Memory::first, Memory::last}) {
          Spec spec;
          spec.direction = direction;
          spec.spatial = layer.spatial;
          spec.batch = 3;
          spec.channels_in = layer.in;
          spec.channels_out = layer.out;
          spec.groups = layer.groups;
          spec.in.fill(layer.size);
          spec.kernel.fill(layer.kernel);
          spec.stride.fill(layer.stride);
          spec.pad_low.fill(layer.pad);
          spec.pad_high.fill(layer.pad);
          spec.x_memory = spec.w_memory = spec.y_memory = memory;
          spec.x = spec.w = spec.y = dtype;
          if (direction != Direction::backward_weight && number++ % 2 == 0)
            spec.epilogue = Epilogue::bias;
          problems.push_back(test::build(spec));
        }
  return problems;
}

TEST_F(Rewrites, ComputeWithCudnn) {
  const auto engine = EngineRegistry::instance().find("cudnn");
  Tally tally;
  for (const Problem& problem : layers())
    for (const bool allow_tf32 : {false, true})
      if (allow_tf32 || problem.x.dtype == Dtype::f32)
        check_all(problem, *engine, allow_tf32, tally);
  report(tally);
  EXPECT_EQ(tally.wrong, 0u);
  EXPECT_GE(tally.passed.size(), 6u) << "ways";
}

// ---- Measures the speed of the moves (copies between memory layouts) ----------------------------

// An inner engine that computes nothing, so that only the rewrite's moves are timed.
class Nothing final : public Prepared {
 public:
  std::uint64_t workspace_size() const override { return 0; }
  void set_weights(const void*) override {}
  void execute(const Operands&, void*, Stream) override {}
};

class OnSets final : public Runnable {
 public:
  explicit OnSets(std::function<void(std::size_t)> body) : body_(std::move(body)) {}
  void run(std::size_t set) override { body_(set); }

 private:
  std::function<void(std::size_t)> body_;
};

struct Moved {
  const char* name;
  std::unique_ptr<Rewrite> (*rewrite)();
  const char* configuration;
  int spatial;
  std::int64_t batch, in, out;
  Extents size, kernel, stride;
};

// Measures the time in which a rewrite moves x to or from the layout of the rewritten problem, and
// the time of a plain copy of as many bytes. y and w are not moved.
TEST_F(Rewrites, MoveAboutAsFastAsACopy) {
  constexpr std::uint64_t kBeyondCache = std::uint64_t{400} << 20;
  const Moved kMoved[] = {
      {"64x64x224x224", make_channels_last_rewrite, "", 2, 16, 64, 64, {224, 224}, {3, 3}, {1, 1}},
      {"64x64x56x56", make_channels_last_rewrite, "", 2, 64, 64, 64, {56, 56}, {3, 3}, {1, 1}},
      {"64x64x57x57", make_channels_last_rewrite, "", 2, 64, 64, 64, {57, 57}, {3, 3}, {1, 1}},
      {"64x256x14x14", make_channels_last_rewrite, "", 2, 64, 256, 64, {14, 14}, {3, 3}, {1, 1}},
      {"64x512x7x7", make_channels_last_rewrite, "", 2, 64, 512, 64, {7, 7}, {3, 3}, {1, 1}},
      {"64x2048x7x7", make_channels_last_rewrite, "", 2, 64, 2048, 64, {7, 7}, {1, 1}, {1, 1}},
      {"32x31x61x61", make_channels_last_rewrite, "", 2, 32, 31, 64, {61, 61}, {3, 3}, {1, 1}},
      {"8x512x8000", make_channels_last_rewrite, "", 1, 8, 512, 64, {8000}, {3}, {1}},
      {"64x3x224x224", make_channel_padding_rewrite, "c4", 2, 64, 3, 8, {224, 224}, {3, 3}, {1, 1}},
      {"64x3x224x224", make_channel_padding_rewrite, "c8", 2, 64, 3, 8, {224, 224}, {3, 3}, {1, 1}},
      {"vit16", make_patch_rewrite, "last", 2, 64, 3, 768, {224, 224}, {16, 16}, {16, 16}},
      {"stem4", make_patch_rewrite, "last", 2, 64, 3, 96, {224, 224}, {4, 4}, {4, 4}},
      {"down2", make_patch_rewrite, "last", 2, 64, 96, 192, {56, 56}, {2, 2}, {2, 2}},
      {"video",
       make_patch_rewrite,
       "last",
       3,
       64,
       3,
       1152,
       {2, 224, 224},
       {2, 14, 14},
       {2, 14, 14}},
      {"1x1s2", make_subsample_rewrite, "last", 2, 64, 256, 512, {56, 56}, {1, 1}, {2, 2}},
      {"1x1s2", make_subsample_rewrite, "same", 2, 64, 256, 512, {56, 56}, {1, 1}, {2, 2}},
  };
  const cuda::OwnStream stream;
  cuda::CudaDevice device(kDevice, context(), stream, cuda::driver().devices[0].multiprocessors);
  for (const Moved& moved : kMoved)
    for (const Memory memory : {Memory::first, Memory::last})
      for (const Dtype dtype : {Dtype::f16, Dtype::f32})
        for (const Direction direction : {Direction::forward, Direction::backward_data}) {
          Spec spec;
          spec.direction = direction;
          spec.spatial = moved.spatial;
          spec.batch = moved.batch;
          spec.channels_in = moved.in;
          spec.channels_out = moved.out;
          spec.in = moved.size;
          spec.kernel = moved.kernel;
          spec.stride = moved.stride;
          spec.x = spec.w = spec.y = dtype;
          spec.x_memory = memory;
          spec.y_memory = Memory::last;
          const auto rewrite = moved.rewrite();
          spec.w_memory = rewrite->name() == "patch" ? memory : Memory::last;
          const Problem problem = test::build(spec);
          std::string why_not;
          for (const Rewriting& rewriting :
               rewrite->rewritings(problem, test::cuda_limits(), why_not)) {
            if (rewriting.configuration != moved.configuration) continue;
            const auto prepared = rewrite->prepare(problem, test::cuda_limits(), rewriting,
                                                   std::make_unique<Nothing>());
            const std::uint64_t outer = problem.x.span_bytes();
            const std::uint64_t inner = rewriting.problem.x.span_bytes();
            const std::uint64_t bytes =  // the bytes that are read and the bytes that are written
                std::min(outer, inner) + (direction == Direction::forward ? inner : outer);
            const std::size_t sets = kBeyondCache / bytes + 1;
            std::vector<Allocation> xs, workspaces;
            for (std::size_t i = 0; i < sets; ++i) {
              xs.emplace_back(std::max(outer, bytes / 2), kDevice);
              workspaces.emplace_back(std::max(prepared->workspace_size(), bytes / 2), kDevice);
            }
            const Allocation w(problem.w.span_bytes(), kDevice), y(problem.y.span_bytes(), kDevice);
            OnSets moves([&](std::size_t set) {
              prepared->execute({xs[set].data(), w.data(), nullptr, y.data()},
                                workspaces[set].data(), stream);
            });
            OnSets copies([&](std::size_t set) {
              cuda::copy_on_device(workspaces[set].data(), xs[set].data(), bytes / 2, stream);
            });
            const std::size_t calls = 10 * sets;
            device.time_batch(moves, sets, calls);
            const double move_time = device.time_batch(moves, sets, calls).seconds_per_call;
            device.time_batch(copies, sets, calls);
            const double copy_time = device.time_batch(copies, sets, calls).seconds_per_call;
            std::printf("%-9s %-4s %-13s %s %s %-13s %6.1f MB %8.2f us %5.2f TB/s %.2f of a copy\n",
                        rewrite->name().c_str(), moved.configuration, moved.name,
                        memory == Memory::first ? "first" : "last ",
                        std::string(name_of(dtype)).c_str(),
                        std::string(name_of(direction)).c_str(), static_cast<double>(bytes) / 1e6,
                        move_time * 1e6, static_cast<double>(bytes) / move_time / 1e12,
                        copy_time / move_time);
            EXPECT_GT(copy_time / move_time, 0.1);
          }
        }
}

}  // namespace
}  // namespace atc
