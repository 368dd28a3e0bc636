#include "conv/beside/room.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conv/beside/admission.hpp"
#include "conv/beside/keeping.hpp"
#include "conv/beside/refusal.hpp"
#include "conv/key.hpp"
#include "conv/noted.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "device/background.hpp"
#include "device/description.hpp"
#include "device/fork.hpp"
#include "tune/agenda.hpp"

namespace atc::conv::beside {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// The longest times for which three events wait until the worker has ended its current step: the
// end of the process, a fork, and the removal of an engine. A step is short, but takes long if
// other threads occupy the cores.
constexpr std::chrono::seconds kPatienceAtEnd{20}, kPatienceBeforeFork{20}, kPatience{60};

// True in the worker thread (the thread that checks candidates).
thread_local bool is_worker = false;

class Room {
 public:
  // `forks` is the number of forks between the first process and this one. `before` is the room of
  // the parent process: the parent's layers and worker thread. The pointer `before` is kept only so
  // that leak checkers find the parent's room.
  Room(unsigned forks, Room* before) : forks_(forks), before_(before) {}

  unsigned forks() const { return forks_; }

  std::shared_ptr<Layer> find_or_add(std::string id, const Problem& problem, const Request& request,
                                     const store::Key& key, const Choice& choice) {
    const std::lock_guard lock(mutex_);
    if (const auto found = layers_.find(id); found != layers_.end()) return found->second;
    if (ending_ || in_vain_.count(id) != 0 || layers_.size() >= kMostLayers) return nullptr;
    auto layer = std::make_shared<Layer>(id, problem, request, key, choice, computing_threads());
    layers_.emplace(std::move(id), layer);
    return layer;
  }

  void wake() noexcept {
    const std::lock_guard lock(mutex_);
    end_before_exit_handlers();
    woken_ = true;
    changed_.notify_all();
    if (running_ || ending_) return;
    try {
      static std::once_flag once;
      std::call_once(once, [] {
        std::atexit(end_of_process);
        pthread_atfork(before_fork, after_fork, nullptr);
      });
      start_in_background(serve_room);
      running_ = true;
    } catch (const std::exception& error) {
      ending_ = true;
      tell_without_thread(error);
    }
  }

  void abandon(std::chrono::seconds patience, bool for_good) noexcept {
    std::map<std::string, std::shared_ptr<Layer>> abandoned;
    {
      std::unique_lock lock(mutex_);
      // The end of the process may call this function twice. Only the first call waits.
      if (for_good && std::exchange(ended_for_good_, true)) patience = std::chrono::seconds(0);
      ending_ = ending_ || for_good;
      abandoned.swap(layers_);
      in_vain_.clear();
      interrupt(lock, patience);
      --interruptions_;
      woken_ = true;
      changed_.notify_all();
    }
    // At the end of the process the engines of the candidates may have been destroyed. Then the
    // candidates cannot be destroyed safely, so they are kept for ever.
    if (for_good) {
      static auto* const kept = new std::vector<std::shared_ptr<Layer>>;
      for (auto& [id, layer] : abandoned) kept->push_back(std::move(layer));
      return;
    }
    for (const auto& [id, layer] : abandoned) layer->abandon();
  }

  // Stops the worker while the process forks. If the worker held a lock during the fork (the lock
  // of a static variable that is being initialised, or a lock of a library), this lock would remain
  // locked in the child for ever.
  void rest() noexcept {
    std::unique_lock lock(mutex_);
    interrupt(lock, kPatienceBeforeFork);
  }
  void go_on() noexcept {
    const std::lock_guard lock(mutex_);
    --interruptions_;
    woken_ = true;
    changed_.notify_all();
  }

  void serve() {
    std::unique_lock lock(mutex_);
    const auto has_news = [this] { return woken_ || ending_ || layers_.empty(); };
    for (;;) {
      // The worker thread ends if there are no layers to explore. When a layer is added, a new
      // worker thread is started.
      if (ending_ || layers_.empty()) {
        running_ = false;
        return;
      }
      woken_ = false;
      if (interruptions_ == 0) {
        Layers all;
        for (const auto& [id, layer] : layers_) all.push_back(layer);
        busy_ = true;
        lock.unlock();
        bool worked = false;
        try {
          worked = work_on_one_of(all);
        } catch (...) {
          lock.lock();
          end_of_step();
          throw;
        }
        all.clear();
        lock.lock();
        end_of_step();
        if (worked) continue;
      }
      if (const Clock::time_point next = next_work(); Clock::now() < next)
        changed_.wait_until(lock, next, has_news);
      else
        changed_.wait(lock, has_news);
    }
  }

