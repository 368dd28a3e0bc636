#include "plan.hpp"

#include <ATen/ops/empty_strided.h>
#include <c10/core/Allocator.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "aten_engine.hpp"
#include "cuda.hpp"
#include "guard.hpp"

namespace atc_torch {

namespace {

// Returns a workspace for one call from LibTorch's allocator, which keeps freed memory for reuse.
// Returns nothing if the stream is being captured; libatc then allocates a workspace that lives as
// long as the graph. LibTorch's allocator is not used during a capture that LibTorch does not know
// of: it would give the memory to other tensors, and a replay of the graph would overwrite these.
c10::DataPtr workspace_for(std::uint64_t size, void* stream) {
  if (size == 0 || is_captured(stream)) return {};
  try {
    return c10::GetAllocator(c10::DeviceType::CUDA)->allocate(size);
  } catch (const c10::OutOfMemoryError&) {
    // If LibTorch has no memory for the workspace, the caller runs LibTorch's own convolution,
    // which may need less memory.
    throw Failure(ATC_ERROR_OUT_OF_MEMORY, "LibTorch has no memory for a workspace of " +
                                               std::to_string(size) +
                                               " bytes: lower atc's workspace_limit");
  }
}

// A set of problems for which there was not enough memory for a race (the timing of candidates).
// The race is not tried again for these problems, because each attempt takes time.
class Set {
 public:
  bool has(const atc_conv_problem& problem) {
    if (!any_.load(std::memory_order_acquire)) return false;
    const std::lock_guard lock(mutex_);
    return problems_.count(bytes_of(problem)) != 0;
  }
  void add(const atc_conv_problem& problem) {
    const std::lock_guard lock(mutex_);
    if (problems_.size() < kMost) problems_.insert(bytes_of(problem));
    any_.store(true, std::memory_order_release);
  }

 private:
  static constexpr std::size_t kMost = 4096;

