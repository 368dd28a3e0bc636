#include "rest.hpp"

namespace soak {

bool Rest::carry_on(const std::function<void()>& release) {
  std::unique_lock lock(mutex_);
  if (ended_) return false;
  if (!holding_) return true;
  const std::size_t round = round_;
  lock.unlock();
  release();
  lock.lock();
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return round_ != round; });
  return !ended_;
}

void Rest::hold(const std::function<void()>& look) {
  std::unique_lock lock(mutex_);
  holding_ = true;
  changed_.wait(lock, [&] { return waiting_ == workers_; });
  look();
  holding_ = false;
  waiting_ = 0;
  ++round_;
  changed_.notify_all();
}

void Rest::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace soak
