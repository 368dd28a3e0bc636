// The parts of cuDNN (libcudnn_graph, libcudnn_ops, …). cuDNN opens each of these libraries by name
// when it needs it, and may find one of another installation.
#pragma once

#include <string>
#include <vector>

#include "engines/cudnn/backend.hpp"

namespace atc::cudnn {

// Opens the part that cuDNN needs even to return its version. Returns "", or a sentence that says
// that the part is missing.
std::string open_first_part(const std::string& file);

// Opens the parts in the folder of `file`, and lets cuDNN compare the versions of all parts. If the
// process has already loaded another file with the name of a part, cuDNN will use that file.
// Returns a sentence for each part that does not fit. With `all`, parts that convolutions do not
// use are included.
std::vector<std::string> misfits(const Api& api, const std::string& file, bool all);

// If parts of cuDNN are loaded from more than one folder, returns a sentence that names the
// folders. Otherwise returns "".
std::string mixture();

}  // namespace atc::cudnn
