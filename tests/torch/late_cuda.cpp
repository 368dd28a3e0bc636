// Tests a libtorch_cuda that is loaded after atc. Usage: "late_cuda SCENARIO". libtorch_cuda, or a
// stub of it, is in the folder of libtorch_cpu.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "atc/device.h"
#include "atc/torch.h"
#include "support/scenario.hpp"

namespace {

atc_torch_info described() {
  atc_torch_info info{};
  info.struct_size = sizeof(info);
  REQUIRE(atc_torch_describe(&info) == ATC_OK);
  return info;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Returns the number of kernels that are registered for the operator under the dispatch key,
// including those that another registration has overridden.
int kernels(const char* name, const std::string& key) {
  const std::string state = c10::Dispatcher::singleton().findSchemaOrThrow(name, "").dumpState();
  int count = 0;
  for (std::size_t at = state.find("\n" + key); at != std::string::npos;
       at = state.find("\n" + key, at + 1))
    ++count;
  return count;
}

void convolve() { at::conv2d(at::ones({1, 2, 5, 5}), at::ones({3, 2, 3, 3})); }

// The program loads libtorch_cuda itself, after install(). So install() has to be called once more
// before the bridge handles CUDA.
void opened_by_the_program() {
  REQUIRE(atc_torch_install(nullptr) == ATC_OK);
  convolve();
  const atc_torch_info before = described();
  REQUIRE(before.cuda == ATC_TORCH_CUDA_NOT_LOADED);
  REQUIRE(before.cuda_available == 0 && before.cudnn_version == 0);
  REQUIRE(ends_with(before.cuda_file, "/libtorch_cuda.so"));
  REQUIRE(kernels("aten::_convolution", "CUDA: ") == 0);
  REQUIRE(dlopen(before.cuda_file, RTLD_NOW | RTLD_GLOBAL) != nullptr);
  REQUIRE(described().cuda == ATC_TORCH_CUDA_LOADED);
  REQUIRE(kernels("aten::_convolution", "CUDA: ") == 1);
  for (int i = 0; i < 2; ++i) {
    REQUIRE(atc_torch_install(nullptr) == ATC_OK);
    for (const char* name : {"aten::_convolution", "aten::convolution_backward"}) {
      REQUIRE(kernels(name, "CUDA: ") == 1);
      REQUIRE(kernels(name, "CUDA (inactive): ") == 1);
    }
    convolve();
  }
}

void opened_by_atc() {
  REQUIRE(atc_torch_load_cuda() == ATC_OK);
  REQUIRE(atc_torch_load_cuda() == ATC_OK);
  const atc_torch_info info = described();
  REQUIRE(info.cuda == ATC_TORCH_CUDA_LOADED);
  REQUIRE(info.cuda_available == 0);
  REQUIRE(info.cudnn_compiled_version == 91900 && info.cudnn_version == 91901);
  REQUIRE(atc_torch_install(nullptr) == ATC_OK);
  convolve();
  // Seeding and synchronizing must succeed on a machine without a device.
  REQUIRE(atc_manual_seed_all(3) == ATC_OK);
  REQUIRE(atc_synchronize(-1) == ATC_OK);
}

// The program has asked LibTorch for CUDA before. LibTorch remembers that there was no CUDA, so
// loading libtorch_cuda must fail.
void opened_too_late() {
  REQUIRE(!at::globalContext().hasCUDA());
  REQUIRE(atc_torch_load_cuda() == ATC_ERROR_LIBRARY);
  REQUIRE(std::strstr(atc_last_error(), "asked for CUDA") != nullptr);
  REQUIRE(atc_torch_install(nullptr) == ATC_OK);
  convolve();
}

// Checks two properties of atc_torch_init(). It must not ask LibTorch whether there is CUDA,
// because LibTorch would keep the answer "no". It must warn that libtorch_cuda is not loaded.
void opened_after_init() {
  struct Listening final : c10::WarningHandler {
    void process(const c10::Warning& warning) override { text += warning.msg(); }
    std::string text;
  } listening;
  {
    const c10::WarningUtils::WarningHandlerGuard guard(&listening);
    REQUIRE(atc_torch_init() == ATC_OK);
  }
  REQUIRE(listening.text.find("--no-as-needed -ltorch_cuda") != std::string::npos);
  REQUIRE(atc_manual_seed_all(3) == ATC_OK);
  REQUIRE(atc_synchronize(-1) == ATC_OK);
  described();
  REQUIRE(atc_torch_load_cuda() == ATC_OK);
}

constexpr atc_test::Scenario kScenarios[] = {
    {"opened_by_the_program", opened_by_the_program},
    {"opened_by_atc", opened_by_atc},
    {"opened_too_late", opened_too_late},
    {"opened_after_init", opened_after_init},
};

}  // namespace

int main(int argc, char** argv) { return atc_test::run_scenario(argc, argv, kScenarios); }
