#include "engines/cudnn/session.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/memory_limits.hpp"
#include "device/cuda/driver.hpp"
#include "engines/cudnn/graph.hpp"

namespace atc::cudnn {

namespace {

// An estimate of the host memory of one plan in bytes. LibTorch uses the same estimate for the
// plans that it keeps (docs/threading.md#kept-plans).
constexpr std::uint64_t kPlanBytes = std::uint64_t{200} << 10;

std::atomic<std::uint64_t> generation{0};
// The number of sessions (cuDNN handles with their plans) that exist. No session is ever destroyed.
std::atomic<std::uint64_t> sessions{0};

// Returns the number of plans that a session may keep. Half of the memory limit for kept plans
// (plan_memory_limit()) is for plans of cuDNN, and all sessions have equal parts of it.
std::uint64_t most_plans() {
  const std::uint64_t part = plan_memory_limit() / 2 / std::max<std::uint64_t>(sessions, 1);
  return std::max<std::uint64_t>(part / kPlanBytes, 1);
}

struct Pool {
  std::mutex mutex;
  std::map<cuda::Context, std::vector<Session*>> idle;
};

Pool& pool() {
  static auto* const pool =
      // The pool is never destroyed, because threads may use it until the process ends.
      new Pool;
  return *pool;
}

// The sessions that a thread has taken from the pool, one for each context. When the thread ends,
// the destructor returns them to the pool.
struct Leases {
  std::vector<std::pair<cuda::Context, Session*>> sessions;

  ~Leases() {
    const std::lock_guard lock(pool().mutex);
    for (const auto& [context, session] : sessions) pool().idle[context].push_back(session);
  }
};

bool same(const Operands& a, const Operands& b) {
  return a.x == b.x && a.w == b.w && a.y == b.y && a.bias == b.bias && a.scale == b.scale &&
         a.residual == b.residual;
}

Descriptor pack(const Operands& operands, void* workspace) {
  constexpr std::size_t kMost = 6;
  std::array<std::int64_t, kMost> ids{};
  std::array<const void*, kMost> pointers{};
  std::size_t number = 0;
  const auto add = [&](std::int64_t id, const void* pointer) {
    ids[number] = id;
    pointers[number++] = pointer;
  };
  add(kX, operands.x);
  add(kW, operands.w);
  add(kY, operands.y);
  if (operands.bias != nullptr) add(kBias, operands.bias);
  if (operands.scale != nullptr) add(kScale, operands.scale);
  if (operands.residual != nullptr) add(kResidual, operands.residual);
  const auto count = static_cast<std::int64_t>(number);
  Descriptor pack(Kind::variant_pack);
  pack.set(Attribute::pack_unique_ids, Type::int64, ids.data(), count)
      .set(Attribute::pack_pointers, Type::pointer, pointers.data(), count)
      .set(Attribute::pack_workspace, Type::pointer, &workspace, 1)
      .finalize();
  return pack;
}

// For the sessions of the context that no thread uses: if clear_plans() was called, destroys their
// plans, except plans that a CUDA graph runs.
void drop_stale_plans_of_idle(cuda::Context context) {
  std::vector<Session*> sessions;
  {
    const std::lock_guard lock(pool().mutex);
    sessions.swap(pool().idle[context]);
  }
  try {
    const cuda::ContextScope scope(context);
    for (Session* const session : sessions) session->drop_stale();
  } catch (const Error&) {
    // In a forked child CUDA fails; the driver may also refuse for other reasons. In these cases
    // the remaining sessions keep their old plans until a thread uses them.
  }
  const std::lock_guard lock(pool().mutex);
  auto& idle = pool().idle[context];
  idle.insert(idle.end(), sessions.begin(), sessions.end());
}

}  // namespace

Session::Session() : generation_(generation) {
  const cuda::RelaxedCapture relaxed;
  check(require().create(&handle_), "cudnnCreate");
  ++sessions;
}

void Session::drop_stale() {
  const std::uint64_t now = generation;
  if (generation_ == now) return;
  const cuda::RelaxedCapture relaxed;
  destroy_all_but(0);
  generation_ = now;
}

// Destroys plans of the session. Plans that a CUDA graph runs are kept. Of the other plans, the
// `most` plans that were used last are kept.
void Session::destroy_all_but(std::uint64_t most) {
  std::uint64_t kept = 0;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (entry->plan.graphs->any() || ++kept <= most) {
      ++entry;
    } else {
      by_key_.erase(entry->key);
      entry = entries_.erase(entry);
      add_engine_plans(-static_cast<std::int64_t>(kPlanBytes));
    }
  }
}

ExecutionPlan& Session::plan(const std::string& key, const std::function<ExecutionPlan()>& build) {
  drop_stale();
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
    return known->second->plan;
  }
  const cuda::RelaxedCapture relaxed;
  entries_.push_front({key, build()});
  by_key_.emplace(key, entries_.begin());
  add_engine_plans(kPlanBytes);
  if (const std::uint64_t most = most_plans(); entries_.size() > most) destroy_all_but(most);
  return entries_.front().plan;
}

void Session::execute(ExecutionPlan& plan, const Operands& operands, void* workspace,
                      Stream stream) {
  if (stream_ != stream || stream == nullptr) {
    check(library().api.set_stream(handle_, stream), "cudnnSetStream");
    stream_ = stream;
  }
  if (plan.pack.raw() == nullptr || !same(plan.packed, operands) ||
      plan.packed_workspace != workspace) {
    plan.pack = pack(operands, workspace);
    plan.packed = operands;
    plan.packed_workspace = workspace;
  }
  check(library().api.execute(handle_, plan.plan.raw(), plan.pack.raw()), "cudnnBackendExecute");
  plan.graphs->note(stream);
}

Session& session(cuda::Context context) {
  thread_local Leases leases;
  for (const auto& [known, session] : leases.sessions)
    if (known == context) return *session;
  Session* leased = nullptr;
  {
    const std::lock_guard lock(pool().mutex);
    auto& idle = pool().idle[context];
    if (!idle.empty()) {
      leased = idle.back();
      idle.pop_back();
    }
  }
  // A session is never destroyed, because its context may exist until the process ends.
  if (leased == nullptr) leased = std::make_unique<Session>().release();
  leases.sessions.emplace_back(context, leased);
  return *leased;
}

void clear_plans() {
  ++generation;
  // Plans are destroyed here only for primary contexts, and only in sessions that no thread uses.
  // Any other context belongs to the program and may no longer exist. The plans of such a context
  // are destroyed when a thread uses the context.
  for (cuda::Context context : cuda::primary_contexts()) drop_stale_plans_of_idle(context);
}

}  // namespace atc::cudnn
