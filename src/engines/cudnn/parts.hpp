// cuDNN is a library that opens its parts (libcudnn_graph, libcudnn_ops, …) by name when it needs
// them. It may find parts of another installation.
#pragma once

#include <string>
#include <vector>

#include "engines/cudnn/backend.hpp"

namespace atc::cudnn {

// Opens the part without which cuDNN does not even return its version. Returns "", or a sentence
// that says that the part is missing.
std::string open_first_part(const std::string& file);

// Opens the parts in the folder of `file`. If the process has already loaded another file of the
// same name as a part, cuDNN will use that file. Then has cuDNN compare the versions of all parts.
// Returns a sentence for each part that does not fit; with `all`, also for parts that convolutions
// do not use.
std::vector<std::string> misfits(const Api& api, const std::string& file, bool all);

// Empty, or a sentence that names the folders where parts of cuDNN are loaded from, if they are
// more than one.
std::string mixture();

}  // namespace atc::cudnn
