// Measures how much slower a program becomes if atc is installed, but the store has no record for
// any of its convolutions. The program is the forward pass of ResNet-50 with random weights. The
// subject `miss` of bench/run starts several such processes, which take turns. For each line on
// standard input the process runs one forward pass, and writes the cost of the pass as one line to
// standard output.
//
// * ATC_STORE=DIR bench_miss fill: writes a record of another convolution into the store DIR, and
// prints LibTorch's version;
// * bench_miss alone BATCH LAYOUT: runs forward passes with LibTorch alone;
// * ATC_STORE=DIR bench_miss installed BATCH LAYOUT: runs them with atc installed, which uses the
// store DIR.
//
// LAYOUT is the number of small tensors that are allocated before the network's tensors. In a real
// program this number is a matter of chance. It changes the times by several percent, because it
// decides how often glibc returns memory to the system and takes it back.
#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "atc/torch.h"
#include "check.hpp"

namespace {

// A convolution without bias, followed by a batch normalization with fixed statistics (as in a
// network that is not trained).
class Layer {
 public:
  Layer(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride)
      : stride_(stride),
        padding_(kernel / 2),
        w_(at::randn({out, in, kernel, kernel}).mul_(0.05)),
        ones_(at::ones({out})),
        zeros_(at::zeros({out})) {}

  at::Tensor operator()(const at::Tensor& x) const {
    return at::batch_norm(at::conv2d(x, w_, {}, stride_, padding_), ones_, zeros_, zeros_, ones_,
                          false, 0.1, 1e-5, true);
  }

 private:
  std::int64_t stride_, padding_;
  at::Tensor w_, ones_, zeros_;
};

struct Block {
  Layer reduce, filter, expand;
  std::vector<Layer> shortcut;  // one, or none

  Block(std::int64_t in, std::int64_t width, std::int64_t stride, bool first)
      : reduce(in, width, 1, 1), filter(width, width, 3, stride), expand(width, 4 * width, 1, 1) {
    if (first) shortcut.emplace_back(in, 4 * width, 1, stride);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    at::Tensor y = expand(filter(reduce(x).relu_()).relu_());
    y += shortcut.empty() ? x : shortcut.front()(x);
    return y.relu_();
  }
};

class ResNet50 {
 public:
  ResNet50() {
    std::int64_t in = 64, width = 64;
    for (const int blocks : {3, 4, 6, 3}) {
      for (int i = 0; i < blocks; ++i) {
        blocks_.emplace_back(in, width, i == 0 && width > 64 ? 2 : 1, i == 0);
        in = 4 * width;
      }
      width *= 2;
    }
  }

  at::Tensor operator()(const at::Tensor& images) const {
    at::Tensor x = at::max_pool2d(first_(images).relu_(), 3, 2, 1);
    for (const Block& block : blocks_) x = block(x);
    return at::linear(x.mean({2, 3}), classes_);
  }

 private:
  Layer first_{3, 64, 7, 2};
  std::vector<Block> blocks_;
  at::Tensor classes_ = at::randn({1000, 2048}).mul_(0.01);
};

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::int64_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

void serve(std::int64_t batch, std::int64_t layout) {
  std::vector<at::Tensor> in_front;
  for (std::int64_t i = 0; i < layout; ++i) in_front.push_back(at::ones({1000 + 3000 * i}));
  const ResNet50 network;
  const at::Tensor images = at::randn({batch, 3, 224, 224});
  for (std::string line; std::getline(std::cin, line);) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    const std::int64_t faults = page_faults();
    network(images);
    const double cpu_taken = cpu_seconds() - cpu, wall_taken = wall_seconds() - wall;
    const std::int64_t faults_taken = page_faults() - faults;
    atc_torch_statistics counts{};
    counts.struct_size = sizeof(counts);
    check(atc_torch_statistics_get(&counts));
    std::cout << nlohmann::json{{"cpu_ms", 1e3 * cpu_taken},
                                {"wall_ms", 1e3 * wall_taken},
                                {"page_faults", faults_taken},
                                {"not_recorded", counts.passed[ATC_TORCH_PASSED_NOT_RECORDED]},
                                {"taken", counts.taken}}
                     .dump()
              << std::endl;
  }
}

void install(bool tune) {
  atc_torch_options options{};
  options.struct_size = sizeof(options);
  options.tune = tune ? ATC_ON : ATC_OFF;
  check(atc_torch_install(&options));
}

std::int64_t number(const char* text) { return std::strtoll(text, nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
  const std::string side = argc > 1 ? argv[1] : "";
  const c10::InferenceMode inference;
  if (side == "fill" && argc == 2) {
    install(true);
    at::conv2d(at::randn({1, 8, 28, 28}), at::randn({8, 8, 5, 5}));
    atc_torch_info torch{};
    torch.struct_size = sizeof(torch);
    check(atc_torch_describe(&torch));
    fmt::print("{}\n", torch.version);
    return 0;
  }
  if ((side != "alone" && side != "installed") || argc != 4 || number(argv[2]) < 1) {
    fmt::print(stderr, "usage: {} fill | (alone | installed) BATCH LAYOUT\n", argv[0]);
    return 2;
  }
  if (side == "installed") install(false);
  serve(number(argv[2]), number(argv[3]));
  return 0;
}
