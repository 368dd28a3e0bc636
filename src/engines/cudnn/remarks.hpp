// What people should know of the running cuDNN.
#pragma once

#include <string>
#include <vector>

namespace atc::cudnn {

// Parts that do not fit, devices it does not know yet, faults that its version is known for: a
// sentence each. Opens all parts of cuDNN. Nothing where there is no cuDNN that can be used.
std::vector<std::string> remarks();

}  // namespace atc::cudnn
