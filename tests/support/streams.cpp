#include "support/streams.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace atc::test {

namespace {

// Calls a function of the CUDA driver. Returns its CUresult: 0 is success.
template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto function =
      library == nullptr ? nullptr : reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("no driver with ") + name);
  return function(arguments...);
}

void require(int result, const char* what) {
  if (result != 0)
    throw std::runtime_error(std::string(what) + " gives CUresult " + std::to_string(result));
}

}  // namespace

ForeignStream::ForeignStream() {
  constexpr unsigned kNonBlocking = 1;
  require(call("cuStreamCreate", &stream_, kNonBlocking), "cuStreamCreate");
}

ForeignStream::~ForeignStream() { call("cuStreamDestroy_v2", stream_); }

void order(void* from, void* to) {
  constexpr unsigned kWithoutTiming = 2;
  void* event = nullptr;
  require(call("cuEventCreate", &event, kWithoutTiming), "cuEventCreate");
  require(call("cuEventRecord", event, from), "cuEventRecord");
  require(call("cuStreamWaitEvent", to, event, 0U), "cuStreamWaitEvent");
  call("cuEventDestroy_v2", event);
}

Capture::Capture(void* stream, CaptureMode mode) : stream_(stream) {
  require(call("cuStreamBeginCapture_v2", stream, static_cast<int>(mode)), "cuStreamBeginCapture");
}

Capture::~Capture() {
  if (open_) end();
  destroy();
}

void Capture::destroy() {
  if (executable_ != nullptr) call("cuGraphExecDestroy", executable_);
  if (graph_ != nullptr) call("cuGraphDestroy", graph_);
  executable_ = graph_ = nullptr;
}

bool Capture::end() {
  open_ = false;
  return call("cuStreamEndCapture", stream_, &graph_) == 0 && graph_ != nullptr;
}

std::size_t Capture::nodes() const {
  std::size_t count = 0;
  require(call("cuGraphGetNodes", graph_, static_cast<void**>(nullptr), &count), "cuGraphGetNodes");
  return count;
}

std::size_t Capture::memory_nodes() const {
  constexpr int kAllocation = 10, kFree = 11;  // CUgraphNodeType
  std::size_t count = nodes(), found = 0;
  std::vector<void*> all(count);
  require(call("cuGraphGetNodes", graph_, all.data(), &count), "cuGraphGetNodes");
  for (void* const node : all) {
    int type = 0;
    require(call("cuGraphNodeGetType", node, &type), "cuGraphNodeGetType");
    found += type == kAllocation || type == kFree;
  }
  return found;
}

bool Capture::replay() {
  if (executable_ == nullptr)
    require(call("cuGraphInstantiateWithFlags", &executable_, graph_, 0ULL), "cuGraphInstantiate");
  return call("cuGraphLaunch", executable_, stream_) == 0 &&
         call("cuStreamSynchronize", stream_) == 0;
}

Executable::Executable(const Capture& capture) {
  require(call("cuGraphInstantiateWithFlags", &executable_, capture.graph(), 0ULL),
          "cuGraphInstantiate");
}

Executable::~Executable() { call("cuGraphExecDestroy", executable_); }

bool Executable::launch(void* stream) { return call("cuGraphLaunch", executable_, stream) == 0; }

bool Executable::update(const Capture& capture) {
  struct {
    int result;
    void *node, *from;
  } told{};  // CUgraphExecUpdateResultInfo
  return call("cuGraphExecUpdate_v2", executable_, capture.graph(), &told) == 0;
}

std::uint64_t pool_bytes_in_use() {
  constexpr int kInUse = 7;  // CU_MEMPOOL_ATTR_USED_MEM_CURRENT
  int device = 0;
  void* pool = nullptr;
  std::uint64_t bytes = 0;
  require(call("cuDeviceGet", &device, 0), "cuDeviceGet");
  require(call("cuDeviceGetDefaultMemPool", &pool, device), "cuDeviceGetDefaultMemPool");
  require(call("cuMemPoolGetAttribute", pool, kInUse, static_cast<void*>(&bytes)),
          "cuMemPoolGetAttribute");
  return bytes;
}

std::uint64_t free_device_bytes() {
  std::size_t free = 0, total = 0;
  require(call("cuMemGetInfo_v2", &free, &total), "cuMemGetInfo");
  return free;
}

}  // namespace atc::test
