#include "fault/machine/graphs.hpp"

#include <thread>
#include <utility>

#include "fault/machine/machine.hpp"

namespace atc::fault {

namespace {

thread_local bool in_destructor = false;

// Runs the destructor of a user object on another thread, as CUDA's driver does.
void destroy_object(UserObject* object) {
  std::thread([object] {
    in_destructor = true;
    object->destroy(object->data);
  }).join();
  delete object;
  machine().gone("user object");
}

}  // namespace

bool is_in_destructor() { return in_destructor; }

void Graphs::destroy(std::uint64_t capture) {
  Graph gone;
  {
    const std::lock_guard lock(mutex_);
    std::swap(gone, graphs_[capture]);
    graphs_.erase(capture);
  }
  for (UserObject* const object : gone.objects) destroy_object(object);
}

std::size_t Graphs::held(std::uint64_t capture) const {
  const std::lock_guard lock(mutex_);
  const auto known = graphs_.find(capture);
  return known == graphs_.end() ? 0 : known->second.objects.size();
}

std::size_t Graphs::allocations(std::uint64_t capture) const {
  const std::lock_guard lock(mutex_);
  const auto known = graphs_.find(capture);
  return known == graphs_.end() ? 0 : known->second.allocations;
}

UserObject* Graphs::create(void* data, void (*destroy)(void*)) {
  machine().born("user object");
  return new UserObject{data, destroy};
}

void Graphs::release(UserObject* object) { destroy_object(object); }

void Graphs::move_to(std::uint64_t capture, UserObject* object) {
  const std::lock_guard lock(mutex_);
  graphs_[capture].objects.push_back(object);
}

void Graphs::add_allocation(std::uint64_t capture) {
  const std::lock_guard lock(mutex_);
  ++graphs_[capture].allocations;
}

bool Graphs::begin(const void* stream, double now) {
  const std::lock_guard lock(mutex_);
  return recordings_.emplace(stream, Recording{0, now, 0}).second;
}

std::optional<Graphs::Recording> Graphs::end(const void* stream, double now) {
  const std::lock_guard lock(mutex_);
  const auto known = recordings_.find(stream);
  if (known == recordings_.end()) return std::nullopt;
  Recording recording = known->second;
  recording.seconds = now - recording.from;
  recordings_.erase(known);
  return recording;
}

bool Graphs::is_recorded(const void* stream) const {
  const std::lock_guard lock(mutex_);
  return recordings_.count(stream) == 1;
}

bool Graphs::is_recording() const {
  const std::lock_guard lock(mutex_);
  return !recordings_.empty();
}

void Graphs::add_work(const void* stream, std::size_t nodes) {
  const std::lock_guard lock(mutex_);
  if (const auto known = recordings_.find(stream); known != recordings_.end())
    known->second.nodes += nodes;
}

}  // namespace atc::fault
