// A rest is a pause in which no worker thread is in a call of atc or holds a handle of atc. So the
// resources that the process uses in two rests can be compared.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace soak {

class Rest {
 public:
  explicit Rest(std::size_t workers) : workers_(workers) {}

  // A worker calls this function between two actions. If a rest is due, the function calls
  // `release` and waits until the rest has ended. Returns false when the run has ended.
  bool carry_on(const std::function<void()>& release);
  // Waits until all workers rest, calls `look`, and then lets the workers continue.
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
