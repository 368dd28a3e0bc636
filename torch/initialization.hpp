// The bridge's one-time set-up.
#pragma once

namespace atc_torch {

void initialize();  // once; throws Failure
bool is_initialized();
// To which a relative path of the environment is relative: where the process was when the bridge
// was loaded. A static text.
void use_start_folder(const char* folder) noexcept;

}  // namespace atc_torch
