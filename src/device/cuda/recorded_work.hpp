// Work of a stream recorded as a graph, to be counted and to be run at once.
#pragma once

#include <cstddef>
#include <functional>

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

// A graph of what `give` puts on a stream of the current context. It must not outlive what the
// recorded work uses.
class RecordedWork {
 public:
  RecordedWork(Stream stream, const std::function<void()>& give);
  ~RecordedWork();
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;

  // Whether all of it was recorded: false where some of it cannot be, and where the driver has no
  // graphs.
  bool whole() const { return graph_ != nullptr; }
  std::size_t nodes() const;
  // Makes it ready to run; false where the driver refuses.
  bool instantiate(Stream stream);
  void launch(Stream stream) const;

 private:
  Graph graph_ = nullptr;
  GraphExecutable executable_ = nullptr;
};

// Whether what the calling thread captures now is a RecordedWork, which lives no longer than the
// plans whose kernels it holds.
bool is_recording() noexcept;

}  // namespace atc::cuda
