#include "device/cuda/recorded_work.hpp"

#include <exception>

#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"

namespace atc::cuda {

namespace {

thread_local bool recording = false;

}  // namespace

bool is_recording() noexcept { return recording; }

RecordedWork::RecordedWork(Stream stream, const std::function<void()>& give) {
  const DriverApi& driver = require_driver();
  if (!driver.records()) return;
  const RelaxedCapture relaxed;
  if (driver.begin_capture(stream, kCaptureRelaxed) != kSuccess) return;
  recording = true;
  bool given = true;
  try {
    give();
  } catch (const std::exception&) {
    // An error while the work is recorded is ignored here. If the work also fails when it is run
    // without a recording, that error is reported.
    given = false;
  }
  recording = false;
  // A capture must be ended even if it has become invalid. In this case the driver returns an error
  // and no graph.
  if (driver.end_capture(stream, &graph_) != kSuccess) graph_ = nullptr;
  if (given || graph_ == nullptr) return;
  driver.graph_destroy(graph_);
  graph_ = nullptr;
}

RecordedWork::~RecordedWork() {
  const DriverApi& api = driver().api;
  if (executable_ != nullptr) api.executable_destroy(executable_);
  if (graph_ != nullptr) api.graph_destroy(graph_);
}

std::size_t RecordedWork::nodes() const {
  std::size_t count = 0;
  return require_driver().graph_nodes(graph_, nullptr, &count) == kSuccess ? count : 0;
}

bool RecordedWork::instantiate(Stream stream) {
  const DriverApi& driver = require_driver();
  const RelaxedCapture relaxed;
  if (driver.graph_instantiate(&executable_, graph_, 0) != kSuccess) {
    executable_ = nullptr;
    return false;
  }
  return driver.graph_upload(executable_, stream) == kSuccess;
}

void RecordedWork::launch(Stream stream) const {
  check(require_driver().graph_launch(executable_, stream), "cuGraphLaunch");
}

}  // namespace atc::cuda
