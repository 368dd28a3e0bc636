#include "output_layout.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/MemoryFormat.h>
#include <c10/util/strides.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <shared_mutex>

#include "original.hpp"
#include "second_chance.hpp"

namespace atc_torch {

namespace {

// The largest number of layouts that are remembered. If a further layout is added, a layout that
// was not used for a long time is forgotten. A forgotten layout is observed again when it is
// needed.
constexpr std::size_t kMost = 4096;

using Strides = std::array<std::int64_t, 5>;

struct Known {
  std::shared_mutex mutex;
  SecondChance<Strides> layouts{kMost};
};

Known& known() {
  // This object is never destroyed, because detached threads may use it until the process ends.
  static auto* const known = new Known;
  return *known;
}

void remember(atc_conv_problem& problem, const LayoutKey& key, const Strides& strides) {
  std::copy(strides.begin(), strides.end(), output_strides(problem));
  const std::unique_lock lock(known().mutex);
  known().layouts.put(key.bytes(), strides);
}

}  // namespace

LayoutKey::LayoutKey(const atc_conv_problem& problem, const Tensors& tensors, bool needs_gradient) {
  const at::Context& context = at::globalContext();
  const char state[] = {
      static_cast<char>(needs_gradient), static_cast<char>(context.userEnabledMkldnn()),
      static_cast<char>(context.userEnabledNNPACK()),
      // LibTorch uses oneDNN for some filters only if it has several threads. So the key contains
      // whether LibTorch has more than one thread, but not the exact number.
      static_cast<char>(at::get_num_threads() > 1),
      // 0 on the CPU. On CUDA: 1 if LibTorch's switch for cuDNN is off, and 2 if it is on.
      static_cast<char>(tensors.w.is_cuda() ? 1 + context.userEnabledCuDNN() : 0)};
  const auto append = [&](const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  };
  bytes_.reserve(sizeof(problem) + sizeof(state) + 3 * sizeof(Strides));
  append(&problem, sizeof(problem));
  append(state, sizeof(state));
  for (const at::Tensor* tensor : {&tensors.x, &tensors.w, &tensors.y})
    if (tensor->defined())
      append(tensor->strides().data(), tensor->strides().size() * sizeof(std::int64_t));
}

bool recall_output_layout(atc_conv_problem& problem, const LayoutKey& key) {
  const std::shared_lock lock(known().mutex);
  const Strides* const strides = known().layouts.find(key.bytes());
  if (strides == nullptr) return false;
  std::copy(strides->begin(), strides->end(), output_strides(problem));
  return true;
}

bool foresee_output_layout(atc_conv_problem& problem, const LayoutKey& key, const Tensors& tensors,
                           const Geometry& geometry) {
  const auto format = original::format_of_cudnn(problem.direction, tensors, geometry);
  if (!format) return false;
  const auto shape = output_shape(problem);
  Strides strides{};
  const auto fill = [&](const auto& from) { std::copy(from.begin(), from.end(), strides.begin()); };
  if (*format == at::MemoryFormat::ChannelsLast)
    fill(c10::get_channels_last_strides_2d(shape));
  else if (*format == at::MemoryFormat::ChannelsLast3d)
    fill(c10::get_channels_last_strides_3d(shape));
  else
    fill(c10::contiguous_strides(at::IntArrayRef(shape)));
  remember(problem, key, strides);
  return true;
}

bool take_output_layout(atc_conv_problem& problem, const at::Tensor& output) {
  if (!output.defined() || output.layout() != at::kStrided ||
      output.sizes() != at::IntArrayRef(output_shape(problem)) ||
      !output.is_non_overlapping_and_dense())
    return false;
  copy_strides(output_strides(problem), output);
  return true;
}

bool learn_output_layout(atc_conv_problem& problem, const LayoutKey& key,
                         const at::Tensor& output) {
  if (!take_output_layout(problem, output)) return false;
  // The strides of dimensions with one element are also kept as LibTorch set them. They address no
  // memory, but LibTorch's next operator may choose its layout by them.
  Strides strides{};
  std::copy(output.strides().begin(), output.strides().end(), strides.begin());
  remember(problem, key, strides);
  return true;
}

}  // namespace atc_torch
