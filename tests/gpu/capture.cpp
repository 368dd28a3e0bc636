#include "capture.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "device/cuda/stream.hpp"

namespace atc::test {

namespace {

template <typename... Arguments>
cuda::Result call(const char* name, Arguments... arguments) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto function = reinterpret_cast<cuda::Result (*)(Arguments...)>(dlsym(library, name));
  EXPECT_NE(function, nullptr) << name;
  return function(arguments...);
}

}  // namespace

Capture::Capture(Stream stream) : stream_(stream) {
  constexpr int kGlobal = 0;  // the strictest mode, and the default of CUDA's programs
  EXPECT_EQ(call("cuStreamBeginCapture_v2", stream, kGlobal), cuda::kSuccess);
}

bool Capture::end() {
  open_ = false;
  return call("cuStreamEndCapture", stream_, &graph_) == cuda::kSuccess && graph_ != nullptr;
}

Capture::~Capture() {
  if (open_) end();
  if (executable_ != nullptr) call("cuGraphExecDestroy", executable_);
  if (graph_ != nullptr) call("cuGraphDestroy", graph_);
}

std::size_t Capture::nodes() const {
  std::size_t count = 0;
  EXPECT_EQ(call("cuGraphGetNodes", graph_, static_cast<void**>(nullptr), &count), cuda::kSuccess);
  return count;
}

void Capture::replay() {
  if (executable_ == nullptr) {
    ASSERT_EQ(call("cuGraphInstantiateWithFlags", &executable_, graph_, 0ull), cuda::kSuccess);
  }
  ASSERT_EQ(call("cuGraphLaunch", executable_, stream_), cuda::kSuccess);
  cuda::synchronize(stream_);
}

}  // namespace atc::test
