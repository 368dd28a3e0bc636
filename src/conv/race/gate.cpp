#include "conv/race/gate.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conv/race/arena.hpp"
#include "conv/race/single_execution.hpp"
#include "conv/race/workspace_guard.hpp"
#include "core/allocator.hpp"
#include "core/format.hpp"
#include "core/quantity.hpp"
#include "core/random.hpp"
#include "engines/reference/sampled_gate.hpp"
#include "engines/reference/samples.hpp"

namespace atc::conv {

using reference::SampledReference;

namespace {

// If an execution of a candidate takes fewer seconds than this number, the verdict is never
// hopeless (too slow to be timed), however much faster the fastest candidate is.
constexpr double kWorthATiming = 0.01;
// The first execution of a candidate may take this many seconds more than later ones, because it
// may load kernels.
constexpr double kLoading = 1;
// Two executions count as equally long if the time of the shorter one is at least this fraction of
// the time of the longer one.
constexpr double kAlike = 0.5;

const char* name_of(Operand operand) {
  switch (operand) {
    case Operand::x:
      return "x";
    case Operand::w:
      return "w";
    case Operand::y:
      return "y";
    case Operand::bias:
      return "bias";
    case Operand::scale:
      return "scale";
    case Operand::residual:
      break;
  }
  return "residual";
}

// An input operand of the candidates. A candidate must not change it; a hash of its contents
// (`fingerprint`) shows whether it did.
struct Input {
  Operand operand;
  Tensor tensor;
  void* data;
  std::uint64_t seed;
  Filling filling;
  std::uint64_t fingerprint = 0;

  std::uint64_t look(Site& site) const { return site.fingerprint(data, tensor.span_bytes()); }
  void fill(Site& site) {
    // also gives values to the gaps between the elements of strided tensors
    site.set(data, 0, tensor.span_bytes());
    site.fill(tensor, data, filling, seed);
    fingerprint = look(site);
  }
};

// One set of data: the inputs, the old output if the problem adds to its output, and the right
// values of some elements of the output (the samples), computed by the reference.
struct Pass {
  std::vector<Allocation> memory;
  std::vector<Input> inputs;
  Operands operands;
  std::uint64_t seed;
  double largest;  // the largest absolute value in the inputs
  std::map<std::pair<Exactness, reference::Precision>, SampledReference> known;
  // The values of the reference at the sampled elements of the output. They are the same for each
  // exactness and precision that a candidate has to meet.
  std::vector<reference::ElementValue> values;

  const SampledReference& trusted(const Problem& problem, Site& site, Exactness exactness,
                                  reference::Precision precision) {
    const auto asked = std::make_pair(exactness, precision);
    if (const auto found = known.find(asked); found != known.end()) return found->second;
    const auto evaluate = [&](const std::vector<reference::Index>& indices) {
      if (values.empty()) values = site.values(problem, operands, indices);
      return values;
    };
    return known
        .emplace(asked, SampledReference(problem, evaluate, seed, exactness, precision, largest))
        .first->second;
  }

