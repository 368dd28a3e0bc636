// cuDNN is a library that opens its parts (libcudnn_graph, libcudnn_ops, …) by name when it needs
// them: they may turn out to be those of another install.
#pragma once

#include <string>
#include <vector>

#include "engines/cudnn/backend.hpp"

namespace atc::cudnn {

// Opens the part that cuDNN cannot even tell its version without. Empty, or that it is missing.
std::string open_first_part(const std::string& file);

// Opens the parts from the folder of `file`, unless the process has parts of these names: those
// found first are the ones that cuDNN goes on with. Then has cuDNN compare them. A sentence for
// each that does not fit; `all`: also for those that convolutions do not use.
std::vector<std::string> misfits(const Api& api, const std::string& file, bool all);

// Empty, or a sentence that names the folders where parts of cuDNN are loaded from, if they are
// more than one.
std::string mixture();

}  // namespace atc::cudnn
