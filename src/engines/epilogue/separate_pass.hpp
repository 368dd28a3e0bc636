// A convolution without post-ops, followed by a pass: code of atc's own that goes over the output
// and applies the post-ops (scale, residual and activation).
#pragma once

#include <memory>
#include <string>

#include "engines/engine.hpp"

namespace atc {

// Returns why no pass can apply the problem's post-ops on the device. Returns "" if a pass can.
std::string separate_pass_objection(const Problem& problem, DeviceId device);

// Returns the problem that is computed before the pass. It has the bias, unless the post-ops have a
// scale: the scale must be applied before the bias, so the pass then does both.
Problem without_post_ops(const Problem& problem);

// Returns the exactness of the result after the pass. `exactness` is that of the convolution.
Exactness behind_separate_pass(const Problem& problem, Exactness exactness);

// Returns an object that computes `problem`: `convolution`, which computes
// without_post_ops(problem), and then the pass. Throws Error(unsupported) if the convolution leaves
// its result in a buffer of its engine, or if there is a separate_pass_objection().
std::unique_ptr<Prepared> with_separate_pass(const Problem& problem, DeviceId device,
                                             std::unique_ptr<Prepared> convolution);

}  // namespace atc
