// Checks the parts of cuDNN: libraries such as libcudnn_graph and libcudnn_ops, which cuDNN opens
// when it needs them. cuDNN opens a part by the name of its file. So the dynamic loader may find a
// file of another installation.
#pragma once

#include <string>
#include <vector>

#include "engines/cudnn/backend.hpp"

namespace atc::cudnn {

// Opens the first part, without which cuDNN cannot even return its version. `file` is the main
// library of cuDNN. Returns "", or a sentence that says that the part is missing.
std::string open_first_part(const std::string& file);

// Opens the parts in the folder of `file` (the main library of cuDNN), and lets cuDNN compare their
// versions. Returns a sentence for each part that does not fit. If the process has already loaded
// another file with the name of a part, cuDNN uses that file; this also counts as a part that does
// not fit. If `all` is false, parts that convolutions do not use are left out.
std::vector<std::string> misfits(const Api& api, const std::string& file, bool all);

// If parts of cuDNN are loaded from more than one folder, returns a sentence that names the
// folders. Otherwise returns "".
std::string mixture();

}  // namespace atc::cudnn
