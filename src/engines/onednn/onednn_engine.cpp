#include "engines/onednn/onednn_engine.hpp"

#include <algorithm>
#include <dnnl.hpp>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "device/cpu/openmp.hpp"
#include "engines/onednn/configuration.hpp"
#include "engines/onednn/ending.hpp"
#include "engines/onednn/errors.hpp"
#include "engines/onednn/known_faults.hpp"
#include "engines/onednn/prepared.hpp"
#include "engines/onednn/search.hpp"
#include "engines/onednn/sequence.hpp"

namespace atc {

namespace {

using namespace onednn;

// Returns why oneDNN must not be asked for implementations of the problem. Returns "" if oneDNN may
// be asked.
std::string obstacle(const Problem& problem) {
  for (const Tensor* tensor : {&problem.x, &problem.w, &problem.y}) {
    if (tensor->elements() == 0) return "oneDNN has nothing to compute for an empty tensor";
    for (int i = 0; i < tensor->rank; ++i)
      if (tensor->strides[i] <= 0 && tensor->shape[i] > 1)
        return format("oneDNN takes no stride of {}", tensor->strides[i]);
  }
  if (const faults::Fault* const fault = fault_of_all(problem, Dtype::f32))
    return faults::sentence(*fault, running_version());
  if (problem.direction == Direction::backward_weight && problem.epilogue != Epilogue::none)
    return "backward-weight has no epilogue";
  if (problem.post_ops.scale)
    return "oneDNN applies post-ops after the bias, and a scale comes before it";
  return {};
}

// The engine `onednn`. When oneDNN makes a primitive, it divides the work between as many threads
// as OpenMP's current setting says. The caller's OpenMP team may have fewer threads (team_size()).
// So a TeamScope sets OpenMP's number of threads to this size while oneDNN makes a primitive.
class OnednnEngine final : public Engine {
 public:
  OnednnEngine() : engine_(dnnl::engine::kind::cpu, 0) {}

  std::string name() const override { return "onednn"; }

  std::string version() const override { return faults::to_string(running_version()); }

  bool serves(DeviceType device) const override { return device == DeviceType::cpu; }
  std::string library() const override { return "onednn"; }

  // oneDNN can compute a residual and an activation as its own post-ops. It cannot compute a scale:
  // atc applies the scale before the bias, but oneDNN applies post-ops after the bias.
  bool computes_post_ops(const Problem& problem) const override { return !problem.post_ops.scale; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    why_not = obstacle(problem);
    if (!why_not.empty()) return {};
    const CacheUse use;
    const TeamScope scope(team_size());
    std::vector<Offer> offers =
        translate_errors("offers", [&] { return search(engine_, problem); });
    const bool any = !offers.empty();
    offers.erase(
        std::remove_if(offers.begin(), offers.end(),
                       [&](const Offer& offer) { return offer.workspace > limits.workspace; }),
        offers.end());
    if (offers.empty())
      why_not =
          any ? format("oneDNN needs more workspace than the {} bytes allowed", limits.workspace)
              : "oneDNN has only its reference implementation for " + describe(problem);
    return offers;
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits&,
                                    const std::string& configuration) const override {
    const Configuration wanted = parse(configuration);
    if (const std::string why = obstacle(problem); !why.empty())
      fail(Status::unsupported, "{}", why);
    const CacheUse use;
    const TeamScope scope(team_size());
    return translate_errors("prepare", [&]() -> std::unique_ptr<Prepared> {
      return std::make_unique<OnednnPrepared>(engine_, problem, rebuild(engine_, problem, wanted));
    });
  }

 private:
  dnnl::engine engine_;
};

}  // namespace

std::unique_ptr<Engine> make_onednn_engine() {
  return translate_errors("start", [] { return std::make_unique<OnednnEngine>(); });
}

}  // namespace atc
