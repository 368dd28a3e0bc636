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
  global = 0,   // the strictest mode, which is also the usual one
  relaxed = 2,  // all calls, including allocations
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
  bool end();  // Ends the capture. Returns false if a forbidden call has made it invalid.
  std::size_t nodes() const;
  std::size_t memory_nodes() const;  // the nodes that allocate or free memory
  bool replay();                     // launches the graph on the captured stream and waits for it
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
  bool launch(void* stream);  // launches the graph and does not wait; if `stream` is being
                              // captured, the graph becomes a node
  bool update(const Capture& capture);  // updates the executable to another graph of the same form

 private:
  void* executable_ = nullptr;
};

// Returns the number of bytes in use in the first device's pool of stream-ordered memory.
std::uint64_t pool_bytes_in_use();
// Returns the number of free bytes of the device of the current context.
std::uint64_t free_device_bytes();

}  // namespace atc::test
