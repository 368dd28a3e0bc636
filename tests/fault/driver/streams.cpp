// The functions for streams and events in the library that replaces CUDA's driver in tests. A
// stream does its work at once, and an event remembers the simulated time.
#include <mutex>
#include <set>

#include "fault/driver/driver.hpp"

using namespace atc::fault;

namespace {

struct Event {
  double moment = 0;
  bool recorded = false, with_time = true;
};

// The handles of the existing objects. If a function is called with another handle, a misuse is
// noted.
struct Known {
  std::mutex mutex;
  std::set<const void*> objects;
};

Known& known() {
  static auto* const known = new Known;
  return *known;
}

void add(const void* object) {
  const std::lock_guard lock(known().mutex);
  known().objects.insert(object);
}

bool take(const void* object) {
  const std::lock_guard lock(known().mutex);
  return known().objects.erase(object) == 1;
}

bool is_known(const void* object, const char* kind) {
  const std::lock_guard lock(known().mutex);
  if (known().objects.count(object) == 1) return true;
  machine().misused(std::string(kind) + " is used that was not created or is destroyed");
  return false;
}

// Returns whether the handle is a stream. The legacy stream (null) always exists.
bool is_stream(const void* stream) {
  return stream == nullptr || machine().script.streams.count(stream) == 1 ||
         is_known(stream, "a stream");
}

}  // namespace

EXPORT int cuStreamCreate(void** stream, unsigned) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  *stream = new char;
  add(*stream);
  machine().born("stream");
  return 0;
}

// The simulated device has the priorities 0 (lowest) to -5. atc makes a stream with a priority only
// for work beside the program, so the priority must be the lowest one.
EXPORT int cuCtxGetStreamPriorityRange(int* lowest, int* highest) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  *lowest = 0;
  *highest = -5;
  return 0;
}

EXPORT int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  if (const int status = entered(__func__)) return status;
  if (priority != 0) machine().misused("a stream has another priority than the lowest one");
  if (flags != 1) machine().misused("a stream waits for the legacy stream");
  if (!has_context()) return kInvalidContext;
  *stream = new char;
  add(*stream);
  machine().born("stream");
  return 0;
}

EXPORT int cuStreamDestroy_v2(void* stream) {
  if (!take(stream)) {
    machine().misused("a stream is destroyed that is none");
    return kInvalidHandle;
  }
  delete static_cast<char*>(stream);
  machine().gone("stream");
  return entered(__func__);
}

EXPORT int cuStreamSynchronize(void* stream) {
  if (const int status = entered(__func__)) return status;
  if (!is_stream(stream)) return kInvalidHandle;
  machine().wait_until(machine().device_time());
  return 0;
}

EXPORT int cuThreadExchangeStreamCaptureMode(int* mode) {
  // A call that restores the capture mode "global" takes effect even if the script makes it return
  // an error.
  const int status = entered(__func__);
  if (status != 0 && *mode != 0) return status;
  int& own = capture_mode();
  if (own == 0 && *mode != 0) machine().born("thread in another capture mode");
  if (own != 0 && *mode == 0) machine().gone("thread in another capture mode");
  std::swap(own, *mode);
  return status;
}

EXPORT int cuEventCreate(void** event, unsigned flags) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  constexpr unsigned kWithoutTime = 2;
  auto* const made = new Event;
  made->with_time = (flags & kWithoutTime) == 0;
  add(made);
  machine().born("event");
  *event = made;
  return 0;
}

EXPORT int cuEventDestroy_v2(void* event) {
  if (!take(event)) {
    machine().misused("an event is destroyed that is none");
    return kInvalidHandle;
  }
  delete static_cast<Event*>(event);
  machine().gone("event");
  return entered(__func__);
}

EXPORT int cuEventRecord(void* event, void* stream) {
  if (const int status = entered(__func__)) return status;
  if (!is_known(event, "an event") || !is_stream(stream)) return kInvalidHandle;
  *static_cast<Event*>(event) = {machine().device_time(), true,
                                 static_cast<Event*>(event)->with_time};
  return 0;
}

EXPORT int cuEventQuery(void* event) {
  if (const int status = entered(__func__)) return status;
  if (!is_known(event, "an event")) return kInvalidHandle;
  const Event& asked = *static_cast<Event*>(event);
  return asked.recorded && !machine().is_past(asked.moment) ? kNotReady : 0;
}

EXPORT int cuEventSynchronize(void* event) {
  if (const int status = entered(__func__)) return status;
  if (!is_known(event, "an event")) return kInvalidHandle;
  machine().wait_until(static_cast<Event*>(event)->moment);
  return 0;
}

EXPORT int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  if (const int status = entered(__func__)) return status;
  if (!is_known(from, "an event") || !is_known(to, "an event")) return kInvalidHandle;
  const Event &first = *static_cast<Event*>(from), &last = *static_cast<Event*>(to);
  if (!first.recorded || !last.recorded || !first.with_time || !last.with_time)
    return kInvalidHandle;
  *milliseconds = static_cast<float>((last.moment - first.moment) * 1e3);
  return 0;
}

EXPORT int cuStreamWaitEvent(void* stream, void* event, unsigned flags) {
  if (const int status = entered(__func__)) return status;
  if (!is_known(event, "an event") || !is_stream(stream)) return kInvalidHandle;
  return flags == 0 ? 0 : kInvalidValue;
}
