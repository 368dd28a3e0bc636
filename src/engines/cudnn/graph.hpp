// A problem as cuDNN's operation graph.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/cudnn/descriptor.hpp"

namespace atc::cudnn {

// The ids of a graph's tensors. A variant pack uses them to assign addresses.
enum UniqueId : std::int64_t { kX = 1, kW = 2, kY = 3, kBias = 4, kSum = 5, kBiased = 6 };

// A finalized graph and the descriptors that it refers to. Throws Error(unsupported) if cuDNN
// refuses the graph.
class Graph {
 public:
  Graph(Handle handle, const Problem& problem, std::size_t alignment);
  const Descriptor& operations() const { return graph_; }
  std::int64_t engines() const { return graph_.get_int64(Attribute::graph_engine_count); }

 private:
  std::vector<Descriptor> parts_;
  Descriptor graph_;
};

// Returns the reason why no graph can be made of the problem, or "".
std::string objection(const Problem& problem);

}  // namespace atc::cudnn
