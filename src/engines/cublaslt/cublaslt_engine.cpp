#include "engines/cublaslt/cublaslt_engine.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "device/cuda/driver.hpp"
#include "engines/cublaslt/bias.hpp"
#include "engines/cublaslt/known_faults.hpp"
#include "engines/cublaslt/operation.hpp"
#include "engines/cublaslt/prepared.hpp"
#include "engines/epilogue/device_pass.hpp"

namespace atc {

namespace {

// The largest number of bytes of workspace that cuBLASLt may use. NVIDIA recommends 32 MiB.
constexpr std::uint64_t kMostWorkspace = std::uint64_t{64} << 20;
constexpr std::size_t kMostProposals = 4, kBeforeParts = 2;
constexpr std::int32_t kSplits[] = {4, 8, 2, 16};
// If the sums of a product are split into parts (split-K), each part must have at least this many
// summands. With shorter parts the addition of the parts costs more time than the split saves.
constexpr std::int64_t kLeastDepth = 256;

// Returns why the cuBLASLt of this process cannot be used, or "".
std::string trouble() {
  const cuda::CublasLtLibrary& library = cuda::cublaslt();
  if (!library.trouble.empty()) return library.trouble;
  if (library.lacking.empty()) return "";
  return format("{} has no {}: it is no cuBLASLt that atc can use", library.file, library.lacking);
}

// Returns the configurations that the engine offers. They are the first kMostProposals proposals of
// cuBLASLt's heuristics. If the thread blocks of the first proposal do not fill the device (less
// than one wave), this proposal is also returned with its sums split into 4, 8, 2 and 16 parts
// (split-K). These configurations follow after the first kBeforeParts proposals. `depth` is the
// number of summands of a sum.
std::vector<cublaslt::Configuration> choices(
    const std::vector<cublaslt::ConfiguredAlgorithm>& proposals, std::int64_t depth) {
  std::vector<cublaslt::Configuration> choices;
  const auto add = [&](const cublaslt::Configuration& choice) {
    if (std::find(choices.begin(), choices.end(), choice) == choices.end())
      choices.push_back(choice);
  };
  for (std::size_t i = 0; i < std::min(proposals.size(), kMostProposals); ++i) {
    add(proposals[i].configuration);
    if (i + 1 != std::min(proposals.size(), kBeforeParts) || proposals.front().waves >= 1) continue;
    for (const std::int32_t split : kSplits) {
      if (depth / split < kLeastDepth) continue;
      cublaslt::Configuration divided = proposals.front().configuration;
      divided.split = split;
      divided.reduction = cuda::lt::kReductionInComputeType;
      add(divided);
    }
  }
  return choices;
}

Offer offer_of(const Problem& problem, const cublaslt::ConfiguredAlgorithm& configured) {
  const cublaslt::Configuration& configuration = configured.configuration;
  Offer offer;
  offer.configuration = to_string(configuration);
  offer.notes = format("matrix product, {:.2f} waves", configured.waves);
  if (configuration.tf32) offer.notes += ", TF32";
  if (configuration.split == cublaslt::kDividedByTheLibrary)
    offer.notes += ", sums in parts";
  else if (configuration.split != 1)
    offer.notes += format(", sums in {} parts", configuration.split);
  // If a separate kernel adds the bias and the output has 16 bits, the sum is rounded twice: before
  // the bias is added and afterwards. Exactness::exact promises a sum that is rounded once, so such
  // an offer is only Exactness::bounded.
  if (configuration.bias_apart && problem.output().dtype != Dtype::f32)
    offer.exactness = Exactness::bounded;
  return offer;
}

// Returns offers for the configurations that this cuBLASLt can run within the limits. If `tf32` is
// true, the offers multiply in TF32. If `apart` is true, a separate kernel adds the bias. If a
// configuration is left out, `why_not` is set to the reason. The device's context must be current.
std::vector<Offer> offers_in(const Problem& problem, const cublaslt::Product& product,
                             const Limits& limits, bool apart, bool tf32, cuda::lt::Handle handle,
                             std::string& why_not) {
  const cublaslt::Operation operation(apart ? without_bias(problem) : problem, product, tf32);
  const std::uint64_t workspace = std::min(limits.workspace, kMostWorkspace);
  const std::vector<cublaslt::ConfiguredAlgorithm> proposals =
      operation.proposals(handle, workspace, limits.alignment);
  if (proposals.empty()) why_not = "cuBLASLt's heuristics propose nothing";
  std::vector<Offer> offers;
  for (const cublaslt::Configuration& choice : choices(proposals, product.depth)) {
    try {
      cublaslt::require_no_fault(problem, choice, limits.device);
      cublaslt::ConfiguredAlgorithm configured = operation.build(handle, choice, limits.alignment);
      configured.configuration.bias_apart = apart;
      Offer offer = offer_of(problem, configured);
      offer.workspace = operation.workspace_size(configured);
      if (offer.workspace <= workspace)
        offers.push_back(std::move(offer));
      else
        why_not = "every algorithm needs more workspace than is allowed";
    } catch (const Error& error) {
      if (error.status() != Status::unsupported) throw;
      why_not = error.what();
    }
  }
  return offers;
}

class CublasLtEngine final : public Engine {
 public:
  std::string name() const override { return "cublaslt"; }
  std::string version() const override {
    // CuBLASLt returns 130100 for version 13.1.0.
    const std::size_t version = cuda::cublaslt().version;
    return format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }
  std::string library() const override { return "cublaslt"; }
  // The number of offers that are timed. It is larger than the usual 4, because cuBLASLt compiles
  // nothing at run time, so a further offer costs little.
  std::size_t places() const override { return 6; }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    const std::optional<cublaslt::Product> product = cublaslt::product_of(problem, why_not);
    if (!product) return {};
    const bool apart =
        problem.epilogue != Epilogue::none && !cublaslt::can_be_fused(problem, *product);
    why_not = trouble();
    if (why_not.empty() && apart && !bias_can_be_apart(problem))
      why_not = "neither cuBLASLt nor a kernel behind it can add the bias here";
    if (!why_not.empty()) return {};
    std::vector<Offer> offers;
    try {
      const cuda::ContextScope scope(limits.device.index);
      cuda::lt::Handle handle = cublaslt::handle_of(scope.context());
      if (limits.allow_tf32 && product->a.dtype == Dtype::f32)
        offers = offers_in(problem, *product, limits, apart, true, handle, why_not);
      if (offers.empty())
        offers = offers_in(problem, *product, limits, apart, false, handle, why_not);
    } catch (const Error& error) {
      // If cuBLASLt cannot be used or refuses the product, this engine has no offers. An Error
      // would also keep the other engines from making offers. All other errors, such as a failed
      // device, are thrown.
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
};

}  // namespace

std::unique_ptr<Engine> make_cublaslt_engine() { return std::make_unique<CublasLtEngine>(); }

}  // namespace atc
