// Initializes the bridge once for each process.
#pragma once

namespace atc_torch {

// Initializes the bridge at the first call. Further calls do nothing. Throws Failure.
void initialize();
bool is_initialized();
// Sets the folder in which a relative path in the environment variable ATC_RECORD begins. The
// loader passes the folder that was the process's current folder when the loader was loaded. The
// text `folder` must never be freed.
void use_start_folder(const char* folder) noexcept;

}  // namespace atc_torch
