// The `user` pointer of a struct of callbacks, and its destruction by the callback `destroy`.
#pragma once

#include <memory>

namespace atc::ffi {

// Owns `user` after hand_over has succeeded. The destructor calls `destroy(user)`, unless `destroy`
// is null. All objects that call the callbacks share one UserData, so `user` lives as long as these
// objects.
class UserData {
 public:
  using Destroy = void (*)(void* user);
  UserData(void* user, Destroy destroy);
  ~UserData();
  UserData(const UserData&) = delete;
  UserData& operator=(const UserData&) = delete;

  // Takes the ownership of `user` and runs `registration`. If `registration` throws, the ownership
  // remains with the caller.
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
  // Allocated in advance, because the destruction must not fail for lack of memory.
  std::unique_ptr<Destruction> destruction_;
  bool owned_ = false;
};

// Marks a call of the C API by this thread. If a call releases user data, the callback `destroy`
// runs when the thread's outermost call ends, because the thread then holds no lock of atc.
class ApiCall {
 public:
  ApiCall() noexcept;
  ~ApiCall();
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;
};

}  // namespace atc::ffi
