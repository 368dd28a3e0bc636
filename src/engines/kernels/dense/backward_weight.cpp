#include "engines/kernels/dense/backward_weight.hpp"

#include <utility>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/dense/backward_weight_plan.hpp"
#include "engines/kernels/device.hpp"
#include "engines/kernels/prepared.hpp"

namespace atc::cuda {

extern const unsigned char kDenseWeightKernels[];
extern const unsigned char kDenseWeightSumKernels[];

}  // namespace atc::cuda

namespace atc::dense {

namespace {

class WeightPrepared final : public kernels::GradientPrepared {
 public:
  WeightPrepared(const Limits& limits, WeightPlan plan)
      : GradientPrepared(limits, plan.workspace), plan_(std::move(plan)) {
    const int device = limits.device.index;
    const cuda::ContextScope scope(device);
    main_ = cuda::Kernel(cuda::kDenseWeightKernels, plan_.kernel.c_str(), device,
                         plan_.main.shared_bytes);
    sum_ = cuda::Kernel(cuda::kDenseWeightSumKernels, plan_.sum_kernel.c_str(), device);
  }

 private:
  void launch(const Operands& operands, void* workspace, Stream stream) const override {
    const void *const x = operands.x, *const y = operands.y;
    auto* const parts = static_cast<float*>(workspace);
    main_.launch(plan_.main, stream, plan_.geometry, x, y, parts);
    sum_.launch(plan_.sum, stream, plan_.geometry, plan_.output, x, y,
                static_cast<const float*>(parts), operands.w);
  }

  WeightPlan plan_;
  cuda::Kernel main_, sum_;
};

}  // namespace

std::vector<Offer> backward_weight_offers(const Problem& problem, const Limits& limits,
                                          std::string& why_not) {
  why_not = kernels::objection_but_for(limits, 9, 0);
  if (why_not.empty()) why_not = weight_objection(problem, limits);
  if (!why_not.empty()) return {};
  std::vector<Offer> offers;
  for (const std::string& configuration :
       weight_configurations(problem, limits, kernels::device_of(limits).multiprocessors)) {
    Offer offer;
    offer.configuration = configuration;
    offer.workspace = plan_weight(problem, limits, configuration).workspace;
    offers.push_back(std::move(offer));
  }
  if (offers.empty()) why_not = "the parts of a sum do not fit into the workspace";
  return offers;
}

std::unique_ptr<Prepared> prepare_backward_weight(const Problem& problem, const Limits& limits,
                                                  const std::string& configuration) {
  if (const std::string why = kernels::objection_but_for(limits, 9, 0); !why.empty())
    fail(Status::unsupported, "engine dense: {}", why);
  return std::make_unique<WeightPrepared>(limits, plan_weight(problem, limits, configuration));
}

}  // namespace atc::dense