  // Returns the names of the inputs into which the candidate has written; "" if there is none.
  // These inputs are filled again for the next candidates.
  std::string spoiled(Site& site) {
    std::string names;
    for (Input& input : inputs) {
      if (input.look(site) == input.fingerprint) continue;
      names += format("{}{}", names.empty() ? "" : " and ", name_of(input.operand));
      input.fill(site);
    }
    return names;
  }
};

// Calls `visit` for the two inputs of the convolution (two of x, w and y, according to its
// direction), with the operand, its tensor and its address.
template <typename Visit>
void for_each_input(const Problem& problem, Operands& operands, const Visit& visit) {
  if (problem.direction != Direction::backward_data) visit(Operand::x, problem.x, operands.x);
  if (problem.direction != Direction::backward_weight) visit(Operand::w, problem.w, operands.w);
  if (problem.direction != Direction::forward) visit(Operand::y, problem.y, operands.y);
}

// Calls `visit` for bias, scale and residual, if the problem has them.
template <typename Visit>
void for_each_of_post_ops(const Problem& problem, Operands& operands, const Visit& visit) {
  if (problem.epilogue != Epilogue::none) visit(Operand::bias, problem.bias(), operands.bias);
  if (problem.post_ops.scale) visit(Operand::scale, problem.scale(), operands.scale);
  if (problem.post_ops.residual) visit(Operand::residual, problem.residual(), operands.residual);
}

Pass integers(const Problem& problem, Site& site, std::uint64_t seed) {
  Pass pass;
  pass.seed = seed;
  pass.largest = 1;
  const auto allocate = [&](const Tensor& tensor) {
    return pass.memory.emplace_back(tensor.span_bytes(), site.id(), site.stream()).data();
  };
  const auto add = [&](Operand operand, const Tensor& tensor, void* data) {
    pass.inputs.push_back({operand, tensor, data, mix(seed, pass.memory.size()), Filling::ternary});
    pass.inputs.back().fill(site);
  };
  for_each_input(problem, pass.operands, [&](Operand operand, const Tensor& tensor, void*& data) {
    data = allocate(tensor);
    add(operand, tensor, data);
  });
  for_each_of_post_ops(problem, pass.operands,
                       [&](Operand operand, const Tensor& tensor, const void*& data) {
                         void* const memory = allocate(tensor);
                         data = memory;
                         add(operand, tensor, memory);
                       });
  if (problem.accumulate) {
    void*& old = output_of(problem, pass.operands);
    old = allocate(problem.output());
    site.fill(problem.output(), old, Filling::ternary, mix(seed, pass.memory.size()));
  }
  return pass;
}

// Returns the set of data with values of about N(0, 1). This set of data is the first set of the
// race's own operands, which Arena filled from `seed`. If a candidate writes into an input, the
// input is filled again with the same values.
Pass of_operands(const Problem& problem, Site& site, const Operands& normal, std::uint64_t seed) {
  Pass pass;
  pass.seed = seed;
  pass.largest = kLargestNormal;
  pass.operands = normal;
  const auto add = [&](Operand operand, const Tensor& tensor, void* data) {
    pass.inputs.push_back({operand, tensor, data, seed_of(operand, seed), Filling::normal});
    pass.inputs.back().fingerprint = pass.inputs.back().look(site);
  };
  for_each_input(problem, pass.operands, add);
  for_each_of_post_ops(problem, pass.operands,
                       [&](Operand operand, const Tensor& tensor, const void*& data) {
                         add(operand, tensor, const_cast<void*>(data));
                       });
  void*& output = output_of(problem, pass.operands);
  if (problem.accumulate) {
    // The gate copies the old values of the output, because the race overwrites this output when it
    // times candidates.
    const std::uint64_t size = problem.output().span_bytes();
    void* const kept = pass.memory.emplace_back(size, site.id(), site.stream()).data();
    site.copy(kept, output, size);
    output = kept;
  } else {
    output = nullptr;
  }
  return pass;
}

}  // namespace

struct Gate::State {
  std::unique_ptr<WatchedOutput> output;
  Pass integers, normal;
  WholeCheck whole;  // compares the whole outputs that candidates compute from the set `integers`
  // Each of the objects `padded` and `other` writes Inf and NaN into one input of the set
  // `integers`, and checks which outputs they reach. An object is made when it is first needed.
  std::unique_ptr<Isolation> padded, other;

