// Trains a small residual network with LibTorch, with or without atc. The code of the model does
// not mention atc.
//
//   train [--device NAME] [--atc] [--tune] [--store DIR] [--reproducible] [--no-tf32] [--steps N]
//
//   --device NAME    cpu or cuda:INDEX
//   --atc            every convolution goes through atc (atc_torch_install)
//   --tune           implies --atc; convolutions without a known decision are measured
//   --store DIR      implies --atc; decisions are read from DIR and written to DIR
//   --reproducible   sets all switches that a repeatable run needs
//   --no-tf32        fp32 convolutions on CUDA compute in fp32, not in TF32
//
// Prints the options of the run, the loss of each step with all digits, and the median time of a
// step.
#include <atc/atc.h>
#include <atc/torch.h>
#include <torch/nn.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "shapes.hpp"

namespace nn = torch::nn;

namespace {

void check(atc_status status) {
  if (status != ATC_OK)
    throw std::runtime_error(std::string(atc_status_name(status)) + ": " + atc_last_error());
}

struct BlockImpl : nn::Module {
  BlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
      : first(nn::Conv2dOptions(in, out, 3).stride(stride).padding(1).bias(false)),
        first_norm(out),
        second(nn::Conv2dOptions(out, out, 3).padding(1).bias(false)),
        second_norm(out),
        shortcut(nn::Conv2dOptions(in, out, 1).stride(stride)) {
    register_module("first", first);
    register_module("first_norm", first_norm);
    register_module("second", second);
    register_module("second_norm", second_norm);
    register_module("shortcut", shortcut);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const auto hidden = torch::relu(first_norm(first(x)));
    return torch::relu(second_norm(second(hidden)) + shortcut(x));
  }
  nn::Conv2d first;
  nn::BatchNorm2d first_norm;
  nn::Conv2d second;
  nn::BatchNorm2d second_norm;
  nn::Conv2d shortcut;
};
TORCH_MODULE(Block);

struct NetworkImpl : nn::Module {
  NetworkImpl()
      : stem(nn::Conv2dOptions(1, 16, 3).padding(1)),
        blocks(Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2)),
        classify(64, kKinds) {
    register_module("stem", stem);
    register_module("blocks", blocks);
    register_module("classify", classify);
  }
  torch::Tensor forward(const torch::Tensor& pictures) {
    return classify(blocks->forward(torch::relu(stem(pictures))).mean({2, 3}));
  }
  nn::Conv2d stem;
  nn::Sequential blocks;
  nn::Linear classify;
};
TORCH_MODULE(Network);

struct Arguments {
  torch::Device device = torch::kCPU;
  bool atc = false, tune = false, reproducible = false, tf32 = true;
  std::string store;
  int steps = 30;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    const auto value = [&] {
      if (i + 1 == argc) throw std::runtime_error(std::string(argv[i]) + " needs a value");
      return argv[++i];
    };
    if (is("--atc"))
      arguments.atc = true;
    else if (is("--tune"))
      arguments.atc = arguments.tune = true;
    else if (is("--reproducible"))
      arguments.reproducible = true;
    else if (is("--no-tf32"))
      arguments.tf32 = false;
    else if (is("--device"))
      arguments.device = torch::Device(value());
    else if (is("--store"))
      arguments.atc = true, arguments.store = value();
    else if (is("--steps"))
      arguments.steps = std::max(1, std::atoi(value()));
    else
      throw std::runtime_error(std::string("unknown argument ") + argv[i]);
  }
  return arguments;
}

void set_up(const Arguments& arguments) {
  // This must be the first call that uses LibTorch. LibTorch checks only once whether CUDA is
  // available, and remembers the answer.
  if (arguments.device.is_cuda()) check(atc_torch_load_cuda());
  check(atc_torch_init());
  if (!arguments.tf32) check(atc_set_allow_tf32_cudnn(0));
  if (arguments.reproducible) {
    atc_reproducible_report report = ATC_REPRODUCIBLE_REPORT_INIT;
    check(atc_set_reproducible(&report, 1));
  }
  if (!arguments.store.empty()) {
    atc_store* store = nullptr;
    check(atc_store_open(&store, arguments.store.c_str(), 0));
    check(atc_store_use(store));
    atc_store_close(store);  // only the handle is closed; the store remains in use
  }
  if (!arguments.atc) return;
  atc_torch_options options = ATC_TORCH_OPTIONS_INIT;
  options.tune = arguments.tune ? ATC_ON : 0;
  options.budget_seconds = 0.2;
  check(atc_torch_install(&options));
}

void say_what_runs(const Arguments& arguments) {
  std::printf(
      "%s, %s%s\n", arguments.device.str().c_str(), arguments.atc ? "atc" : "plain",
      arguments.tune ? ": the first step measures each convolution without a decision" : "");
  std::fflush(stdout);  // prints the text at once, because the first step may take long
}

void say_what_ran() {
  atc_torch_statistics counts = ATC_TORCH_STATISTICS_INIT;
  check(atc_torch_statistics_get(&counts));
  std::uint64_t passed = 0;
  for (const std::uint64_t count : counts.passed) passed += count;
  std::printf("convolutions: %llu by atc, %llu by LibTorch\n",
              static_cast<unsigned long long>(counts.taken),
              static_cast<unsigned long long>(passed));
}

void train(const Arguments& arguments) {
  set_up(arguments);
  say_what_runs(arguments);
  torch::manual_seed(1);
  Network network;
  // The weights are initialised on the CPU. So training begins with the same weights on every
  // device.
  network->to(arguments.device);
  torch::optim::SGD optimizer(network->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<double> seconds;
  for (int step = 0; step < arguments.steps; ++step) {
    const Batch batch = draw_shapes(32, 32, static_cast<std::uint64_t>(step));
    const auto pictures = batch.pictures.to(arguments.device);
    const auto kinds = batch.kinds.to(arguments.device);
    const auto start = std::chrono::steady_clock::now();
    optimizer.zero_grad();
    const auto loss = torch::cross_entropy_loss(network->forward(pictures), kinds);
    loss.backward();
    optimizer.step();
    if (arguments.device.is_cuda()) check(atc_synchronize(arguments.device.index()));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count());
    std::printf("step %d loss %.9g\n", step, static_cast<double>(loss.item<float>()));
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("median step: %.2f ms\n", 1e3 * seconds[seconds.size() / 2]);
  if (arguments.atc) say_what_ran();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    train(parse(argc, argv));
    return 0;
  } catch (const c10::Error& error) {
    std::fprintf(stderr, "train: %s\n", error.what_without_backtrace());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train: %s\n", error.what());
    return 1;
  }
}
