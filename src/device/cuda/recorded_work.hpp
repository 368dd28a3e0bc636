// Work of a stream, recorded as a graph. So its kernels can be counted, and it can be given to the
// device at once.
#pragma once

#include <cstddef>
#include <functional>

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

// A graph of the work that `give` puts on a stream of the current context. The object must not
// outlive the memory and the kernels that the work uses.
class RecordedWork {
 public:
  RecordedWork(Stream stream, const std::function<void()>& give);
  ~RecordedWork();
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;

  // Whether all of the work was recorded. Returns false if a part of it cannot be recorded, or if
  // the driver has no graphs.
  bool whole() const { return graph_ != nullptr; }
  std::size_t nodes() const;
  // Makes the graph ready to run. Returns false if the driver refuses.
  bool instantiate(Stream stream);
  void launch(Stream stream) const;

 private:
  Graph graph_ = nullptr;
  GraphExecutable executable_ = nullptr;
};

// Whether the calling thread is recording a RecordedWork now. Unlike a graph that the caller of atc
// captures, a RecordedWork lives no longer than the plans whose kernels it holds.
bool is_recording() noexcept;

}  // namespace atc::cuda
