// The builds of the bridge: libatc_torch-2.11.so and so on, in the loader's folder.
#pragma once

#include <string>

#include "build_table.hpp"
#include "libtorch.hpp"

namespace atc_torch {

// The minor versions of LibTorch that there are builds for: "2.11, 2.13"; "none" without builds.
std::string versions_of_builds();

// Loads the build for `libtorch`. Throws Failure(ATC_ERROR_LIBRARY) if there is none, or if it
// cannot be loaded; no function of LibTorch has been called then.
const BuildTable& load_build(const LibTorch& libtorch);

}  // namespace atc_torch
