#include "device/cuda/kept_memory.hpp"

#include <atomic>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/graph_use.hpp"
#include "device/cuda/recorded_work.hpp"
#include "device/cuda/stream.hpp"

namespace atc::cuda {

namespace {

// Identifies a stream that reads the memory. All threads share the handle of the per-thread stream,
// so the thread is part of the identity.
struct Reader {
  Reader(Context its_context, Stream its_stream)
      : context(its_context), stream(its_stream), thread(std::this_thread::get_id()) {}

  Context context;
  Stream stream;
  std::thread::id thread;
  OwnEvent read{kEventWithoutTiming};  // behind the last read
};

}  // namespace

struct KeptMemory::State {
  State(std::uint64_t size, DeviceId where) : device(where), memory(size, where) {}

  DeviceId device;
  Allocation memory;
  std::list<Reader> readers;
  GraphUse graphs;
  std::unique_ptr<State> next;  // the number of these buffers whose owners have released them

  Reader& reader(Context context, Stream stream);
  bool may_be_freed() noexcept;
};

namespace {

// Memory that its owners released while graphs were reading it, or while the legacy stream could
// not be used.
struct LetGo {
  std::mutex mutex;
  std::unique_ptr<KeptMemory::State> first;
  std::atomic<bool> unseen{false};  // true if some memory may be freed although no graph has ended
  std::atomic<std::uint64_t> seen_ends_of_use{0};  // at the last look
};

LetGo& let_go_of() {
  static auto* const let_go = new LetGo;  // never destroyed: graphs may end during exit
  return *let_go;
}

std::unique_ptr<KeptMemory::State> allocate(std::uint64_t size, DeviceId device) {
  const AllocatorScope scope(own_allocator());
  return std::make_unique<KeptMemory::State>(size, device);
}

}  // namespace

Reader& KeptMemory::State::reader(Context context, Stream stream) {
  const auto thread = std::this_thread::get_id();
  for (Reader& known : readers)
    if (known.context == context && known.stream == stream && known.thread == thread) return known;
  const DriverApi& driver = require_driver();
  const RelaxedCapture relaxed;
  readers.remove_if([&](const Reader& past) { return driver.event_query(past.read) == kSuccess; });
  return readers.emplace_back(context, stream);
}

// Whether the memory can be freed. No graph may read it, and the legacy stream, on which it is
// freed, must have been made to wait for all other work that reads it. This function makes it wait.
bool KeptMemory::State::may_be_freed() noexcept {
  if (graphs.any()) return false;
  try {
    const ContextScope scope(device.index);
    // Using the legacy stream now would invalidate the capture of another stream.
    if (is_capturing(nullptr)) return false;
    for (const Reader& reader : readers)
      check(require_driver().stream_wait_event(nullptr, reader.read, 0), "cuStreamWaitEvent");
    return true;
  } catch (const Error&) {
    return false;
  }
}

KeptMemory::KeptMemory() = default;

KeptMemory::KeptMemory(std::uint64_t size, DeviceId device) : state_(allocate(size, device)) {}

KeptMemory::~KeptMemory() { let_go(); }

KeptMemory::KeptMemory(KeptMemory&& other) noexcept = default;

KeptMemory& KeptMemory::operator=(KeptMemory&& other) noexcept {
  std::swap(state_, other.state_);
  other.let_go();
  return *this;
}

void KeptMemory::let_go() noexcept {
  if (state_ == nullptr) return;
  if (!state_->may_be_freed()) {
    LetGo& here = let_go_of();
    const std::lock_guard lock(here.mutex);
    state_->next = std::move(here.first);
    here.first = std::move(state_);
    here.unseen.store(true, std::memory_order_release);
  }
  state_.reset();
}

void* KeptMemory::data() const { return state_ == nullptr ? nullptr : state_->memory.data(); }

void KeptMemory::read_on(Stream stream) {
  // A RecordedWork lives no longer than the plan, so it need not be counted. Reads on the legacy
  // stream end before the memory is freed on that stream.
  if (state_ == nullptr || is_recording()) return;
  if (is_capturing(stream)) {
    state_->graphs.note(stream);
    return;
  }
  if (stream == nullptr) return;
  const DriverApi& driver = require_driver();
  Context context = nullptr;
  check(driver.context_current(&context), "cuCtxGetCurrent");
  check(driver.event_record(state_->reader(context, stream).read, stream), "cuEventRecord");
}

KeptMemory kept_copy(const void* from, std::uint64_t size, DeviceId device) {
  KeptMemory copy(size, device);
  copy_on_device(copy.data(), from, size, nullptr);
  synchronize(nullptr);
  return copy;
}

void trim_kept_memory() {
  LetGo& here = let_go_of();
  const std::uint64_t ends = ends_of_graph_use();
  if (!here.unseen.load(std::memory_order_acquire) &&
      here.seen_ends_of_use.load(std::memory_order_acquire) == ends)
    return;
  const std::lock_guard lock(here.mutex);
  here.seen_ends_of_use.store(ends, std::memory_order_release);
  bool unseen = false;
  for (auto* at = &here.first; *at != nullptr;) {
    KeptMemory::State& state = **at;
    if (state.may_be_freed()) {
      *at = std::move(state.next);
      continue;
    }
    unseen = unseen || !state.graphs.any();
    at = &state.next;
  }
  here.unseen.store(unseen, std::memory_order_release);
}

}  // namespace atc::cuda
