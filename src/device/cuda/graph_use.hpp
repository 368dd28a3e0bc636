// Keeps track of objects (such as plans and memory) that a CUDA graph of the caller still uses
// after the captured call has returned.
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

// Arranges one call of `gone(object)`. This call says that the graph no longer uses `object`. The
// driver makes the call when three conditions hold: the graph and all copies of the graph are
// destroyed, all executables that were made from them are destroyed, and no launch of these
// executables is running. Until the call, the owner of `object` must not destroy `object`.
//
// A thread of the driver makes the call, so `gone` must not call CUDA and should not block. If the
// driver refuses the arrangement, this function throws Error. Even then `gone(object)` is called
// exactly once: by this function before the Error is thrown, or later by the driver. So after the
// Error the caller must neither call `gone(object)` nor destroy `object` before the call.
void call_when_gone(Graph graph, void* object, void (*gone)(void*));

// Counts the CUDA graphs that use an object. While any() returns true, a graph uses the object, and
// the owner must not destroy the object.
class GraphUse {
 public:
  // The owner must call this function each time after it has put work that uses the object on
  // `stream`. If the stream is captured, the graph is counted as a user until the graph is
  // destroyed. If the driver cannot report when a graph is destroyed, the graph is counted for
  // ever. A RecordedWork (a graph of atc's own) is not counted.
  void note(Stream stream);
  bool any() const { return graphs_.load(std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::size_t> graphs_{0};
  std::uint64_t last_capture_ = 0;  // the number of the last capture whose graph was counted
};

// Returns how often a graph that used an object (GraphUse) has been destroyed so far, for all
// objects together. If the number has not changed since an earlier call, no object has become
// unused.
std::uint64_t ends_of_graph_use();

}  // namespace atc::cuda
