// Sentences about the running cuDNN that people should know.
#pragma once

#include <string>
#include <vector>

namespace atc::cudnn {

// A sentence for each part that does not fit and each device newer than this cuDNN, and one with
// the number of its version's known faults. Opens all parts of cuDNN. Empty where no cuDNN can be
// used.
std::vector<std::string> remarks();

}  // namespace atc::cudnn
