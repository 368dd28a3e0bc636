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

// One filling of the operands with its trusted samples, and the output that candidates write.
struct Gate::Pass {
  std::vector<std::byte> x, w, y, bias;
  GuardedBuffer output;
  Operands operands;  // the output's address is that of the old values
  std::optional<SampledReference> exact, bounded;

  Pass(const Problem& problem, std::uint64_t seed, bool integers) : output(problem.output()) {
    const auto fill = [&](std::vector<std::byte>& bytes, const Tensor& tensor,
                          std::uint64_t which) {
      bytes.resize(tensor.span_bytes());
      integers ? fill_ternary(tensor, bytes.data(), mix(seed, which))
               : fill_normal(tensor, bytes.data(), mix(seed, which));
      return bytes.data();
    };
    operands.x = fill(x, problem.x, 1);
    operands.w = fill(w, problem.w, 2);
    operands.y = fill(y, problem.y, 3);
    if (problem.epilogue != Epilogue::none) operands.bias = fill(bias, bias_tensor(problem), 4);
    if (integers) exact.emplace(problem, operands, seed, Exactness::exact);
    bounded.emplace(problem, operands, seed, Exactness::bounded);
  }
};

Gate::Gate(const Problem& problem, std::uint64_t seed) : problem_(problem), seed_(seed) {}
Gate::~Gate() = default;

tune::Verdict Gate::check(Prepared& prepared, void* workspace, bool exact, bool constant_weights) {
  if (integers_ == nullptr) {
    integers_ = std::make_unique<Pass>(problem_, seed_, true);
    normal_ = std::make_unique<Pass>(problem_, seed_ + 1, false);
  }
  for (Pass* const pass : {integers_.get(), normal_.get()}) {
    Operands operands = pass->operands;
    void*& output = problem_.direction == Direction::forward         ? operands.y
                    : problem_.direction == Direction::backward_data ? operands.x
                                                                     : operands.w;
    problem_.accumulate ? pass->output.copy_from(output) : pass->output.fill_pattern();
    output = pass->output.data();
    if (constant_weights) {
      prepared.set_weights(operands.w);
      operands.w = nullptr;
    }
    prepared.execute(operands, workspace, nullptr);
    if (const void* const own = prepared.result()) pass->output.copy_from(own);
    const bool to_the_bit = exact && pass->exact;
    const auto verdict = (to_the_bit ? *pass->exact : *pass->bounded).check(pass->output);
    if (!verdict.passed) return {false, verdict.reason};
  }
  return {true, ""};
}

}  // namespace atc::conv
