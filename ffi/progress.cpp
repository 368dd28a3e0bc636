#include "progress.hpp"

#include "core/inside.hpp"

namespace atc::ffi {

conv::OnTuning to_on_tuning(atc_tune_callback callback, void* payload) {
  if (callback == nullptr) return {};
  return [callback, payload](const conv::TuningProgress& known) {
    atc_tune_progress progress{};
    progress.struct_size = sizeof(progress);
    progress.problem = known.problem;
    progress.problems = known.problems;
    progress.problem_fraction = known.fraction;
    progress.seconds = known.seconds;
    progress.description = known.description.c_str();
    progress.candidate = known.candidate.c_str();
    const InsideScope inside(Callback::progress);
    return callback(&progress, payload) == 0;
  };
}

}  // namespace atc::ffi
