#include "support/streams.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace atc::test {

namespace {

// A CUresult: 0 is success.
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

Capture::Capture(void* stream, CaptureMode mode) : stream_(stream) {
  require(call("cuStreamBeginCapture_v2", stream, static_cast<int>(mode)), "cuStreamBeginCapture");
}

Capture::~Capture() {
  if (open_) end();
  if (executable_ != nullptr) call("cuGraphExecDestroy", executable_);
  if (graph_ != nullptr) call("cuGraphDestroy", graph_);
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

bool Capture::replay() {
  if (executable_ == nullptr)
    require(call("cuGraphInstantiateWithFlags", &executable_, graph_, 0ULL), "cuGraphInstantiate");
  return call("cuGraphLaunch", executable_, stream_) == 0 &&
         call("cuStreamSynchronize", stream_) == 0;
}

}  // namespace atc::test
