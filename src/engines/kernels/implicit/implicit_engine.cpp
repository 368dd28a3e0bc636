#include "engines/kernels/implicit/implicit_engine.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "engines/kernels/device.hpp"
#include "engines/kernels/implicit/plan.hpp"
#include "engines/kernels/implicit/prepared.hpp"
#include "engines/kernels/implicit/shape.hpp"

namespace atc {

namespace {

class ImplicitEngine final : public Engine {
 public:
  std::string name() const override { return "implicit"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    why_not = kernels::objection_below(limits, 8);
    if (why_not.empty()) why_not = implicit::objection(problem);
    if (!why_not.empty()) return {};
    std::vector<Offer> offers;
    const int multiprocessors = kernels::device_of(limits).multiprocessors;
    for (const auto& configuration : implicit::configurations(problem, limits, multiprocessors)) {
      const implicit::Plan plan = implicit::make_plan(problem, limits, configuration);
      Offer offer;
      offer.configuration = to_string(configuration);
      offer.notes =
          fmt::format("{} blocks, {} bytes of shared memory", plan.blocks, plan.shared_bytes);
      offer.workspace = plan.workspace;
      offers.push_back(std::move(offer));
    }
    if (offers.empty()) why_not = "no tile of it fits shared memory or the workspace";
    return offers;
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    if (const std::string why = kernels::objection_below(limits, 8); !why.empty())
      fail(Status::unsupported, "engine implicit: {}", why);
    return implicit::prepare(
        problem, limits,
        implicit::make_plan(problem, limits, implicit::parse_configuration(configuration)));
  }
};

}  // namespace

std::unique_ptr<Engine> make_implicit_engine() { return std::make_unique<ImplicitEngine>(); }

}  // namespace atc
