// Objects that a caller's CUDA graph uses after the captured call has returned.
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

// Returns the capture into which work on `stream` is recorded now. Returns nullopt if there is
// none, for the legacy stream while another stream is captured, and if the driver cannot report the
// end of a graph. Throws Error(device).
std::optional<CapturedGraph> captured_graph(Stream stream);

// Arranges that `gone(object)` is called once the graph, its copies and all its executables are
// destroyed and have run. It is called on a thread of the driver, so it must not call CUDA and
// should not block. If this function throws Error, `gone` has been called or will certainly be
// called.
void call_when_gone(Graph graph, void* object, void (*gone)(void*));

// Counts the graphs that use an object. The object must live until no graph uses it.
class GraphUse {
 public:
  // Must be called after work that uses the object was put on `stream`. If the stream is being
  // captured, the graph counts as a user until it is destroyed, or for ever if the driver does not
  // report its end. A RecordedWork does not count.
  void note(Stream stream);
  bool any() const { return graphs_.load(std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::size_t> graphs_{0};
  std::uint64_t last_capture_ = 0;  // which counts already
};

// Returns how many ends of graphs have been counted so far, over all objects.
std::uint64_t ends_of_graph_use();

}  // namespace atc::cuda
