// Measures how much longer LibTorch's convolution takes if atc's hooks pass every call on to
// LibTorch. It times a tiny convolution in a process without hooks, and in a process in which the
// hooks are installed and uninstalled again. Two processes are needed, because uninstalled hooks
// remain in LibTorch's table of operators. Both are children of one parent, which lets them run in
// turn: in each turn a process makes one block of calls.
//
//   OMP_NUM_THREADS=1 bench_pass_through > pass_through.json
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/randn.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "atc/torch.h"
#include "check.hpp"
#include "statistics.hpp"

namespace {

// Several pairs of processes are measured, because the placement of a process in memory changes
// times by a tenth of a microsecond.
constexpr int kPairs = 10, kBlocks = 60, kCalls = 500;
enum class Ask : char { plain, installed, end };

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Runs a block of kCalls calls, and returns the seconds per call.
double block(const at::Tensor& x, const at::Tensor& w) {
  const double start = seconds();
  for (int call = 0; call < kCalls; ++call)
    at::convolution(x, w, {}, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 1);
  return (seconds() - start) / kCalls;
}

bool transfer(ssize_t moved, std::size_t size) { return moved == static_cast<ssize_t>(size); }

// A child process that runs blocks of calls for its parent.
class Runner {
 public:
  Runner(const at::Tensor& x, const at::Tensor& w) {
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) fail("pipe");
    child_ = fork();
    if (child_ < 0) fail("fork");
    if (child_ == 0) serve(x, w, down[0], up[1]);
    to_ = down[1];
    from_ = up[0];
  }

  double run(Ask what) const {
    double result = 0;
    if (!transfer(write(to_, &what, sizeof(what)), sizeof(what)) ||
        !transfer(read(from_, &result, sizeof(result)), sizeof(result)))
      fail("a measuring process ended");
    return result;
  }

  void end() const {
    const Ask what = Ask::end;
    int status = 0;
    if (!transfer(write(to_, &what, sizeof(what)), sizeof(what)) ||
        waitpid(child_, &status, 0) != child_ || status != 0)
      fail("a measuring process failed");
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    std::perror(what);
    std::exit(1);
  }

  [[noreturn]] static void serve(const at::Tensor& x, const at::Tensor& w, int in, int out) {
    const c10::InferenceMode inference;
    bool hooked = false;
    for (Ask what; transfer(read(in, &what, sizeof(what)), sizeof(what)) && what != Ask::end;) {
      if (what == Ask::installed) check(atc_torch_install(nullptr));
      if (what == Ask::plain && hooked) check(atc_torch_uninstall());
      hooked = hooked || what == Ask::installed;
      block(x, w);  // a warm-up: the other process of the pair ran in between
      const double result = block(x, w);
      if (!transfer(write(out, &result, sizeof(result)), sizeof(result))) break;
    }
    std::_Exit(0);
  }

  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace

int main() {
  if (at::get_num_threads() != 1) {
    fmt::print(stderr,
               "run it with OMP_NUM_THREADS=1: a barrier is dearer than what is measured\n");
    return 2;
  }
  // All processes run on one processor, because only one of them works at a time.
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof(one), &one);
  const at::Tensor x = at::randn({1, 8, 4, 4}), w = at::randn({8, 8, 3, 3});
  block(x, w);
  std::vector<double> never, installed, uninstalled;
  for (int pair = 0; pair < kPairs; ++pair) {
    const Runner one(x, w), other(x, w);
    const Runner &without = pair % 2 == 0 ? one : other, &with = pair % 2 == 0 ? other : one;
    for (int round = -5; round < kBlocks; ++round) {  // rounds with a number below 0 are warm-ups
      const double a = without.run(Ask::plain), b = with.run(Ask::installed);
      // The time of this block of calls is not used. Each measured block has to follow a block of
      // the other process, but without this block the next one would follow a block of its own
      // process.
      without.run(Ask::plain);
      const double c = with.run(Ask::plain);
      if (round < 0) continue;
      never.push_back(a);
      installed.push_back(b);
      uninstalled.push_back(c);
    }
    without.end();
    with.end();
  }
  std::mt19937 random(1);
  const auto difference = [&](const std::vector<double>& a, const std::vector<double>& b) {
    const Interval interval = difference_interval(a, b, random);
    return nlohmann::json{{"us", (median(a) - median(b)) * 1e6},
                          {"low_us", interval.low * 1e6},
                          {"high_us", interval.high * 1e6},
                          {"level", kLevel}};
  };
  fmt::print("{}\n",
             nlohmann::json{{"convolution", "x 1x8x4x4, w 8x8x3x3, padding 1, fp32, one thread"},
                            {"pairs_of_processes", kPairs},
                            {"blocks", kBlocks},
                            {"calls_per_block", kCalls},
                            {"never_installed_us", median(never) * 1e6},
                            {"installed_us", median(installed) * 1e6},
                            {"uninstalled_us", median(uninstalled) * 1e6},
                            {"installed_above_never", difference(installed, never)},
                            {"installed_above_uninstalled", difference(installed, uninstalled)},
                            {"uninstalled_above_never", difference(uninstalled, never)}}
                 .dump(1));
  return 0;
}
