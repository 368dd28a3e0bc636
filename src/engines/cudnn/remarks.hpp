// Remarks on the running cuDNN that users should know.
#pragma once

#include <string>
#include <vector>

namespace atc::cudnn {

// Returns a sentence for each part that does not fit, one for each device that is newer than this
// cuDNN, and one with the number of known faults of its version. Opens all parts of cuDNN. Returns
// nothing if no cuDNN can be used.
std::vector<std::string> remarks();

}  // namespace atc::cudnn
