#include "device/cpu/team.hpp"

#include "device/cpu/openmp.hpp"

namespace atc {

namespace {

// The functions that compilers call for `omp parallel` and `omp barrier`. The runtimes of GCC, LLVM
// and Intel all have functions of these names.
struct Entries {
  void (*parallel)(void (*work)(void*), void* context, unsigned threads, unsigned flags);
  void (*barrier)();
  int (*thread)();
  int (*threads)();
};

const Entries* entries() {
  static const Entries found = [] {
    Entries e{};
    const bool whole = look_up_openmp(e.parallel, "GOMP_parallel") &&
                       look_up_openmp(e.barrier, "GOMP_barrier") &&
                       look_up_openmp(e.thread, "omp_get_thread_num") &&
                       look_up_openmp(e.threads, "omp_get_num_threads");
    return whole ? e : Entries{};
  }();
  return found.parallel == nullptr ? nullptr : &found;
}

struct Call {
  void (*work)(void*, const Team&);
  void* context;
};

}  // namespace

void Team::wait() const noexcept {
  if (members_ > 1) entries()->barrier();
}

void run_in_team(int threads, void (*work)(void*, const Team&), void* context) noexcept {
  const Entries* const openmp = threads > 1 ? entries() : nullptr;
  if (openmp == nullptr) {
    work(context, Team(0, 1));
    return;
  }
  Call call{work, context};
  openmp->parallel(
      [](void* data) {
        const Call& todo = *static_cast<Call*>(data);
        todo.work(todo.context, Team(entries()->thread(), entries()->threads()));
      },
      &call, static_cast<unsigned>(threads), 0);
}

}  // namespace atc
