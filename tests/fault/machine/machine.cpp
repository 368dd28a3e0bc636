#include "fault/machine/machine.hpp"

#include <algorithm>
#include <utility>

namespace atc::fault {

void Machine::break_call(Fault fault) {
  const std::lock_guard lock(mutex_);
  fault_ = std::move(fault);
  is_broken_ = true;
  counted_ = 0;
  broken_.clear();
  after_broken_.clear();
}

void Machine::mend() {
  const std::lock_guard lock(mutex_);
  is_broken_ = false;
}

std::string Machine::broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

bool Machine::broken_in_recording() const {
  const std::lock_guard lock(mutex_);
  return in_recording_;
}

std::string Machine::after_broken() const {
  const std::lock_guard lock(mutex_);
  return after_broken_;
}

void Machine::listen() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
}

std::vector<std::string> Machine::calls(Part part) const {
  const std::lock_guard lock(mutex_);
  const auto known = calls_.find(part);
  return known == calls_.end() ? std::vector<std::string>() : known->second;
}

std::map<std::string, std::int64_t> Machine::alive() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::int64_t> some;
  for (const auto& [kind, count] : alive_)
    if (count != 0) some.emplace(kind, count);
  return some;
}

std::vector<std::string> Machine::misuses() const {
  const std::lock_guard lock(mutex_);
  return misuses_;
}

int Machine::entered(Part part, const std::string& name) {
  if (is_in_destructor()) misused("the destructor of a user object calls " + name);
  const std::lock_guard lock(mutex_);
  calls_[part].push_back(name);
  if (!is_broken_ || part != fault_.part) return 0;
  if (!fault_.name.empty() && fault_.name != name) return 0;
  ++counted_;
  if (fault_.lasting ? counted_ < fault_.call : counted_ != fault_.call) {
    if (!broken_.empty() && after_broken_.empty()) after_broken_ = name;
    return 0;
  }
  if (broken_.empty()) {
    broken_ = name;
    in_recording_ = graphs.is_recording();
  }
  return fault_.status;
}

void Machine::misused(const std::string& how) {
  const std::lock_guard lock(mutex_);
  misuses_.push_back(how);
}

bool Machine::hold(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (script.device_bytes != 0 && held_ + bytes > script.device_bytes - script.program_bytes)
    return false;
  held_ += bytes;
  most_held_ = std::max(most_held_, held_);
  return true;
}

void Machine::let_go(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  held_ -= bytes;
}

std::uint64_t Machine::free_bytes() const {
  const std::lock_guard lock(mutex_);
  constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 40;
  return script.device_bytes == 0 ? kUnlimited : script.device_bytes - script.program_bytes - held_;
}

std::uint64_t Machine::most_held() const {
  const std::lock_guard lock(mutex_);
  return most_held_;
}

void Machine::work(double seconds) {
  const std::lock_guard lock(mutex_);
  device_ = std::max(device_, host_) + seconds;
}

double Machine::device_time() const {
  const std::lock_guard lock(mutex_);
  return device_;
}

void Machine::wait_until(double moment) {
  const std::lock_guard lock(mutex_);
  host_ = std::max(host_, moment);
}

bool Machine::is_past(double moment) const {
  const std::lock_guard lock(mutex_);
  return host_ >= moment;
}

void Machine::count(const char* kind, int by) {
  const std::lock_guard lock(mutex_);
  alive_[kind] += by;
}

Machine& machine() {
  // The simulated machine is never destroyed, because libraries free memory while the process ends,
  // and the machine counts the freed memory.
  static auto* const machine = new Machine;
  return *machine;
}

int& capture_mode() {
  thread_local int mode = 0;
  return mode;
}

}  // namespace atc::fault
