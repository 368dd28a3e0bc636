#include "device/cpu/openmp.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace atc {

namespace {

struct Runtime {
  int (*max_threads)();
  void (*set_threads)(int);
  int (*in_parallel)();
  int (*thread_limit)();
  int (*dynamic)();
  void (*set_dynamic)(int);

  bool found() const { return max_threads != nullptr; }
};

// Returns the functions of the OpenMP runtime. If one of them is missing, all pointers in the
// result are null. Each runtime has all of these functions, because they are older than OpenMP 4.0.
const Runtime& runtime() {
  static const Runtime found = [] {
    Runtime openmp{};
    const bool whole = look_up_openmp(openmp.max_threads, "omp_get_max_threads") &&
                       look_up_openmp(openmp.set_threads, "omp_set_num_threads") &&
                       look_up_openmp(openmp.in_parallel, "omp_in_parallel") &&
                       look_up_openmp(openmp.thread_limit, "omp_get_thread_limit") &&
                       look_up_openmp(openmp.dynamic, "omp_get_dynamic") &&
                       look_up_openmp(openmp.set_dynamic, "omp_set_dynamic");
    return whole ? openmp : Runtime{};
  }();
  return found;
}

}  // namespace

void* openmp_function(const char* name) {
#ifdef ATC_WITH_ONEDNN
  void* const onednn = dlopen("libdnnl.so.3", RTLD_LAZY | RTLD_NOLOAD);
  if (onednn != nullptr && dlsym(onednn, name) == nullptr) return nullptr;
#endif
  // A process may contain several OpenMP runtimes, such as LibTorch's own copy or a preloaded one.
  // The linker binds oneDNN to the first of them. RTLD_DEFAULT also finds the first of them.
  return dlsym(RTLD_DEFAULT, name);
}

int team_size() noexcept {
  const Runtime& openmp = runtime();
  if (!openmp.found()) return 0;
  if (openmp.in_parallel() != 0) return 1;
  return std::max(1, std::min(openmp.max_threads(), openmp.thread_limit()));
}

bool has_team_of(int threads) noexcept {
  const Runtime& openmp = runtime();
  return !openmp.found() || (openmp.max_threads() == threads && openmp.in_parallel() == 0 &&
                             openmp.dynamic() == 0 && openmp.thread_limit() >= threads);
}

bool can_have_team_of(int threads) noexcept {
  const Runtime& openmp = runtime();
  return threads == 1 || (openmp.in_parallel() == 0 && openmp.thread_limit() >= threads);
}

TeamScope::TeamScope(int threads) noexcept {
  const Runtime& openmp = runtime();
  if (!openmp.found()) return;
  threads_ = openmp.max_threads();
  dynamic_ = openmp.dynamic() != 0;
  if (threads_ != threads) openmp.set_threads(threads);
  if (dynamic_) openmp.set_dynamic(0);
}

TeamScope::~TeamScope() {
  if (threads_ == 0) return;
  const Runtime& openmp = runtime();
  openmp.set_threads(threads_);
  if (dynamic_) openmp.set_dynamic(1);
}

}  // namespace atc
