#include "engines/kernels/images.hpp"
#include "engines/kernels/implicit/plan.hpp"
#include "engines/kernels/implicit/shape.hpp"
#include "engines/kernels/kernel_engine.hpp"
#include "engines/kernels/own_engines.hpp"

namespace atc {

namespace {

using implicit::kThreads;
using kernels::Capacity;
using kernels::LaunchPlan;
using kernels::Pointer;

// Returns the launches of forward or backward-data: the kernel and, if the filters are packed, the
// kernel that packs them.
template <class Geometry>
LaunchPlan convolution(const implicit::Plan& plan, const unsigned char* image, unsigned threads,
                       const Geometry& geometry) {
  LaunchPlan result;
  result.launches = {kernels::convolution(image, plan.kernel,
                                          {{plan.blocks}, {threads}, plan.shared_bytes}, geometry)};
  if (!plan.filter_kernel.empty())
    result.pack.push_back(
        {cuda::kImplicitFilterKernels,
         plan.filter_kernel,
         {{plan.filter_blocks, plan.filter_blocks_y}, {kThreads}},
         kernels::arguments(geometry, plan.filters, Pointer::w, Pointer::packed)});
  result.packed_bytes = plan.workspace;
  result.workspace = plan.workspace;
  return result;
}

// Returns the launches of backward-weight: the kernel that writes partials, and the kernel that
// adds them. `sum` has the arguments of the second kernel.
template <class Geometry>
LaunchPlan gradient(const implicit::Plan& plan, const unsigned char* image,
                    const Geometry& geometry, std::vector<kernels::Argument> sum) {
  LaunchPlan result;
  result.launches = {kernels::gradient(image, plan.kernel,
                                       {{plan.blocks}, {kThreads}, plan.shared_bytes}, geometry),
                     {cuda::kImplicitFilterKernels,
                      plan.filter_kernel,
                      {{plan.filter_blocks}, {kThreads}},
                      std::move(sum)}};
  result.workspace = plan.workspace;
  return result;
}

struct Implicit : kernels::Configured<Implicit> {
  static constexpr const char* kName = "implicit";
  static constexpr const char* kVersion = "3";
  static constexpr bool kKeepsApart = false;
  static constexpr const char* kNoOffer = "no tile of it fits shared memory or the workspace";
  static std::string device_objection(const Limits& limits) {
    return kernels::objection_below(limits, 8);
  }
  static std::string objection(const Problem& problem, const Limits&) {
    return implicit::objection(problem);
  }
  static auto configurations(const Problem& problem, const Limits& limits, const Capacity& device) {
    return implicit::configurations(problem, limits, device.multiprocessors, device.warpgroups);
  }
  static constexpr auto parse = implicit::parse_configuration;

  static LaunchPlan launch_plan(const Problem& problem, const Limits& limits,
                                const implicit::Configuration& configuration,
                                const Capacity& device) {
    const bool raster = configuration.parts != 0;
    if (raster && !device.warpgroups) return {};
    const implicit::Plan plan = implicit::find_plan(problem, limits, configuration);
    if (plan.kernel.empty()) return {};
    if (!implicit::is_gradient(problem))
      return raster ? convolution(plan, cuda::kImplicitRasterKernels, implicit::kRasterThreads,
                                  plan.raster.s)
                    : convolution(plan, cuda::kImplicitKernels, kThreads, plan.geometry.g);
    if (raster)
      return gradient(plan, cuda::kImplicitRasterGradientKernels, plan.raster,
                      kernels::arguments(plan.raster, plan.filters, Pointer::x, Pointer::y,
                                         Pointer::parts, Pointer::w));
    return gradient(plan, cuda::kImplicitGradientKernels, plan.geometry,
                    kernels::arguments(plan.geometry, plan.filters, Pointer::parts, Pointer::w));
  }
};

}  // namespace

std::unique_ptr<Engine> make_implicit_engine() {
  return std::make_unique<kernels::KernelEngine<Implicit>>();
}

}  // namespace atc
