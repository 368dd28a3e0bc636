#include "engines/epilogue/separate_epilogue.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/epilogue/pass.hpp"

namespace atc {

namespace {

// If a separate pass (a loop of atc's own over the output) computes the post-ops, the configuration
// begins with this text. The engine's own text of the configuration follows.
constexpr std::string_view kPrefix = "separate-epilogue ";

bool is_separate(const std::string& configuration) {
  return configuration.compare(0, kPrefix.size(), kPrefix) == 0;
}

std::string without_prefix(const std::string& configuration) {
  return is_separate(configuration) ? configuration.substr(kPrefix.size()) : configuration;
}

// `name` is the name that the engine gives to the kernel of a configuration. Adds kPrefix to it if
// the configuration has the prefix. So a kernel that is followed by a pass has another name than
// the same kernel alone, and what atc has learned about one is not applied to the other.
std::string like(const std::string& configuration, const std::string& name) {
  return is_separate(configuration) && !name.empty() ? std::string(kPrefix) + name : name;
}

// Returns the problem that the engine computes before the pass (a loop of atc's own over the
// output). The engine also adds the bias, unless the post-ops have a scale: the scale must be
// applied before the bias, so the pass then does both.
Problem without_post_ops(const Problem& problem) {
  Problem plain = problem;
  plain.post_ops = {};
  if (problem.post_ops.scale) plain.epilogue = Epilogue::none;
  return plain;
}

class SeparatePrepared final : public Prepared {
 public:
  SeparatePrepared(Problem problem, std::unique_ptr<Prepared> convolution)
      : problem_(std::move(problem)), convolution_(std::move(convolution)) {}

  std::uint64_t workspace_size() const override { return convolution_->workspace_size(); }
  void set_weights(const void* w) override { convolution_->set_weights(w); }
  void execute(const Operands& operands, void* workspace, Stream stream) override {
    const bool has_scale = problem_.post_ops.scale;
    Operands plain = operands;
    plain.scale = plain.residual = nullptr;
    if (has_scale) plain.bias = nullptr;
    convolution_->execute(plain, workspace, stream);
    apply_post_ops(problem_, operands, has_scale && problem_.epilogue != Epilogue::none);
  }
  std::string compiled() const override { return convolution_->compiled(); }
  std::uint64_t host_bytes() const override { return convolution_->host_bytes(); }

 private:
  const Problem problem_;
  const std::unique_ptr<Prepared> convolution_;
};

class SeparateEpilogue final : public Engine {
 public:
  explicit SeparateEpilogue(std::shared_ptr<const Engine> engine) : engine_(std::move(engine)) {}

  std::string name() const override { return engine_->name(); }
  std::string version() const override { return engine_->version(); }
  bool serves(DeviceType device) const override { return engine_->serves(device); }
  std::string library() const override { return engine_->library(); }
  std::size_t places() const override { return engine_->places(); }
  bool keeps_apart() const override { return engine_->keeps_apart(); }
  void drop_caches() const override { engine_->drop_caches(); }
  std::string kernel_of(const std::string& configuration) const override {
    return like(configuration, engine_->kernel_of(without_prefix(configuration)));
  }
  std::string kin(const std::string& configuration) const override {
    return like(configuration, engine_->kin(without_prefix(configuration)));
  }
  bool remembers_sizes(const Problem& problem) const override {
    return engine_->remembers_sizes(without_post_ops(problem));
  }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    if (!problem.post_ops.any()) return engine_->offers(problem, limits, why_not);
    why_not = obstacle(limits);
    if (!why_not.empty()) return {};
    std::vector<Offer> fused;
    std::string ignored;
    if (engine_->computes_post_ops(problem)) fused = engine_->offers(problem, limits, ignored);
    return merged(
        std::move(fused),
        with_post_ops(problem, engine_->offers(without_post_ops(problem), limits, why_not),
                      why_not));
  }
  bool computes_post_ops(const Problem& problem) const override {
    return engine_->computes_post_ops(problem);
  }
  std::vector<Offer> first_offers(const Problem& problem, const Limits& limits, std::size_t count,
                                  std::string& why_not) const override {
    if (!problem.post_ops.any()) return engine_->first_offers(problem, limits, count, why_not);
    return offers(problem, limits, why_not);
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    require_form(problem, limits, configuration);
    if (!is_separate(configuration)) return engine_->prepare(problem, limits, configuration);
    return behind(problem, engine_->prepare(without_post_ops(problem), limits,
                                            without_prefix(configuration)));
  }
  std::unique_ptr<Prepared> prepare_from(const Problem& problem, const Limits& limits,
                                         const std::string& configuration,
                                         const std::string& compiled) const override {
    require_form(problem, limits, configuration);
    if (!is_separate(configuration))
      return engine_->prepare_from(problem, limits, configuration, compiled);
    return behind(problem, engine_->prepare_from(without_post_ops(problem), limits,
                                                 without_prefix(configuration), compiled));
  }

