#define XXH_INLINE_ALL
#include "conv/gate.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <optional>
#include <string>
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

// An operand that candidates read and must leave as it is.
struct Input {
  const char* name;
  Tensor tensor;
  void* data;
  std::uint64_t seed;
  bool integers;
  std::uint64_t fingerprint = 0;

  std::uint64_t hash() const { return XXH3_64bits(data, tensor.span_bytes()); }
  void fill() {
    std::memset(data, 0, tensor.span_bytes());  // gaps of strided tensors
    integers ? fill_ternary(tensor, data, seed) : fill_normal(tensor, data, seed);
    fingerprint = hash();
  }
};

// One filling of the inputs, the old output where it counts, and the trusted samples.
struct Pass {
  std::vector<Bytes> memory;
  std::vector<Input> inputs;
  Operands operands;
  std::uint64_t seed;
  std::optional<SampledReference> exact, bounded;

  const SampledReference& trusted(const Problem& problem, Exactness exactness) {
    auto& samples = exactness == Exactness::exact ? exact : bounded;
    if (!samples) samples.emplace(problem, operands, seed, exactness);
    return *samples;
  }

  // Empty, or the names of the inputs that were written into; those are as before then, for the
  // others.
  std::string spoiled() {
    std::string names;
    for (Input& input : inputs) {
      if (input.hash() == input.fingerprint) continue;
      names += fmt::format("{}{}", names.empty() ? "" : " and ", input.name);
      input.fill();
    }
    return names;
  }
};

// The inputs of a direction, as (name, tensor, where its address stands).
template <typename Visit>
void for_each_input(const Problem& problem, Operands& operands, const Visit& visit) {
  if (problem.direction != Direction::backward_data) visit("x", problem.x, operands.x);
  if (problem.direction != Direction::backward_weight) visit("w", problem.w, operands.w);
  if (problem.direction != Direction::forward) visit("y", problem.y, operands.y);
}

Pass integers(const Problem& problem, std::uint64_t seed) {
  Pass pass;
  pass.seed = seed;
  const auto allocate = [&](const Tensor& tensor) {
    return pass.memory.emplace_back(tensor.span_bytes()).data();
  };
  const auto add = [&](const char* name, const Tensor& tensor, void* data) {
    pass.inputs.push_back({name, tensor, data, mix(seed, pass.memory.size()), true});
    pass.inputs.back().fill();
  };
  for_each_input(problem, pass.operands, [&](const char* name, const Tensor& tensor, void*& data) {
    data = allocate(tensor);
    add(name, tensor, data);
  });
  if (problem.epilogue != Epilogue::none) {
    void* const bias = allocate(bias_tensor(problem));
    pass.operands.bias = bias;
    add("bias", bias_tensor(problem), bias);
  }
  if (problem.accumulate) {
    void*& old = output_of(problem, pass.operands);
    old = allocate(problem.output());
    fill_ternary(problem.output(), old, mix(seed, pass.memory.size()));
  }
  return pass;
}

// The operands of a race's first set: filled by Arena with about N(0, 1), refilled the same way.
Pass of_operands(const Problem& problem, const Operands& normal, std::uint64_t seed) {
  Pass pass;
  pass.seed = seed;
  pass.operands = normal;
  const auto add = [&](const char* name, const Tensor& tensor, void* data) {
    pass.inputs.push_back({name, tensor, data, mix(seed, pass.inputs.size()), false});
    pass.inputs.back().fingerprint = pass.inputs.back().hash();
  };
  for_each_input(problem, pass.operands, add);
  if (problem.epilogue != Epilogue::none)
    add("bias", bias_tensor(problem), const_cast<void*>(normal.bias));
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
    const bool to_the_bit = exact && pass == &state_->integers;
    const SampledReference& trusted =
        pass->trusted(problem_, to_the_bit ? Exactness::exact : Exactness::bounded);
    // NaN everywhere: a candidate that reads scratch before it has written it shows.
    if (const std::uint64_t size = prepared.workspace_size(); size > 0)
      std::memset(workspace, 0xFF, size);
    prepared.execute(operands, workspace, nullptr);
    if (const void* const own = prepared.result()) written.copy_from(own);
    if (const std::string names = pass->spoiled(); !names.empty())
      return {false, fmt::format("it wrote into {}, which it may only read", names)};
    const auto verdict = trusted.check(written);
    if (!verdict.passed) return {false, verdict.reason};
  }
  return {true, ""};
}

}  // namespace atc::conv
