// The builds of the bridge: libatc_torch-2.11.so and so on, in the loader's folder.
#pragma once

#include <string>

#include "build_table.hpp"
#include "group_table.hpp"
#include "libtorch.hpp"

namespace atc_torch {

// Returns the minor versions of LibTorch that there are builds for, as text: "2.11, 2.13"; "none"
// if there are no builds.
std::string versions_of_builds();

// Loads the build for `libtorch`. Throws Failure(ATC_ERROR_LIBRARY) if there is none, or if it
// cannot be loaded; in both cases no function of LibTorch has been called.
const BuildTable& load_build(const LibTorch& libtorch);

// The same for the library with the groups over c10d (group_table.hpp).
const GroupTable& load_groups(const LibTorch& libtorch);

}  // namespace atc_torch
