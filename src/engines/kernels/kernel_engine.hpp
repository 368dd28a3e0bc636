// The base class of the engines whose kernels are written in this project. It lists the
// configurations that an engine offers for a problem, and prepares one of them for execution.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/device.hpp"
#include "engines/kernels/launch_plan.hpp"
#include "engines/kernels/prepared.hpp"

namespace atc::kernels {

// Returns the text of a configuration. This overload is for engines whose configurations are
// already texts, so it returns the configuration itself.
inline const std::string& to_string(const std::string& configuration) { return configuration; }

// Makes the offers and the launch plans of a family of kernels. Each configuration (such as tile
// sizes) is one offer. `Family` is a struct that describes the kernels by these static members:
//
//   kName           the name of the engine
//   kNoOffer        text: why a problem has no configuration although the kernels can compute it
//   configurations  (problem, limits, device): returns the configurations, the best first. This
//                   function is called only for a problem that the kernels can compute
//   parse           (text): the inverse of to_string(configuration); throws Error(unsupported)
//   launch_plan     (problem, limits, configuration, device): returns a LaunchPlan. The plan has no
//                   launches if the configuration is not valid for the problem
template <class Family>
struct Configured {
  static std::vector<Offer> offers(const Problem& problem, const Limits& limits) {
    const Capacity device = capacity_of(limits);
    std::vector<Offer> offers;
    for (const auto& configuration : Family::configurations(problem, limits, device)) {
      const LaunchPlan plan = require_plan(problem, limits, configuration, device);
      const cuda::LaunchShape& shape = plan.launches.front().shape;
      Offer offer;
      offer.configuration = to_string(configuration);
      offer.notes = format("{} blocks, {} bytes of shared memory",
                           shape.blocks.x * shape.blocks.y * shape.blocks.z, shape.shared_bytes);
      offer.workspace = plan.workspace;
      offers.push_back(std::move(offer));
    }
    return offers;
  }

  static LaunchPlan launches(const Problem& problem, const Limits& limits,
                             const std::string& configuration) {
    return require_plan(problem, limits, Family::parse(configuration), capacity_of(limits));
  }

 private:
  template <class Configuration>
  static LaunchPlan require_plan(const Problem& problem, const Limits& limits,
                                 const Configuration& configuration, const Capacity& device) {
    LaunchPlan plan = Family::launch_plan(problem, limits, configuration, device);
    if (plan.launches.empty())
      fail(Status::unsupported, "engine {} has no configuration '{}' for this problem",
           Family::kName, to_string(configuration));
    return plan;
  }
};

// An engine that consists of two families of kernels. `Convolution` computes forward and
// backward-data. `Gradient` computes backward-weight. Both are structs with the static members
// below. These structs may inherit `offers` and `launches` from Configured.
//
//   kName, kVersion    the name and the version of the engine
//   kKeepsApart        the value of Engine::keeps_apart: whether an Inf or NaN in an input changes
//                      only outputs that depend on this input, and no output whose tap lies in
//                      padding
//   kNoOffer           text: why a problem has no configuration although the kernels can compute it
//   device_objection   (limits): returns why the kernels cannot run on the device; "" if they can
//   objection          (problem, limits): returns why the kernels cannot compute the problem; "" if
//                      they can
//   offers             (problem, limits): returns the offers. This function is called only if
//                      `objection` returned ""
//   launches           (problem, limits, text): returns the launch plan of the configuration with
//                      this text. Throws Error(unsupported) if the configuration is not valid for
//                      the problem
template <class Convolution, class Gradient = Convolution>
class KernelEngine final : public Engine {
 public:
  std::string name() const override { return Convolution::kName; }
  std::string version() const override { return Convolution::kVersion; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }
  std::string library() const override { return kOwnLibrary; }
  bool keeps_apart() const override { return Convolution::kKeepsApart; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    if (problem.direction == Direction::backward_weight)
      return offers_of<Gradient>(problem, limits, why_not);
    return offers_of<Convolution>(problem, limits, why_not);
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    if (problem.direction == Direction::backward_weight)
      return prepare_with<Gradient>(problem, limits, configuration);
    return prepare_with<Convolution>(problem, limits, configuration);
  }

 private:
  template <class Kernels>
  static std::vector<Offer> offers_of(const Problem& problem, const Limits& limits,
                                      std::string& why_not) {
    why_not = Kernels::device_objection(limits);
    if (why_not.empty()) why_not = Kernels::objection(problem, limits);
    if (!why_not.empty()) return {};
    std::vector<Offer> offers = Kernels::offers(problem, limits);
    if (offers.empty()) why_not = Kernels::kNoOffer;
    return offers;
  }

  template <class Kernels>
  static std::unique_ptr<Prepared> prepare_with(const Problem& problem, const Limits& limits,
                                                const std::string& configuration) {
    if (const std::string why = Kernels::device_objection(limits); !why.empty())
      fail(Status::unsupported, "engine {}: {}", Kernels::kName, why);
    if (const std::string why = Kernels::objection(problem, limits); !why.empty())
      fail(Status::unsupported, "engine {} cannot compute this problem: {}", Kernels::kName, why);
    return kernels::prepare(problem, limits, Kernels::launches(problem, limits, configuration));
  }
};

}  // namespace atc::kernels
