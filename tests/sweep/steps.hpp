// The steps of the scripted session (session.hpp).
#pragma once

#include <functional>
#include <ostream>
#include <vector>

#include "session.hpp"

namespace atc_sweep {

struct Step {
  const char* name;
  // Prepares the step, before the fault is armed. Empty if the step needs no preparation.
  std::function<void(Session&)> arrange;
  std::function<void(Session&)> act;
  std::function<void()> finish = [] {};  // runs after the step, without faults
};

inline void PrintTo(const Step& step, std::ostream* out) { *out << step.name; }

const std::vector<Step>& store_steps();
const std::vector<Step>& convolution_steps();

}  // namespace atc_sweep
