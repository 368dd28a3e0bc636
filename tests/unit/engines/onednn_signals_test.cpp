// Tests signals that arrive while generated code of oneDNN runs. The operating system writes data
// for the signal handler (the frame) below the address in the stack register. Some of oneDNN's
// kernels use this register for other addresses (uxlfoundation/oneDNN#4845). While a kernel that
// atc offers runs, the register must always point into the thread's own stack.
#include <dirent.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "engines/onednn/onednn_engine.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Fill;
using test::Memory;
using test::Spec;

constexpr int kSignal = SIGUSR1;
constexpr int kSignalsEach = 50;  // the number of signals that arrive while a configuration runs
constexpr std::size_t kHandlerStack = 65536, kMostThreads = 256;

// The handler counts the signals: all, and those that arrived while the stack register pointed
// outside of the thread's stack. The handler runs on a stack of its own (sigaltstack), so that in
// the second case its frame overwrites nothing.
std::atomic<int> arrived{0}, outside{0};
std::atomic<std::uintptr_t> first_outside{0};
std::atomic<bool> registering{false};
std::atomic<std::size_t> threads{0};
std::array<std::array<unsigned char, kHandlerStack>, kMostThreads> handler_stacks;

struct Stack {
  std::uintptr_t low = 0, high = 0;
};
thread_local Stack stack;

// Stores the limits of the calling thread's stack in `stack`. Returns a stack for the thread's
// signal handler.
stack_t know_thread() {
  const std::size_t place = threads++;
  if (place >= kMostThreads) std::abort();
  stack_t other{};
  other.ss_sp = handler_stacks[place].data();
  other.ss_size = kHandlerStack;
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  stack.low = reinterpret_cast<std::uintptr_t>(low);
  stack.high = stack.low + size;
  return other;
}

void handle(int, siginfo_t*, void* context) {
  // OpenMP threads register their stacks in this handler, while they wait for work. Then none of
  // them holds a lock of malloc, which know_thread() may need. The system takes the thread's
  // alternative stack from the context when the handler returns.
  if (registering && stack.high == 0) static_cast<ucontext_t*>(context)->uc_stack = know_thread();
  ++arrived;
  if (stack.high == 0) return;
  const auto* const interrupted = static_cast<const ucontext_t*>(context);
  const auto pointer = static_cast<std::uintptr_t>(interrupted->uc_mcontext.gregs[REG_RSP]);
  if (pointer >= stack.low && pointer <= stack.high) return;
  if (outside++ == 0) first_outside = pointer;
}

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> found;
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return found;
  while (const dirent* const entry = readdir(folder))
    if (const int id = std::atoi(entry->d_name); id > 0) found.push_back(id);
  closedir(folder);
  return found;
}

void send(pid_t thread) { syscall(SYS_tgkill, getpid(), thread, kSignal); }

// Runs a thread that sends signals to the given threads, until the object is destroyed.
class Sender {
 public:
  explicit Sender(std::vector<pid_t> threads) : threads_(std::move(threads)) {
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, kSignal);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    thread_ = std::thread([this] {
      while (!done_)
        for (const pid_t thread : threads_) {
          send(thread);
          std::this_thread::yield();
        }
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Sender() {
    done_ = true;
    thread_.join();
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

 private:
  std::vector<pid_t> threads_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

std::vector<Problem> layers() {
  std::vector<Problem> layers;
  const auto add = [&](Spec spec) {
    for (const Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight}) {
      spec.direction = direction;
      layers.push_back(test::build(spec));
    }
  };
  for (const Memory memory : {Memory::first, Memory::last}) {
    Spec pointwise;  // ResNet-50's layer2.0.conv3
    pointwise.batch = 1;
    pointwise.channels_in = 128;
    pointwise.channels_out = 512;
    pointwise.in = {28, 28, 1};
    pointwise.kernel = {1, 1, 1};
    pointwise.x_memory = pointwise.y_memory = memory;
    add(pointwise);
    // for this layer, oneDNN has only one implementation on processors with AVX2 and without
    // AVX-512
    Spec grouped;
    grouped.batch = 1;
    grouped.groups = 4;
    grouped.channels_in = grouped.channels_out = 64;
    grouped.in = {14, 14, 1};
    grouped.pad_low = grouped.pad_high = {1, 1, 0};
    grouped.x_memory = grouped.y_memory = memory;
    add(grouped);
    // for this layer, oneDNN has only one implementation on processors with AVX2 or AVX-512
    Spec sparse;
    sparse.batch = 1;
    sparse.channels_in = 38;
    sparse.channels_out = 17;
    sparse.in = {28, 28, 1};
    sparse.stride = {2, 2, 1};
    sparse.dilation = {2, 2, 1};
    sparse.pad_low = sparse.pad_high = {2, 2, 0};
    sparse.x_memory = sparse.y_memory = memory;
    add(sparse);
  }
  return layers;
}

class OnednnSignals : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers put signals off";
#elif !defined(__x86_64__)
    GTEST_SKIP() << "the stack register is read as x86-64 names it";
#endif
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    ASSERT_EQ(sigaction(kSignal, &action, nullptr), 0);
  }

  // Starts the OpenMP threads, and makes each thread register the limits of its stack.
  void know_threads(const Engine& engine) {
    const stack_t own = know_thread();
    sigaltstack(&own, nullptr);
    Spec spec;
    spec.channels_in = spec.channels_out = 32;
    spec.in = {28, 28, 1};
    spec.pad_low = spec.pad_high = {1, 1, 0};
    run(engine, test::build(spec), 1);
    registering = true;
    for (const pid_t thread : threads_of_process())
      if (thread != static_cast<pid_t>(syscall(SYS_gettid))) {
        const int before = arrived;
        send(thread);
        while (arrived == before) std::this_thread::yield();
      }
    registering = false;
  }

  // Runs each configuration that the engine offers at least `times` times. Continues until
  // `signals` signals have arrived.
  static void run(const Engine& engine, const Problem& problem, int times, int signals = 0) {
    SCOPED_TRACE(test::label(problem));
    std::string why_not;
    const auto offers = engine.offers(problem, {}, why_not);
    EXPECT_FALSE(offers.empty()) << why_not;
    test::Inputs inputs(problem, Fill::ternary, 1);
    for (const Offer& offer : offers) {
      const auto prepared = engine.prepare(problem, {}, offer.configuration);
      test::Workspace workspace(prepared->workspace_size());
      GuardedBuffer output(problem.output());
      const Operands operands = inputs.with_output(output.data());
      inputs.reset(output);
      arrived = outside = 0;
      for (int i = 0; i < times || arrived < signals; ++i)
        prepared->execute(operands, workspace.data(), nullptr);
      EXPECT_EQ(outside, 0) << "of " << arrived << " signals that came during "
                            << offer.configuration
                            << " found the stack register elsewhere, first at 0x" << std::hex
                            << first_outside;
    }
  }
};

TEST_F(OnednnSignals, FindTheStackRegisterInTheStack) {
  const auto engine = make_onednn_engine();
  know_threads(*engine);
  const Sender sender(threads_of_process());
  for (const Problem& problem : layers()) run(*engine, problem, 5, kSignalsEach);
}

}  // namespace
}  // namespace atc
