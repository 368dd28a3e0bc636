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

// A stream with work that reads the memory. All threads use the same handle for their per-thread
// stream, but it is another stream in each thread. So a reader is identified by stream and thread.
struct Reader {
  Reader(Context its_context, Stream its_stream)
      : context(its_context), stream(its_stream), thread(std::this_thread::get_id()) {}

  Context context;
  Stream stream;
  std::thread::id thread;
  OwnEvent read{kEventWithoutTiming};  // recorded after the stream's last read of the memory
};

}  // namespace

struct KeptMemory::State {
  State(std::uint64_t size, DeviceId where) : device(where), memory(size, where) {}

  DeviceId device;
  Allocation memory;
  std::list<Reader> readers;
  GraphUse graphs;
  std::unique_ptr<State> next;  // the next element in the list of memory that could not be freed

  Reader& reader(Context context, Stream stream);
  bool may_be_freed() noexcept;
};

namespace {

// Memory that its owners have released, but that could not be freed: a graph was reading it, or the
// legacy stream, on which it is freed, could not be used.
struct LetGo {
  std::mutex mutex;
  std::unique_ptr<KeptMemory::State> first;
  // True if the list contains memory that no graph reads, but that could not be freed for another
  // reason. Then trim_kept_memory() searches the list even if no further graph was destroyed.
  std::atomic<bool> unseen{false};
  // The number of destroyed graphs (ends_of_graph_use()) when the list was last searched.
  std::atomic<std::uint64_t> seen_ends_of_use{0};
};

LetGo& let_go_of() {
  // The list is never destroyed, because graphs may be destroyed while the process exits.
  static auto* const let_go = new LetGo;
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

// Whether the memory can be freed now. If a graph reads it, or if the legacy stream cannot be used,
// the result is false. Otherwise the function makes the legacy stream wait for all work that reads
// the memory, and returns true. The wait is needed because the memory is freed on the legacy
// stream.
bool KeptMemory::State::may_be_freed() noexcept {
  if (graphs.any()) return false;
  try {
    const ContextScope scope(device.index);
    // A use of the legacy stream now would invalidate the capture of another stream.
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
  // A RecordedWork (a graph of atc's own) is destroyed before the plan that owns the memory. So
  // reads that are recorded into it need not be noted. Reads on the legacy stream (null) need no
  // event, because the memory is freed on that stream.
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
