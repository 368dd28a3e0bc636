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

// These three thread-local variables have no destructors, so they can be used until the thread has
// ended. This is necessary because destructors of other thread-local objects may call the C API.
thread_local unsigned calls = 0;  // how many calls of the C API are nested on this thread now
// The first and the last element of a list: the calls of `destroy` that are postponed until the
// outermost call of the C API on this thread ends.
thread_local Destruction* first = nullptr;
thread_local Destruction* last = nullptr;

// Calls `destroy`. `destroy` may call functions of atc that change the thread's last error, so the
// last error is restored afterwards.
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
