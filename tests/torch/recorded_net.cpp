// A program that installs the bridge and convolves. By the environment variables ATC_RECORD,
// ATC_STORE and ATC_MODE a test says whether the convolutions are recorded, or run stored
// decisions.
//
//   recorded_net            convolutions of each kind, and a training step
//   recorded_net other      the same, and one further convolution
//   recorded_net constant   the same, with weights that are packed once
//
// RECORDED_NET_DEVICE names the device: cpu or cuda:0. RECORDED_NET_FOLDER is the folder to which
// the program changes at its start.
#include <ATen/Functions.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "atc/torch.h"

namespace {

c10::Device here(c10::kCPU);

at::Tensor random(at::IntArrayRef shape) { return at::randn(shape, at::device(here)); }

void infer(const at::Tensor& image) {
  const auto last = at::MemoryFormat::ChannelsLast;
  const at::Tensor x = at::conv2d(image, random({8, 3, 3, 3}), random({8}), 2, 1);
  const at::Tensor lying = x.contiguous(last);
  at::conv2d(lying, random({16, 8, 1, 1}).contiguous(last), random({16}));
  at::conv2d(lying, random({8, 1, 3, 3}), {}, 1, 1, 1, 8);
  at::conv2d(x.slice(3, 0, 12), random({4, 8, 3, 3}).contiguous(last), {}, 1, 2, {2, 1});
  at::conv2d(x.mean({2, 3}, true), random({4, 8, 1, 1}), random({4}));
  at::conv2d(x.narrow(2, 0, 1), random({4, 8, 1, 3}));
  at::conv_transpose2d(x, random({8, 2, 3, 3}), random({4}), 2, 1, {1, 0}, 2);
  at::conv1d(x.flatten(2), random({4, 8, 3}));
  at::conv3d(x.unsqueeze(2).expand({-1, -1, 3, -1, -1}).contiguous(), random({4, 8, 2, 3, 3}));
  at::conv2d(x.to(at::kBFloat16), random({4, 8, 3, 3}).to(at::kBFloat16));
}

void train(const at::Tensor& image) {
  const at::Tensor first = random({8, 3, 3, 3}).requires_grad_();
  const at::Tensor second = random({8, 4, 2, 2}).requires_grad_();
  const at::Tensor bias = random({4}).requires_grad_();
  const at::Tensor x = at::conv2d(image.contiguous(at::MemoryFormat::ChannelsLast), first);
  at::conv_transpose2d(x.relu(), second, bias, 2).sum().backward();
}

}  // namespace

int main(int count, char** words) {
  const auto asked = [&](const char* word) {
    return count > 1 && std::strcmp(words[1], word) == 0;
  };
  const char* const folder = std::getenv("RECORDED_NET_FOLDER");
  if (folder != nullptr && chdir(folder) != 0) return 1;
  if (const char* const device = std::getenv("RECORDED_NET_DEVICE")) here = c10::Device(device);
  if (here.is_cuda() && atc_torch_load_cuda() != ATC_OK) {
    std::fprintf(stderr, "%s\n", atc_last_error());
    return 1;
  }
  atc_torch_options options{};
  options.struct_size = sizeof(options);
  options.constant_weights = asked("constant") ? ATC_ON : ATC_OFF;
  if (atc_torch_install(&options) != ATC_OK) {
    std::fprintf(stderr, "%s\n", atc_last_error());
    return 1;
  }
  at::manual_seed(1);
  const at::Tensor image = random({2, 3, 28, 28});
  try {
    if (asked("other")) at::conv2d(image, random({5, 3, 3, 3}));
    infer(image);
    train(image);
  } catch (const c10::Error& error) {
    std::fprintf(stderr, "%s\n", error.what_without_backtrace());
    return 2;
  }
  atc_torch_statistics counts{};
  counts.struct_size = sizeof(counts);
  if (atc_torch_statistics_get(&counts) != ATC_OK) return 1;
  const auto all =
      std::accumulate(std::begin(counts.passed), std::end(counts.passed), counts.taken);
  const auto decided = counts.taken + counts.passed[ATC_TORCH_PASSED_CHOSEN];
  std::printf("%llu of %llu convolutions decided\n", static_cast<unsigned long long>(decided),
              static_cast<unsigned long long>(all));
}
