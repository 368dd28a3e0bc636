#include "engines/kernels/grouped/grouped_engine.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "engines/kernels/device.hpp"
#include "engines/kernels/grouped/plan.hpp"
#include "engines/kernels/grouped/prepared.hpp"

namespace atc {

namespace {

int multiprocessors_of(const Limits& limits) { return kernels::device_of(limits).multiprocessors; }

class GroupedEngine final : public Engine {
 public:
  std::string name() const override { return "grouped"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    why_not = kernels::objection_below(limits, 8);
    if (why_not.empty()) why_not = grouped::objection(problem, limits);
    if (!why_not.empty()) return {};
    std::vector<Offer> offers;
    const int multiprocessors = multiprocessors_of(limits);
    for (const auto& configuration : grouped::configurations(problem, limits, multiprocessors)) {
      const grouped::Plan plan =
          grouped::make_plan(problem, limits, configuration, multiprocessors);
      Offer offer;
      offer.configuration = to_string(configuration);
      offer.notes =
          fmt::format("{} blocks, {} bytes of shared memory", plan.blocks, plan.shared_bytes);
      offer.workspace = plan.workspace;
      offers.push_back(std::move(offer));
    }
    if (offers.empty()) why_not = "no tile of it fits shared memory";
    return offers;
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    if (const std::string why = kernels::objection_below(limits, 8); !why.empty())
      fail(Status::unsupported, "engine grouped: {}", why);
    return grouped::prepare(
        problem, limits,
        grouped::make_plan(problem, limits, grouped::parse_configuration(configuration),
                           multiprocessors_of(limits)));
  }
};

}  // namespace

std::unique_ptr<Engine> make_grouped_engine() { return std::make_unique<GroupedEngine>(); }

}  // namespace atc
