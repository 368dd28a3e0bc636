#include "engines/epilogue/separate_epilogue.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/epilogue/separate_pass.hpp"

namespace atc {

namespace {

// If a separate pass (code of atc's own that goes over the output) computes the post-ops, the
// configuration begins with this text. The engine's own text of the configuration follows.
constexpr std::string_view kPrefix = "separate-epilogue ";

// The value of Offer::place of an offer that counts alone.
constexpr std::size_t kAlone = ~std::size_t{0};

bool is_separate(const std::string& configuration) {
  return configuration.compare(0, kPrefix.size(), kPrefix) == 0;
}

std::string without_prefix(const std::string& configuration) {
  return is_separate(configuration) ? configuration.substr(kPrefix.size()) : configuration;
}

// `name` is the name that the engine gives to the kernel of a configuration. Adds kPrefix to it if
// the configuration has the prefix. So a kernel that is followed by a pass has another name than
// the same kernel alone, and results that atc has learned for one are not applied to the other.
std::string like(const std::string& configuration, const std::string& name) {
  return is_separate(configuration) && !name.empty() ? std::string(kPrefix) + name : name;
}

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
    return of_both_kinds(problem, limits, why_not, [&](const Problem& form) {
      return engine_->offers(form, limits, why_not);
    });
  }
  bool computes_post_ops(const Problem& problem) const override {
    return engine_->computes_post_ops(problem);
  }
  std::vector<Offer> first_offers(const Problem& problem, const Limits& limits, std::size_t count,
                                  std::string& why_not) const override {
    return of_both_kinds(problem, limits, why_not, [&](const Problem& form) {
      return engine_->first_offers(form, limits, count, why_not);
    });
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    require_form(problem, configuration);
    if (!is_separate(configuration)) return engine_->prepare(problem, limits, configuration);
    return with_separate_pass(
        problem, limits.device,
        engine_->prepare(without_post_ops(problem), limits, without_prefix(configuration)));
  }
  std::unique_ptr<Prepared> prepare_from(const Problem& problem, const Limits& limits,
                                         const std::string& configuration,
                                         const std::string& compiled) const override {
    require_form(problem, configuration);
    if (!is_separate(configuration))
      return engine_->prepare_from(problem, limits, configuration, compiled);
    return with_separate_pass(problem, limits.device,
                              engine_->prepare_from(without_post_ops(problem), limits,
                                                    without_prefix(configuration), compiled));
  }

 private:
  // Returns the offers for the problem. `offers_of` returns the engine's offers for a problem.
  template <typename OffersOf>
  std::vector<Offer> of_both_kinds(const Problem& problem, const Limits& limits,
                                   std::string& why_not, const OffersOf& offers_of) const {
    if (!problem.post_ops.any()) return offers_of(problem);
    std::vector<Offer> fused, separate;
    if (engine_->computes_post_ops(problem)) fused = offers_of(problem);
    if (std::string objection = separate_pass_objection(problem, limits.device); objection.empty())
      separate = with_post_ops(problem, offers_of(without_post_ops(problem)), why_not);
    else
      why_not = std::move(objection);
    return merged(std::move(fused), std::move(separate));
  }

  void require_form(const Problem& problem, const std::string& configuration) const {
    if (!problem.post_ops.any()) {
      if (is_separate(configuration))
        fail(Status::unsupported, "the configuration \"{}\" is for problems with post-ops",
             configuration);
      return;
    }
    if (!is_separate(configuration) && !engine_->computes_post_ops(problem))
      fail(Status::unsupported,
           "the configuration \"{}\" has no post-ops, but the problem has one: use \"{}{}\"",
           configuration, kPrefix, configuration);
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
      offer.exactness = behind_separate_pass(problem, offer.exactness);
    }
    return offers;
  }

  // Merges two lists of offers. `fused` has the offers with which the engine itself computes the
  // post-ops. `separate` has the offers after which a pass of atc's own computes the post-ops. If
  // both lists have the same configuration, its two offers follow each other, the one without a
  // pass first. They have the same Offer::place, so they count as one in a race (the timing of
  // offers).
  static std::vector<Offer> merged(std::vector<Offer> fused, std::vector<Offer> separate) {
    std::vector<Offer> all;
    std::size_t place = 0;
    const auto add = [&](Offer& offer, std::size_t shared) {
      offer.place = shared;
      all.push_back(std::move(offer));
    };
    // The new place of each place of `separate`. Offers that shared a place share the new one.
    std::map<std::size_t, std::size_t> known;
    for (Offer& offer : fused) {
      const auto other = std::find_if(separate.begin(), separate.end(), [&](const Offer& one) {
        return without_prefix(one.configuration) == offer.configuration;
      });
      add(offer, place);
      if (other != separate.end()) {
        known.emplace(other->place, place);
        add(*other, place);
        separate.erase(other);
      }
      ++place;
    }
    for (Offer& offer : separate) {
      if (offer.place == kAlone) {
        add(offer, place++);
        continue;
      }
      const auto [at, is_new] = known.emplace(offer.place, place);
      add(offer, at->second);
      place += is_new ? 1 : 0;
    }
    // If nothing is tuned, the first offer runs. So offers that compile in each process, which may
    // take a second, go to the end.
    std::stable_partition(all.begin(), all.end(),
                          [](const Offer& offer) { return !offer.compiles; });
    return all;
  }

  const std::shared_ptr<const Engine> engine_;
};

}  // namespace

std::shared_ptr<const Engine> with_separate_epilogue(std::shared_ptr<const Engine> engine) {
  return std::make_shared<const SeparateEpilogue>(std::move(engine));
}

}  // namespace atc