 private:
  static void tell_without_thread(const std::exception& error) noexcept {
    try {
      log_once(LogLevel::warning,
               format("problems are not tuned beside the program: no thread can be started ({})",
                      error.what()));
    } catch (const std::exception&) {
      // There is no memory for the line.
    }
  }
  static void end_of_process();
  static void end_before_exit_handlers();
  static void before_fork();
  static void after_fork();
  static void serve_room();

  // Asks the worker thread to end its current step, and waits for this at most for the time
  // `patience`. The worker begins no further step until `interruptions_` is 0 again. If the worker
  // itself calls this function, it does not wait.
  void interrupt(std::unique_lock<std::mutex>& lock, std::chrono::seconds patience) {
    ++interruptions_;
    changed_.notify_all();
    if (!is_worker) changed_.wait_for(lock, patience, [this] { return !busy_; });
  }

  using Layers = std::vector<std::shared_ptr<Layer>>;

  // Does one step of work: the first of the following steps for which there is work now. (1) Store
  // a decision that has been made. (2) Estimate the benefit of exploring a new layer. (3) Check
  // candidates of the most urgent layer. Returns false if there is no work now.
  bool work_on_one_of(const Layers& layers) {
    Layer* next = nullptr;
    double most_urgent = 0;
    const bool device_rests = Clock::now() < next_work();
    for (const auto& layer : layers)
      if (layer->stage() == Layer::Stage::decided) {
        work_on(*layer, [&] { keep(*layer); });
        return true;
      }
    for (const auto& layer : layers) {
      // A call of the program has ended the exploration of the layer, because there was no memory.
      if (layer->stage() == Layer::Stage::over) {
        finish(*layer, true);
        return true;
      }
      if (layer->stage() == Layer::Stage::to_foresee) {
        work_on(*layer, [&] { foresee(*layer); });
        return true;
      }
      const double urgency = layer->urgency();
      if (urgency <= most_urgent || (device_rests && shares_device(*layer))) continue;
      most_urgent = urgency;
      next = layer.get();
    }
    if (next == nullptr) return false;
    work_on(*next, [&] { admit(*next); });
    return true;
  }

  template <typename Work>
  void work_on(Layer& layer, const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      // If the gate (the correctness check) or the device does not work, no other layer can be
      // explored either.
      if (error.status() == Status::library || error.status() == Status::device)
        give_up(error.what());
      else
        fail_for(layer, error.what());
    } catch (const std::exception& error) {
      fail_for(layer, error.what());
    }
  }

  void foresee(Layer& layer) {
    const ComputingThreads threads(layer.threads());
    if (const auto pick = foreseen_pick(layer, layer.default_seconds())) {
      layer.foresee(*pick);
      return;
    }
    layer.abandon();
    finish(layer, true);
  }

  void keep(Layer& layer) {
    if (shares_device(layer)) account_.saves(seconds_of(Clock::now()), layer.saved_part());
    finish(layer, !keep_decision(layer));
  }

  // Checks candidates of the layer. On CUDA the time of each check is charged to `account_`, which
  // limits the time that the worker takes from the program. On the CPU the worker uses only idle
  // cores, so nothing is charged.
  void admit(Layer& layer) {
    const ComputingThreads threads(layer.threads());
    const auto worked = [&](double seconds) {
      if (shares_device(layer)) account_.worked(seconds_of(Clock::now()), seconds);
    };
    admit_candidates(layer, worked, [&] {
      std::unique_lock lock(mutex_);
      const auto is_interrupted = [this] { return interruptions_ > 0 || ending_; };
      if (!shares_device(layer)) return !is_interrupted();
      return !changed_.wait_until(lock, next_work(), is_interrupted);
    });
  }

