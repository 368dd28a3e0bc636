// The functions of the CUDA driver that atc uses. They are looked up by name, so atc links no
// library of CUDA and needs no header of CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/device_type.hpp"

struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUgraph_st;
struct CUkern_st;
struct CUlib_st;
struct CUmod_st;
struct CUuserObject_st;

namespace atc::cuda {

using Result = int;  // CUresult
constexpr Result kSuccess = 0, kOutOfMemory = 2, kNotReady = 600, kCaptureImplicit = 906;

using Address = unsigned long long;  // CUdeviceptr
using Context = CUctx_st*;
using Event = CUevent_st*;
using Function = CUfunc_st*;
using Graph = CUgraph_st*;
using GraphNode = CUgraphNode_st*;
using GraphExecutable = CUgraphExec_st*;
using Module = CUmod_st*;
using UserObject = CUuserObject_st*;
using Library = CUlib_st*;
using LibraryKernel = CUkern_st*;

// CUdevice_attribute
constexpr int kMultiprocessorCount = 16, kL2CacheSize = 38, kComputeMajor = 75, kComputeMinor = 76;
constexpr int kMostBlockShared = 97;
constexpr unsigned kStreamNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
constexpr unsigned kEventDefault = 0;        // CU_EVENT_DEFAULT
constexpr unsigned kEventWithoutTiming = 2;  // CU_EVENT_DISABLE_TIMING
constexpr int kCaptureNone = 0;              // CU_STREAM_CAPTURE_STATUS_NONE
constexpr int kCaptureActive = 1;            // CU_STREAM_CAPTURE_STATUS_ACTIVE
constexpr int kCaptureRelaxed = 2;           // CU_STREAM_CAPTURE_MODE_RELAXED
constexpr unsigned kNoDestructorSync = 1;    // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
constexpr unsigned kMoveReferences = 1;      // CU_GRAPH_USER_OBJECT_MOVE

// The version of the oldest driver that has all functions that atc needs (12000 is CUDA 12.0).
constexpr int kOldestDriver = 12000;

struct DriverApi {
  // The functions from here to device_memory are needed to list devices.
  Result (*init)(unsigned) = nullptr;
  Result (*driver_version)(int*) = nullptr;
  Result (*device_count)(int*) = nullptr;
  Result (*device_get)(int*, int) = nullptr;
  Result (*device_name)(char*, int, int) = nullptr;
  Result (*device_attribute)(int*, int, int) = nullptr;
  Result (*device_memory)(std::size_t*, int) = nullptr;
  // This pointer is null if the driver does not have the function. atc works without it, but then
  // does not know the PCI address of a device.
  Result (*device_pci_bus_id)(char*, int, int) = nullptr;
  // The functions from here to event_milliseconds are needed to use a device.
  Result (*error_name)(Result, const char**) = nullptr;
  Result (*error_string)(Result, const char**) = nullptr;
  Result (*context_current)(Context*) = nullptr;
  Result (*context_push)(Context) = nullptr;
  Result (*context_pop)(Context*) = nullptr;
  Result (*context_device)(int*) = nullptr;
  Result (*context_synchronize)() = nullptr;
  Result (*primary_retain)(Context*, int) = nullptr;
  Result (*module_load)(Module*, const void*) = nullptr;
  Result (*module_function)(Function*, Module, const char*) = nullptr;
  Result (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Stream, void**, void**) = nullptr;
  Result (*allocate_async)(Address*, std::size_t, Stream) = nullptr;
  Result (*free_async)(Address, Stream) = nullptr;
  Result (*copy_to_device)(Address, const void*, std::size_t, Stream) = nullptr;
  Result (*copy_to_host)(void*, Address, std::size_t, Stream) = nullptr;
  Result (*copy_on_device)(Address, Address, std::size_t, Stream) = nullptr;
  Result (*set_bytes)(Address, unsigned char, std::size_t, Stream) = nullptr;
  Result (*set_words)(Address, unsigned short, std::size_t, Stream) = nullptr;
  Result (*stream_create)(Stream*, unsigned) = nullptr;
  Result (*stream_destroy)(Stream) = nullptr;
  Result (*stream_synchronize)(Stream) = nullptr;
  Result (*stream_is_capturing)(Stream, int*) = nullptr;
  Result (*stream_wait_event)(Stream, Event, unsigned flags) = nullptr;
  Result (*exchange_capture_mode)(int*) = nullptr;
  Result (*event_create)(Event*, unsigned) = nullptr;
  Result (*event_destroy)(Event) = nullptr;
  Result (*event_record)(Event, Stream) = nullptr;
  Result (*event_query)(Event) = nullptr;
  Result (*event_synchronize)(Event) = nullptr;
  Result (*event_milliseconds)(float*, Event, Event) = nullptr;

