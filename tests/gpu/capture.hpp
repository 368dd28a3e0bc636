// A stream capture as a user's program makes one; functions that the library itself does not use.
#pragma once

#include "device/cuda/driver_api.hpp"

namespace atc::test {

// Everything given to the stream between begin and end is recorded.
class Capture {
 public:
  explicit Capture(Stream stream);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  // False: the capture was broken by something that it forbids.
  bool end();
  std::size_t nodes() const;
  void replay();  // on the captured stream; waits for it

 private:
  Stream stream_;
  void *graph_ = nullptr, *executable_ = nullptr;
  bool open_ = true;
};

}  // namespace atc::test
