#include "engines/cublaslt/cublaslt_engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "engines/cublaslt/operation.hpp"
#include "engines/cublaslt/prepared.hpp"

namespace atc {

namespace {

constexpr std::uint64_t kMostWorkspace = std::uint64_t{64} << 20;  // cuBLASLt's own advice is 32
constexpr std::size_t kMostProposals = 4;
constexpr std::int32_t kSplits[] = {4, 8, 2, 16};
constexpr std::int64_t kLeastDepth = 256;  // of a part, below which adding up costs more

// Why no product can be computed, or "".
std::string trouble() {
  const cuda::CublasLtLibrary& library = cuda::cublaslt();
  if (!library.trouble.empty()) return library.trouble;
  if (library.lacking.empty()) return "";
  return fmt::format("{} has no {}: it is no cuBLASLt that atc can use", library.file,
                     library.lacking);
}

// Builds configurations, each once, and keeps those that this cuBLASLt can run.
class Selection {
 public:
  Selection(const cublaslt::Operation& operation, cuda::lt::Handle handle, std::size_t alignment,
            std::uint64_t workspace)
      : operation_(operation), handle_(handle), alignment_(alignment), workspace_(workspace) {}

  void add(const cublaslt::Configuration& configuration) {
    const auto known = [&](const auto& candidate) {
      return candidate.configuration == configuration;
    };
    if (std::any_of(candidates_.begin(), candidates_.end(), known)) return;
    try {
      cublaslt::Candidate candidate = operation_.build(handle_, configuration, alignment_);
      if (candidate.workspace <= workspace_) candidates_.push_back(candidate);
    } catch (const Error& error) {
      if (error.status() != Status::unsupported) throw;
      refusal_ = error.what();
    }
  }

  const std::vector<cublaslt::Candidate>& candidates() const { return candidates_; }
  const std::string& refusal() const { return refusal_; }

 private:
  const cublaslt::Operation& operation_;
  cuda::lt::Handle handle_;
  std::size_t alignment_;
  std::uint64_t workspace_;
  std::vector<cublaslt::Candidate> candidates_;
  std::string refusal_;
};

// The heuristics' first choices, and behind two of them the first one with its sum in parts where
// it does not fill the device.
std::vector<cublaslt::Candidate> select(const Problem& problem, const cublaslt::Product& product,
                                        const Limits& limits, cuda::lt::Handle handle, bool tf32,
                                        std::string& why_not) {
  const cublaslt::Operation operation(problem, product, tf32);
  const std::uint64_t workspace = std::min(limits.workspace, kMostWorkspace);
  const std::vector<cublaslt::Candidate> proposals =
      operation.proposals(handle, workspace, limits.alignment);
  Selection selection(operation, handle, limits.alignment, workspace);
  for (std::size_t i = 0; i < std::min(proposals.size(), kMostProposals); ++i) {
    if (i == 2 && proposals.front().waves < 1)
      for (const std::int32_t split : kSplits) {
        if (product.depth / split < kLeastDepth) continue;
        cublaslt::Configuration divided = proposals.front().configuration;
        divided.split = split;
        divided.reduction = cuda::lt::kReductionInComputeType;
        selection.add(divided);
      }
    selection.add(proposals[i].configuration);
  }
  if (selection.candidates().empty())
    why_not =
        selection.refusal().empty() ? "cuBLASLt's heuristics propose nothing" : selection.refusal();
  return selection.candidates();
}

class CublasLtEngine final : public Engine {
 public:
  std::string name() const override { return "cublaslt"; }
  std::string version() const override {
    const std::size_t version = cuda::cublaslt().version;  // 130100 is 13.1.0
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }
  std::size_t places() const override { return 6; }  // nothing to compile, and nothing but products

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    const std::optional<cublaslt::Product> product = cublaslt::product_of(problem, why_not);
    if (!product) return {};
    why_not = trouble();
    if (!why_not.empty()) return {};
    std::vector<Offer> offers;
    try {
      const cuda::ContextScope scope(limits.device.index);
      cuda::lt::Handle const handle = cublaslt::handle_of(scope.context());
      const bool tf32 = limits.allow_tf32 && product->a.dtype == Dtype::f32;
      std::vector<cublaslt::Candidate> found =
          select(problem, *product, limits, handle, tf32, why_not);
      if (found.empty() && tf32) found = select(problem, *product, limits, handle, false, why_not);
      for (const cublaslt::Candidate& candidate : found) offers.push_back(offer(candidate));
    } catch (const Error& error) {
      // What this cuBLASLt cannot do is no trouble of other engines.
      if (error.status() != Status::unsupported && error.status() != Status::library) throw;
      why_not = error.what();
    }
    return offers;
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    cuda::require_driver();
    if (const std::string why = trouble(); !why.empty()) fail(Status::library, "{}", why);
    return cublaslt::prepare(problem, limits, configuration);
  }

 private:
  static Offer offer(const cublaslt::Candidate& candidate) {
    const cublaslt::Configuration& configuration = candidate.configuration;
    Offer offer;
    offer.configuration = to_string(configuration);
    offer.notes = fmt::format(
        "matrix product{}{}, {:.2f} waves", configuration.tf32 ? " in TF32" : "",
        configuration.split == 1 ? "" : fmt::format(", sums in {} parts", configuration.split),
        candidate.waves);
    offer.workspace = candidate.workspace;
    return offer;
  }
};

}  // namespace

std::unique_ptr<Engine> make_cublaslt_engine() { return std::make_unique<CublasLtEngine>(); }

}  // namespace atc
