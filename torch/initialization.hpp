// The bridge's one-time set-up.
#pragma once

namespace atc_torch {

void initialize();  // once; throws Failure
bool is_initialized();
// Sets the folder to which relative paths in the environment are relative: the process's folder
// when the bridge was loaded. A static text.
void use_start_folder(const char* folder) noexcept;

}  // namespace atc_torch
