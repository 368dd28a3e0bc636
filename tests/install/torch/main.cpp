// Checks that setting a switch of atc changes the same switch of LibTorch.
#include <ATen/Context.h>
#include <atc/settings.h>
#include <atc/torch.h>

#include <cstdio>

int main() {
  if (atc_torch_init() != ATC_OK || atc_set_benchmark_limit_cudnn(7) != ATC_OK) {
    std::fprintf(stderr, "%s\n", atc_last_error());
    return 1;
  }
  std::printf("benchmark limit: %d\n", at::globalContext().benchmarkLimitCuDNN());
  return at::globalContext().benchmarkLimitCuDNN() == 7 ? 0 : 1;
}
