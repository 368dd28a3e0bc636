// Streams and stream captures of the CUDA driver's, as a program has them that is not LibTorch's.
#pragma once

#include <c10/core/Stream.h>

#include <cstddef>

namespace atc_torch_test {

// A stream that LibTorch did not make.
class ForeignStream {
 public:
  ForeignStream();
  ~ForeignStream();
  ForeignStream(const ForeignStream&) = delete;
  ForeignStream& operator=(const ForeignStream&) = delete;
  void* get() const { return stream_; }

 private:
  void* stream_ = nullptr;
};

// What a stream of LibTorch's is to the driver.
void* native(c10::Stream stream);

// Everything given to the stream between begin and end is recorded.
class Capture {
 public:
  explicit Capture(void* stream);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  bool end();  // false: the capture was broken by something that it forbids
  std::size_t nodes() const;
  bool replay();  // on the captured stream; waits for it

 private:
  void* stream_;
  void *graph_ = nullptr, *executable_ = nullptr;
  bool open_ = true;
};

}  // namespace atc_torch_test
