// What the caller's CUDA graphs go on using after a captured call has returned.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

struct CapturedGraph {
  std::uint64_t capture = 0;  // its number
  Graph graph = nullptr;
};

// What work given to `stream` is captured into. nullopt outside of captures, for the legacy stream
// while another stream is captured, and where the driver cannot report the end of a graph. Throws
// Error(device).
std::optional<CapturedGraph> captured_graph(Stream stream);

// Has `gone(object)` called once the graph, its copies and all its executables are destroyed and
// have run, on a thread of the driver's: it must not call CUDA and should not block. Throws Error,
// after a call of `gone` or before one that is sure to come.
void call_when_gone(Graph graph, void* object, void (*gone)(void*));

// Counts the graphs that use an object. The object has to stay until none does.
class GraphUse {
 public:
  // After work that uses the object was given to `stream`: if that is captured, the graph counts
  // until it is gone, or for good where the driver does not report that. A RecordedWork does not
  // count.
  void note(Stream stream);
  bool any() const { return graphs_.load(std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::size_t> graphs_{0};
  std::uint64_t last_capture_ = 0;  // which counts already
};

// How many times the end of a graph has been counted so far, of all objects.
std::uint64_t ends_of_graph_use();

}  // namespace atc::cuda
