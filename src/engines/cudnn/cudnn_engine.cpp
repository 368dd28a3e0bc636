#include "engines/cudnn/cudnn_engine.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "engines/cudnn/graph.hpp"
#include "engines/cudnn/heuristics.hpp"
#include "engines/cudnn/library.hpp"
#include "engines/cudnn/prepared.hpp"
#include "engines/cudnn/session.hpp"

namespace atc {

namespace {

class CudnnEngine final : public Engine {
 public:
  std::string name() const override { return "cudnn"; }
  std::string version() const override { return cudnn::version_text(cudnn::library().version); }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    return ask(problem, limits, kAll, why_not);
  }

  std::vector<Offer> first_offer(const Problem& problem, const Limits& limits,
                                 std::string& why_not) const override {
    return ask(problem, limits, 1, why_not);
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    cudnn::require();
    return cudnn::prepare(problem, limits, configuration);
  }

  void drop_caches() const override { cudnn::clear_plans(); }

 private:
  static constexpr std::size_t kAll = ~std::size_t{0};

  std::vector<Offer> ask(const Problem& problem, const Limits& limits, std::size_t most,
                         std::string& why_not) const {
    cudnn::require();
    why_not = cudnn::objection(problem);
    if (!why_not.empty()) return {};
    const cuda::ContextScope scope(limits.device.index);
    std::vector<Offer> offers;
    const auto take = [&](const cudnn::Notes& notes) {
      if (std::string refused = cudnn::refusal(notes, problem, limits); !refused.empty())
        why_not = std::move(refused);
      else
        offers.push_back(offer(notes));
      return offers.size() < most;
    };
    try {
      const cudnn::Graph graph(cudnn::session(scope.context()).handle(), problem, limits.alignment);
      cudnn::propose(graph, take);
    } catch (const Error& error) {
      if (error.status() != Status::unsupported) throw;
      why_not = error.what();
      return {};
    }
    if (offers.empty() && why_not.empty()) why_not = "cuDNN's heuristics propose nothing";
    return offers;
  }

  static Offer offer(const cudnn::Notes& notes) {
    Offer offer;
    offer.configuration = to_string(notes.configuration);
    offer.notes = notes.text();
    offer.workspace = notes.workspace;
    offer.deterministic = !notes.nondeterministic;
    offer.exact = !notes.transform;
    offer.compiles = notes.compiles_at_run_time;
    return offer;
  }
};

}  // namespace

std::unique_ptr<Engine> make_cudnn_engine() { return std::make_unique<CudnnEngine>(); }

}  // namespace atc
