#include "engines/kernels/grouped/plan.hpp"
#include "engines/kernels/images.hpp"
#include "engines/kernels/implicit/shape.hpp"
#include "engines/kernels/kernel_engine.hpp"
#include "engines/kernels/own_engines.hpp"

namespace atc {

namespace {

using kernels::Capacity;
using kernels::LaunchPlan;
using kernels::Pointer;

struct Grouped : kernels::Configured<Grouped> {
  static constexpr const char* kName = "grouped";
  static constexpr const char* kVersion = "1";
  static constexpr bool kKeepsApart = false;
  static constexpr const char* kNoOffer = "no tile of it fits shared memory";
  static std::string device_objection(const Limits& limits) {
    return kernels::objection_below(limits, 8);
  }
  static constexpr auto objection = grouped::objection;
  static constexpr auto configurations = grouped::configurations;
  static constexpr auto parse = grouped::parse_configuration;

  static LaunchPlan launch_plan(const Problem& problem, const Limits& limits,
                                const grouped::Configuration& configuration,
                                const Capacity& device) {
    const grouped::Plan plan = grouped::find_plan(problem, limits, configuration, device);
    if (plan.kernel.empty()) return {};
    const cuda::LaunchShape shape{{plan.blocks}, {implicit::kThreads}, plan.shared_bytes};
    LaunchPlan result;
    result.workspace = plan.workspace;
    if (implicit::is_gradient(problem))
      result.launches = {
          kernels::gradient(cuda::kGroupedGradientKernels, plan.kernel, shape, plan.gradient),
          {cuda::kImplicitFilterKernels,
           plan.sum_kernel,
           {{plan.sum_blocks}, {implicit::kThreads}},
           kernels::arguments(plan.gradient.sum, plan.filters, Pointer::parts, Pointer::w)}};
    else
      result.launches = {
          kernels::convolution(cuda::kGroupedKernels, plan.kernel, shape, plan.geometry)};
    return result;
  }
};

}  // namespace

std::unique_ptr<Engine> make_grouped_engine() {
  return std::make_unique<kernels::KernelEngine<Grouped>>();
}

}  // namespace atc
