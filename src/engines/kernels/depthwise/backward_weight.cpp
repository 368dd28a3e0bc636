#include "engines/kernels/depthwise/backward_weight.hpp"

#include <algorithm>
#include <cstdint>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/depthwise/backward_weight_plan.hpp"
#include "engines/kernels/device.hpp"
#include "engines/kernels/prepared.hpp"

namespace atc::cuda {

extern const unsigned char kDepthwiseWeightKernels[];
extern const unsigned char kDepthwiseWeightFirstKernels[];
extern const unsigned char kDepthwiseWeightLastKernels[];
extern const unsigned char kDepthwiseWeightAheadKernels[];

}  // namespace atc::cuda

namespace atc::depthwise {

namespace {

constexpr std::uint64_t kMostWorkspace = 16 << 20;

std::uint64_t rounded(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }

const unsigned char* image_of(WeightPlan::Image image) {
  switch (image) {
    case WeightPlan::Image::first:
      return cuda::kDepthwiseWeightFirstKernels;
    case WeightPlan::Image::last:
      return cuda::kDepthwiseWeightLastKernels;
    case WeightPlan::Image::ahead:
      return cuda::kDepthwiseWeightAheadKernels;
    case WeightPlan::Image::any:
      break;
  }
  return cuda::kDepthwiseWeightKernels;
}

class WeightPrepared final : public kernels::GradientPrepared {
 public:
  WeightPrepared(const Limits& limits, WeightPlan plan)
      : GradientPrepared(limits, rounded(plan.workspace)), plan_(std::move(plan)) {
    const int device = limits.device.index;
    const cuda::ContextScope scope(device);
    main_ =
        cuda::Kernel(image_of(plan_.image), plan_.kernel.c_str(), device, plan_.main.shared_bytes);
    finish_ = cuda::Kernel(cuda::kDepthwiseWeightKernels, "atc_depthwise_weight_finish", device);
  }

 private:
  void launch(const Operands& operands, void* workspace, Stream stream) const override {
    const void *const x = operands.x, *const y = operands.y;
    auto* const partials = static_cast<float*>(workspace);
    if (plan_.image == WeightPlan::Image::any)
      main_.launch(plan_.main, stream, plan_.problem, plan_.partials, x, y, partials);
    else
      main_.launch(plan_.main, stream, plan_.tasks, x, y, partials);
    finish_.launch(plan_.finish, stream, plan_.problem, plan_.partials, x, y,
                   static_cast<const float*>(partials), operands.w);
  }

  WeightPlan plan_;
  cuda::Kernel main_, finish_;
};

}  // namespace

std::vector<Offer> backward_weight_offers(const Problem& problem, const Limits& limits,
                                          std::string& why_not) {
  why_not = weight_objection(problem);
  if (why_not.empty()) why_not = cuda::kernels_objection();
  if (!why_not.empty()) return {};
  std::vector<Offer> offers;
  for (const std::string& configuration :
       weight_configurations(problem, limits.alignment, std::min(limits.workspace, kMostWorkspace),
                             kernels::device_of(limits).multiprocessors)) {
    Offer offer;
    offer.configuration = configuration;
    offer.workspace = rounded(plan_weight(problem, limits.alignment, configuration).workspace);
    if (offer.workspace <= limits.workspace) offers.push_back(offer);
  }
  if (offers.empty()) why_not = "the partial sums do not fit into the workspace";
  return offers;
}

std::unique_ptr<Prepared> prepare_backward_weight(const Problem& problem, const Limits& limits,
                                                  const std::string& configuration) {
  return std::make_unique<WeightPrepared>(limits,
                                          plan_weight(problem, limits.alignment, configuration));
}

}  // namespace atc::depthwise
