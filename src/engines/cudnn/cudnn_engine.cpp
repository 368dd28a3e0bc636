#include "engines/cudnn/cudnn_engine.hpp"

#include "core/error.hpp"
#include "core/format.hpp"
#include "device/cuda/driver.hpp"
#include "engines/cudnn/exactness.hpp"
#include "engines/cudnn/graph.hpp"
#include "engines/cudnn/heuristics.hpp"
#include "engines/cudnn/known_faults.hpp"
#include "engines/cudnn/library.hpp"
#include "engines/cudnn/prepared.hpp"
#include "engines/cudnn/session.hpp"
#include "engines/epilogue/device_pass.hpp"

namespace atc {

namespace {

class CudnnEngine final : public Engine {
 public:
  std::string name() const override { return "cudnn"; }
  std::string version() const override { return cudnn::version_text(cudnn::library().version); }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }
  std::string library() const override { return "cudnn"; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    return ask(problem, limits, kAll, why_not);
  }

  std::vector<Offer> first_offers(const Problem& problem, const Limits& limits, std::size_t count,
                                  std::string& why_not) const override {
    return ask(problem, limits, count, why_not);
  }

  bool computes_post_ops(const Problem& problem) const override {
    return cudnn::has_operations_for(problem.post_ops);
  }

  // Returns the part of a configuration's text that names cuDNN's engine, without its knobs
  // (parameters): "eng34".
  std::string kernel_of(const std::string& configuration) const override {
    return configuration.substr(0, configuration.find_first_of("_+"));
  }

  std::string kin(const std::string& configuration) const override {
    return kernel_of(configuration);
  }

  bool remembers_sizes(const Problem& problem) const override {
    return cudnn::remembers_sizes(problem);
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    return prepare_from(problem, limits, configuration, "");
  }

  std::unique_ptr<Prepared> prepare_from(const Problem& problem, const Limits& limits,
                                         const std::string& configuration,
                                         const std::string& compiled) const override {
    cudnn::require();
    return cudnn::prepare(problem, limits, configuration, compiled);
  }

  void drop_caches() const override { cudnn::clear_plans(); }

 private:
  static constexpr std::size_t kAll = ~std::size_t{0};

  std::vector<Offer> ask(const Problem& problem, const Limits& limits, std::size_t most,
                         std::string& why_not) const {
    cudnn::require();
    // For a problem with a bias, cuDNN is asked for proposals twice: for a graph with the bias, and
    // for a graph without it (a kernel of atc's own then adds the bias). Only a few of cuDNN's
    // engines can add a bias, and these engines are not always the fastest.
    std::vector<Problem> forms;
    for (const bool apart : {false, true}) {
      if (apart && !bias_can_be_apart(problem)) continue;
      Problem form = apart ? without_bias(problem) : problem;
      if (std::string objection = cudnn::objection(form); !objection.empty())
        why_not = std::move(objection);
      else
        forms.push_back(std::move(form));
    }
    const cuda::ContextScope scope(limits.device.index);
    std::vector<cudnn::Graph> graphs;
    std::vector<const Problem*> graph_forms;
    for (const Problem& form : forms) {
      try {
        graphs.emplace_back(cudnn::session(scope.context()).handle(), form, limits.alignment);
        graph_forms.push_back(&form);
      } catch (const Error& error) {
        if (error.status() != Status::unsupported) throw;
        why_not = error.what();
      }
    }
    std::vector<Offer> offers;
    // Some offers round partial sums to 16 bits. They go to the end of the list: if nothing is
    // tuned, the first offer of the list runs without a check of its results.
    std::vector<Offer> imprecise;
    // Offers with the same Offer::place count as one offer in a race (the timing of offers). The
    // n-th offers of all graphs get the same place. This list has, for each graph, the place of its
    // next offer.
    std::vector<std::size_t> places(graphs.size(), 0);
    bool proposed = false;
    const std::string failure = cudnn::propose(graphs, [&](cudnn::Notes notes, std::size_t graph) {
      proposed = true;
      const Problem& form = *graph_forms[graph];
      notes.configuration.bias_apart = form.epilogue != problem.epilogue;
      cudnn::amend(notes, form, limits.device);
      if (std::string refused = cudnn::refusal(notes, form, limits); !refused.empty())
        why_not = std::move(refused);
      else
        (cudnn::rounds_partial_sums(notes, form) ? imprecise : offers)
            .push_back(offer(notes, problem, places[graph]++));
      return offers.size() < most;
    });
    for (Offer& one : imprecise)
      if (offers.size() < most) offers.push_back(std::move(one));
    // `failure` is cuDNN's message if a mode of its heuristics had no proposals. If atc has refused
    // the proposals of another mode, `why_not` already has the reason of the refusal. That reason
    // is more useful, so it is not replaced.
    if (!proposed && !failure.empty())
      why_not = format("cuDNN's heuristics propose nothing: {}", failure);
    else if (offers.empty() && why_not.empty())
      why_not = "cuDNN's heuristics propose nothing";
    return offers;
  }

  static Offer offer(const cudnn::Notes& notes, const Problem& problem, std::size_t place) {
    Offer offer;
    offer.place = place;
    offer.configuration = to_string(notes.configuration);
    offer.notes = notes.text();
    offer.workspace = notes.workspace;
    offer.deterministic = !notes.nondeterministic;
    // If a separate kernel adds the bias and the output has 16 bits, the sum is rounded twice:
    // before the bias is added and afterwards. Exactness::exact promises a sum that is rounded
    // once, so such an offer is only Exactness::bounded.
    const bool rounds_twice =
        notes.configuration.bias_apart && problem.output().dtype != Dtype::f32;
    offer.exactness = cudnn::transforms(notes, problem) ? Exactness::transformed
                      : rounds_twice                    ? Exactness::bounded
                                                        : Exactness::exact;
    offer.compiles = notes.compiles_at_run_time;
    // cuDNN's engines without tensor cores are usually all much slower than those with tensor
    // cores. So these offers form a family: some of them are timed, and the times of the others are
    // estimated from these.
    if (!notes.tensor_core) offer.family = "cudnn without tensor cores";
    return offer;
  }
};

}  // namespace

std::unique_ptr<Engine> make_cudnn_engine() { return std::make_unique<CudnnEngine>(); }

}  // namespace atc
