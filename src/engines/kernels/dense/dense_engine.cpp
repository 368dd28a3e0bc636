#include "engines/kernels/dense/dense_engine.hpp"

#include "engines/kernels/dense/backward_weight.hpp"
#include "engines/kernels/dense/plan.hpp"
#include "engines/kernels/dense/prepared.hpp"
#include "engines/kernels/dense/shape.hpp"
#include "engines/kernels/device.hpp"
#include "engines/kernels/tile_engine.hpp"

namespace atc {

namespace {

struct Tiles {
  static constexpr const char* kName = "dense";
  static constexpr const char* kVersion = "2";
  static constexpr const char* kUnserved = "engine dense";
  static constexpr const char* kNoTile = "no tile of it fits shared memory or the workspace";

  static std::string device_objection(const Limits& limits) {
    return kernels::objection_but_for(limits, 9, 0);
  }
  static std::string objection(const Problem& problem, const Limits&) {
    return dense::objection(problem);
  }
  static auto configurations(const Problem& problem, const Limits& limits) {
    return dense::configurations(problem, limits, kernels::device_of(limits).multiprocessors);
  }
  static constexpr auto parse = dense::parse_configuration;
  static auto plan(const Problem& problem, const Limits& limits,
                   const dense::Configuration& configuration) {
    return dense::find_plan(problem, limits, configuration,
                            kernels::device_of(limits).multiprocessors);
  }
  static constexpr auto prepare = dense::prepare;
};

class DenseEngine final : public kernels::TileEngine<Tiles> {
 public:
  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    if (problem.direction == Direction::backward_weight)
      return dense::backward_weight_offers(problem, limits, why_not);
    return TileEngine::offers(problem, limits, why_not);
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    if (problem.direction == Direction::backward_weight)
      return dense::prepare_backward_weight(problem, limits, configuration);
    return TileEngine::prepare(problem, limits, configuration);
  }
};

}  // namespace

std::unique_ptr<Engine> make_dense_engine() { return std::make_unique<DenseEngine>(); }

}  // namespace atc