  static std::string bytes_of(const atc_conv_problem& problem) {
    return {reinterpret_cast<const char*>(&problem), sizeof(problem)};
  }

  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::set<std::string> problems_;
};

Set& too_large_to_race() {
  // This object is never destroyed, because detached threads may use it until the process ends.
  static auto* const problems = new Set;
  return *problems;
}

atc_status acquire(atc_conv_plan** plan, const atc_conv_problem& problem, const Options& options,
                   atc_device device, void* stream) {
  atc_conv_options asked = to_plan_options(options);
  asked.choice = options.choice_of(problem.direction).c_str();
  return atc_conv_plan_acquire(plan, device, &problem, &asked, static_cast<atc_stream>(stream));
}

}  // namespace

Plan::Plan(const atc_conv_problem& problem, const Options& options, c10::Device device)
    : device_(device) {
  if (device.is_cuda()) {
    acquire_on_cuda(problem, options);
    return;
  }
  check(acquire(&plan_, problem, options, {ATC_DEVICE_CPU, 0}, nullptr));
}

void Plan::acquire_on_cuda(const atc_conv_problem& problem, Options options) {
  const atc_device device{ATC_DEVICE_CUDA, device_.index()};
  void* const stream = current_stream(device_);
  if (options.measures() && too_large_to_race().has(problem)) options.tune = ATC_OFF;
  atc_status status = acquire(&plan_, problem, options, device, stream);
  if (status == ATC_ERROR_OUT_OF_MEMORY && options.measures()) {
    // LibTorch keeps freed memory for reuse, and a race (the timing of candidates) cannot use this
    // memory. So LibTorch's cache is emptied before the race is tried a second time.
    empty_cache();
    status = acquire(&plan_, problem, options, device, stream);
    if (status == ATC_ERROR_OUT_OF_MEMORY) {
      too_large_to_race().add(problem);
      options.tune = ATC_OFF;
      status = acquire(&plan_, problem, options, device, stream);
    }
  }
  check(status);
}

bool must_be_obeyed(const Failure& failure, const atc_conv_problem& problem, const Options& options,
                    c10::Device device) {
  if (!options.choice_of(problem.direction).empty()) return true;
  const atc_device on{device.is_cuda() ? ATC_DEVICE_CUDA : ATC_DEVICE_CPU,
                      device.is_cuda() ? device.index() : 0};
  const atc_conv_options asked = to_plan_options(options);
  std::int32_t pins = 0;
  // The call also fails if the pin file that ATC_PINS names cannot be read. Then it is unknown what
  // the user has prescribed, so LibTorch's own convolution must not run in place of the plan.
  if (atc_conv_pins_effect(&pins, on, &problem, &asked) != ATC_OK) return true;
  // Pins that prescribe an implementation must be obeyed. If pins only forbid implementations,
  // LibTorch's own convolution may run, unless they forbid all candidates (libatc then returns
  // ATC_ERROR_UNSUPPORTED).
  return pins == ATC_PINS_CHOOSE ||
         (pins == ATC_PINS_BAR && failure.status() == ATC_ERROR_UNSUPPORTED);
}

const char* Plan::choice() const {
  const char* choice = nullptr;
  check(atc_conv_plan_choice(&choice, plan_));
  return choice;
}

std::optional<Reason> Plan::passed() const {
  if (!is_aten(choice())) return std::nullopt;
  std::int32_t source = 0;
  check(atc_conv_plan_source(&source, plan_));
  return source == ATC_SOURCE_DEFAULT ? Reason::not_recorded : Reason::chosen;
}

bool Plan::begin_own_run() const {
  std::int32_t timed = 0;
  void* const stream = device_.is_cuda() ? current_stream(device_) : nullptr;
  check(atc_conv_plan_own_run_begin(&timed, plan_, static_cast<atc_stream>(stream)));
  return timed != 0;
}

void Plan::end_own_run() const {
  void* const stream = device_.is_cuda() ? current_stream(device_) : nullptr;
  check(atc_conv_plan_own_run_end(plan_, static_cast<atc_stream>(stream)));
}

at::Tensor new_output(const atc_conv_problem& problem, c10::Device device) {
  atc_conv_problem copy = problem;
  const std::int64_t* const strides = output_strides(copy);
  const auto dims = static_cast<std::size_t>(problem.spatial_dims) + 2;
  return at::empty_strided(output_shape(problem), at::IntArrayRef(strides, dims),
                           at::TensorOptions(device).dtype(scalar_type(problem.x_dtype)));
}

at::Tensor execute(atc_conv_plan* plan, const atc_conv_problem& problem, const at::Tensor* x,
                   const at::Tensor* w, const at::Tensor* y, const at::Tensor* bias,
                   c10::Device device) {
  at::Tensor output = new_output(problem, device);
  if (problem.direction == ATC_FORWARD) y = &output;
  if (problem.direction == ATC_BACKWARD_DATA) x = &output;
  if (problem.direction == ATC_BACKWARD_WEIGHT) w = &output;
  const atc_tensor_view x_view = view_of(*x), y_view = view_of(*y);
  atc_tensor_view w_view{}, bias_view{};
  if (w != nullptr) w_view = view_of(*w);
  if (bias != nullptr) bias_view = view_of(*bias);
  void* stream = nullptr;
  c10::DataPtr workspace;
  std::uint64_t size = 0;
  if (device.is_cuda()) {
    check(atc_conv_plan_workspace_size(&size, plan));
    stream = current_stream(device);
    workspace = workspace_for(size, stream);
  }
  check(atc_conv_plan_execute(plan, &x_view, w != nullptr ? &w_view : nullptr,
                              bias != nullptr ? &bias_view : nullptr, &y_view, workspace.get(),
                              size, static_cast<atc_stream>(stream)));
  return output;
}

at::Tensor Plan::run(const atc_conv_problem& problem, const Tensors& tensors,
                     const at::Tensor* bias) const {
  return execute(plan_, problem, &tensors.x, &tensors.w, &tensors.y, bias, device_);
}

}  // namespace atc_torch
