#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/error.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/depthwise/backward_weight_plan.hpp"
#include "engines/kernels/depthwise/plan.hpp"
#include "engines/kernels/images.hpp"
#include "engines/kernels/kernel_engine.hpp"
#include "engines/kernels/own_engines.hpp"
#include "engines/kernels/planning.hpp"

namespace atc {

namespace {

using kernels::Capacity;
using kernels::Launch;
using kernels::LaunchPlan;
using kernels::Pointer;

struct Base {
  static constexpr const char* kName = "depthwise";
  static constexpr const char* kVersion = "1";
  static constexpr bool kKeepsApart = true;
  static std::string device_objection(const Limits&) { return cuda::kernels_objection(); }
};

Launch launch_of(const depthwise::Plan& plan) {
  using depthwise::Family;
  using depthwise::Pointers;
  static_assert(sizeof(Pointers) == 4 * sizeof(void*) && offsetof(Pointers, filter) == 8 &&
                    offsetof(Pointers, bias) == 16 && offsetof(Pointers, out) == 24,
                "the kernels take the four addresses in the order of Pointer::in_to_out");
  const auto launch = [&](const unsigned char* image, const auto&... rest) -> Launch {
    return {image, plan.kernel, plan.launch, kernels::arguments(Pointer::in_to_out, rest...)};
  };
  switch (plan.family) {
    case Family::last:
      return launch(cuda::kDepthwiseLastKernels, plan.planes, plan.last);
    case Family::last_by_rows:
      return launch(cuda::kDepthwiseLastKernels, plan.planes, plan.last, plan.filter_rows);
    case Family::last_ahead:
      return launch(cuda::kDepthwiseAheadKernels, plan.planes, plan.last);
    case Family::first_ahead:
      return launch(cuda::kDepthwiseRowKernels, plan.planes, plan.rows);
    case Family::first:
      return launch(cuda::kDepthwiseFirstKernels, plan.planes, plan.first);
    case Family::first_by_rows:
      return launch(cuda::kDepthwiseFirstKernels, plan.planes, plan.first, plan.filter_rows);
    case Family::direct:
      break;
  }
  return launch(cuda::kDepthwiseDirectKernels, plan.direct);
}

struct Convolution : Base {
  // The text that says why there is no offer. It is empty, because there always is an offer: the
  // direct kernel computes all problems.
  static constexpr const char* kNoOffer = "";
  static std::string objection(const Problem& problem, const Limits&) {
    return depthwise::objection(problem);
  }

  static std::vector<Offer> offers(const Problem& problem, const Limits& limits) {
    constexpr std::size_t kMostOffers = 4;
    const std::vector<depthwise::Plan> plans = plans_of(problem, limits);
    std::vector<Offer> offers;
    // plans_of() puts the plan of the direct kernel last. This plan is offered only if there is no
    // other plan.
    const std::size_t count = std::clamp<std::size_t>(plans.size() - 1, 1, kMostOffers);
    for (std::size_t i = 0; i < count; ++i) {
      Offer offer;
      offer.configuration = plans[i].configuration;
      offer.notes = plans[i].kernel;
      offers.push_back(std::move(offer));
    }
    return offers;
  }

  static LaunchPlan launches(const Problem& problem, const Limits& limits,
                             const std::string& configuration) {
    LaunchPlan result;
    for (const depthwise::Plan& plan : plans_of(problem, limits))
      if (result.launches.empty() && plan.configuration == configuration)
        result.launches.push_back(launch_of(plan));
    if (result.launches.empty())
      fail(Status::unsupported, "engine {} has no configuration '{}' for this problem", kName,
           configuration);
    return result;
  }

 private:
  static std::vector<depthwise::Plan> plans_of(const Problem& problem, const Limits& limits) {
    return depthwise::plans(problem, limits, kernels::capacity_of(limits).multiprocessors);
  }
};

const unsigned char* image_of(depthwise::WeightPlan::Image image) {
  using Image = depthwise::WeightPlan::Image;
  switch (image) {
    case Image::first:
      return cuda::kDepthwiseWeightFirstKernels;
    case Image::last:
      return cuda::kDepthwiseWeightLastKernels;
    case Image::ahead:
      return cuda::kDepthwiseWeightAheadKernels;
    case Image::any:
      break;
  }
  return cuda::kDepthwiseWeightKernels;
}

struct Gradient : Base, kernels::Configured<Gradient> {
  static constexpr const char* kNoOffer = "the partial sums do not fit into the workspace";
  static std::string objection(const Problem& problem, const Limits&) {
    return depthwise::weight_objection(problem);
  }
  static std::vector<std::string> configurations(const Problem& problem, const Limits& limits,
                                                 const Capacity& device) {
    constexpr std::uint64_t kMostWorkspace = 16 << 20;
    return depthwise::weight_configurations(problem, limits.alignment,
                                            std::min(limits.workspace, kMostWorkspace),
                                            device.multiprocessors);
  }
  static const std::string& parse(const std::string& text) { return text; }

  static std::vector<Offer> offers(const Problem& problem, const Limits& limits) {
    std::vector<Offer> offers = Configured::offers(problem, limits);
    // The partials alone fit into the allowed workspace. But the workspace of an offer is rounded
    // up to a multiple of 256 bytes, so an offer may need more than the limit allows. Such offers
    // are removed.
    offers.erase(
        std::remove_if(offers.begin(), offers.end(),
                       [&](const Offer& offer) { return offer.workspace > limits.workspace; }),
        offers.end());
    return offers;
  }

  static LaunchPlan launch_plan(const Problem& problem, const Limits& limits,
                                const std::string& configuration, const Capacity&) {
    const depthwise::WeightPlan plan =
        depthwise::find_weight_plan(problem, limits.alignment, configuration);
    if (plan.kernel.empty()) return {};
    const bool any = plan.image == depthwise::WeightPlan::Image::any;
    LaunchPlan result;
    result.launches = {
        {image_of(plan.image), plan.kernel, plan.main,
         any ? kernels::arguments(plan.problem, plan.partials, Pointer::x, Pointer::y,
                                  Pointer::parts)
             : kernels::arguments(plan.tasks, Pointer::x, Pointer::y, Pointer::parts)},
        {cuda::kDepthwiseWeightKernels, "atc_depthwise_weight_finish", plan.finish,
         kernels::arguments(plan.problem, plan.partials, Pointer::x, Pointer::y, Pointer::parts,
                            Pointer::w)}};
    result.workspace = kernels::aligned_bytes(plan.workspace);
    return result;
  }
};

}  // namespace

std::unique_ptr<Engine> make_depthwise_engine() {
  return std::make_unique<kernels::KernelEngine<Convolution, Gradient>>();
}

}  // namespace atc
