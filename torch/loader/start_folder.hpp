// The folder that was the process's current folder when the bridge was loaded.
#pragma once

namespace atc_torch {

// Returns the path of the folder, or "" if it could not be determined. The text is never freed.
const char* start_folder() noexcept;

}  // namespace atc_torch
