#include "trace/call.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "trace/clock.hpp"

namespace atc::trace {

namespace {

std::uint64_t thread_number() {
  thread_local const auto number = static_cast<std::uint64_t>(syscall(SYS_gettid));
  return number;
}

}  // namespace

std::shared_ptr<Session> Slot::enter(Row*& row, DeviceId device, const Problem& problem,
                                     const std::string& choice) {
  std::shared_ptr<Session> session = session_.lock();
  if (session == nullptr || !session->is_open() || !session->is_of_this_process()) {
    session = running();
    if (session == nullptr) return nullptr;
    row_ = &session->row(device, describe(problem), choice);
    session_ = session;
  }
  row = row_;
  return session;
}

Call::Call(Slot& slot, DeviceId device, const Problem& problem, const std::string& choice,
           Stream stream) noexcept {
  try {
    Row* row = nullptr;
    session_ = slot.enter(row, device, problem, choice);
    if (session_ != nullptr && session_->count(*row)) begin(device, stream, *row);
  } catch (const std::exception&) {
  }
}

Call::Call(std::shared_ptr<Session> session, Row& row, DeviceId device, Stream stream) noexcept
    : session_(std::move(session)) {
  try {
    begin(device, stream, row);
  } catch (const std::exception&) {
  }
}

Call::~Call() {
  if (on_device_ != nullptr) session_->devices().drop(std::move(on_device_));
}

void Call::begin(DeviceId device, Stream stream, Row& row) {
  if (device.type == DeviceType::cuda) {
    on_device_ = session_->devices().begin(row, device, stream);
    return;
  }
  row_ = &row;
  start_ns_ = now_ns();
  tick_ = tick_ns();
}

void Call::end() noexcept {
  if (on_device_ != nullptr) session_->devices().end(std::move(on_device_));
  if (row_ == nullptr) return;
  const std::int64_t elapsed = tick_ns() - tick_;
  try {
    session_->add(*row_, start_ns_, static_cast<double>(elapsed) * 1e-9, thread_number());
  } catch (const std::exception&) {
  }
  row_ = nullptr;
}

}  // namespace atc::trace
