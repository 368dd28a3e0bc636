#include "conv/run/sample.hpp"

#include <memory>

#include "conv/race/site.hpp"
#include "core/allocator.hpp"
#include "core/error.hpp"
#include "core/random.hpp"

namespace atc::conv {

namespace {

std::vector<std::int64_t> spread(const Tensor& tensor, std::size_t count) {
  const auto elements = static_cast<std::uint64_t>(tensor.elements());
  std::vector<std::int64_t> offsets;
  offsets.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    // The number of the sampled element is i * elements / count. It is computed so that no product
    // exceeds 64 bits.
    const std::uint64_t number = elements / count * i + elements % count * i / count;
    offsets.push_back(tensor.offset_of(tensor.index_of(static_cast<std::int64_t>(number))));
  }
  return offsets;
}

}  // namespace

std::vector<double> sample(Plan& plan, std::uint64_t seed, std::size_t count) {
  const Problem& problem = plan.problem();
  const Tensor& output = problem.output();
  if (output.elements() == 0)
    fail(Status::invalid_argument, "the output of {} has no elements", describe(problem));
  if (count == 0) return {};
  if (count > static_cast<std::uint64_t>(output.elements()))
    fail(Status::invalid_argument, "count is {}, the output of {} has {} elements: ask for no more",
         count, describe(problem), output.elements());
  const AllocatorScope scope(plan.allocator());
  const std::unique_ptr<Site> site = make_site(plan.device(), nullptr);
  std::vector<Allocation> memory;
  std::uint64_t number = 0;
  const auto filled = [&](const Tensor& tensor) {
    memory.emplace_back(tensor.span_bytes(), site->id(), site->stream());
    void* const data = memory.back().data();
    // also gives values to the gaps between the elements of strided tensors
    site->set(data, 0, tensor.span_bytes());
    site->fill(tensor, data, Filling::normal, mix(seed, number++));
    return data;
  };
  Operands operands;
  operands.x = filled(problem.x);
  operands.w = filled(problem.w);
  operands.y = filled(problem.y);
  if (problem.epilogue != Epilogue::none) operands.bias = filled(problem.bias());
  if (problem.post_ops.scale) operands.scale = filled(problem.scale());
  if (problem.post_ops.residual) operands.residual = filled(problem.residual());
  const std::unique_ptr<WatchedOutput> result = site->make_output(output);
  if (problem.accumulate) result->copy_from(output_of(problem, operands));
  output_of(problem, operands) = result->data();
  plan.execute(operands, nullptr, site->stream());
  return result->values(spread(output, count));
}

}  // namespace atc::conv
