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
      "cuThreadExchangeStreamCaptureMode", exchange_capture_mode);
  find("cuEventCreate", event_create)("cuEventDestroy_v2", event_destroy)(
      "cuEventRecord", event_record)("cuEventQuery", event_query)(
      "cuEventSynchronize", event_synchronize)("cuEventElapsedTime", event_milliseconds);
  Symbols own_kernels(library);
  own_kernels("cuLibraryLoadData", library_load)("cuLibraryGetKernel", library_kernel)(
      "cuKernelGetFunction", kernel_function)("cuKernelSetAttribute", kernel_set_attribute);
  return find.missing();
}

}  // namespace atc::cuda
