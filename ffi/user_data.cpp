#include "user_data.hpp"

#include <utility>

#include "error_text.hpp"

namespace atc::ffi {

struct UserData::Destruction {
  void* user;
  Destroy destroy;
  std::unique_ptr<Destruction> next;
};

namespace {

using Destruction = UserData::Destruction;

// These have no destructors, because objects that end with a thread may still call the C API.
thread_local unsigned calls = 0;  // the depth of calls of the C API in which this thread is
thread_local Destruction* first =
    nullptr;  // the first of the destructions that wait for the outermost call to end
thread_local Destruction* last = nullptr;

// The calls of atc that `destroy` makes do not change the thread's last error.
void run(const Destruction& destruction) noexcept {
  const ErrorText before = last_error();
  destruction.destroy(destruction.user);
  last_error() = before;
}

void put_off(std::unique_ptr<Destruction> destruction) noexcept {
  Destruction* const added = destruction.release();
  if (first == nullptr)
    first = added;
  else
    last->next.reset(added);
  last = added;
}

void run_those_put_off() noexcept {
  while (first != nullptr) {
    const std::unique_ptr<Destruction> next(first);
    first = first->next.release();
    run(*next);
  }
}

}  // namespace

UserData::UserData(void* user, Destroy destroy)
    : destruction_(destroy == nullptr ? nullptr : new Destruction{user, destroy, nullptr}) {}

UserData::~UserData() {
  if (!owned_ || destruction_ == nullptr) return;
  if (calls == 0)
    run(*destruction_);
  else
    put_off(std::move(destruction_));
}

ApiCall::ApiCall() noexcept { ++calls; }

ApiCall::~ApiCall() {
  if (--calls == 0 && first != nullptr) run_those_put_off();
}

}  // namespace atc::ffi
