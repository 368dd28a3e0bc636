#include "engines/cublaslt/operation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/stream.hpp"

namespace atc::cublaslt {

namespace {

namespace lt = cuda::lt;

using lt::check;

// The alignment of the bias in bytes that fast kernels of cuBLASLt need.
constexpr std::uint64_t kBiasAlignment = 16;

constexpr std::uint64_t rounded_up(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }

const lt::Api& api() { return cuda::cublaslt().api; }

lt::DataType data_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return lt::DataType::f16;
    case Dtype::bf16:
      return lt::DataType::bf16;
    case Dtype::f32:
      break;
  }
  return lt::DataType::f32;
}

template <typename Value>
void set(lt::RawOperation operation, lt::OperationAttribute attribute, const Value& value) {
  check(api().set_operation(operation, attribute, &value, sizeof(value)),
        "cublasLtMatmulDescSetAttribute");
}

class Preference {
 public:
  Preference() { check(api().create_preference(&raw_), "cublasLtMatmulPreferenceCreate"); }
  ~Preference() { api().destroy_preference(raw_); }
  Preference(const Preference&) = delete;
  Preference& operator=(const Preference&) = delete;

  lt::RawPreference raw() const { return raw_; }
  template <typename Value>
  void set(lt::PreferenceAttribute attribute, const Value& value) {
    check(api().set_preference(raw_, attribute, &value, sizeof(value)),
          "cublasLtMatmulPreferenceSetAttribute");
  }

 private:
  lt::RawPreference raw_ = nullptr;
};

// Calls visit(attribute, number) for each number of a configuration except the number of the
// algorithm. `attribute` is cuBLASLt's attribute for the number. The code that reads the attributes
// and the code that writes them both use this function.
template <typename Numbers, typename Visit>
void visit(Numbers& numbers, const Visit& visit) {
  using lt::AlgorithmAttribute;
  visit(AlgorithmAttribute::tile, numbers.tile);
  visit(AlgorithmAttribute::stages, numbers.stages);
  visit(AlgorithmAttribute::split, numbers.split);
  visit(AlgorithmAttribute::reduction_scheme, numbers.reduction);
  visit(AlgorithmAttribute::swizzle, numbers.swizzle);
  visit(AlgorithmAttribute::custom_option, numbers.custom);
  visit(AlgorithmAttribute::inner_shape, numbers.inner_shape);
  visit(AlgorithmAttribute::cluster_shape, numbers.cluster_shape);
}

Configuration read(const lt::Algorithm& algorithm, bool tf32) {
  Configuration configuration;
  const auto get = [&](lt::AlgorithmAttribute attribute, auto& value) {
    std::size_t written = 0;
    check(api().get_algorithm(&algorithm, attribute, &value, sizeof(value), &written),
          "cublasLtMatmulAlgoConfigGetAttribute");
  };
  get(lt::AlgorithmAttribute::id, configuration.algorithm);
  visit(configuration, get);
  configuration.tf32 = tf32;
  return configuration;
}

bool adds_in_fp32(const Configuration& configuration) {
  return configuration.reduction ==
         (configuration.split == 1 ? lt::kNoReduction : lt::kReductionInComputeType);
}

const void* address(Role role, const Operands& operands) {
  switch (role) {
    case Role::w:
      return operands.w;
    case Role::y:
      return operands.y;
    case Role::x:
      break;
  }
  return operands.x;
}

}  // namespace

lt::Handle handle_of(cuda::Context context) {
  static auto* const mutex = new std::mutex;
  static auto* const handles = new std::map<cuda::Context, lt::Handle>;
  const std::lock_guard lock(*mutex);
  lt::Handle& handle = (*handles)[context];
  if (handle == nullptr) {
    const cuda::RelaxedCapture relaxed;
    check(api().create(&handle), "cublasLtCreate");
  }
  return handle;
}

Operation::Operation(const Problem& problem, const Product& product, bool tf32)
    : product_(product),
      bias_bytes_(problem.bias().span_bytes()),
      accumulate_(problem.accumulate),
      tf32_(tf32),
      compute_type_(tf32 ? lt::ComputeType::fast_tf32 : lt::ComputeType::f32) {
  lt::RawOperation raw = nullptr;
  check(api().create_operation(&raw, compute_type_, lt::DataType::f32), "cublasLtMatmulDescCreate");
  operation_.reset(raw);
  const auto transform = [](const Matrix& matrix) {
    return matrix.transposed ? lt::Transform::transpose : lt::Transform::none;
  };
  set(operation_.get(), lt::OperationAttribute::transform_a, transform(product.a));
  set(operation_.get(), lt::OperationAttribute::transform_b, transform(product.b));
  if (bias_bytes_ != 0) {
    set(operation_.get(), lt::OperationAttribute::epilogue, lt::EpilogueKind::bias);
    // The address of the bias is not known yet, so an address with the right alignment is set.
    // cuBLASLt's heuristics derive the alignment of the bias from the address.
    set_bias(reinterpret_cast<const void*>(kBiasAlignment));
  }
  a_ = make_layout(product.a, product.batch);
  b_ = make_layout(product.b, product.batch);
  output_ = make_layout(product.output, product.batch);
}

void Operation::Destroy::operator()(lt::RawOperation operation) const {
  api().destroy_operation(operation);
}

void Operation::Destroy::operator()(lt::RawLayout layout) const { api().destroy_layout(layout); }

