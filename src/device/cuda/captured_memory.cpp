#include "device/cuda/captured_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/graph_use.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/stream.hpp"

namespace atc::cuda {

namespace {

// The buffers of a destroyed graph are kept for later captures. The next two constants are the
// largest number of bytes and the largest number of buffers that are kept, for all devices
// together.
constexpr std::uint64_t kMostKept = std::uint64_t{256} << 20;
constexpr std::size_t kMostBuffers = 64;

// A buffer that was kept after its graph was destroyed is used for a new request only if the
// request is at least 1 / kFit of the buffer's size. For this comparison, a request of fewer than
// kSmall bytes counts as kSmall bytes.
constexpr std::uint64_t kFit = 4, kSmall = std::uint64_t{1} << 20;

// The owner of a buffer: a stream in a capture. The driver does not return the id of a captured
// stream, so a stream is identified by its handle. The handle CU_STREAM_PER_THREAD means another
// stream in each thread; for this handle the thread is part of the owner.
struct Owner {
  std::uint64_t capture = 0;
  Stream stream = nullptr;
  std::thread::id thread;
};
bool operator==(const Owner& a, const Owner& b) {
  return a.capture == b.capture && a.stream == b.stream && a.thread == b.thread;
}

Owner owner_of(std::uint64_t capture, Stream stream) {
  const bool per_thread =
      stream == reinterpret_cast<Stream>(std::uintptr_t{2});  // CU_STREAM_PER_THREAD
  return {capture, stream, per_thread ? std::this_thread::get_id() : std::thread::id()};
}

struct Buffer {
  Buffer(void* memory, std::uint64_t bytes, DeviceId where, Context of)
      : data(memory), size(bytes), device(where), context(of) {}

