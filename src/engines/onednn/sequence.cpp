#include "engines/onednn/sequence.hpp"

#include <algorithm>
#include <utility>

#include "core/format.hpp"
#include "engines/onednn/descriptors.hpp"

namespace atc::onednn {

namespace {

std::uint64_t round_up(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

Role output_role(Direction direction) {
  switch (direction) {
    case Direction::backward_data:
      return role_x;
    case Direction::backward_weight:
      return role_w;
    case Direction::forward:
      break;
  }
  return role_y;
}

}  // namespace

dnnl::primitive_attr reorder_attributes(bool sum) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (sum) {
    dnnl::post_ops post;
    post.append_sum(1.0f);
    attributes.set_post_ops(post);
  }
  return attributes;
}

Sequence::Sequence(const dnnl::engine& engine, const Problem& problem, Operation op)
    : operation(std::move(op)) {
  operands[role_x].operand = operation.x;
  operands[role_w].operand = operation.w;
  operands[role_y].operand = operation.y;
  operands[role_bias].operand = operation.bias;
  operands[role_residual].operand = operation.residual;
  const Role output = output_role(problem.direction);
  std::uint64_t scratch = operation.descriptor.scratchpad_desc().get_size();
  const auto reorder = [&](const dnnl::memory::desc& from, const dnnl::memory::desc& to, bool sum) {
    dnnl::reorder::primitive_desc descriptor(engine, from, engine, to, reorder_attributes(sum));
    scratch = std::max<std::uint64_t>(scratch, descriptor.scratchpad_desc().get_size());
    return descriptor;
  };
  for (int role = 0; role < kRoles; ++role) {
    ReorderedOperand& reordered = operands[role];
    reordered.present = reordered.operand.argument != 0;
    if (!reordered.present) continue;
    const auto& caller = reordered.operand.caller;
    const auto& seen = reordered.operand.seen;
    const bool adds_after = role == output && problem.accumulate && !operation.sums;
    if (caller == seen && !adds_after) continue;
    // An output must be copied to the operation's layout before the operation only if the operation
    // adds to its old values.
    if (role != output || (problem.accumulate && operation.sums))
      reordered.in = reorder(caller, seen, false);
    if (role == output) reordered.out = reorder(seen, caller, adds_after);
    reordered.offset = workspace;
    workspace += round_up(seen.get_size());
  }
  scratchpad = workspace;
  workspace += round_up(scratch);
  if (workspace != 0) workspace += kAlignment;
}

std::string Sequence::implementation_of_reorders() const {
  std::string names;
  for (const ReorderedOperand& reordered : operands)
    for (const auto* reorder : {&reordered.in, &reordered.out})
      if (reorder->has_value()) names += std::string((*reorder)->impl_info_str()) + " ";
  return names;
}

std::string Sequence::notes() const {
  const auto part = [&](const char* name, Role role) {
    const ReorderedOperand& reordered = operands[role];
    return format("{} {}{}", name, layout_text(reordered.operand.seen),
                  reordered.offset ? " (reordered)" : "");
  };
  return format("{}, {}, {}", part("x", role_x), part("w", role_w), part("y", role_y));
}

}  // namespace atc::onednn
