#include "device/cuda/graph_use.hpp"

#include "device/cuda/driver.hpp"
#include "device/cuda/recorded_work.hpp"

namespace atc::cuda {

namespace {

std::atomic<std::uint64_t> ends{0};

void count_down(void* graphs) {
  static_cast<std::atomic<std::size_t>*>(graphs)->fetch_sub(1, std::memory_order_acq_rel);
  // Another thread may destroy the counter `graphs` as soon as it is 0. So the rest of this
  // function must not use `graphs`.
  ends.fetch_add(1, std::memory_order_release);
}

}  // namespace

std::optional<CapturedGraph> captured_graph(Stream stream) {
  const DriverApi& driver = require_driver();
  if (!driver.retains_for_graphs()) return std::nullopt;
  int status = kCaptureNone;
  CapturedGraph captured;
  const Result result = driver.capture_of(stream, &status, &captured.capture, &captured.graph);
  // The driver returns kCaptureImplicit if `stream` is the legacy stream and another stream is
  // captured. The legacy stream must not be used then. This is no error here, because the later
  // launch on `stream` fails with the same error.
  if (result == kCaptureImplicit) return std::nullopt;
  check(result, "cuStreamGetCaptureInfo");
  if (status != kCaptureActive) return std::nullopt;
  return captured;
}

void call_when_gone(Graph graph, void* object, void (*gone)(void*)) {
  const DriverApi& driver = require_driver();
  UserObject made = nullptr;
  const Result created = driver.user_object_create(&made, object, gone, 1, kNoDestructorSync);
  if (created != kSuccess) gone(object);
  check(created, "cuUserObjectCreate");
  const Result retained = driver.graph_retain(graph, made, 1, kMoveReferences);
  // The driver calls `gone` now or later.
  if (retained != kSuccess) driver.user_object_release(made, 1);
  check(retained, "cuGraphRetainUserObject");
}

void GraphUse::note(Stream stream) {
  if (!is_capturing(stream) || is_recording()) return;
  const std::optional<CapturedGraph> captured = captured_graph(stream);
  if (captured && captured->capture == last_capture_ && any()) return;
  // The graph is counted twice until the driver has promised to call count_down(), then once. If
  // the driver refuses, count_down() may still be called and lowers the count by one. The other
  // count then remains for ever. So any() never returns false for an object that a graph may use.
  graphs_.fetch_add(captured ? 2 : 1, std::memory_order_acq_rel);
  if (!captured) return;
  call_when_gone(captured->graph, &graphs_, count_down);
  graphs_.fetch_sub(1, std::memory_order_acq_rel);
  last_capture_ = captured->capture;
}

std::uint64_t ends_of_graph_use() { return ends.load(std::memory_order_acquire); }

}  // namespace atc::cuda
