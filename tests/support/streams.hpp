// Streams and stream captures of the CUDA driver. The tests make them as a user's program does, by
// calls of the driver that do not go through atc. The calling thread needs a current CUDA context.
#pragma once

#include <cstddef>
#include <cstdint>

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

// The values of CUstreamCaptureMode, which says which calls of CUDA the threads of the process may
// make during a capture.
enum class CaptureMode {
  global = 0,   // allows the fewest calls during a capture; this is CUDA's usual mode
  relaxed = 2,  // allows all calls during a capture, also allocations
};

// Orders two streams: work that is queued on `to` from now on runs after the work that was queued
// on `from` so far. If `from` is being captured, `to` joins the capture. Then all work of both
// streams is recorded until the capture ends.
void order(void* from, void* to);

class Capture {
 public:
  Capture(void* stream, CaptureMode mode);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  // Ends the capture. Returns false if a call that is forbidden during a capture has made it
  // invalid.
  bool end();
  std::size_t nodes() const;
  // the number of nodes of the graph that allocate or free memory
  std::size_t memory_nodes() const;
  bool replay();  // launches the graph on the captured stream and waits for it
  void* graph() const { return graph_; }
  void destroy();  // destroys the graph and its executable, and does not wait for their work

 private:
  void* stream_;
  void *graph_ = nullptr, *executable_ = nullptr;
  bool open_ = true;
};

// An executable of a captured graph. The executable may live longer than the graph.
class Executable {
 public:
  explicit Executable(const Capture& capture);
  ~Executable();  // does not wait
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  // Launches the graph and does not wait. If `stream` is being captured, the graph becomes a node
  // of the capture's graph.
  bool launch(void* stream);
  // changes the executable, so that it runs another graph of the same form
  bool update(const Capture& capture);

 private:
  void* executable_ = nullptr;
};

// Returns the number of bytes in use in the first device's pool of stream-ordered memory.
std::uint64_t pool_bytes_in_use();
// Returns the number of free bytes of the device of the current context.
std::uint64_t free_device_bytes();

}  // namespace atc::test
