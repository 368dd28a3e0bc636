// An engine of own kernels whose configurations are tiles: how it lists and prepares them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/engine.hpp"

namespace atc::kernels {

// `Tiles` describes an engine by static members:
//
//   kName, kVersion   the engine's
//   kUnserved         the beginning of the error message for a problem with an objection
//   kNoTile           the reason where a problem without an objection gets no offer
//   device_objection  (limits): why the kernels do not run on the device, or ""
//   objection         (problem, limits): why the kernels do not serve the problem, or ""
//   configurations    (problem, limits): best first; the problem has no objection
//   parse             (text): the inverse of to_string(configuration); throws Error(unsupported)
//   plan              (problem, limits, configuration): its `kernel` is empty where the problem
//                     does not have the configuration
//   prepare           (problem, limits, plan)
template <class Tiles>
class TileEngine : public Engine {
 public:
  std::string name() const override { return Tiles::kName; }
  std::string version() const override { return Tiles::kVersion; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    why_not = Tiles::device_objection(limits);
    if (why_not.empty()) why_not = Tiles::objection(problem, limits);
    if (!why_not.empty()) return {};
    std::vector<Offer> offers;
    for (const auto& configuration : Tiles::configurations(problem, limits)) {
      const auto plan = require_plan(problem, limits, configuration);
      Offer offer;
      offer.configuration = to_string(configuration);
      offer.notes = format("{} blocks, {} bytes of shared memory", plan.blocks, plan.shared_bytes);
      offer.workspace = plan.workspace;
      offers.push_back(std::move(offer));
    }
    if (offers.empty()) why_not = Tiles::kNoTile;
    return offers;
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    if (const std::string why = Tiles::device_objection(limits); !why.empty())
      fail(Status::unsupported, "engine {}: {}", Tiles::kName, why);
    const auto parsed = Tiles::parse(configuration);
    if (const std::string why = Tiles::objection(problem, limits); !why.empty())
      fail(Status::unsupported, "{}: {}", Tiles::kUnserved, why);
    return Tiles::prepare(problem, limits, require_plan(problem, limits, parsed));
  }

 private:
  template <class Configuration>
  static auto require_plan(const Problem& problem, const Limits& limits,
                           const Configuration& configuration) {
    auto plan = Tiles::plan(problem, limits, configuration);
    if (plan.kernel.empty())
      fail(Status::unsupported, "engine {} has no configuration '{}' for this problem",
           Tiles::kName, to_string(configuration));
    return plan;
  }
};

}  // namespace atc::kernels
