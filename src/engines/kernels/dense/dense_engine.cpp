#include "engines/kernels/dense/backward_weight_plan.hpp"
#include "engines/kernels/dense/plan.hpp"
#include "engines/kernels/dense/pointwise_plan.hpp"
#include "engines/kernels/dense/pointwise_shape.hpp"
#include "engines/kernels/dense/pointwise_weight_plan.hpp"
#include "engines/kernels/dense/shape.hpp"
#include "engines/kernels/images.hpp"
#include "engines/kernels/kernel_engine.hpp"
#include "engines/kernels/own_engines.hpp"

namespace atc {

namespace {

using kernels::Capacity;
using kernels::LaunchPlan;
using kernels::Pointer;

struct Base {
  static constexpr const char* kName = "dense";
  static constexpr const char* kVersion = "3";
  static constexpr bool kKeepsApart = false;
  static std::string device_objection(const Limits& limits) {
    return kernels::objection_but_for(limits, 9, 0);
  }
};

struct Convolution : Base, kernels::Configured<Convolution> {
  static constexpr const char* kNoOffer = "no tile of it fits shared memory or the workspace";
  static std::string objection(const Problem& problem, const Limits&) {
    return dense::objection(problem);
  }
  static auto configurations(const Problem& problem, const Limits& limits, const Capacity& device) {
    return dense::configurations(problem, limits, device.multiprocessors);
  }
  static constexpr auto parse = dense::parse_configuration;

  static LaunchPlan launch_plan(const Problem& problem, const Limits& limits,
                                const dense::Configuration& configuration, const Capacity& device) {
    constexpr unsigned kPackThreads = 512;
    const dense::Plan plan =
        dense::find_plan(problem, limits, configuration, device.multiprocessors);
    if (plan.kernel.empty()) return {};
    LaunchPlan result;
    result.launches.push_back({cuda::kDenseKernels,
                               plan.kernel,
                               {{plan.blocks}, {plan.threads}, plan.shared_bytes},
                               kernels::arguments(plan.geometry, Pointer::in, Pointer::filters,
                                                  Pointer::bias, Pointer::out, Pointer::parts)});
    if (!plan.sum_kernel.empty())
      result.launches.push_back(
          {cuda::kDenseKernels,
           plan.sum_kernel,
           {{plan.sum_blocks}, {plan.sum_threads}, plan.sum_shared_bytes},
           kernels::arguments(plan.geometry, Pointer::parts, Pointer::bias, Pointer::out)});
    result.pack.push_back(
        {cuda::kDenseFilterKernels,
         "atc_dense_pack",
         {{plan.pack_blocks_x, plan.pack_blocks_y}, {kPackThreads}, plan.pack_shared_bytes},
         kernels::arguments(plan.filters, Pointer::w, Pointer::packed)});
    result.packed_bytes = plan.filter_bytes;
    result.workspace = plan.workspace;
    return result;
  }
};

struct Gradient : Base, kernels::Configured<Gradient> {
  static constexpr const char* kNoOffer = "the parts of a sum do not fit into the workspace";
  static constexpr auto objection = dense::weight_objection;
  static auto configurations(const Problem& problem, const Limits& limits, const Capacity& device) {
    return dense::weight_configurations(problem, limits, device.multiprocessors);
  }
  static constexpr auto parse = dense::parse_weight_configuration;

  static LaunchPlan launch_plan(const Problem& problem, const Limits& limits,
                                const dense::WeightConfiguration& configuration, const Capacity&) {
    return dense::weight_launch_plan(problem, limits, configuration);
  }
};

struct PointwiseConvolution : Base, kernels::Configured<PointwiseConvolution> {
  static constexpr auto objection = dense::pointwise_objection;
  static auto configurations(const Problem& problem, const Limits& limits, const Capacity& device) {
    return dense::pointwise_configurations(problem, limits, device.multiprocessors);
  }
  static constexpr auto parse = dense::parse_pointwise_configuration;

  static LaunchPlan launch_plan(const Problem& problem, const Limits& limits,
                                const dense::PointwiseConfiguration& configuration,
                                const Capacity& device) {
    return dense::pointwise_launch_plan(problem, limits, configuration, device.multiprocessors);
  }
};

struct PointwiseGradient : Base, kernels::Configured<PointwiseGradient> {
  static constexpr auto objection = dense::pointwise_weight_objection;
  static auto configurations(const Problem& problem, const Limits& limits, const Capacity& device) {
    return dense::pointwise_weight_configurations(problem, limits, device.multiprocessors);
  }
  static constexpr auto parse = dense::parse_pointwise_weight_configuration;

  static LaunchPlan launch_plan(const Problem& problem, const Limits& limits,
                                const dense::PointwiseWeightConfiguration& configuration,
                                const Capacity&) {
    return dense::pointwise_weight_launch_plan(problem, limits, configuration);
  }
};

// `Pointwise` and `Windows` are two sets of kernels. The kernels of `Pointwise` compute pointwise
// problems (1x1 kernels), and the kernels of `Windows` compute all other problems.
template <class Pointwise, class Windows>
struct Either : Base {
  static constexpr const char* kNoOffer = Windows::kNoOffer;
  static std::string objection(const Problem& problem, const Limits& limits) {
    return dense::is_pointwise(problem) ? Pointwise::objection(problem, limits)
                                        : Windows::objection(problem, limits);
  }
  static std::vector<Offer> offers(const Problem& problem, const Limits& limits) {
    return dense::is_pointwise(problem) ? Pointwise::offers(problem, limits)
                                        : Windows::offers(problem, limits);
  }
  static LaunchPlan launches(const Problem& problem, const Limits& limits,
                             const std::string& configuration) {
    return dense::is_pointwise(problem) ? Pointwise::launches(problem, limits, configuration)
                                        : Windows::launches(problem, limits, configuration);
  }
};

}  // namespace

std::unique_ptr<Engine> make_dense_engine() {
  return std::make_unique<kernels::KernelEngine<Either<PointwiseConvolution, Convolution>,
                                                Either<PointwiseGradient, Gradient>>>();
}

}  // namespace atc
