// Facts that people should know of the running cuDNN.
#pragma once

#include <string>
#include <vector>

namespace atc::cudnn {

// A sentence for each part that does not fit, each device newer than this cuDNN, and each known
// fault of its version. Opens all parts of cuDNN. Empty where no cuDNN can be used.
std::vector<std::string> remarks();

}  // namespace atc::cudnn
