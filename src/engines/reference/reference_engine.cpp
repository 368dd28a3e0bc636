#include "engines/reference/reference_engine.hpp"

#include <utility>
#include <vector>

#include "core/error.hpp"
#include "engines/reference/cuda/prepared.hpp"
#include "engines/reference/direct.hpp"
#include "engines/weights.hpp"

namespace atc {

namespace {

constexpr const char* kConfiguration = "direct";

class ReferencePrepared final : public Prepared {
 public:
  explicit ReferencePrepared(Problem problem) : problem_(std::move(problem)) {}

  std::uint64_t workspace_size() const override { return 0; }

  void set_weights(const void* w) override { weights_ = reference::dense_copy(problem_.w, w); }

  void execute(const Operands& operands, void*, Stream) override {
    const bool writes_weights = problem_.direction == Direction::backward_weight;
    if (!writes_weights && weights_.empty() && problem_.w.elements() != 0)
      require_weights(operands.w);
    reference::convolve(problem_, operands, operands.w ? nullptr : weights_.data());
  }

 private:
  Problem problem_;
  std::vector<float> weights_;
};

class ReferenceEngine final : public Engine {
 public:
  std::string name() const override { return "reference"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType) const override { return true; }
  std::string library() const override { return "reference"; }
  bool keeps_apart() const override { return true; }

  std::vector<Offer> offers(const Problem&, const Limits& limits,
                            std::string& why_not) const override {
    if (limits.device.type == DeviceType::cuda) why_not = reference::device_objection();
    if (!why_not.empty()) return {};
    Offer offer;
    offer.configuration = kConfiguration;
    offer.notes = "plain loops, sums in double";
    return {offer};
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    if (configuration != kConfiguration)
      fail(Status::unsupported, "engine reference has no configuration \"{}\"; it has \"{}\"",
           configuration, kConfiguration);
    if (limits.device.type == DeviceType::cuda)
      return reference::prepare_on_device(problem, limits);
    return std::make_unique<ReferencePrepared>(problem);
  }
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine() { return std::make_unique<ReferenceEngine>(); }

}  // namespace atc
