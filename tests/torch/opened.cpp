// A program on LibTorch that does not link atc. The program opens the bridge (libatc_torch) with
// dlopen and closes the bridge with dlclose. After dlclose, LibTorch must still be able to call the
// functions that the bridge has registered.
//
// Usage: "opened LIBATC_TORCH", where LIBATC_TORCH is the path of the bridge.
#include <ATen/Functions.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

void require(bool condition, const char* text) {
  if (condition) return;
  const char* const error = dlerror();
  std::fprintf(stderr, "%s; %s\n", text, error != nullptr ? error : "");
  std::_Exit(1);
}

#define REQUIRE(condition) require(condition, #condition)

at::Tensor convolve() {
  const at::Tensor x = at::arange(2 * 4 * 81, at::kFloat).sin().reshape({2, 4, 9, 9});
  const at::Tensor w = at::arange(6 * 4 * 9, at::kFloat).cos().reshape({6, 4, 3, 3});
  return at::conv2d(x, w);
}

}  // namespace

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  const at::Tensor plain = convolve();
  for (int i = 0; i < 2; ++i) {
    void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    auto* const install =
        reinterpret_cast<int (*)(const void*)>(dlsym(library, "atc1_torch_install"));
    REQUIRE(install != nullptr);
    REQUIRE(install(nullptr) == 0);
    REQUIRE(at::equal(convolve(), plain));
    REQUIRE(dlclose(library) == 0);
    REQUIRE(at::equal(convolve(), plain));
  }
  return 0;
}