  // Whether the worker uses a device that the program's convolutions use at the same time.
  static bool shares_device(const Layer& layer) {
    return layer.request().device.type == DeviceType::cuda;
  }
  static double seconds_of(Clock::time_point moment) {
    return Seconds(moment.time_since_epoch()).count();
  }
  Clock::time_point next_work() const {
    const double next = account_.next_work(seconds_of(Clock::now()));
    return Clock::time_point(std::chrono::duration_cast<Clock::duration>(Seconds(next)));
  }

  void fail_for(Layer& layer, const char* why) {
    log_once(LogLevel::warning,
             format("{} is not tuned beside the program: {}", describe(layer.problem()), why));
    layer.abandon();
    finish(layer, true);
  }

  // Ends all explorations. From now on no layer is explored.
  void give_up(const char* why) {
    log_once(LogLevel::warning, format("problems are not tuned beside the program: {}", why));
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    abandon(std::chrono::seconds(0), false);
  }

  // Removes the layer. If `in_vain` is true (the exploration led to no decision), the layer's
  // problem is not explored again.
  void finish(const Layer& layer, bool in_vain) {
    const std::lock_guard lock(mutex_);
    const auto found = layers_.find(layer.id());
    // The layer may have been abandoned meanwhile. Then another layer may have its id.
    if (found == layers_.end() || found->second.get() != &layer) return;
    layers_.erase(found);
    if (in_vain && in_vain_.size() < kMostLayers) in_vain_.insert(layer.id());
  }

  // Called by the worker when a step has ended, with the mutex locked.
  void end_of_step() {
    busy_ = false;
    changed_.notify_all();
  }

  const unsigned forks_;
  [[maybe_unused]] Room* const before_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Layer>> layers_;
  std::set<std::string> in_vain_;
  bool running_ = false, woken_ = false, busy_ = false, ending_ = false, ended_for_good_ = false;
  int interruptions_ = 0;
  // used only by the worker thread
  tune::Account account_{seconds_of(Clock::now())};
};

// Returns the room of this process (the layers that are explored, and the worker thread). A forked
// child has no worker thread, and its copy of the parent's mutex may be locked for ever. So the
// child makes a new room. Rooms are never destroyed, because other threads may still use them at
// the end of the process.
Room& room() {
  static std::atomic<Room*> current{nullptr};
  Room* known = current.load();
  while (known == nullptr || known->forks() != forks_behind()) {
    auto made = std::make_unique<Room>(forks_behind(), known);
    if (current.compare_exchange_strong(known, made.get())) return *made.release();
  }
  return *known;
}

void Room::end_of_process() { room().abandon(kPatienceAtEnd, true); }

// Handlers of pthread_atfork() that run in the parent process. The child needs no handler, because
// it makes a room of its own.
void Room::before_fork() { room().rest(); }
void Room::after_fork() { room().go_on(); }

// Ends the worker early when the main thread ends the process. The exit handler that wake()
// registers would be too late for some static objects: a library that the worker uses may make
// static objects after the registration, and these objects are destroyed before the handler runs.
// But before exit() destroys any static object, it destroys the thread-local objects of the thread
// that calls it. So the destructor of a thread-local object of the main thread ends the worker.
// (The main thread ends only with the process.)
void Room::end_before_exit_handlers() {
  struct End {
    bool used = true;
    ~End() {
      if (syscall(SYS_gettid) == getpid()) end_of_process();
    }
  };
  thread_local const End end;
  static_cast<void>(end.used);
}

void Room::serve_room() {
  is_worker = true;
  try {
    room().serve();
  } catch (const std::exception&) {  // serve() throws if there is no memory for the list of layers.
    room().abandon(std::chrono::seconds(0), true);
  }
}

}  // namespace

std::shared_ptr<Layer> layer_for(const Problem& problem, const Request& request,
                                 const Decision& decision) {
  if (const std::string why = refusal(request); !why.empty()) {
    log_once(LogLevel::warning,
             format("problems are not tuned beside the program, but noted for later: {}", why));
    return nullptr;
  }
  const store::Key key = key_for(problem, request);
  return room().find_or_add(note_id(request, key), problem, request, key, decision.choice);
}

void wake_worker() noexcept { room().wake(); }

void abandon_layers(bool waits) noexcept {
  room().abandon(waits ? kPatience : std::chrono::seconds(0), false);
}

}  // namespace atc::conv::beside
