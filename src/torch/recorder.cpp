#include "recorder.hpp"

#include "guard.hpp"
#include "hooks.hpp"

namespace atc_torch {

void start_recording(const std::string&) {
  throw Failure(ATC_ERROR_UNSUPPORTED, "this build has no recorder");
}

std::uint64_t stop_recording() {
  throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                "nothing is being recorded: call atc_torch_record_start first");
}

void record_forward(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                    const Geometry&) {}
void record_backward(const at::Tensor&, const at::Tensor&, const at::Tensor&, const Geometry&,
                     const BackwardMask&) {}

}  // namespace atc_torch