Operation::Layout Operation::make_layout(const Matrix& matrix, std::int64_t batch) {
  lt::RawLayout raw = nullptr;
  check(api().create_layout(&raw, data_type(matrix.dtype), static_cast<std::uint64_t>(matrix.rows),
                            static_cast<std::uint64_t>(matrix.columns), matrix.leading),
        "cublasLtMatrixLayoutCreate");
  Layout layout(raw);
  const auto put = [&](lt::LayoutAttribute attribute, const auto& value) {
    check(api().set_layout(raw, attribute, &value, sizeof(value)),
          "cublasLtMatrixLayoutSetAttribute");
  };
  put(lt::LayoutAttribute::batch_count, static_cast<std::int32_t>(batch));
  put(lt::LayoutAttribute::batch_stride, matrix.batch_stride);
  return layout;
}

void Operation::set_bias(const void* bias) {
  set(operation_.get(), lt::OperationAttribute::bias_pointer, bias);
}

std::vector<ConfiguredAlgorithm> Operation::proposals(lt::Handle handle, std::uint64_t workspace,
                                                      std::size_t alignment) const {
  constexpr int kMost = 8;
  // The largest alignment in bytes that is reported to cuBLASLt. No kernel benefits from a larger
  // one.
  constexpr std::size_t kBestAlignment = 256;
  const auto bytes = static_cast<std::uint32_t>(std::min(alignment, kBestAlignment));
  Preference preference;
  preference.set(lt::PreferenceAttribute::most_workspace, workspace);
  preference.set(lt::PreferenceAttribute::reduction_schemes, lt::kReductionInComputeType);
  for (const lt::PreferenceAttribute attribute :
       {lt::PreferenceAttribute::alignment_a, lt::PreferenceAttribute::alignment_b,
        lt::PreferenceAttribute::alignment_c, lt::PreferenceAttribute::alignment_d})
    preference.set(attribute, bytes);
  std::array<lt::Proposal, kMost> found;
  int count = 0;
  const lt::Status status =
      api().propose(handle, operation_.get(), a_.get(), b_.get(), output_.get(), output_.get(),
                    preference.raw(), kMost, found.data(), &count);
  if (status == lt::kNotSupported) return {};
  check(status, "cublasLtMatmulAlgoGetHeuristic");
  std::vector<ConfiguredAlgorithm> proposals;
  for (int i = 0; i < count; ++i) {
    const lt::Proposal& proposal = found[static_cast<std::size_t>(i)];
    if (proposal.state != lt::kSuccess) continue;
    const Configuration configuration = read(proposal.algorithm, tf32_);
    if (adds_in_fp32(configuration))
      proposals.push_back({configuration, proposal.algorithm, proposal.workspace, proposal.waves});
  }
  return proposals;
}

ConfiguredAlgorithm Operation::build(lt::Handle handle, const Configuration& configuration,
                                     std::size_t alignment) const {
  if (configuration.tf32 != tf32_ || !adds_in_fp32(configuration))
    fail(Status::unsupported, "'{}' would not add up in fp32", to_string(configuration));
  ConfiguredAlgorithm configured;
  configured.configuration = configuration;
  const lt::DataType output = data_type(product_.output.dtype);
  check(api().init_algorithm(handle, compute_type_, lt::DataType::f32, data_type(product_.a.dtype),
                             data_type(product_.b.dtype), output, output, configuration.algorithm,
                             &configured.algorithm),
        "cublasLtMatmulAlgoInit");
  visit(configuration, [&](lt::AlgorithmAttribute attribute, const auto& value) {
    check(api().set_algorithm(&configured.algorithm, attribute, &value, sizeof(value)),
          "cublasLtMatmulAlgoConfigSetAttribute");
  });
  for (const lt::Capability capability :
       {lt::Capability::alignment_a, lt::Capability::alignment_b, lt::Capability::alignment_c,
        lt::Capability::alignment_d}) {
    std::uint32_t wanted = 0;
    std::size_t written = 0;
    check(
        api().get_capability(&configured.algorithm, capability, &wanted, sizeof(wanted), &written),
        "cublasLtMatmulAlgoCapGetAttribute");
    if (wanted > alignment)
      fail(Status::unsupported, "'{}' wants operands aligned to {} bytes, these are to {}",
           to_string(configuration), wanted, alignment);
  }
  lt::Proposal checked;
  check(api().check_algorithm(handle, operation_.get(), a_.get(), b_.get(), output_.get(),
                              output_.get(), &configured.algorithm, &checked),
        "cublasLtMatmulAlgoCheck");
  check(checked.state, "cublasLtMatmulAlgoCheck");
  configured.workspace = checked.workspace;
  configured.waves = checked.waves;
  return configured;
}

std::uint64_t Operation::workspace_size(const ConfiguredAlgorithm& configured) const {
  return rounded_up(configured.workspace) + rounded_up(bias_bytes_);
}

void Operation::execute(lt::Handle handle, const ConfiguredAlgorithm& configured,
                        const Operands& operands, void* workspace, Stream stream) {
  if (bias_bytes_ != 0) {
    const void* bias = operands.bias;
    if (reinterpret_cast<std::uintptr_t>(bias) % kBiasAlignment != 0) {
      void* const aligned = static_cast<char*>(workspace) + rounded_up(configured.workspace);
      cuda::copy_on_device(aligned, bias, bias_bytes_, stream);
      bias = aligned;
    }
    set_bias(bias);
  }
  const float alpha = 1, beta = accumulate_ ? 1 : 0;
  // cuBLASLt loads a kernel when it is launched for the first time. While a stream is captured,
  // CUDA allows this only in the relaxed capture mode.
  const cuda::RelaxedCapture relaxed;
  void* const output = const_cast<void*>(address(product_.output.role, operands));
  check(api().multiply(handle, operation_.get(), &alpha, address(product_.a.role, operands),
                       a_.get(), address(product_.b.role, operands), b_.get(), &beta, output,
                       output_.get(), output, output_.get(), &configured.algorithm, workspace,
                       configured.workspace, stream),
        "cublasLtMatmul");
}

}  // namespace atc::cublaslt
