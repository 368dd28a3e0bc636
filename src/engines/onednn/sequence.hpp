// An operation with the reorders around it and the workspace that they share. Making a sequence
// executes nothing and generates no code. So an offer can name the exact size of its workspace.
#pragma once

#include <array>
#include <cstdint>
#include <dnnl.hpp>
#include <optional>
#include <string>

#include "core/problem.hpp"
#include "engines/onednn/operation.hpp"

namespace atc::onednn {

constexpr std::uint64_t kAlignment = 64;  // bytes; every part of the workspace is aligned to this

enum Role { role_x, role_w, role_y, role_bias, kRoles };

struct ReorderedOperand {
  Operation::Operand operand;
  bool present = false;
  std::optional<dnnl::reorder::primitive_desc> in,
      out;  // before the primitive: from the caller's memory to that of the primitive; after it:
            // the other way round
  std::optional<std::uint64_t>
      offset;  // offset of the copy in the workspace; none: the caller's memory is used directly
};

struct Sequence {
  // Throws dnnl::error if oneDNN has no reorder.
  Sequence(const dnnl::engine& engine, const Problem& problem, Operation operation);

  Operation operation;
  std::array<ReorderedOperand, kRoles> operands;
  std::uint64_t scratchpad = 0;  // offset of the scratchpad in the workspace; one step at a time
                                 // uses it
  std::uint64_t workspace = 0;   // bytes of workspace, with the bytes that aligning any address
                                 // takes

  std::string implementation_of_reorders() const;  // names, separated by blanks
  std::string notes() const;                       // for people
};

dnnl::primitive_attr reorder_attributes(bool sum);

}  // namespace atc::onednn
