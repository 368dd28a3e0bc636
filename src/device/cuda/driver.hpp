// Access to the driver: contexts, captures, and results turned into atc::Error.
#pragma once

#include <vector>

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

// Throws Error(library) if there is no driver that can be used, and Error(device) in a child of a
// process that had opened CUDA.
const DriverApi& require_driver();

// Throws Error(out_of_memory) or Error(device) for every result except success. `what` is the name
// of the call.
void check(Result result, const char* what);

// Makes a context of the device current for a scope. It is the caller's current context if that
// belongs to the device; otherwise it is the device's primary context, as in the CUDA runtime.
// Throws Error(invalid_argument) for an index that this machine does not have.
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

// While an object lives, the calling thread may load modules and allocate memory even if another
// thread captures a stream, which would otherwise forbid it.
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

// Whether work that is put on this stream of the device now is recorded and not run. The legacy
// stream also counts as recording while another stream is captured. Without CUDA the answer is
// false.
bool is_captured(int device_index, Stream stream);
// Like the function above, for a stream of the current context.
bool is_capturing(Stream stream);

}  // namespace atc::cuda
