// Finds and loads the builds of the bridge in the loader's folder. There is one build for each
// minor version of LibTorch, for example libatc_torch-2.11.so.
#pragma once

#include <string>

#include "build_table.hpp"
#include "group_table.hpp"
#include "libtorch.hpp"

namespace atc_torch {

// Returns the minor versions of LibTorch for which there are builds, for example "2.11, 2.13".
// Returns "none" if there are no builds.
std::string versions_of_builds();

// Loads the build for `libtorch`. Throws Failure(ATC_ERROR_LIBRARY) if there is no such build, or
// if it cannot be loaded. If it throws, no function of LibTorch has been called.
const BuildTable& load_build(const LibTorch& libtorch);

// Loads the library for groups whose ranks use LibTorch's c10d (group_table.hpp), for `libtorch`.
// Throws like load_build.
const GroupTable& load_groups(const LibTorch& libtorch);

}  // namespace atc_torch
