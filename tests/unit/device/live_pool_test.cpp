// Tests with_live_pool(), which runs work with OpenMP regions on the calling thread, if this is
// possible. After a fork, the child has no OpenMP threads, and the thread that forked would wait
// for them. So its work then runs on another thread, the substitute.
#include "device/cpu/live_pool.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "support/child.hpp"

namespace atc {
namespace {

using test::in_child;

std::thread::id worker() {
  std::thread::id id;
  with_live_pool([&] { id = std::this_thread::get_id(); });
  return id;
}

void expect_to_work_here() { EXPECT_EQ(worker(), std::this_thread::get_id()); }

// Expects that work runs on a substitute (another thread than the calling one), which is the same
// thread each time.
void expect_a_substitute() {
  const std::thread::id first = worker();
  EXPECT_NE(first, std::this_thread::get_id());
  EXPECT_EQ(worker(), first);
}

// Starts and joins a thread. From then on the process counts as multi-threaded.
void have_company() {
  std::thread([] {}).join();
}

class LivePool : public testing::Test {
 protected:
  void SetUp() override { have_company(); }
};

TEST_F(LivePool, IsTheCallersOwnWhereNothingForked) {
  expect_to_work_here();
  std::thread(expect_to_work_here).join();
}

TEST_F(LivePool, IsASubstitutesInTheThreadThatForked) {
  in_child([] {
    expect_a_substitute();
    std::thread(expect_to_work_here).join();
    expect_a_substitute();
  });
  expect_to_work_here();
}

TEST_F(LivePool, IsASubstitutesAfterEveryFurtherFork) {
  in_child([] {
    in_child(expect_a_substitute);
    expect_a_substitute();
    in_child([] {
      expect_a_substitute();
      in_child(expect_a_substitute);
    });
    expect_a_substitute();
    std::thread([] { in_child(expect_a_substitute); }).join();
  });
}

TEST_F(LivePool, WhatItsWorkerNeedsItNeedsNoOther) {
  in_child([] {
    with_live_pool([] {
      const auto outer = std::this_thread::get_id();
      with_live_pool([&] { EXPECT_EQ(std::this_thread::get_id(), outer); });
    });
  });
}

TEST_F(LivePool, CarriesExceptionsBackAndGoesOn) {
  in_child([] {
    for (int turn = 0; turn < 2; ++turn) {
      try {
        with_live_pool([] { fail(Status::unsupported, "the work says no"); });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const Error& error) {
        EXPECT_EQ(error.status(), Status::unsupported);
        EXPECT_EQ(std::string(error.what()), "the work says no");
      }
      EXPECT_THROW(with_live_pool([] { throw std::bad_alloc(); }), std::bad_alloc);
      expect_a_substitute();
    }
  });
}

TEST_F(LivePool, LeavesSignalsToTheProgram) {
  in_child([] {
    signal(SIGUSR1, [](int) {});
    expect_a_substitute();
    // This thread blocks the signal SIGUSR1. The thread that does the work in its place (the
    // substitute) should block SIGUSR1, too. Then no thread takes the signal, and the signal
    // remains pending.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    with_live_pool([] { kill(getpid(), SIGUSR1); });
    sigemptyset(&set);
    sigpending(&set);
    EXPECT_EQ(sigismember(&set, SIGUSR1), 1) << "the substitute took it";
  });
}

TEST_F(LivePool, WithoutSignalsIsASubstitutesWhereNothingForked) {
  const auto blocks = [](int signal) {
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, nullptr, &set);
    return sigismember(&set, signal) == 1;
  };
  EXPECT_FALSE(blocks(SIGUSR1));
  std::thread::id id;
  bool blocked = false;
  without_signals([&] {
    id = std::this_thread::get_id();
    blocked = blocks(SIGUSR1) && blocks(SIGALRM) && blocks(SIGINT);
  });
  EXPECT_NE(id, std::this_thread::get_id());
  EXPECT_TRUE(blocked);
}

TEST_F(LivePool, WithoutSignalsServesManyThreadsInTurn) {
  // only the substitute (the thread that does the work) writes these variables
  int inside = 0, most = 0, done = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        without_signals([&] {
          most = std::max(most, ++inside);
          --inside;
          ++done;
        });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(done, 400);
}

TEST_F(LivePool, WorkOnTheSubstituteThatAsksForOneRunsAtOnce) {
  bool ran = false;
  without_signals([&] { without_signals([&] { ran = true; }); });
  EXPECT_TRUE(ran);
}

TEST_F(LivePool, WithoutSignalsHasAnotherSubstituteAfterAFork) {
  const auto substitute = [] {
    bool ran = false;
    without_signals([&] { ran = true; });
    return ran;
  };
  EXPECT_TRUE(substitute());
  in_child([&] {
    EXPECT_TRUE(substitute());
    in_child([&] { EXPECT_TRUE(substitute()); });
  });
}

}  // namespace
}  // namespace atc
