#include "convolve.hpp"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "atc/device.h"
#include "atc/settings.h"
#include "atc/store.h"
#include "guard.hpp"
#include "original.hpp"
#include "output_layout.hpp"
#include "packed_weights.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "traced.hpp"
#include "warning.hpp"

namespace atc_torch {

namespace {

// Returns false if atc has no way to choose an implementation: tuning is off, no choice is given,
// no pins (the user's rules that prescribe or forbid implementations) are in force, and no store is
// in use. LibTorch then runs the convolution. `tune` and the choice are tested first, because these
// tests are the cheapest.
bool has_something_to_go_by(const Options& options) {
  if (options.tunes() || options.has_choice()) return true;
  std::uint64_t pins = 0;
  // If the user's pin file, which ATC_PINS names, cannot be read, the function returns true. A plan
  // is then created, and this fails with an error that has the reason.
  if (atc_get_pins_hash(&pins) != ATC_OK || pins != 0) return true;
  atc_store* store = nullptr;
  if (atc_store_in_use(&store) != ATC_OK || store == nullptr) return false;
  atc_store_close(store);
  return true;
}

// Returns the flags with LibTorch's own search for the fastest algorithm (benchmark mode) turned
// off. atc searches instead.
Flags without_search(Flags flags) {
  flags.benchmark = false;
  return flags;
}

// Returns whether libatc can time candidates on CUDA. It cannot if it was built without CUDA or if
// there is no device.
bool can_measure_on_cuda() {
  static const bool can = [] {
    std::int32_t available = 0;
    return atc_cuda_is_available(&available) == ATC_OK && available != 0;
  }();
  return can;
}

// Returns the options of a call on CUDA. An option that is not set gets the value of the flag that
// LibTorch has passed with the call: LibTorch passes the values of its switches in this way.
// Weights are not packed on CUDA.
Options on_cuda(Options options, const Flags& flags) {
  const auto say = [](std::int32_t& option, bool now) {
    if (option == 0) option = now ? ATC_ON : ATC_OFF;
  };
  if (options.tune == 0) options.tune = flags.benchmark && can_measure_on_cuda() ? ATC_ON : ATC_OFF;
  say(options.deterministic, flags.deterministic);
  say(options.allow_tf32, flags.allow_tf32);
  options.constant_weights = false;
  return options;
}

// Returns whether atc has decided which implementation runs. The result is true in three cases: atc
// ran the convolution (`passed` is empty); atc chose LibTorch's own convolution; or the store has
// no record, so that LibTorch's own convolution is the default.
bool is_decided(const std::optional<Reason>& passed) {
  return !passed || passed == Reason::chosen || passed == Reason::not_recorded;
}

// Returns the largest power of two, up to 16 bytes, that divides the addresses of all tensors. atc
// does not use a larger alignment.
std::uint32_t alignment_of(std::initializer_list<const at::Tensor*> tensors) {
  std::uintptr_t bits = 16;
  for (const at::Tensor* tensor : tensors)
    bits |= reinterpret_cast<std::uintptr_t>(tensor->const_data_ptr());
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

// Handles a failure of libatc. Throws NotTuned if the store is replay-only (nothing may be
// measured) and has no record. Throws NotObeyed if a choice that the user has given, or has
// prescribed by a pin, cannot run. After any other failure, prints a warning and returns
// Reason::failed; the caller then runs LibTorch's own convolution.
Reason settle(const Failure& failure, const atc_conv_problem& problem, const Options& options,
              c10::Device device) {
  if (failure.status() == ATC_ERROR_NOT_TUNED)
    throw NotTuned({__func__, __FILE__, __LINE__}, failure.what());
  if (must_be_obeyed(failure, problem, options, device))
    throw NotObeyed({__func__, __FILE__, __LINE__}, failure);
  warn_once(std::string("a convolution was left to LibTorch: ") + failure.what());
  return Reason::failed;
}

// Runs LibTorch's own forward convolution and reports it to the trace of the process.
at::Tensor forward_by_libtorch(const at::Tensor& x, const at::Tensor& w,
                               const std::optional<at::Tensor>& bias, const Geometry& geometry,
                               const Flags& flags) {
  const at::Tensor none;
  const TracedCall traced(ATC_FORWARD, {x, w, none}, bias && bias->defined(), geometry);
  return original::forward(x, w, bias, geometry, flags);
}

// The result of atc's attempt to run one direction of a convolution.
struct Attempt {
  at::Tensor result;  // undefined: atc has not computed the result, and LibTorch must compute it
  // The reason why atc left the convolution to LibTorch. Empty: atc computed the result.
  std::optional<Reason> passed;
};

Attempt attempt_forward(const at::Tensor& x, const at::Tensor& w,
                        const std::optional<at::Tensor>& bias, const Geometry& geometry,
                        const Flags& flags, const Options& options) {
  if (!has_something_to_go_by(options)) return {{}, Reason::nothing_known};
  const bool cuda = x.is_cuda();
  // A model that was traced by torch.jit passes the value that the switch cudnn_enabled had during
  // the tracing. The current value may be different. atc's engines obey the current value, not the
  // flag. So LibTorch runs the convolution if the two differ.
  if (cuda && flags.cudnn_enabled != original::flags_of_now().cudnn_enabled)
    return {{}, Reason::chosen};
  const at::Tensor none;
  atc_conv_problem problem;
  if (const auto declined = describe(problem, ATC_FORWARD, {x, w, none}, geometry))
    return {{}, declined};
  const at::Tensor* const added = bias && bias->defined() ? &*bias : nullptr;
  if (added != nullptr) {
    if (!takes_bias(*added, x, problem)) return {{}, Reason::dtype};
    problem.epilogue = ATC_EPILOGUE_BIAS;
  }
  const bool gradient = needs_gradient(x, w, bias);
  const LayoutKey key(problem, {x, w, none}, gradient);
  at::Tensor own;
  if (!recall_output_layout(problem, key) &&
      !(cuda && foresee_output_layout(problem, key, {x, w, none}, geometry))) {
    own = forward_by_libtorch(x, w, bias, geometry, flags);
    if (!learn_output_layout(problem, key, own)) return {own, Reason::layout};
  }
  Options asked = options;
  asked.constant_weights = options.constant_weights && !gradient && can_pack(w);
  if (cuda) asked.alignment = alignment_of({&x, &w});
  try {
    if (asked.constant_weights) {
      at::Tensor y;
      if (const auto passed = run_packed(y, problem, asked, x, w, added)) return {own, passed};
      return {y, std::nullopt};
    }
    const Plan plan(problem, asked, x.device());
    if (const auto passed = plan.passed()) {
      if (!own.defined())
        own = plan.run_own([&](bool) { return forward_by_libtorch(x, w, bias, geometry, flags); });
      return {own, passed};
    }
    return {plan.run(problem, {x, w, none}, added), std::nullopt};
  } catch (const Failure& failure) {
    return {own, settle(failure, problem, asked, x.device())};
  }
}

// One wanted gradient: that of x or that of w. (The gradient of the bias is a sum and no
// convolution.)
struct Wanted {
  Wanted(atc_direction direction, std::size_t place) : direction(direction), place(place) {}

  const atc_direction direction;
  // The index of the gradient in the mask of wanted gradients, and in the tuple that LibTorch
  // returns: 0 for x, 1 for w.
  const std::size_t place;
  atc_conv_problem problem{};
  std::optional<LayoutKey> key;
  Attempt attempt;
  bool layout_is_known = false;

  bool is_open() const { return !attempt.passed; }
};

at::Tensor& at_place(Gradients& gradients, std::size_t place) {
  if (place == 0) return std::get<0>(gradients);
  return place == 1 ? std::get<1>(gradients) : std::get<2>(gradients);
}

void describe(Wanted& wanted, const Tensors& tensors, const Geometry& geometry) {
  if (const auto declined =
          atc_torch::describe(wanted.problem, wanted.direction, tensors, geometry)) {
    wanted.attempt.passed = declined;
    return;
  }
  wanted.key.emplace(wanted.problem, tensors, false);
  wanted.layout_is_known = recall_output_layout(wanted.problem, *wanted.key) ||
                           (tensors.y.is_cuda() &&
                            foresee_output_layout(wanted.problem, *wanted.key, tensors, geometry));
}

// Tries to compute one gradient by atc and writes the outcome to `wanted.attempt`. `alone` is a
// function that computes this gradient by LibTorch. It is empty if LibTorch has computed the
// gradient already.
void attempt(Wanted& wanted, const Tensors& tensors, const Options& options,
             const std::function<at::Tensor()>& alone) {
  Options asked = options;
  // The weights are trained if a gradient is needed, so they do not count as constant.
  asked.constant_weights = false;
  const at::Tensor& other = wanted.direction == ATC_BACKWARD_DATA ? tensors.w : tensors.x;
  if (tensors.y.is_cuda()) asked.alignment = alignment_of({&tensors.y, &other});
  try {
    const Plan plan(wanted.problem, asked, tensors.y.device());
    wanted.attempt.passed = plan.passed();
    if (!wanted.attempt.passed)
      wanted.attempt.result = plan.run(wanted.problem, tensors, nullptr);
    else if (alone)
      // LibTorch has to compute the gradient. If libatc times this call, the gradient is computed
      // here, because the timed call must compute nothing else. Otherwise the result remains
      // undefined, and the caller computes both gradients by one call of LibTorch.
      wanted.attempt.result =
          plan.run_own([&](bool timed) { return timed ? alone() : at::Tensor(); });
  } catch (const Failure& failure) {
    wanted.attempt.passed = settle(failure, wanted.problem, asked, tensors.y.device());
  }
}

}  // namespace

bool needs_gradient(const at::Tensor& x, const at::Tensor& w,
                    const std::optional<at::Tensor>& bias) {
  return at::GradMode::is_enabled() &&
         (x.requires_grad() || w.requires_grad() || (bias && bias->requires_grad()));
}

bool takes_bias(const at::Tensor& bias, const at::Tensor& x, const atc_conv_problem& problem) {
  return bias.dim() == 1 && bias.size(0) == problem.out_channels && bias.is_contiguous() &&
         bias.scalar_type() == x.scalar_type() && bias.device() == x.device() &&
         bias.layout() == at::kStrided;
}

at::Tensor dense(const at::Tensor& gradient) {
  const bool expanded = gradient.defined() && gradient.layout() == at::kStrided &&
                        !gradient.is_non_overlapping_and_dense();
  return expanded ? gradient.contiguous(gradient.suggest_memory_format()) : gradient;
}

namespace {

// Runs a forward convolution. `flags` are the flags of the caller. `quiet` are the same flags with
// LibTorch's own search for an algorithm turned off. If atc has decided that LibTorch's own
// convolution runs, it runs with `quiet`, because LibTorch must not search again.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const Flags& flags, const Flags& quiet,
                    const Options& options) {
  Attempt attempt = attempt_forward(x, w, bias, geometry, quiet, options);
  if (attempt.passed)
    count_passed(*attempt.passed);
  else
    count_taken();
  if (attempt.result.defined()) return std::move(attempt.result);
  return forward_by_libtorch(x, w, bias, geometry, is_decided(attempt.passed) ? quiet : flags);
}

// Computes the gradients for which `mask` is true (of x, of w, of the bias). `flags` are the flags
// for LibTorch's convolutions on CUDA, and null on the CPU. If atc has decided which implementation
// computes one of the gradients, the function turns LibTorch's own search for an algorithm off in
// `*flags`.
Gradients differentiate(const at::Tensor& given, const at::Tensor& x, const at::Tensor& w,
                        at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                        const BackwardMask& mask, const Options& options, Flags* flags) {
  const auto plain = [&](const BackwardMask& which) {
    const TracedGradients traced({x, w, given}, which, geometry);
    if (flags == nullptr) return original::backward(given, x, w, bias_sizes, geometry, which);
    return original::backward(given, x, w, bias_sizes, geometry, which, *flags);
  };
  std::vector<Wanted> wanted;
  if (mask[0]) wanted.emplace_back(ATC_BACKWARD_DATA, 0);
  if (mask[1]) wanted.emplace_back(ATC_BACKWARD_WEIGHT, 1);
  if (!has_something_to_go_by(options)) {
    for (std::size_t i = 0; i < wanted.size(); ++i) count_passed(Reason::nothing_known);
    return plain(mask);
  }
  const at::Tensor gradient = dense(given);
  const Tensors tensors{x, w, gradient};

  Gradients own;
  bool have_own = false;
  for (Wanted& direction : wanted) describe(direction, tensors, geometry);
  for (const Wanted& direction : wanted)
    have_own = have_own || (direction.is_open() && !direction.layout_is_known);
  const auto is_open = [](const Wanted& direction) { return direction.is_open(); };
  const Flags as_given = flags != nullptr ? *flags : Flags{};
  if (flags != nullptr && std::any_of(wanted.begin(), wanted.end(), is_open))
    *flags = without_search(as_given);
  if (have_own) own = plain(mask);
  for (Wanted& direction : wanted) {
    if (!direction.is_open() || direction.layout_is_known) continue;
    if (!learn_output_layout(direction.problem, *direction.key, at_place(own, direction.place)))
      direction.attempt.passed = Reason::layout;
  }
  BackwardMask left = mask;
  Gradients gradients;
  for (Wanted& direction : wanted) {
    const auto alone = [&] {
      BackwardMask only{};
      only[direction.place] = true;
      Gradients one = plain(only);
      return at_place(one, direction.place);
    };
    if (direction.is_open())
      attempt(direction, tensors, options,
              have_own ? std::function<at::Tensor()>() : std::function<at::Tensor()>(alone));
    if (direction.attempt.passed)
      count_passed(*direction.attempt.passed);
    else
      count_taken();
    if (!direction.attempt.result.defined()) continue;
    at_place(gradients, direction.place) = direction.attempt.result;
    left[direction.place] = false;
  }
  const auto decided = [](const Wanted& direction) { return is_decided(direction.attempt.passed); };
  if (flags != nullptr && std::none_of(wanted.begin(), wanted.end(), decided)) *flags = as_given;
  if (left == mask) return have_own ? own : plain(mask);
  // LibTorch's gradient of the bias is used only if LibTorch's gradient of w is used, too. For a
  // new problem LibTorch may have computed all gradients above, only to show the layout of its
  // results. Later calls do not repeat this. The bias gradient must have the same bits in all
  // calls, so this result of LibTorch is not used.
  const bool own_bias = left[1] && mask[2];
  if (!have_own && (left[0] || left[1])) own = plain({left[0], left[1], own_bias});
  for (std::size_t place : {0, 1})
    if (left[place]) at_place(gradients, place) = at_place(own, place);
  if (mask[2])
    at_place(gradients, 2) = own_bias ? at_place(own, 2) : original::bias_gradient(gradient);
  return gradients;
}

}  // namespace

at::Tensor convolve(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const Flags& flags, const Options& options) {
  if (!x.is_cuda()) return convolve(x, w, bias, geometry, flags, flags, options);
  return convolve(x, w, bias, geometry, flags, without_search(flags), on_cuda(options, flags));
}

Gradients convolve_backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                            at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                            const BackwardMask& mask, const Options& options, const Flags* kept) {
  if (!gradient.is_cuda())
    return differentiate(gradient, x, w, bias_sizes, geometry, mask, options, nullptr);
  Flags flags = kept != nullptr ? *kept : original::flags_of_now();
  return differentiate(gradient, x, w, bias_sizes, geometry, mask, on_cuda(options, flags), &flags);
}

}  // namespace atc_torch
