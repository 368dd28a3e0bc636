// The functions for stream captures and user objects in the library that replaces CUDA's driver in
// tests. This library does the work at once even if the stream is captured.
#include <cstdint>

#include "fault/driver/driver.hpp"

using namespace atc::fault;

namespace {

constexpr unsigned kOnlyFlag = 1;  // the only flag that the functions for user objects accept

// Returns a pointer to the number of the stream's capture, or null. The pointer is valid as long as
// no capture begins or ends.
const std::uint64_t* capture_of(const void* stream) {
  const auto& captures = machine().script.captures;
  const auto known = captures.find(stream);
  return known == captures.end() ? nullptr : &known->second;
}

int tell_capture(const void* stream, int* status, std::uint64_t* id, void** graph) {
  const std::uint64_t* const capture = capture_of(stream);
  *status = capture != nullptr ? 1 : 0;
  if (capture == nullptr) return 0;
  *id = *capture;
  *graph = reinterpret_cast<void*>(*capture);
  return 0;
}

}  // namespace

void atc::fault::note_if_captured(const void* stream) {
  if (const std::uint64_t* const capture = capture_of(stream))
    machine().graphs.add_allocation(*capture);
}

EXPORT int cuStreamIsCapturing(void* stream, int* status) {
  if (const int failed = entered(__func__)) return failed;
  *status = capture_of(stream) != nullptr || machine().graphs.is_recorded(stream) ? 1 : 0;
  return 0;
}

EXPORT int cuStreamGetCaptureInfo_v2(void* stream, int* status, std::uint64_t* id, void** graph,
                                     const void**, std::size_t*) {
  if (const int failed = entered(__func__)) return failed;
  return tell_capture(stream, status, id, graph);
}

EXPORT int cuStreamGetCaptureInfo_v3(void* stream, int* status, std::uint64_t* id, void** graph,
                                     const void**, const void**, std::size_t*) {
  if (const int failed = entered(__func__)) return failed;
  return tell_capture(stream, status, id, graph);
}

EXPORT int cuUserObjectCreate(void** object, void* data, void (*destroy)(void*), unsigned count,
                              unsigned flags) {
  if (const int status = entered(__func__)) return status;
  if (destroy == nullptr || count != 1 || flags != kOnlyFlag) return kInvalidValue;
  *object = machine().graphs.create(data, destroy);
  return 0;
}

EXPORT int cuUserObjectRelease(void* object, unsigned count) {
  if (count != 1) return kInvalidValue;
  machine().graphs.release(static_cast<UserObject*>(object));
  return entered(__func__);
}

EXPORT int cuGraphRetainUserObject(void* graph, void* object, unsigned count, unsigned flags) {
  if (const int status = entered(__func__)) return status;
  if (graph == nullptr || count != 1 || flags != kOnlyFlag) return kInvalidValue;
  machine().graphs.move_to(reinterpret_cast<std::uintptr_t>(graph),
                           static_cast<UserObject*>(object));
  return 0;
}
