#include "device/cuda/driver.hpp"

#include <mutex>
#include <vector>

#include "core/error.hpp"
#include "device/cuda/driver_probe.hpp"

namespace atc::cuda {

namespace {

struct Retained {
  std::mutex mutex;
  // The retained context of each device, by index; null for devices that were not used.
  std::vector<Context> by_index;
};

Retained& retained() {
  static auto* const retained = new Retained;
  return *retained;
}

// Returns the primary context of a device. The context is retained once and never released: if atc
// released the context at exit, other libraries could lose a context that they still use.
Context primary_context(int index) {
  Retained& known = retained();
  const std::lock_guard lock(known.mutex);
  const auto at = static_cast<std::size_t>(index);
  if (known.by_index.size() <= at) known.by_index.resize(at + 1, nullptr);
  Context& context = known.by_index[at];
  if (context == nullptr) {
    const DriverApi& driver = require_driver();
    int device = 0;
    check(driver.device_get(&device, index), "cuDeviceGet");
    check(driver.primary_retain(&context, device), "cuDevicePrimaryCtxRetain");
  }
  return context;
}

}  // namespace

const DriverApi& require_driver() {
  require_own_driver("CUDA");
  const DriverProbe& probe = driver();
  if (probe.devices.empty()) fail(Status::library, "{}", probe.trouble);
  if (!probe.lacking.empty())
    fail(Status::library, "{} has no {}: the driver is {}.{}, atc needs one of CUDA {}.{} or newer",
         probe.file, probe.lacking, probe.version / 1000, probe.version % 1000 / 10,
         kOldestDriver / 1000, kOldestDriver % 1000 / 10);
  return probe.api;
}

void check(Result result, const char* what) {
  if (result == kSuccess) return;
  const DriverApi& driver = require_driver();
  const char *name = nullptr, *text = nullptr;
  driver.error_name(result, &name);
  driver.error_string(result, &text);
  if (result == kOutOfMemory) fail(Status::out_of_memory, "{}: no memory on the device", what);
  fail(Status::device,
       "{}: {} ({}); work given to the device earlier may have failed and be reported only now",
       what, name != nullptr ? name : "unknown error", text != nullptr ? text : "no text");
}

ContextScope::ContextScope(int index) {
  const DriverApi& driver = require_driver();
  const auto devices = static_cast<int>(cuda::driver().devices.size());
  if (index < 0 || index >= devices)
    fail(Status::invalid_argument, "cuda:{}: this machine has {} usable CUDA devices", index,
         devices);
  check(driver.context_current(&context_), "cuCtxGetCurrent");
  int device = 0, wanted = 0;
  check(driver.device_get(&wanted, index), "cuDeviceGet");
  if (context_ != nullptr && driver.context_device(&device) == kSuccess && device == wanted) return;
  context_ = primary_context(index);
  check(driver.context_push(context_), "cuCtxPushCurrent");
  pushed_ = true;
}

ContextScope::ContextScope(Context context) : context_(context) {
  check(require_driver().context_push(context_), "cuCtxPushCurrent");
  pushed_ = true;
}

ContextScope::~ContextScope() {
  if (!pushed_) return;
  Context ours = nullptr;
  driver().api.context_pop(&ours);
}

std::vector<Context> primary_contexts() {
  Retained& known = retained();
  const std::lock_guard lock(known.mutex);
  std::vector<Context> contexts;
  for (Context context : known.by_index)
    if (context != nullptr) contexts.push_back(context);
  return contexts;
}

RelaxedCapture::RelaxedCapture() : before_(kCaptureRelaxed) {
  check(require_driver().exchange_capture_mode(&before_), "cuThreadExchangeStreamCaptureMode");
}

RelaxedCapture::~RelaxedCapture() { driver().api.exchange_capture_mode(&before_); }

void synchronize_device(int index) {
  const DriverApi& driver = require_driver();
  if (index >= 0) {
    const ContextScope scope(index);
    check(driver.context_synchronize(), "cuCtxSynchronize");
    return;
  }
  Context current = nullptr;
  check(driver.context_current(&current), "cuCtxGetCurrent");
  if (current != nullptr) check(driver.context_synchronize(), "cuCtxSynchronize");
}

bool is_captured(int device_index, Stream stream) {
  const ContextScope scope(device_index);
  return is_capturing(stream);
}

bool is_capturing(Stream stream) {
  int status = kCaptureNone;
  const Result result = require_driver().stream_is_capturing(stream, &status);
  // The driver returns kCaptureImplicit if `stream` is the legacy stream and another stream is
  // captured. In this case the legacy stream counts as captured.
  if (result == kCaptureImplicit) return true;
  check(result, "cuStreamIsCapturing");
  return status != kCaptureNone;
}

}  // namespace atc::cuda
