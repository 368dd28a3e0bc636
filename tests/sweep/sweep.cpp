#include "sweep.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <vector>

#include "support/temp_folder.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace atc_sweep {
namespace {

namespace fs = std::filesystem;

// A sweep (the test of one fault at each possible call) ends after this number of failures.
constexpr std::size_t kMostFailures = 3;
constexpr unsigned kHungSeconds = 120;
// A point is a call that can fail. Most builds let each point fail once. A build with
// AddressSanitizer only tries every fourth point, because its processes start and end slowly.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kStride = 4;
#else
constexpr std::uint64_t kStride = 1;
#endif

// The state of a sweep, in memory that the child processes share with their parent.
struct Progress {
  std::uint64_t at;  // the number of the point (a call that can fail) that is being tried
  // the number of points (calls that can fail) at which the fault has happened
  std::uint64_t points;
  bool done;
};

void ignore_line(void*, std::int32_t, const char*) {}

void silence_log() {
  atc_log_sink sink = ATC_LOG_SINK_INIT;
  sink.write = ignore_line;
  const InsideAtc inside;
  EXPECT_EQ(atc_log_sink_set(&sink), ATC_OK);
}

[[noreturn]] void on_terminate() {
  std::fprintf(stderr, "std::terminate was called; the fault happened here:\n");
  print_place();
  std::abort();
}

// The exit status of a child process if it has crashed in a function that is known to crash
// (known_to_crash()).
constexpr int kKnownToCrash = 42;

void on_segv(int number) {
  signal(number, SIG_DFL);
  if (known_to_crash() != nullptr) {
    std::fprintf(stderr, "the fault was in %s, which crashes without memory\n", known_to_crash());
    _exit(kKnownToCrash);
  }
  print_place();
  raise(number);
}

std::size_t open_files() {
  const fs::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

// Runs the step once with the fault, and returns whether the fault has happened. All runs use the
// same folder: atc remembers the text of each warning, and the text contains the folder. With other
// folders the remembered texts would look like a leak.
bool run(const Step& step, const fs::path& scratch, const Fault& fault) {
  for (const auto& left : fs::directory_iterator(scratch)) fs::remove_all(left);
  Session session(scratch / "deep" / "store", fault);
  if (step.arrange) step.arrange(session);
  arm(fault);
  step.act(session);
  const bool happened = disarm();
  step.finish();
  session.check();
  return happened;
}

// Runs the step, and expects that no allocation and no open descriptor remains after it. The first
// fault of a kind may leave allocated memory, because atc remembers the texts of its warnings. So
// the step is repeated up to three times, and after one of the repetitions nothing must remain.
bool run_and_look_for_leaks(const Step& step, const fs::path& scratch, const Fault& fault) {
  const std::size_t files = open_files();
  std::int64_t before = live_allocations();
  bool happened = run(step, scratch, fault);
  constexpr int kRepeats = 3;
  std::int64_t grown = live_allocations() - before;
  for (int repeat = 0; repeat < kRepeats && grown > 0; ++repeat) {
    before = live_allocations();
    run(step, scratch, fault);
    grown = live_allocations() - before;
  }
  EXPECT_LE(grown, 0) << "allocations are left whenever it happens";
  EXPECT_LE(open_files(), files) << "descriptors are left";
  return happened;
}

// Tries one point (a call that can fail) after the other in this process, from progress.at on.
void run_from(const Step& step, const fs::path& scratch, Kind kind, Manner manner, Start start,
              Progress& progress) {
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  std::set_terminate(on_terminate);
  signal(SIGSEGV, on_segv);
  if (start == Start::warm) {
    silence_log();
    for (int repeat = 0; repeat < 2; ++repeat) run(step, scratch, {});
  }
  for (;;) {
    alarm(kHungSeconds);
    const Fault fault{kind, manner, progress.at};
    SCOPED_TRACE(std::string(step.name) + ", " + text_of(fault));
    const bool happened = start == Start::warm ? run_and_look_for_leaks(step, scratch, fault)
                                               : run(step, scratch, fault);
    if (testing::Test::HasFailure()) {
      std::fprintf(stderr, "%s: %s hit %s here:\n", step.name, text_of(fault).c_str(), last_hit());
      print_place();
      return;
    }
    if (!happened) {
      progress.done = true;
      break;
    }
    ++progress.points;
    progress.at += kStride;
    if (start == Start::cold) return;
  }
#if defined(__SANITIZE_ADDRESS__)
  EXPECT_EQ(__lsan_do_recoverable_leak_check(), 0);
#endif
}

}  // namespace

Swept sweep(const Step& step, Kind kind, Manner manner, Start start) {
  Swept swept;
  if (testing::Test::HasFailure()) return swept;
  void* const memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    ADD_FAILURE() << "no memory to share with children";
    return swept;
  }
  auto& progress = *new (memory) Progress{1, 0, false};
  const atc::test::TempFolder scratch;
  // The failures are reported to GoogleTest at the end. If a failure were reported earlier, each
  // child that is forked later would inherit it and count as failed.
  std::vector<std::string> failures;
  while (!progress.done && failures.size() < kMostFailures) {
    // Empties the output buffers. Otherwise the child would print the buffered text, too.
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      run_from(step, scratch.path(), kind, manner, start, progress);
      std::fflush(nullptr);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
      failures.emplace_back("no child");
      break;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kKnownToCrash) {
      ++swept.known_to_crash;
      ++progress.at;
      continue;
    }
    std::string what = std::string(step.name) + ", " + text_of({kind, manner, progress.at++});
    if (WIFSIGNALED(status)) what += ": signal " + std::to_string(WTERMSIG(status));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) what += ", it hung";
    failures.push_back(what);
  }
  for (const std::string& failure : failures) ADD_FAILURE() << failure;
  swept.points = progress.points;
  munmap(memory, sizeof(Progress));
  return swept;
}

}  // namespace atc_sweep
