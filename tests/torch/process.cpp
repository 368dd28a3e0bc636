// Tests orders of loading, installing, uninstalling and exiting. Usage: "process SCENARIO". Each
// scenario runs in a process of its own, and gives the exit status. The end of the process is a
// part of the test.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Exception.h>
#include <sys/wait.h>
#include <torch/csrc/autograd/autograd.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "atc/settings.h"
#include "atc/torch.h"
#include "support/records.hpp"
#include "support/scenario.hpp"

namespace {

void install(bool tune) {
  atc_torch_options options{};
  options.struct_size = sizeof(options);
  options.tune = tune ? ATC_ON : ATC_OFF;
  options.budget_seconds = 0.02;
  REQUIRE(atc_torch_install(&options) == ATC_OK);
}

std::uint64_t seen() {
  atc_torch_statistics counts{};
  counts.struct_size = sizeof(counts);
  REQUIRE(atc_torch_statistics_get(&counts) == ATC_OK);
  std::uint64_t sum = counts.taken;
  for (const std::uint64_t count : counts.passed) sum += count;
  return sum;
}

// The tensors are never destroyed, because another thread may use them while the process exits.
const at::Tensor& x() {
  static const auto* const x =
      new at::Tensor(at::arange(2 * 4 * 81, at::kFloat).sin().reshape({2, 4, 9, 9}));
  return *x;
}
const at::Tensor& w() {
  static const auto* const w =
      new at::Tensor(at::arange(6 * 4 * 9, at::kFloat).cos().reshape({6, 4, 3, 3}));
  return *w;
}

at::Tensor convolve() { return at::conv2d(x(), w()); }

void convolve_and_differentiate() {
  const at::Tensor leaf = w().detach().requires_grad_();
  at::conv2d(x(), leaf).sum().backward();
  REQUIRE(leaf.grad().defined());
}

// Requires that two results are almost equal. The tolerance is Higham's bound for a fp32 sum of 36
// products of at most 1, counted once for each of the two results.
void require_near(const at::Tensor& a, const at::Tensor& b) {
  REQUIRE(at::sub(a, b).abs().max().item().toDouble() <= 2 * 36 * 37 * 0x1p-24);
}

// ---- Tests of the end of a process --------------------------------------------------------------

void return_while_installed() {
  install(true);
  convolve_and_differentiate();
}

void return_without_having_convolved() { install(true); }

// std::exit runs destructors on a thread other than the main thread, while autograd's threads
// exist. No thread may convolve meanwhile: LibTorch's switches are destroyed, and each convolution
// reads them before the bridge is called.
void exit_from_a_thread() {
  install(true);
  std::thread(convolve_and_differentiate).join();
  convolve_and_differentiate();
  std::thread([] { std::exit(0); }).join();
}

// ---- Tests of the order in which a program initializes, installs and convolves ------------------

void initialize_twice() {
  REQUIRE(atc_torch_init() == ATC_OK);
  REQUIRE(atc_set_benchmark_limit_cudnn(4) == ATC_OK);
  at::globalContext().setBenchmarkCuDNN(true);
  REQUIRE(atc_torch_init() == ATC_OK);
  REQUIRE(at::globalContext().benchmarkLimitCuDNN() == 4);
  REQUIRE(at::globalContext().benchmarkCuDNN());
  convolve();
}

void install_before_the_first_convolution() {
  install(false);
  const at::Tensor installed = convolve();
  REQUIRE(seen() == 1);
  REQUIRE(atc_torch_uninstall() == ATC_OK);
  REQUIRE(at::equal(installed, convolve()));
}

void install_after_the_first_convolution() {
  const at::Tensor plain = convolve();
  install(false);
  REQUIRE(at::equal(plain, convolve()));
  REQUIRE(seen() == 1);
}

void install_uninstall_install() {
  const at::Tensor plain = convolve();
  for (int i = 1; i <= 3; ++i) {
    install(true);
    require_near(convolve(), plain);
    REQUIRE(atc_torch_uninstall() == ATC_OK);
    REQUIRE(at::equal(convolve(), plain));
    REQUIRE(seen() == static_cast<std::uint64_t>(i));
  }
  REQUIRE(atc_torch_uninstall() == ATC_OK);
  install(true);
  install(false);
  REQUIRE(atc_torch_uninstall() == ATC_OK);
  REQUIRE(at::equal(convolve(), plain));
}

// If a program registers a kernel in place of another kernel, LibTorch warns once in a process.
// LibTorch must not warn about the kernels of the bridge. The bridge's own warnings, which begin
// with "atc:", are not counted.
void install_quietly() {
  struct Counting final : c10::WarningHandler {
    void process(const c10::Warning& warning) override {
      count += warning.msg().rfind("atc:", 0) != 0;
    }
    int count = 0;
  } counting;
  const c10::WarningUtils::WarningHandlerGuard guard(&counting);
  install(false);
  convolve();
  REQUIRE(counting.count == 0);
}

// atc_torch_init() must add the hooks to the table of LibTorch's dispatcher. atc_torch_install()
// must not write this table, because other threads may convolve meanwhile.
void hooks_come_with_init() {
  const auto are_there = [] {
    for (const char* name : {"aten::_convolution", "aten::convolution_backward"}) {
      const auto found = c10::Dispatcher::singleton().findSchema({name, ""});
      if (!found->hasKernelForDispatchKey(c10::DispatchKey::CPU)) return false;
    }
    return true;
  };
  REQUIRE(!are_there());
  REQUIRE(atc_torch_init() == ATC_OK);
  REQUIRE(are_there());
  const at::Tensor plain = convolve();
  REQUIRE(seen() == 0);
  install(false);
  REQUIRE(at::equal(plain, convolve()));
  REQUIRE(seen() == 1);
}

// ---- Tests of switches that were set before atc_torch_init was called ---------------------------

void values_set_before_win() {
  REQUIRE(atc_set_benchmark_cudnn(1) == ATC_OK);
  REQUIRE(atc_set_deterministic_algorithms(ATC_DETERMINISTIC_ALGORITHMS_WARN) == ATC_OK);
  REQUIRE(atc_set_allow_tf32_cudnn(0) == ATC_OK);
  at::globalContext().setBenchmarkCuDNN(false);
  REQUIRE(atc_torch_init() == ATC_OK);
  REQUIRE(at::globalContext().benchmarkCuDNN());
  REQUIRE(at::globalContext().deterministicAlgorithmsWarnOnly());
  REQUIRE(!at::globalContext().allowTF32CuDNN());
}

void other_values_are_adopted() {
  at::globalContext().setBenchmarkLimitCuDNN(33);
  at::globalContext().setDeterministicCuDNN(true);
  REQUIRE(atc_torch_init() == ATC_OK);
  std::int32_t value = 0;
  REQUIRE(atc_get_benchmark_limit_cudnn(&value) == ATC_OK && value == 33);
  REQUIRE(atc_get_deterministic_cudnn(&value) == ATC_OK && value == 1);
  REQUIRE(at::globalContext().benchmarkLimitCuDNN() == 33);
}

void the_environment_wins_too() {
  setenv("ATC_BENCHMARK", "1", 1);
  setenv("ATC_DETERMINISTIC", "1", 1);
  REQUIRE(atc_torch_init() == ATC_OK);
  REQUIRE(at::globalContext().benchmarkCuDNN());
  REQUIRE(at::globalContext().deterministicCuDNN());
}

// In this scenario atc_torch_init is not called: the first call that needs the bridge is
// atc_torch_convolution.
void own_function_reads_adopted_values() {
  at::globalContext().setDeterministicCuDNN(true);
  const atc_torch_test::Records records;
  REQUIRE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE) == ATC_OK);
  atc_torch_geometry geometry{};
  REQUIRE(atc_torch_geometry_init(&geometry, 2) == ATC_OK);
  atc_torch_options options{};
  options.struct_size = sizeof(options);
  options.tune = ATC_ON;
  // The budget of a race in seconds. Races take one sample of each candidate, so they end long
  // before the budget is used up.
  options.budget_seconds = 60;
  atc_torch_tensor* made = nullptr;
  REQUIRE(atc_torch_convolution(&made, reinterpret_cast<const atc_torch_tensor*>(&x()),
                                reinterpret_cast<const atc_torch_tensor*>(&w()), nullptr, &geometry,
                                &options) == ATC_OK);
  delete reinterpret_cast<at::Tensor*>(made);
  const std::string list = records.list();
  REQUIRE(list.find("\"deterministic\":true") != std::string::npos);
  REQUIRE(list.find("\"deterministic\":false") == std::string::npos);
}

