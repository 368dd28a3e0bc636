#include "device/cuda/kernels.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"

namespace atc::cuda {

namespace {

struct Loaded {
  std::mutex mutex;
  std::map<std::pair<Context, const unsigned char*>, Module> modules;
  std::map<std::pair<Module, std::string>, Function> functions;
};

Loaded& loaded() {
  // The list of loaded kernels is never destroyed, because graphs may use the kernels until the
  // process ends.
  static auto* const loaded = new Loaded;
  return *loaded;
}

}  // namespace

Function kernel(Context context, const unsigned char* image, const char* name) {
  const DriverApi& driver = require_driver();
  const std::lock_guard lock(loaded().mutex);
  Module& module = loaded().modules[{context, image}];
  if (module == nullptr) {
    const RelaxedCapture relaxed;
    check(driver.module_load(&module, image), "cuModuleLoadData (atc's own kernels)");
  }
  Function& function = loaded().functions[{module, name}];
  if (function == nullptr) {
    const std::string what = std::string("cuModuleGetFunction (") + name + ")";
    check(driver.module_function(&function, module, name), what.c_str());
  }
  return function;
}

void launch_raw(Function function, unsigned blocks, unsigned threads, Stream stream,
                void** arguments) {
  check(
      require_driver().launch(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr),
      "cuLaunchKernel (one of atc's own kernels)");
}

}  // namespace atc::cuda
