#include "conv/gate.hpp"

#include <cstring>
#include <optional>
#include <vector>

#include "conv/arena.hpp"
#include "core/fill.hpp"
#include "core/guarded_buffer.hpp"
#include "engines/reference/sampled_gate.hpp"

namespace atc::conv {

using reference::Exactness;
using reference::SampledReference;

namespace {

void*& output_of(const Problem& problem, Operands& operands) {
  if (problem.direction == Direction::backward_data) return operands.x;
  if (problem.direction == Direction::backward_weight) return operands.w;
  return operands.y;
}

using Bytes = std::vector<std::byte>;

// One filling of the inputs, the old output where it counts, and the trusted samples.
struct Pass {
  std::vector<Bytes> memory;
  Operands operands;
  std::uint64_t seed;
  std::optional<SampledReference> exact, bounded;

  const SampledReference& trusted(const Problem& problem, Exactness exactness) {
    auto& samples = exactness == Exactness::exact ? exact : bounded;
    if (!samples) samples.emplace(problem, operands, seed, exactness);
    return *samples;
  }
};

Pass integers(const Problem& problem, std::uint64_t seed) {
  Pass pass;
  pass.seed = seed;
  const auto fill = [&](const Tensor& tensor) {
    Bytes& bytes = pass.memory.emplace_back(tensor.span_bytes());
    fill_ternary(tensor, bytes.data(), mix(seed, pass.memory.size()));
    return bytes.data();
  };
  const auto wanted = [&](Direction writes) {
    return problem.direction != writes || problem.accumulate;
  };
  if (wanted(Direction::backward_data)) pass.operands.x = fill(problem.x);
  if (wanted(Direction::backward_weight)) pass.operands.w = fill(problem.w);
  if (wanted(Direction::forward)) pass.operands.y = fill(problem.y);
  if (problem.epilogue != Epilogue::none) pass.operands.bias = fill(bias_tensor(problem));
  return pass;
}

Pass of_operands(const Problem& problem, const Operands& normal, std::uint64_t seed) {
  Pass pass;
  pass.seed = seed;
  pass.operands = normal;
  void*& output = output_of(problem, pass.operands);
  if (problem.accumulate) {
    // Timing writes the operands' own output: the old values are kept here.
    const auto* const old = static_cast<const std::byte*>(output);
    output = pass.memory.emplace_back(old, old + problem.output().span_bytes()).data();
  } else {
    output = nullptr;
  }
  return pass;
}

}  // namespace

struct Gate::State {
  GuardedBuffer output;
  Pass integers, normal;

  State(const Problem& problem, const Operands& given, std::uint64_t seed)
      : output(problem.output()),
        integers(conv::integers(problem, seed)),
        normal(of_operands(problem, given, seed)) {}
};

Gate::Gate(const Problem& problem, const Operands& normal, std::uint64_t seed)
    : problem_(problem), normal_(normal), seed_(seed) {}
Gate::~Gate() = default;

tune::Verdict Gate::check(Prepared& prepared, void* workspace, bool exact, bool constant_weights) {
  if (state_ == nullptr) state_ = std::make_unique<State>(problem_, normal_, seed_);
  GuardedBuffer& written = state_->output;
  for (Pass* const pass : {&state_->integers, &state_->normal}) {
    Operands operands = pass->operands;
    void*& output = output_of(problem_, operands);
    problem_.accumulate ? written.copy_from(output) : written.fill_pattern();
    output = written.data();
    if (constant_weights) {
      prepared.set_weights(operands.w);
      operands.w = nullptr;
    }
    // NaN everywhere: a candidate that reads scratch before it has written it shows.
    if (const std::uint64_t size = prepared.workspace_size(); size > 0)
      std::memset(workspace, 0xFF, size);
    prepared.execute(operands, workspace, nullptr);
    if (const void* const own = prepared.result()) written.copy_from(own);
    const bool to_the_bit = exact && pass == &state_->integers;
    const auto verdict =
        pass->trusted(problem_, to_the_bit ? Exactness::exact : Exactness::bounded).check(written);
    if (!verdict.passed) return {false, verdict.reason};
  }
  return {true, ""};
}

}  // namespace atc::conv
