// Streams and stream captures of the CUDA driver's, as a user's program has them: made by functions
// that atc itself does not use. A context must be current.
#pragma once

#include <cstddef>

namespace atc::test {

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

// CUstreamCaptureMode: what the threads of the process may do meanwhile.
enum class CaptureMode {
  global = 0,   // the strictest, and the default of CUDA's programs
  relaxed = 2,  // anything, so also to ask CUDA for memory
};

// Everything given to the stream between begin and end is recorded.
class Capture {
 public:
  Capture(void* stream, CaptureMode mode);
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

}  // namespace atc::test
