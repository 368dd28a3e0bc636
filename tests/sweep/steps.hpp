// The steps of the test's scripted session with libatc (session.hpp).
#pragma once

#include <functional>
#include <ostream>
#include <vector>

#include "session.hpp"

namespace atc_sweep {

struct Step {
  const char* name;
  // Prepares the step. Runs before calls begin to fail. Empty if the step needs no preparation.
  std::function<void(Session&)> arrange;
  std::function<void(Session&)> act;
  std::function<void()> finish = [] {};  // runs after the step, when no call fails any more
};

inline void PrintTo(const Step& step, std::ostream* out) { *out << step.name; }

const std::vector<Step>& store_steps();
const std::vector<Step>& convolution_steps();

}  // namespace atc_sweep