  void* data;
  std::uint64_t size;
  DeviceId device;
  Context context;
  Owner owner;
  // True if no graph owns the buffer. When the graph that owns the buffer is destroyed, a thread of
  // the driver sets this flag.
  std::atomic<bool> idle{true};
};

struct Buffers {
  std::mutex mutex;
  std::vector<std::unique_ptr<Buffer>> all;
};

Buffers& buffers() {
  // The list of buffers is never destroyed, because graphs may be destroyed while the process
  // exits.
  static auto* const buffers = new Buffers;
  return *buffers;
}

std::atomic<bool> some_returned{false};

// The driver calls this function when the graph that owns the buffer is destroyed. The function
// must not call CUDA and should not block.
void give_back(void* buffer) {
  static_cast<Buffer*>(buffer)->idle.store(true, std::memory_order_release);
  // Another thread may free `buffer` as soon as its flag `idle` is set. So the rest of this
  // function must not use `buffer`.
  some_returned.store(true, std::memory_order_release);
}

Allocator& memory() {
  static auto* const memory = new std::shared_ptr<Allocator>(stream_ordered_allocator());
  return **memory;
}

// Allocates a buffer. Returns null if there is not enough memory. The allocation is made on a new
// stream, because an allocation on the caller's stream would be captured.
std::unique_ptr<Buffer> allocate(std::uint64_t size, DeviceId device, Context context) {
  const OwnStream stream;
  void* const data = memory().allocate(size, device, stream);
  if (data == nullptr) return nullptr;
  try {
    synchronize(stream);
    return std::make_unique<Buffer>(data, size, device, context);
  } catch (...) {
    memory().free(data, device, stream);
    throw;
  }
}

void deallocate(const Buffer& buffer) {
  const ContextScope scope(buffer.device.index);
  const OwnStream stream;
  memory().free(buffer.data, buffer.device, stream);
}

bool is_idle(const std::unique_ptr<Buffer>& buffer) {
  return buffer->idle.load(std::memory_order_acquire);
}

// Frees unused buffers, the largest first, until the number and the bytes of the unused buffers are
// within their limits. Returns true if a buffer was freed. If a buffer cannot be freed now, throws
// Error; the buffer remains in the list, so that it can be freed later.
bool free_idle(Buffers& here, std::uint64_t most_bytes, std::size_t most_buffers) {
  some_returned.exchange(false, std::memory_order_acq_rel);
  std::vector<Buffer*> idle;
  std::uint64_t bytes = 0;
  for (const auto& buffer : here.all) {
    if (!is_idle(buffer)) continue;
    idle.push_back(buffer.get());
    bytes += buffer->size;
  }
  if (bytes <= most_bytes && idle.size() <= most_buffers) return false;
  std::sort(idle.begin(), idle.end(),
            [](const Buffer* a, const Buffer* b) { return a->size < b->size; });
  const RelaxedCapture relaxed;
  while (bytes > most_bytes || idle.size() > most_buffers) {
    Buffer* const freed = idle.back();
    idle.pop_back();
    deallocate(*freed);
    bytes -= freed->size;
    here.all.erase(std::find_if(here.all.begin(), here.all.end(),
                                [&](const auto& buffer) { return buffer.get() == freed; }));
  }
  return true;
}

void try_to_free_idle(std::uint64_t most_bytes, std::size_t most_buffers) {
  Buffers& here = buffers();
  const std::lock_guard lock(here.mutex);
  try {
    free_idle(here, most_bytes, most_buffers);
  } catch (const Error&) {
    some_returned.store(true, std::memory_order_relaxed);
  }
}

// Returns the smallest unused buffer that has at least `size` bytes and is at most kFit times as
// large as the request. Returns null if there is none.
Buffer* best_fit(const Buffers& here, std::uint64_t size, Context context) {
  Buffer* best = nullptr;
  for (const auto& buffer : here.all) {
    if (buffer->context != context || buffer->size < size || !is_idle(buffer)) continue;
    if (buffer->size / kFit > std::max(size, kSmall)) continue;
    if (best == nullptr || buffer->size < best->size) best = buffer.get();
  }
  return best;
}

// Makes a buffer for a request of `size` bytes. An owner is a stream in a capture, and `largest` is
// the size of the owner's largest buffer so far. If there is enough memory, the new buffer has at
// least 2 x `largest` bytes. So all buffers that are made for one owner together take less than
// four times the owner's largest request. Reused buffers are not included in this bound.
Buffer& make(Buffers& here, std::uint64_t size, std::uint64_t largest, DeviceId device,
             Context context) {
  here.all.reserve(here.all.size() + 1);
  const std::uint64_t wanted = std::max(size, 2 * largest);
  auto made = allocate(wanted, device, context);
  if (made == nullptr && (free_idle(here, 0, 0) || wanted > size))
    made = allocate(size, device, context);
  if (made == nullptr)
    fail(Status::out_of_memory,
         "no memory for {} bytes beside a captured graph: free some or lower the workspace limit",
         size);
  here.all.push_back(std::move(made));
  // The new buffer belongs to no graph until hand_over() gives it to a graph. If hand_over() fails,
  // nobody uses the buffer. Because `some_returned` is set here, the next call of
  // trim_captured_memory() searches for such buffers and frees them.
  some_returned.store(true, std::memory_order_relaxed);
  return *here.all.back();
}

// Gives the buffer to the graph. The buffer is in use until the graph is destroyed.
void hand_over(Buffer& buffer, const Owner& owner, Graph graph) {
  buffer.idle.store(false, std::memory_order_relaxed);
  call_when_gone(graph, &buffer, give_back);
  buffer.owner = owner;
}

}  // namespace

void* captured_workspace(std::uint64_t size, DeviceId device, Stream stream) {
  const ContextScope scope(device.index);
  const std::optional<CapturedGraph> captured = captured_graph(stream);
  if (!captured) return nullptr;
  const Owner owner = owner_of(captured->capture, stream);

  Buffers& here = buffers();
  const std::lock_guard lock(here.mutex);
  std::uint64_t largest = 0;
  for (const auto& buffer : here.all) {
    if (!(buffer->owner == owner) || is_idle(buffer)) continue;
    if (buffer->size >= size) return buffer->data;
    largest = std::max(largest, buffer->size);
  }
  const RelaxedCapture relaxed;
  Buffer* buffer = best_fit(here, size, scope.context());
  if (buffer == nullptr) buffer = &make(here, size, largest, device, scope.context());
  hand_over(*buffer, owner, captured->graph);
  return buffer->data;
}

void trim_captured_memory() {
  if (some_returned.load(std::memory_order_relaxed)) try_to_free_idle(kMostKept, kMostBuffers);
}

void free_captured_memory() { try_to_free_idle(0, 0); }

}  // namespace atc::cuda
