// Runs checks of a test in a forked child process.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

namespace atc::test {

// A child process that hangs is killed after this many seconds. Most checks take less than a tenth
// of this time. Longer checks pass a limit of their own.
constexpr unsigned kChildSeconds = 60;

// Forks a child process, which runs `check`. The child prints the failures of `check`. If `check`
// fails or the child hangs, the caller's test fails.
inline void in_child(const std::function<void()>& check, unsigned seconds = kChildSeconds) {
  // Empties the output buffers. Otherwise the child would print the buffered text a second time.
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0) << "fork failed";
  if (child == 0) {
    alarm(seconds);
    check();
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFSIGNALED(status)) << "the child was ended by signal " << WTERMSIG(status)
                                    << (WTERMSIG(status) == SIGALRM ? ": it hung" : "");
  EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) == 0) << "checks failed in the child";
}

}  // namespace atc::test
