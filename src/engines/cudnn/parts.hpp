// cuDNN is a library that opens its parts (libcudnn_graph, libcudnn_ops, …) by name when it needs
// them: they may turn out to be those of another install.
#pragma once

#include <string>
#include <vector>

#include "engines/cudnn/backend.hpp"

namespace atc::cudnn {

// Opens the parts that convolutions use, from the folder of `file`, unless the process has parts of
// these names: those found first are the ones that cuDNN goes on with. Empty, or what is missing
// that it cannot even tell its version without.
std::string open_parts(const std::string& file);

// Has cuDNN compare its parts with itself. A sentence for each that does not fit; `all`: also for
// those that convolutions do not use, which are opened for it.
std::vector<std::string> misfits(const Api& api, const std::string& file, bool all);

// Empty, or a sentence that names the folders where parts of cuDNN are loaded from, if they are
// more than one.
std::string mixture();

}  // namespace atc::cudnn
