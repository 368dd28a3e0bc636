#include "engines/rewrite/moving_rewrite.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/rewrite/move/mover.hpp"
#include "engines/rewrite/prepared.hpp"

namespace atc::rewrite {

std::vector<Rewriting> MovingRewrite::rewritings(const Problem& problem, const Limits& limits,
                                                 std::string& why_not) const {
  if (const char* const why = moving_objection(limits.device.type); *why != '\0') {
    why_not = why;
    return {};
  }
  if (problem.x.elements() == 0 || problem.w.elements() == 0 || problem.y.elements() == 0) {
    why_not = "a tensor is empty";
    return {};
  }
  std::vector<Rewriting> rewritings;
  for (Passage& passage : passages(problem, limits, why_not)) {
    const std::uint64_t workspace = passage.workspace();
    if (workspace > limits.workspace) {
      why_not = format("the rewrite's buffers take {} bytes of workspace, {} are allowed",
                       workspace, limits.workspace);
      continue;
    }
    Rewriting rewriting;
    rewriting.configuration = std::move(passage.configuration);
    rewriting.notes = std::move(passage.notes);
    rewriting.workspace = workspace;
    rewriting.alignment = passage.passes_all() ? limits.alignment
                          : passage.passes_any()
                              ? std::min<std::size_t>(limits.alignment, kIntermediateAlignment)
                              : kIntermediateAlignment;
    rewriting.problem = passage.problem;
    rewritings.push_back(std::move(rewriting));
  }
  return rewritings;
}

std::unique_ptr<Prepared> MovingRewrite::prepare(const Problem& problem, const Limits& limits,
                                                 const Rewriting& rewriting,
                                                 std::unique_ptr<Prepared> rest) const {
  std::string why_not;
  for (const Passage& passage : passages(problem, limits, why_not))
    if (passage.configuration == rewriting.configuration)
      return rewrite::prepare(problem, limits, passage, std::move(rest));
  fail(Status::unsupported, "rewrite '{}' has no way '{}' for this problem{}{}", name(),
       rewriting.configuration, why_not.empty() ? "" : ": ", why_not);
}

bool has_tensor_cores(const Problem& problem, const Limits& limits) {
  return limits.allow_tf32 || problem.x.dtype != Dtype::f32 || problem.w.dtype != Dtype::f32 ||
         problem.y.dtype != Dtype::f32;
}

bool is_pointwise(const Problem& problem) {
  for (int dim = 0; dim < problem.spatial; ++dim)
    if (problem.kernel(dim) != 1) return false;
  return true;
}

bool has_padding(const Problem& problem) {
  for (int dim = 0; dim < problem.spatial; ++dim) {
    const std::int64_t last = (problem.out(dim) - 1) * problem.stride[dim] +
                              (problem.kernel(dim) - 1) * problem.dilation[dim];
    if (problem.pad_low[dim] != 0 || last >= problem.in(dim)) return true;
  }
  return false;
}

}  // namespace atc::rewrite
