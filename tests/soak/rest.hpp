// Rests: moments at which no thread is in a call of atc and none holds a handle, so that the
// resources of the process can be compared from one rest to the next.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace soak {

class Rest {
 public:
  explicit Rest(std::size_t workers) : workers_(workers) {}

  // Workers call this function between two actions. If a rest is due, it calls `release` and waits.
  // It returns false at the end of the run.
  bool carry_on(const std::function<void()>& release);
  // Waits until all workers rest, calls `look`, and lets the workers go on.
  void hold(const std::function<void()>& look);
  void end();  // ends the run: from now on carry_on returns false

 private:
  const std::size_t workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0;
  std::size_t round_ = 0;
  bool holding_ = false, ended_ = false;
};

}  // namespace soak
