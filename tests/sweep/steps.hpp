// The steps of the scripted session.
#pragma once

#include <functional>
#include <ostream>
#include <vector>

#include "session.hpp"

namespace atc_sweep {

struct Step {
  const char* name;
  std::function<void(Session&)> arrange;  // prepares the step, without faults; empty if nothing
                                          // need be prepared
  std::function<void(Session&)> act;
  std::function<void()> finish = [] {};  // without faults
};

inline void PrintTo(const Step& step, std::ostream* out) { *out << step.name; }

const std::vector<Step>& store_steps();
const std::vector<Step>& convolution_steps();

}  // namespace atc_sweep
