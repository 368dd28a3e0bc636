// Replaces library.cpp in a build without CUDA (ATC_CUDA=OFF). Such a build does not search for
// cuDNN.
#include "engines/cudnn/library.hpp"
#include "engines/cudnn/remarks.hpp"

namespace atc::cudnn {

const Library& library() {
  static const Library* const known = [] {
    auto* const none = new Library;
    none->trouble = "this build leaves CUDA out (ATC_CUDA=OFF)";
    return none;
  }();
  return *known;
}

std::string version_text(std::size_t) { return ""; }
std::vector<std::string> remarks() { return {}; }

}  // namespace atc::cudnn
