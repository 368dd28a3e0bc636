// Converts a problem to cuDNN's operation graph.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/cudnn/descriptor.hpp"

namespace atc::cudnn {

// The ids of the tensors of a graph. For an execution, cuDNN gets the address of each tensor
// together with its id (in a "variant pack"). Intermediate results have the ids from kFirstBetween
// on, and no address.
enum UniqueId : std::int64_t { kX = 1, kW, kY, kBias, kScale, kResidual, kFirstBetween };

// A graph of cuDNN, ready for use, and the descriptors to which it refers. The constructor throws
// Error(unsupported) if cuDNN refuses the graph.
class Graph {
 public:
  Graph(Handle handle, const Problem& problem, std::size_t alignment);
  const Descriptor& operations() const { return graph_; }
  std::int64_t engines() const { return graph_.get_int64(Attribute::graph_engine_count); }

 private:
  std::vector<Descriptor> parts_;
  Descriptor graph_;
};

// Returns why the problem cannot be converted to a graph. Returns "" if the problem can be
// converted.
std::string objection(const Problem& problem);

// Returns whether cuDNN has operations for the problem's post-ops.
bool has_operations_for(const PostOps& post_ops);

}  // namespace atc::cudnn
