// Initializes the bridge once for each process.
#pragma once

namespace atc_torch {

void initialize();  // further calls do nothing; throws Failure
bool is_initialized();
// Sets the folder to which relative paths in environment variables are relative. This is the folder
// that was the process's current folder when the bridge was loaded. The text must never be freed.
void use_start_folder(const char* folder) noexcept;

}  // namespace atc_torch
