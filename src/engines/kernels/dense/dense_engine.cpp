#include "engines/kernels/dense/dense_engine.hpp"

#include "engines/kernels/dense/backward_weight.hpp"

namespace atc {

namespace {

class DenseEngine final : public Engine {
 public:
  std::string name() const override { return "dense"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    return dense::backward_weight_offers(problem, limits, why_not);
  }
  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    return dense::prepare_backward_weight(problem, limits, configuration);
  }
};

}  // namespace

std::unique_ptr<Engine> make_dense_engine() { return std::make_unique<DenseEngine>(); }

}  // namespace atc
