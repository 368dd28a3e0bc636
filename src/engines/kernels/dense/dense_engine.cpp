#include "engines/kernels/dense/dense_engine.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "engines/kernels/dense/backward_weight.hpp"
#include "engines/kernels/dense/plan.hpp"
#include "engines/kernels/dense/prepared.hpp"
#include "engines/kernels/dense/shape.hpp"
#include "engines/kernels/device.hpp"

namespace atc {

namespace {

class DenseEngine final : public Engine {
 public:
  std::string name() const override { return "dense"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    if (problem.direction == Direction::backward_weight)
      return dense::backward_weight_offers(problem, limits, why_not);
    why_not = kernels::objection_but_for(limits, 9, 0);
    if (why_not.empty()) why_not = dense::objection(problem);
    if (!why_not.empty()) return {};
    std::vector<Offer> offers;
    const int multiprocessors = kernels::device_of(limits).multiprocessors;
    for (const auto& configuration : dense::configurations(problem, limits, multiprocessors)) {
      const dense::Plan plan = dense::make_plan(problem, limits, configuration, multiprocessors);
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
    if (problem.direction == Direction::backward_weight)
      return dense::prepare_backward_weight(problem, limits, configuration);
    if (const std::string why = kernels::objection_but_for(limits, 9, 0); !why.empty())
      fail(Status::unsupported, "engine dense: {}", why);
    return dense::prepare(
        problem, limits,
        dense::make_plan(problem, limits, dense::parse_configuration(configuration),
                         kernels::device_of(limits).multiprocessors));
  }
};

}  // namespace

std::unique_ptr<Engine> make_dense_engine() { return std::make_unique<DenseEngine>(); }

}  // namespace atc
