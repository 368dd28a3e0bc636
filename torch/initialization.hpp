// The bridge's one-time set-up.
#pragma once

namespace atc_torch {

void initialize();  // once; throws Failure
bool is_initialized();
// Sets the folder against which relative paths in the environment are resolved: the process's
// folder at the time when the bridge was loaded. The text must never be freed.
void use_start_folder(const char* folder) noexcept;

}  // namespace atc_torch
