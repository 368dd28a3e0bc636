// The pointer `user` in a struct of callbacks, and its release by the callback `destroy`.
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

  // Runs `registration` and takes over the ownership of `user`. If `registration` throws, `user`
  // still belongs to the caller.
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
  // This object's element in the list of postponed calls of `destroy`. The constructor allocates
  // the element, because the destructor must not fail for lack of memory.
  std::unique_ptr<Destruction> destruction_;
  bool owned_ = false;
};

// An object of this class exists during each call of the C API. If a call releases user data, the
// callback `destroy` runs when the outermost call on this thread ends, because the thread then
// holds no lock of atc.
class ApiCall {
 public:
  ApiCall() noexcept;
  ~ApiCall();
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;
};

}  // namespace atc::ffi
