#include "engines/kernels/depthwise/depthwise_engine.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/depthwise/backward_weight.hpp"
#include "engines/kernels/depthwise/plan.hpp"
#include "engines/kernels/depthwise/prepared.hpp"
#include "engines/kernels/device.hpp"

namespace atc {

namespace {

// The direct kernel is offered where there is no other.
constexpr std::size_t kMostOffers = 4;

class DepthwiseEngine final : public Engine {
 public:
  std::string name() const override { return "depthwise"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }
  bool keeps_apart() const override { return true; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    why_not = cuda::kernels_objection();
    if (!why_not.empty()) return {};
    if (problem.direction == Direction::backward_weight)
      return depthwise::backward_weight_offers(problem, limits, why_not);
    why_not = depthwise::objection(problem);
    if (!why_not.empty()) return {};
    const std::vector<depthwise::Plan> plans =
        depthwise::plans(problem, limits, kernels::device_of(limits).multiprocessors);
    std::vector<Offer> offers;
    const std::size_t count = std::clamp<std::size_t>(plans.size() - 1, 1, kMostOffers);
    for (std::size_t i = 0; i < count; ++i) {
      Offer offer;
      offer.configuration = plans[i].configuration;
      offer.notes = plans[i].kernel;
      offers.push_back(std::move(offer));
    }
    return offers;
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    if (problem.direction == Direction::backward_weight)
      return depthwise::prepare_backward_weight(problem, limits, configuration);
    if (const std::string why = depthwise::objection(problem); !why.empty())
      fail(Status::unsupported, "engine depthwise: {}", why);
    for (depthwise::Plan& plan :
         depthwise::plans(problem, limits, kernels::device_of(limits).multiprocessors))
      if (plan.configuration == configuration)
        return depthwise::prepare_plan(problem, limits, std::move(plan));
    fail(Status::unsupported, "engine depthwise has no configuration \"{}\" for this problem",
         configuration);
  }
};

}  // namespace

std::unique_ptr<Engine> make_depthwise_engine() { return std::make_unique<DepthwiseEngine>(); }

}  // namespace atc