// Runs `work` in a forked child, and returns whether the child has ended normally. A child that
// hangs is killed.
template <typename Work>
bool ends_in_a_child(Work&& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    work();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The threads of LibTorch do not exist in a forked child. So the child convolves with one thread of
// LibTorch, or on a new thread, as docs/libtorch.md advises.
void a_forked_child_convolves() {
  at::set_num_threads(2);
  install(true);
  const auto convolve_channels = [](std::int64_t channels) {
    at::conv2d(at::ones({4, channels, 40, 40}), at::ones({64, channels, 3, 3}));
  };
  convolve_channels(16);
  REQUIRE(ends_in_a_child([&] {
    at::set_num_threads(1);
    convolve_channels(24);
  }));
  REQUIRE(ends_in_a_child([&] { std::thread([&] { convolve_channels(32); }).join(); }));
}

constexpr atc_test::Scenario kScenarios[] = {
    {"return_while_installed", return_while_installed},
    {"return_without_having_convolved", return_without_having_convolved},
    {"exit_from_a_thread", exit_from_a_thread},
    {"initialize_twice", initialize_twice},
    {"install_before_the_first_convolution", install_before_the_first_convolution},
    {"install_after_the_first_convolution", install_after_the_first_convolution},
    {"install_uninstall_install", install_uninstall_install},
    {"install_quietly", install_quietly},
    {"hooks_come_with_init", hooks_come_with_init},
    {"values_set_before_win", values_set_before_win},
    {"other_values_are_adopted", other_values_are_adopted},
    {"the_environment_wins_too", the_environment_wins_too},
    {"own_function_reads_adopted_values", own_function_reads_adopted_values},
    {"a_forked_child_convolves", a_forked_child_convolves},
};

}  // namespace

int main(int argc, char** argv) { return atc_test::run_scenario(argc, argv, kScenarios); }