  // This function is needed only to limit the memory that atc uses while it measures candidates.
  // The pointer is null if the driver does not have the function.
  Result (*memory_info)(std::size_t* free, std::size_t* total) = nullptr;

  // The functions from here to encode_tensor_map are needed only for atc's own kernels. A pointer
  // is null if the driver does not have the function.
  Result (*library_load)(Library*, const void*, int*, void**, unsigned, int*, void**,
                         unsigned) = nullptr;
  Result (*library_kernel)(LibraryKernel*, Library, const char*) = nullptr;
  Result (*kernel_function)(Function*, LibraryKernel) = nullptr;
  Result (*kernel_set_attribute)(int, int, LibraryKernel, int) = nullptr;
  Result (*encode_tensor_map)(void* map, int type, std::uint32_t rank, void* address,
                              const std::uint64_t* extents, const std::uint64_t* strides,
                              const std::uint32_t* box, const std::uint32_t* element_strides,
                              int interleave, int swizzle, int promotion, int fill) = nullptr;
  bool loads_libraries() const {
    return library_load != nullptr && library_kernel != nullptr && kernel_function != nullptr &&
           kernel_set_attribute != nullptr && encode_tensor_map != nullptr;
  }

  // These functions are needed only for memory that lives as long as a graph. A pointer is null if
  // the driver lacks the function. capture_info and capture_info_v2 return the same facts about a
  // capture, so either function is enough. capture_info can also return the data of the graph's
  // edges, which atc does not use.
  Result (*capture_info)(Stream, int* status, std::uint64_t* id, Graph*, const void** nodes,
                         const void** edges, std::size_t*) = nullptr;
  Result (*capture_info_v2)(Stream, int* status, std::uint64_t* id, Graph*, const void** nodes,
                            std::size_t*) = nullptr;
  Result (*user_object_create)(UserObject*, void*, void (*destroy)(void*), unsigned references,
                               unsigned flags) = nullptr;
  Result (*user_object_release)(UserObject, unsigned references) = nullptr;
  Result (*graph_retain)(Graph, UserObject, unsigned references, unsigned flags) = nullptr;
  bool retains_for_graphs() const {
    return (capture_info != nullptr || capture_info_v2 != nullptr) &&
           user_object_create != nullptr && user_object_release != nullptr &&
           graph_retain != nullptr;
  }
  // The next two functions are needed only for streams of low priority. A pointer is null if the
  // driver does not have the function.
  Result (*stream_create_with_priority)(Stream*, unsigned flags, int priority) = nullptr;
  Result (*priority_range)(int* lowest, int* highest) = nullptr;
  bool has_priorities() const {
    return stream_create_with_priority != nullptr && priority_range != nullptr;
  }
  // The functions from here to executable_destroy are needed only to record work and to run it as a
  // graph. A pointer is null if the driver does not have the function.
  Result (*begin_capture)(Stream, int mode) = nullptr;
  Result (*end_capture)(Stream, Graph*) = nullptr;
  Result (*graph_nodes)(Graph, GraphNode*, std::size_t*) = nullptr;
  Result (*graph_instantiate)(GraphExecutable*, Graph, unsigned long long flags) = nullptr;
  Result (*graph_upload)(GraphExecutable, Stream) = nullptr;
  Result (*graph_launch)(GraphExecutable, Stream) = nullptr;
  Result (*graph_destroy)(Graph) = nullptr;
  Result (*executable_destroy)(GraphExecutable) = nullptr;
  bool records() const {
    return begin_capture != nullptr && end_capture != nullptr && graph_nodes != nullptr &&
           graph_instantiate != nullptr && graph_upload != nullptr && graph_launch != nullptr &&
           graph_destroy != nullptr && executable_destroy != nullptr;
  }
  // Asks the driver whether work on `stream` is being captured. Sets `status` to the driver's
  // answer (such as kCaptureNone). `id` (of the capture) and `graph` are set only if `status` is
  // kCaptureActive. Returns the driver's result of the query.
  Result capture_of(Stream stream, int* status, std::uint64_t* id, Graph* graph) const;

  // load_looking() sets the pointers to the functions that list devices. load_using() sets all
  // other pointers. Each returns the name of the first function that atc needs and the library does
  // not have, or "".
  std::string load_looking(void* library);
  std::string load_using(void* library);
};

}  // namespace atc::cuda
