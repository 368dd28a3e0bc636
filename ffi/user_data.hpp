// The `user` of a struct of callbacks, and its destruction.
#pragma once

#include <memory>

namespace atc::ffi {

// Owns `user` once it has been handed over. Destroys it with the last copy of the object that calls
// the callbacks. `destroy` may be null.
class UserData {
 public:
  using Destroy = void (*)(void* user);
  UserData(void* user, Destroy destroy);
  ~UserData();
  UserData(const UserData&) = delete;
  UserData& operator=(const UserData&) = delete;

  // Takes `user` over and runs `registration`. If `registration` throws, the caller keeps `user`.
  template <typename Registration>
  void hand_over(Registration&& registration) {
    owned_ = true;
    try {
      registration();
    } catch (...) {
      owned_ = false;
      throw;
    }
  }

  struct Destruction;

 private:
  std::unique_ptr<Destruction>
      destruction_;  // this memory is allocated in advance, because destroying must not fail
  bool owned_ = false;
};

// Marks a call of the C API by this thread. Objects that a call releases are destroyed when the
// thread's outermost call ends, because no lock of atc is held then.
class ApiCall {
 public:
  ApiCall() noexcept;
  ~ApiCall();
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;
};

}  // namespace atc::ffi
