#include "engines/kernels/first/first_engine.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "engines/kernels/device.hpp"
#include "engines/kernels/first/plan.hpp"
#include "engines/kernels/first/prepared.hpp"

namespace atc {

namespace {

class FirstEngine final : public Engine {
 public:
  std::string name() const override { return "first"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    why_not = kernels::objection_below(limits, 8);
    if (why_not.empty()) why_not = first::objection(problem);
    if (!why_not.empty()) return {};
    std::vector<Offer> offers;
    const first::Device device = device_of(limits);
    for (const auto& configuration : first::configurations(problem, limits, device)) {
      const first::Plan plan = first::make_plan(problem, limits, configuration, device);
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
      fail(Status::unsupported, "engine first: {}", why);
    return first::prepare(
        problem, limits,
        first::make_plan(problem, limits, first::parse_configuration(configuration),
                         device_of(limits)));
  }

 private:
  static first::Device device_of(const Limits& limits) {
    return {kernels::device_of(limits).multiprocessors,
            kernels::device_of(limits).most_block_shared};
  }
};

}  // namespace

std::unique_ptr<Engine> make_first_engine() { return std::make_unique<FirstEngine>(); }

}  // namespace atc
