// Keeps track of objects that a caller's CUDA graph still uses after the captured call has
// returned.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

struct CapturedGraph {
  std::uint64_t capture = 0;  // the number that the driver gives to the capture
  Graph graph = nullptr;
};

// Returns the capture into which work on `stream` is recorded now. Returns nullopt if the stream is
// not captured, if it is the legacy stream and another stream is captured, or if the driver cannot
// report when a graph is destroyed. Throws Error(device).
std::optional<CapturedGraph> captured_graph(Stream stream);

// Arranges that `gone(object)` is called as soon as the graph, its copies and all its executables
// are destroyed and have run. A thread of the driver makes this call, so `gone` must not call CUDA
// and should not block. If this function throws Error, `gone` has been called or will certainly be
// called.
void call_when_gone(Graph graph, void* object, void (*gone)(void*));

// Counts the CUDA graphs that use an object. While any() returns true, a graph uses the object, and
// the owner must not destroy the object.
class GraphUse {
 public:
  // Must be called each time after work that uses the object was put on `stream`. If the stream is
  // captured, the graph is counted as a user until the graph is destroyed. If the driver cannot
  // report this, the graph is counted for ever. A RecordedWork (a graph of atc's own) is not
  // counted.
  void note(Stream stream);
  bool any() const { return graphs_.load(std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::size_t> graphs_{0};
  std::uint64_t last_capture_ = 0;  // the number of the last capture that was counted
};

// Returns how many uses of objects by graphs have ended so far, because the graph was destroyed.
// The uses of all objects are counted together.
std::uint64_t ends_of_graph_use();

}  // namespace atc::cuda
