#include "engines/kernels/first/plan.hpp"
#include "engines/kernels/first/shape.hpp"
#include "engines/kernels/images.hpp"
#include "engines/kernels/kernel_engine.hpp"
#include "engines/kernels/own_engines.hpp"

namespace atc {

namespace {

using kernels::Capacity;
using kernels::LaunchPlan;
using kernels::Pointer;

struct First : kernels::Configured<First> {
  static constexpr const char* kName = "first";
  static constexpr const char* kVersion = "1";
  static constexpr bool kKeepsApart = false;
  static constexpr const char* kNoOffer = "no tile of it fits shared memory or the workspace";
  static std::string device_objection(const Limits& limits) {
    return kernels::objection_below(limits, 8);
  }
  static std::string objection(const Problem& problem, const Limits&) {
    return first::objection(problem);
  }
  static constexpr auto configurations = first::configurations;
  static constexpr auto parse = first::parse_configuration;

  static LaunchPlan launch_plan(const Problem& problem, const Limits& limits,
                                const first::Configuration& configuration, const Capacity& device) {
    const first::Plan plan = first::find_plan(problem, limits, configuration, device);
    if (plan.kernel.empty()) return {};
    const cuda::LaunchShape shape{{plan.blocks}, {first::kThreads}, plan.shared_bytes};
    LaunchPlan result;
    result.workspace = plan.workspace;
    if (first::is_gradient(problem))
      result.launches = {
          kernels::gradient(cuda::kFirstGradientKernels, plan.kernel, shape, plan.geometry),
          {cuda::kFirstGradientKernels,
           plan.sum_kernel,
           {{plan.sum_blocks}, {first::kThreads}},
           kernels::arguments(plan.geometry, Pointer::parts, Pointer::w)}};
    else if (configuration.strips)
      result.launches = {
          kernels::convolution(cuda::kFirstStripKernels, plan.kernel, shape, plan.strips)};
    else if (first::is_scatter(problem))
      result.launches = {
          kernels::convolution(cuda::kFirstScatterKernels, plan.kernel, shape, plan.scatter)};
    else
      result.launches = {
          kernels::convolution(cuda::kFirstKernels, plan.kernel, shape, plan.geometry.g)};
    return result;
  }
};

}  // namespace

std::unique_ptr<Engine> make_first_engine() {
  return std::make_unique<kernels::KernelEngine<First>>();
}

}  // namespace atc
