#include "hooks.hpp"

#include <ATen/DeviceGuard.h>
#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "convolve.hpp"
#include "libraries.hpp"
#include "original.hpp"
#include "recorder.hpp"
#include "trained_weights.hpp"

namespace atc_torch {

namespace {

constexpr unsigned kInstalled = 1, kRecording = 2;

std::atomic<unsigned> mode{0};

struct Installed {
  std::shared_mutex mutex;
  Options options;
};

Installed& installed() {
  // This object is never destroyed, because detached threads may use it until the process ends.
  static auto* const installed = new Installed;
  return *installed;
}

Options current_options() {
  const std::shared_lock lock(installed().mutex);
  return installed().options;
}

at::Tensor forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                   at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                   bool transposed, at::IntArrayRef output_padding, std::int64_t groups,
                   bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) {
  const c10::OptionalDeviceGuard guard(at::device_of(x));
  note_weights_in_use(w);
  const unsigned now = mode.load(std::memory_order_relaxed);
  const Geometry geometry{stride, padding, dilation, transposed, output_padding, groups};
  const Flags flags{benchmark, deterministic, cudnn_enabled, allow_tf32};
  at::Tensor y = (now & kInstalled) == 0 ? original::forward(x, w, bias, geometry, flags)
                                         : convolve(x, w, bias, geometry, flags, current_options());
  if ((now & kRecording) != 0) record_forward(x, w, bias, geometry, y, needs_gradient(x, w, bias));
  return y;
}

Gradients backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   at::OptionalIntArrayRef bias_sizes, at::IntArrayRef stride,
                   at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                   at::IntArrayRef output_padding, std::int64_t groups, BackwardMask mask) {
  const c10::OptionalDeviceGuard guard(at::device_of(gradient));
  const unsigned now = mode.load(std::memory_order_relaxed);
  const Geometry geometry{stride, padding, dilation, transposed, output_padding, groups};
  Gradients gradients = (now & kInstalled) == 0
                            ? original::backward(gradient, x, w, bias_sizes, geometry, mask)
                            : convolve_backward(gradient, x, w, bias_sizes, geometry, mask,
                                                current_options(), nullptr);
  if ((now & kRecording) != 0) record_backward(gradient, x, w, geometry, gradients);
  return gradients;
}

// Suppresses LibTorch's warning that an operator's kernel is overridden. The hooks override kernels
// on purpose.
struct Silent final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

void register_for(c10::DispatchKey key) {
  Silent silent;
  const c10::WarningUtils::WarningHandlerGuard quiet(&silent);
  // The torch::Library object is never destroyed, because its destructor would remove the hooks. If
  // the hooks were removed while another thread runs a convolution, the process would crash.
  auto* const library = new torch::Library(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
  library->impl("_convolution", TORCH_FN(forward));
  library->impl("convolution_backward", TORCH_FN(backward));
}

}  // namespace

void register_hooks() {
  static std::mutex mutex;
  static bool cpu = false, cuda = false;
  const std::lock_guard lock(mutex);
  if (!cpu) register_for(c10::DispatchKey::CPU);
  cpu = true;
  // The hooks for CUDA are registered only after libtorch_cuda is loaded, because libtorch_cuda
  // registers its own kernels when it is loaded. These kernels would replace hooks that were
  // registered before.
  if (!cuda && cuda_is_loaded()) {
    register_for(c10::DispatchKey::CUDA);
    cuda = true;
  }
}

void install(const Options& options) {
  {
    const std::unique_lock lock(installed().mutex);
    installed().options = options;
  }
  register_hooks();
  mode.fetch_or(kInstalled);
}

void uninstall() { mode.fetch_and(~kInstalled); }

bool is_installed() { return (mode.load() & kInstalled) != 0; }

void set_recording(bool on) {
  if (!on) {
    mode.fetch_and(~kRecording);
    return;
  }
  register_hooks();
  mode.fetch_or(kRecording);
}

}  // namespace atc_torch
