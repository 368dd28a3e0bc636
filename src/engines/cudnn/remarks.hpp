// Sentences about the loaded cuDNN for users.
#pragma once

#include <string>
#include <vector>

namespace atc::cudnn {

// Returns a sentence for each part (library) of cuDNN that does not fit, a sentence for each device
// that is newer than this cuDNN supports, and a sentence with the number of known faults of this
// version. Opens all parts of cuDNN. Returns no sentence if cuDNN cannot be used.
std::vector<std::string> remarks();

}  // namespace atc::cudnn