 private:
  static std::string obstacle(const Limits& limits) {
    return limits.device.type == DeviceType::cpu
               ? ""
               : "a scale, a residual or an activation is computed on the CPU only: leave them out "
                 "of the problem, and compute them after the convolution";
  }

  void require_form(const Problem& problem, const Limits& limits,
                    const std::string& configuration) const {
    if (!problem.post_ops.any()) {
      if (is_separate(configuration))
        fail(Status::unsupported, "the configuration \"{}\" is for problems with post-ops",
             configuration);
      return;
    }
    if (const std::string why = obstacle(limits); !why.empty())
      fail(Status::unsupported, "{}", why);
    if (!is_separate(configuration) && !engine_->computes_post_ops(problem))
      fail(Status::unsupported,
           "the configuration \"{}\" has no post-ops, but the problem has one: use \"{}{}\"",
           configuration, kPrefix, configuration);
  }

  static std::unique_ptr<Prepared> behind(const Problem& problem,
                                          std::unique_ptr<Prepared> convolution) {
    if (convolution->returns_output())
      fail(Status::unsupported,
           "the result is a buffer of the engine's own, to which no post-ops can be applied");
    return std::make_unique<SeparatePrepared>(problem, std::move(convolution));
  }

  static std::vector<Offer> with_post_ops(const Problem& problem, std::vector<Offer> offers,
                                          std::string& why_not) {
    const bool any = !offers.empty();
    offers.erase(
        std::remove_if(offers.begin(), offers.end(),
                       [](const Offer& offer) { return offer.returns_output || offer.original; }),
        offers.end());
    if (any && offers.empty())
      why_not = "its offers are a program's own convolution, to which atc applies no post-ops";
    for (Offer& offer : offers) {
      offer.configuration.insert(0, kPrefix);
      offer.notes += offer.notes.empty() ? "post-ops in a pass of their own"
                                         : ", post-ops in a pass of their own";
      // The engine rounds the sum to the output's dtype, and the pass (a loop over the output)
      // rounds the final result again. So if the dtype is not f32, the result is only
      // Exactness::bounded: it may differ from a result that is rounded once.
      if (offer.exactness == Exactness::exact && problem.output().dtype != Dtype::f32)
        offer.exactness = Exactness::bounded;
    }
    return offers;
  }

  // Merges two lists of offers. `fused` has the offers with which the engine itself computes the
  // post-ops. `separate` has the offers after which a loop of atc's own (a pass) computes the
  // post-ops. If both lists have the same configuration, its two offers follow each other, the one
  // without a pass first. They have the same Offer::place, so they count as one in a race (the
  // timing of offers).
  static std::vector<Offer> merged(std::vector<Offer> fused, std::vector<Offer> separate) {
    std::vector<Offer> all;
    std::size_t place = 0;
    const auto add = [&](Offer& offer) {
      offer.place = place;
      all.push_back(std::move(offer));
    };
    for (Offer& offer : fused) {
      const auto other = std::find_if(separate.begin(), separate.end(), [&](const Offer& one) {
        return without_prefix(one.configuration) == offer.configuration;
      });
      add(offer);
      if (other != separate.end()) {
        add(*other);
        separate.erase(other);
      }
      ++place;
    }
    for (Offer& offer : separate) {
      add(offer);
      ++place;
    }
    return all;
  }

  const std::shared_ptr<const Engine> engine_;
};

}  // namespace

std::shared_ptr<const Engine> with_separate_epilogue(std::shared_ptr<const Engine> engine) {
  return std::make_shared<const SeparateEpilogue>(std::move(engine));
}

}  // namespace atc
