// A sequence consists of copies of operands to other layouts (reorders), an operation of oneDNN,
// and reorders of the result. All share one workspace. The construction of a sequence executes
// nothing and generates no code. So a sequence is constructed even for each offered configuration,
// to find the exact size of the workspace.
#pragma once

#include <array>
#include <cstdint>
#include <dnnl.hpp>
#include <optional>
#include <string>

#include "core/problem.hpp"
#include "engines/onednn/operation.hpp"

namespace atc::onednn {

constexpr std::uint64_t kAlignment = 64;  // the alignment of each part of the workspace in bytes

enum Role { role_x, role_w, role_y, role_bias, role_residual, kRoles };

struct ReorderedOperand {
  Operation::Operand operand;
  bool present = false;
  // Reorders of the operand. `in` copies from the caller's memory to the memory of the primitive,
  // before the primitive runs. `out` copies in the other direction, after the primitive has run.
  std::optional<dnnl::reorder::primitive_desc> in, out;
  // The offset in bytes of the operand's copy in the workspace. Empty: the primitive uses the
  // caller's memory.
  std::optional<std::uint64_t> offset;
};

struct Sequence {
  // Throws dnnl::error if oneDNN has no reorder for an operand.
  Sequence(const dnnl::engine& engine, const Problem& problem, Operation operation);

  Operation operation;
  std::array<ReorderedOperand, kRoles> operands;
  // The offset in bytes of the scratchpad in the workspace. The primitives of the sequence use the
  // same scratchpad, one after the other.
  std::uint64_t scratchpad = 0;
  // The number of bytes of the workspace. It includes some bytes so that the sequence can align the
  // beginning of the workspace itself.
  std::uint64_t workspace = 0;

  // OneDNN's names of the implementations of the reorders, separated by blanks.
  std::string implementation_of_reorders() const;
  std::string notes() const;  // returns a description of the sequence for people
};

dnnl::primitive_attr reorder_attributes(bool sum);

}  // namespace atc::onednn
