// The parts of cuDNN: libraries such as libcudnn_graph and libcudnn_ops. When cuDNN needs a part,
// cuDNN opens the part by the name of its file. The file that the loader finds may belong to
// another installation.
#pragma once

#include <string>
#include <vector>

#include "engines/cudnn/backend.hpp"

namespace atc::cudnn {

// Opens the part that cuDNN needs to return the version of cuDNN. `file` is the main library of
// cuDNN. Returns "", or a sentence that says that the part is missing.
std::string open_first_part(const std::string& file);

// Opens the parts in the folder of `file` (the main library of cuDNN), and lets cuDNN compare the
// versions of the parts. Returns a sentence for each part that does not fit. If the process has
// loaded another file with the name of a part before, cuDNN uses that file, so the part does not
// fit. If `all` is false, parts that convolutions do not use are left out.
std::vector<std::string> misfits(const Api& api, const std::string& file, bool all);

// If parts of cuDNN are loaded from more than one folder, returns a sentence that names the
// folders. Otherwise returns "".
std::string mixture();

}  // namespace atc::cudnn
