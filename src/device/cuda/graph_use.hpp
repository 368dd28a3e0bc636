// Objects that the caller's CUDA graphs use after a captured call has returned.
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

// The capture into which work on `stream` is recorded now. nullopt outside of captures, for the
// legacy stream while another stream is captured, and if the driver cannot report the end of a
// graph. Throws Error(device).
std::optional<CapturedGraph> captured_graph(Stream stream);

// Has `gone(object)` called once the graph, its copies and all its executables are destroyed and
// have run. It is called on a thread of the driver, so it must not call CUDA and should not block.
// If this function throws Error, `gone` has been called or will certainly be called.
void call_when_gone(Graph graph, void* object, void (*gone)(void*));

// Counts the graphs that use an object. The object must live until no graph uses it.
class GraphUse {
 public:
  // Call it after work that uses the object was given to `stream`. If the stream is being captured,
  // the graph counts until it is destroyed, or for good if the driver does not report that. A
  // RecordedWork does not count.
  void note(Stream stream);
  bool any() const { return graphs_.load(std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::size_t> graphs_{0};
  std::uint64_t last_capture_ = 0;  // which counts already
};

// The number of ends of graphs that have been counted so far, for all objects.
std::uint64_t ends_of_graph_use();

}  // namespace atc::cuda
