// The functions of the library that replaces cuDNN in tests: those that return its version and its
// errors, and those that make handles.
#include <cstdio>

#include "fault/cudnn/cudnn.hpp"
#include "fault/cudnn/execute.hpp"

using namespace atc::fault;

namespace {

thread_local std::string last_error;

}  // namespace

Status atc::fault::refuse(Status status, const std::string& why) {
  last_error = why;
  return status;
}

Status atc::fault::entered(const std::string& name) {
  const Status status = machine().entered(Part::cudnn, name);
  return status == 0 ? 0 : refuse(status, "the stand-in was told to fail");
}

EXPORT std::size_t cudnnGetVersion() { return machine().script.cudnn_version; }

EXPORT const char* cudnnGetErrorString(Status status) {
  switch (status) {
    case 1002:
      return "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH";
    case 1008:
      return "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED";
    case 2000:
      return "CUDNN_STATUS_BAD_PARAM";
    case 3000:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case 4000:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case 4003:
      return "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED";
    case 4004:
      return "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED";
    case 5000:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_STATUS_OF_THE_STAND_IN";
  }
}

EXPORT void cudnnGetLastErrorString(char* text, std::size_t room) {
  std::snprintf(text, room, "%s", last_error.c_str());
}

EXPORT Status cudnnCreate(void** handle) {
  if (const Status status = entered(__func__)) return status;
  *handle = new Handle;
  machine().born("cuDNN handle");
  return 0;
}

EXPORT Status cudnnSetStream(void* handle, void* stream) {
  if (const Status status = entered(__func__)) return status;
  if (handle == nullptr) return kBadParameter;
  static_cast<Handle*>(handle)->stream = stream;
  return 0;
}
