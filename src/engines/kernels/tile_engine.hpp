// An engine whose candidates are tiles of its own kernels: how it lists and prepares them.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "engines/engine.hpp"

namespace atc::kernels {

// Tiles says what an engine has, in static members:
//
//   kName, kVersion   the engine's
//   kUnserved         what an error about an objection to a problem begins with
//   kNoTile           why there is no offer for a problem without one
//   device_objection  (limits): why the kernels do not run on the device, or ""
//   objection         (problem, limits): why they do not serve the problem, or ""
//   configurations    (problem, limits): best first, of a problem without an objection
//   parse             (text): the inverse of to_string(configuration); throws Error(unsupported)
//   plan              (problem, limits, configuration): without a kernel where it is none of the
//                     problem's
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
      offer.notes =
          fmt::format("{} blocks, {} bytes of shared memory", plan.blocks, plan.shared_bytes);
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
