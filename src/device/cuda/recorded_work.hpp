// Records the work of a stream as a CUDA graph. With the graph, the kernels of the work can be
// counted, and the whole work can be launched at once.
#pragma once

#include <cstddef>
#include <functional>

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

// A graph of the work that `give` puts on a stream of the current context. The object must be
// destroyed before the memory and the kernels that the recorded work uses.
class RecordedWork {
 public:
  RecordedWork(Stream stream, const std::function<void()>& give);
  ~RecordedWork();
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;

  // Whether the graph contains all of the work. Returns false if a part of the work cannot be
  // recorded, or if the driver has no functions for graphs.
  bool whole() const { return graph_ != nullptr; }
  std::size_t nodes() const;
  // Makes the graph ready to be launched. Returns false if the driver reports an error.
  bool instantiate(Stream stream);
  void launch(Stream stream) const;

 private:
  Graph graph_ = nullptr;
  GraphExecutable executable_ = nullptr;
};

// Whether the calling thread is recording a RecordedWork now. Such a graph differs from a graph
// that the caller of atc captures: atc destroys it before the plans whose kernels it contains.
bool is_recording() noexcept;

}  // namespace atc::cuda