  State(const Problem& problem, Site& site, const Operands& given, std::uint64_t seed)
      : output(site.make_output(problem.output())),
        integers(conv::integers(problem, site, seed)),
        normal(of_operands(problem, site, given, seed)),
        whole(problem, site, integers.operands, reference::covers_output(problem)) {}
};

Gate::Gate(const Problem& problem, Site& site, const Operands& normal, bool allow_tf32,
           std::uint64_t seed, bool reduced_reduction)
    : problem_(problem), site_(site), normal_(normal), seed_(seed) {
  // TF32 is possible only if all operands are f32.
  const bool f32 = problem.x.dtype == Dtype::f32 && problem.w.dtype == Dtype::f32 &&
                   problem.y.dtype == Dtype::f32;
  precision_ = reduced_reduction                      ? reference::Precision::reduced
               : allow_tf32 && f32 && site.has_tf32() ? reference::Precision::tf32
                                                      : reference::Precision::fp32;
}
Gate::~Gate() = default;

Gate::State& Gate::state() {
  if (state_ == nullptr) state_ = std::make_unique<State>(problem_, site_, normal_, seed_);
  return *state_;
}

void Gate::evaluate_whole() { state().whole.evaluate(); }

bool Gate::is_in_doubt(const Agreement& agreement) const {
  return state_ != nullptr && state_->whole.is_in_doubt(agreement);
}

std::string Gate::refutation(const Agreement& agreement) const {
  return state_ == nullptr ? "" : state_->whole.refutation(agreement);
}

double Gate::time(Prepared& prepared, const Operands& operands, void* workspace, double first) {
  class Execution final : public Runnable {
   public:
    Execution(Prepared& prepared, const Operands& operands, void* workspace, Stream stream)
        : prepared_(prepared), operands_(operands), workspace_(workspace), stream_(stream) {}
    void run(std::size_t) override { prepared_.execute(operands_, workspace_, stream_); }

   private:
    Prepared& prepared_;
    const Operands& operands_;
    void* workspace_;
    Stream stream_;
  };
  // A long execution is timed with the host's clock, and repeated until two executions in a row
  // take about equally long. Then neither the loading of kernels nor a disturbance is part of the
  // time.
  double least = first;
  for (bool alike = false; least > kWorthATiming && !alike; first = least) {
    const double began = site_.device().now();
    prepared.execute(operands, workspace, site_.stream());
    site_.wait();
    least = std::min(least, site_.device().now() - began);
    alike = least > kAlike * first;
  }
  if (least > kWorthATiming) return least;
  Execution execution(prepared, operands, workspace, site_.stream());
  return site_.device().time_batch(execution, 1, 1).seconds_per_call;
}

void Gate::set_weights(Prepared& prepared, Operands& operands) {
  // Waits until the weights are written, because set_weights reads them on another stream.
  site_.wait();
  prepared.set_weights(operands.w);
  operands.w = nullptr;
}

Operands Gate::begin(const Operands& given, const Prepared& prepared, void* workspace) {
  WatchedOutput& written = *state_->output;
  Operands operands = given;
  void*& output = output_of(problem_, operands);
  problem_.accumulate ? written.copy_from(output) : written.unwrite();
  output = written.data();
  if (const std::uint64_t size = prepared.workspace_size(); size > 0)
    site_.set(workspace, 0xFF, size);
  return operands;
}

tune::Verdict Gate::check_apart(Prepared& prepared, void* workspace, bool constant_weights,
                                Isolation& isolation) {
  WatchedOutput& written = *state_->output;
  Operands operands = begin(state_->integers.operands, prepared, workspace);
  isolation.spoil();
  try {
    if (constant_weights) set_weights(prepared, operands);
    prepared.execute(operands, workspace, site_.stream());
  } catch (...) {
    isolation.restore();
    throw;
  }
  if (const void* const own = prepared.result()) written.copy_from(own);
  isolation.restore();
  const std::string difference = isolation.difference(written);
  return {difference.empty(), difference};
}

tune::Verdict Gate::check(Prepared& prepared, void* workspace, Exactness exactness,
                          bool constant_weights, double patience, Apart apart, Imprecise imprecise,
                          const Libraries& libraries) {
  agreement_ = {};
  const WorkspaceGuard guard(site_, workspace, prepared.workspace_size());
  tune::Verdict verdict;
  try {
    verdict =
        check_results(prepared, workspace, exactness, constant_weights, patience, apart, imprecise);
  } catch (const TookTooLong&) {
    if (const std::string violation = guard.violation(); !violation.empty())
      return {false, violation};
    throw;
  }
  // A candidate that writes beyond its workspace is refused even if its results are right, because
  // in a program the memory there may hold other data.
  if (const std::string violation = guard.violation(); !violation.empty())
    return {false, violation};
  if (verdict.passed) agreement_ = state_->whole.accept(libraries);
  return verdict;
}

tune::Verdict Gate::check_results(Prepared& prepared, void* workspace, Exactness exactness,
                                  bool constant_weights, double patience, Apart apart,
                                  Imprecise imprecise) {
  WatchedOutput& written = *state().output;
  std::string imprecision;
  for (Pass* const pass : {&state_->integers, &state_->normal}) {
    if (constant_weights && pass == &state_->integers) {
      const std::string difference =
          difference_before_set_weights(prepared, workspace, exactness, imprecise);
      if (!difference.empty()) return {false, difference};
    }
    Operands operands = begin(pass->operands, prepared, workspace);
    if (constant_weights) set_weights(prepared, operands);
    // If the operands are the small integers, all sums are exact, so a candidate with exact
    // arithmetic has to compute exact results. If they are distributed as N(0, 1), sums are
    // rounded, so the candidate only has to meet the error bound.
    const Exactness asked =
        exactness == Exactness::exact && pass == &state_->normal ? Exactness::bounded : exactness;
    const SampledReference& trusted = pass->trusted(problem_, site_, asked, precision_);
    const double began = site_.device().now();
    prepared.execute(operands, workspace, site_.stream());
    if (const void* const own = prepared.result()) written.copy_from(own);
    if (const std::string names = pass->spoiled(site_); !names.empty())
      return {false, format("it wrote into {}, which it may only read", names)};
    // spoiled() has waited for the end of the execution, so `took` is the time of the whole
    // execution.
    const double took = site_.device().now() - began;
    const std::vector<double> values = written.values(trusted.offsets());
    const auto difference_at = [&](reference::Precision precision) {
      const auto verdict = pass->trusted(problem_, site_, asked, precision).check_values(values);
      if (!verdict.passed || pass != &state_->integers) return verdict.reason;
      return state_->whole.difference(written, exactness, precision);
    };
    const std::string difference = difference_at(precision_);
    if (const std::string trouble = written.trouble(); !trouble.empty()) return {false, trouble};
    if (!difference.empty()) {
      if (imprecise == Imprecise::refused || !difference_at(reference::Precision::reduced).empty())
        return {false, difference};
      if (imprecision.empty()) imprecision = difference;
    }
    if (pass == &state_->integers && took > std::max(patience, kWorthATiming)) {
      const double seconds =
          took > patience + kLoading ? took : time(prepared, operands, workspace, took);
      if (seconds > patience)
        return {false, format("an execution of its check took {}", time_text(seconds)), true, false,
                seconds};
    }
  }
  if (!imprecision.empty()) return {true, imprecision, false, true};
  if (apart == Apart::unasked) return {true, ""};
  if (apart == Apart::padded && exactness == Exactness::transformed) return {true, ""};
  tune::Verdict verdict = check_padded_apart(prepared, workspace, constant_weights);
  if (!verdict.passed || apart == Apart::padded) return verdict;
  return check_other_apart(prepared, workspace, constant_weights);
}

std::string Gate::difference_before_set_weights(Prepared& prepared, void* workspace,
                                                Exactness exactness, Imprecise imprecise) {
  WatchedOutput& written = *state_->output;
  const Operands operands = begin(state_->integers.operands, prepared, workspace);
  prepared.execute(operands, workspace, site_.stream());
  if (const void* const own = prepared.result()) written.copy_from(own);
  site_.wait();
  const SampledReference& trusted = state_->integers.trusted(
      problem_, site_, exactness,
      imprecise == Imprecise::marked ? reference::Precision::reduced : precision_);
  std::string difference = trusted.check_values(written.values(trusted.offsets())).reason;
  if (const std::string trouble = written.trouble(); !trouble.empty()) difference = trouble;
  if (difference.empty()) return "";
  return format("with weights that are passed to the call: {}", difference);
}

tune::Verdict Gate::check_padded_apart(Prepared& prepared, void* workspace, bool constant_weights) {
  const Operands& operands = state_->integers.operands;
  const bool y_is_padded = problem_.direction == Direction::backward_data;
  if (state_->padded == nullptr)
    state_->padded = std::make_unique<Isolation>(problem_, site_, operands,
                                                 y_is_padded ? problem_.y : problem_.x,
                                                 y_is_padded ? operands.y : operands.x, seed_);
  return check_apart(prepared, workspace, constant_weights, *state_->padded);
}

tune::Verdict Gate::check_other_apart(Prepared& prepared, void* workspace, bool constant_weights) {
  const Operands& operands = state_->integers.operands;
  const bool y_is_other = problem_.direction == Direction::backward_weight;
  if (state_->other == nullptr)
    state_->other =
        std::make_unique<Isolation>(problem_, site_, operands, y_is_other ? problem_.y : problem_.w,
                                    y_is_other ? operands.y : operands.w, seed_);
  return check_apart(prepared, workspace, constant_weights, *state_->other);
}

}  // namespace atc::conv
