// Gives access to the CUDA driver: its functions, contexts and captures, and its errors as
// atc::Error.
#pragma once

#include <vector>

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

// Returns the functions of the driver. Throws Error(library) if there is no usable driver. Throws
// Error(device) in the child of a process that had opened CUDA.
const DriverApi& require_driver();

// Throws Error(out_of_memory) or Error(device) for every result except success. `what` is the name
// of the call that returned the result.
void check(Result result, const char* what);

// As long as an object of this class lives, a context of the device is the current context. If the
// current context belongs to the device, it remains current. Otherwise the device's primary context
// is made current, as the CUDA runtime does. Throws Error(invalid_argument) if this machine has no
// device of this index.
class ContextScope {
 public:
  explicit ContextScope(int device_index);
  explicit ContextScope(Context context);  // makes `context` the current context
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  Context context() const { return context_; }

 private:
  Context context_ = nullptr;
  bool pushed_ = false;
};

// Returns the primary contexts that atc has retained. They are valid until the process ends.
std::vector<Context> primary_contexts();

// While an object of this class exists, the calling thread may load modules and allocate memory
// even if another thread captures a stream. Without the object, the driver would refuse such calls
// during a capture.
class RelaxedCapture {
 public:
  RelaxedCapture();
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  int before_ = 0;
};

// Waits for all work of the device with this index. If `index` is -1, waits for the work of the
// current context, if there is one.
void synchronize_device(int index);

// Whether work that is put on this stream of the device now is recorded into a graph instead of
// run. The result is also true for the legacy stream while another stream is captured. Without CUDA
// the result is false.
bool is_captured(int device_index, Stream stream);
// Returns whether work that is put on `stream` now is recorded into a graph instead of run. The
// stream must belong to the current context.
bool is_capturing(Stream stream);

}  // namespace atc::cuda
