#include <utility>

#include "engines/epilogue/separate_epilogue.hpp"
#include "engines/epilogue/separate_pass.hpp"

namespace atc {

namespace {

class SeparateRewrite final : public Rewrite {
 public:
  explicit SeparateRewrite(std::shared_ptr<const Rewrite> rewrite) : rewrite_(std::move(rewrite)) {}

  std::string name() const override { return rewrite_->name(); }
  std::string version() const override { return rewrite_->version(); }
  bool serves(DeviceType device) const override { return rewrite_->serves(device); }
  std::size_t places() const override { return rewrite_->places(); }

  std::vector<Rewriting> rewritings(const Problem& problem, const Limits& limits,
                                    std::string& why_not) const override {
    if (!problem.post_ops.any()) return rewrite_->rewritings(problem, limits, why_not);
    why_not = separate_pass_objection(problem, limits.device);
    if (!why_not.empty()) return {};
    std::vector<Rewriting> rewritings =
        rewrite_->rewritings(without_post_ops(problem), limits, why_not);
    for (Rewriting& rewriting : rewritings)
      rewriting.exactness = behind_separate_pass(problem, rewriting.exactness);
    return rewritings;
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const Rewriting& rewriting,
                                    std::unique_ptr<Prepared> rest) const override {
    if (!problem.post_ops.any())
      return rewrite_->prepare(problem, limits, rewriting, std::move(rest));
    return with_separate_pass(
        problem, limits.device,
        rewrite_->prepare(without_post_ops(problem), limits, rewriting, std::move(rest)));
  }

 private:
  const std::shared_ptr<const Rewrite> rewrite_;
};

}  // namespace

std::shared_ptr<const Rewrite> with_separate_epilogue(std::shared_ptr<const Rewrite> rewrite) {
  return std::make_shared<const SeparateRewrite>(std::move(rewrite));
}

}  // namespace atc
