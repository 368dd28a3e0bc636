// Calling the driver: contexts, captures, and results turned into atc::Error.
#pragma once

#include <vector>

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

// Throws Error(library) if there is no driver that can be used, and Error(device) in a child of a
// process that had opened CUDA.
const DriverApi& require_driver();

// Throws Error(out_of_memory) or Error(device) for every result but success. `what`: the name of
// the call.
void check(Result result, const char* what);

// Makes a context of the device current for a scope: the caller's current context if it belongs to
// that device, otherwise the device's primary context, as the CUDA runtime does. Throws
// Error(invalid_argument) for an index that this machine does not have.
class ContextScope {
 public:
  explicit ContextScope(int device_index);
  explicit ContextScope(Context context);  // makes this one current
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  Context context() const { return context_; }

 private:
  Context context_ = nullptr;
  bool pushed_ = false;
};

// The contexts that atc has retained. They exist as long as the process.
std::vector<Context> primary_contexts();

// During its lifetime the calling thread may load modules and allocate memory. Otherwise a stream
// capture elsewhere in the process would forbid this.
class RelaxedCapture {
 public:
  RelaxedCapture();
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  int before_ = 0;
};

// Waits for all work of a device. If `device` is -1, waits for the work of the current context, if
// there is one.
void synchronize_device(int index);

// Whether work that is given to this stream of the device now is recorded instead of run. This is
// also so for the legacy stream while another stream is captured. Without CUDA the answer is false.
bool is_captured(int device_index, Stream stream);
// The same in the current context.
bool is_capturing(Stream stream);

}  // namespace atc::cuda
