#include "device/cuda/driver_api.hpp"

#include "device/cuda/symbols.hpp"

namespace atc::cuda {

std::string DriverApi::load_looking(void* library) {
  Symbols optional(library);
  optional("cuDeviceGetPCIBusId", device_pci_bus_id);
  return Symbols(library)("cuInit", init)("cuDriverGetVersion", driver_version)(
             "cuDeviceGetCount", device_count)("cuDeviceGet", device_get)(
             "cuDeviceGetName", device_name)("cuDeviceGetAttribute", device_attribute)(
             "cuDeviceTotalMem_v2", device_memory)
      .missing();
}

std::string DriverApi::load_using(void* library) {
  Symbols find(library);
  find("cuGetErrorName", error_name)("cuGetErrorString", error_string);
  find("cuCtxGetCurrent", context_current)("cuCtxPushCurrent_v2", context_push)(
      "cuCtxPopCurrent_v2", context_pop)("cuCtxGetDevice", context_device)(
      "cuCtxSynchronize", context_synchronize)("cuDevicePrimaryCtxRetain", primary_retain);
  find("cuModuleLoadData", module_load)("cuModuleGetFunction", module_function)("cuLaunchKernel",
                                                                                launch);
  find("cuMemAllocAsync", allocate_async)("cuMemFreeAsync", free_async)(
      "cuMemcpyHtoDAsync_v2", copy_to_device)("cuMemcpyDtoHAsync_v2", copy_to_host)(
      "cuMemcpyDtoDAsync_v2", copy_on_device)("cuMemsetD8Async", set_bytes)("cuMemsetD16Async",
                                                                            set_words);
  find("cuStreamCreate", stream_create)("cuStreamDestroy_v2", stream_destroy)(
      "cuStreamSynchronize", stream_synchronize)("cuStreamIsCapturing", stream_is_capturing)(
      "cuStreamWaitEvent", stream_wait_event)("cuThreadExchangeStreamCaptureMode",
                                              exchange_capture_mode);
  find("cuEventCreate", event_create)("cuEventDestroy_v2", event_destroy)(
      "cuEventRecord", event_record)("cuEventQuery", event_query)(
      "cuEventSynchronize", event_synchronize)("cuEventElapsedTime", event_milliseconds);
  Symbols optional(library);
  optional("cuMemGetInfo_v2", memory_info);
  optional("cuLibraryLoadData", library_load)("cuLibraryGetKernel", library_kernel)(
      "cuKernelGetFunction", kernel_function)("cuKernelSetAttribute", kernel_set_attribute);
  optional("cuStreamGetCaptureInfo_v3", capture_info)("cuStreamGetCaptureInfo_v2", capture_info_v2)(
      "cuUserObjectCreate", user_object_create)("cuUserObjectRelease", user_object_release)(
      "cuGraphRetainUserObject", graph_retain);
  optional("cuStreamBeginCapture_v2", begin_capture)("cuStreamEndCapture", end_capture)(
      "cuGraphGetNodes", graph_nodes)("cuGraphInstantiateWithFlags", graph_instantiate)(
      "cuGraphUpload", graph_upload)("cuGraphLaunch", graph_launch)(
      "cuGraphDestroy", graph_destroy)("cuGraphExecDestroy", executable_destroy);
  return find.missing();
}

Result DriverApi::capture_of(Stream stream, int* status, std::uint64_t* id, Graph* graph) const {
  return capture_info != nullptr
             ? capture_info(stream, status, id, graph, nullptr, nullptr, nullptr)
             : capture_info_v2(stream, status, id, graph, nullptr, nullptr);
}

}  // namespace atc::cuda
